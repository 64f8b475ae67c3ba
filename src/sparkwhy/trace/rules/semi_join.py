"""Trace semi, anti and existence joins.

The law for one query: every left row, once where it has a partner and once where it has none; one of these two blames
the join: without a partner a semi join, with a partner an anti join.

    semi join on l.k = r.k, bit 0b10

    before                        after
    l.k  blame      r.k  blame    l.k  blame  unless
    1    0b00       1    0b01     1    0b01   {}
                                  1    0b10   {0b01}

An existence join drops no row: its column is true in one of the two and false in the other.
"""

from __future__ import annotations

from dataclasses import replace

from sparkwhy.plan.build import boolean, call, carry, empty_array, integer, transform
from sparkwhy.plan.exprs import AggCall, Attribute, Expr, FieldOf, MakeStruct, Not, Ref
from sparkwhy.plan.nodes import Column, Flatten, Join, Plan, Project
from sparkwhy.plan.types import BOOLEAN, INTEGER, LONG, Array, Field, Struct
from sparkwhy.trace.context import TraceContext
from sparkwhy.trace.joins.inputs import (
    JoinInput,
    liveness_of,
    partner_of,
    read_by_join,
    split_sides_by_variant,
)
from sparkwhy.trace.joins.partners import group_by_key, matching
from sparkwhy.trace.liveness import LIVENESS, SETS, blame_of, exclude_all, unless_of, with_any
from sparkwhy.trace.observe import Recording
from sparkwhy.trace.recorded import HasPartner, NoPartner
from sparkwhy.trace.rows import TracedRows, query_columns
from sparkwhy.trace.variants.partitions import refine

_FOUND = Struct((Field("found", BOOLEAN), Field("blame", LONG), Field("unless", SETS)))


def trace_semi_join(tracing: TraceContext, op: Join, left: TracedRows, right: TracedRows) -> TracedRows:
    """Return every left row, once where it has a partner and once where it has none."""
    op, left, right = split_sides_by_variant(tracing, op, left, right)
    if right.is_certain:
        found, rows = _find_certain_partners(tracing, op, left, right)
    else:
        found, rows = _find_possible_partners(tracing, op, left, right)
    if not op.traits.drops:
        assert op.exists is not None
        return tracing.project(op, rows, (*carry(left.holders(op.left.output)), Column(op.exists, found)))
    kept = Not(found) if op.traits.rejects_partners else found
    why = HasPartner("right") if op.traits.rejects_partners else NoPartner("right")
    recordings = [*read_by_join(op, "left", left.learned.stands_for), Recording(why)]
    return tracing.blame_dropped(op, rows, carry(left.holders(op.left.output)), kept, recordings)


def _find_certain_partners(
    tracing: TraceContext, op: Join, left: TracedRows, right: TracedRows
) -> tuple[Expr, TracedRows]:
    """Return whether a row has a partner, where all partners are there whatever is relaxed."""
    found = tracing.fresh.attribute("found", BOOLEAN)
    plan = Join(
        id=tracing.fresh.part(op),
        where=op.where,
        left=left.plan,
        right=right.plan,
        how="existence",
        condition=op.condition,
        exists=found,
    )
    return Ref(found), replace(left, plan=plan)


def _find_possible_partners(
    tracing: TraceContext, op: Join, left: TracedRows, right: TracedRows
) -> tuple[Expr, TracedRows]:
    """Return whether a row has a partner, where that depends on what is relaxed: a row for each case."""
    fresh = tracing.fresh
    summary, condition, partners, flagged = _summary(tracing, op, right)
    plan: Plan = Join(id=fresh.part(op), left=left.plan, right=summary, how="left", condition=condition)
    known = fresh.attribute("known", Array(LIVENESS))
    matched = matching(op, "right", Ref(partners), offset=2)
    ways = call("coalesce", liveness_of(matched), empty_array(LIVENESS))
    plan = Project(id=fresh.part(op), input=plan, columns=(*carry(plan.output), Column(known, ways)))
    cases = fresh.attribute("case", _FOUND)
    with_one, with_none = with_any(left.liveness, Ref(known)), exclude_all(left.liveness, Ref(known))
    collection = call("concat", _cases(with_one, True), _cases(with_none, False))
    plan = Flatten(id=fresh.part(op), input=plan, collection=collection, elements=(cases,))
    rows = tracing.project(
        op,
        TracedRows(
            plan,
            trail=left.trail,
            order=left.order,
            variants=left.variants,
            marks_differ_between=refine([left.marks_differ_between, right.marks_differ_between]),
            rows_split_by=left.rows_split_by,
            everywhere=left.everywhere and right.everywhere,
            learned=left.learned.merge(right.learned),
        ),
        (*carry(query_columns(left)), *carry((cases,))),
        blame=FieldOf(Ref(cases), 1),
        unless=FieldOf(Ref(cases), 2),
        flags=call("|", left.flags_expr, call("coalesce", flagged, integer(0))),
    )
    return FieldOf(Ref(cases), 0), rows


def _cases(ways: Expr, found: bool) -> Expr:
    def case(t: Expr) -> Expr:
        return MakeStruct(("found", "blame", "unless"), (boolean(found), blame_of(t), unless_of(t)))

    return transform(ways, case)


def _summary(tracing: TraceContext, op: Join, right: TracedRows) -> tuple[Plan, Expr | None, Attribute, Expr]:
    """Return one row for each key of the right side with the liveness of its rows, and the condition to join it."""
    partner = partner_of(op, JoinInput("right", right), None)
    partners = tracing.fresh.attribute("partners", Array(partner.type, False))
    flags = tracing.fresh.attribute("flags", INTEGER)
    known = (
        Column(partners, AggCall("collect_set", (partner,))),
        Column(flags, AggCall("bit_or", (right.flags_expr,))),
    )
    plan, condition = group_by_key(tracing.fresh, op, right.plan, known)
    return plan, condition, partners, Ref(flags)
