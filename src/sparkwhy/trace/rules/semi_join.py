"""Tracing through semi, anti and existence joins: every left row, by whether it has a partner."""

from __future__ import annotations

from dataclasses import replace

from sparkwhy.plan.build import all_of, boolean, call, carry, either, empty_array, integer, long, transform
from sparkwhy.plan.exprs import AggCall, Attribute, Compare, Expr, FieldOf, MakeStruct, Not, Ref
from sparkwhy.plan.join_keys import equal_keys, residual_conditions
from sparkwhy.plan.nodes import Aggregate, Column, Flatten, Join, Plan, Project
from sparkwhy.plan.types import BOOLEAN, INTEGER, LONG, Array, Field, Struct
from sparkwhy.trace.liveness import SETS, TERM, blame_of, minus, union, unless_of, with_any, without_all
from sparkwhy.trace.observe import Recording
from sparkwhy.trace.recorded import HasPartner, NoPartner
from sparkwhy.trace.rows import TraceContext, TracedRows, query_columns
from sparkwhy.trace.rules.join_inputs import (
    JoinInput,
    matching,
    partner_of,
    read_by_join,
    split_apart,
    terms_of,
)
from sparkwhy.trace.variants.partitions import refined

_FOUND = Struct((Field("found", BOOLEAN), Field("blame", LONG), Field("unless", SETS)))
_SETTLED = Struct((Field("found", BOOLEAN), Field("blame", LONG)))


def trace_membership(tracing: TraceContext, op: Join, left: TracedRows, right: TracedRows) -> TracedRows:
    """Every left row, once where it has a partner and once where it has none."""
    op, left, right = split_apart(tracing, op, left, right)
    if right.is_certain:
        found, rows = _known_membership(tracing, op, left, right)
    elif tracing.bits.settled and not residual_conditions(op):
        return _settled_membership(tracing, op, left, right)
    else:
        found, rows = _possible_membership(tracing, op, left, right)
    if not op.traits.drops:
        assert op.exists is not None
        return tracing.project(op, rows, (*carry(left.holding(op.left.output)), Column(op.exists, found)))
    kept = Not(found) if op.traits.rejects_partners else found
    why = HasPartner("right") if op.traits.rejects_partners else NoPartner("right")
    recordings = [*read_by_join(op, "left", left.learned.stands_for), Recording(why)]
    return tracing.unless_kept(op, rows, carry(left.holding(op.left.output)), kept, recordings)


def _known_membership(tracing: TraceContext, op: Join, left: TracedRows, right: TracedRows) -> tuple[Expr, TracedRows]:
    """Whether a row has a partner, where all partners are there for good."""
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


def _possible_membership(
    tracing: TraceContext, op: Join, left: TracedRows, right: TracedRows
) -> tuple[Expr, TracedRows]:
    """Whether a row has a partner, where that depends on what is relaxed: a row for each case."""
    fresh = tracing.fresh
    summary, condition, partners, noted = _summary(tracing, op, right)
    plan: Plan = Join(id=fresh.part(op), left=left.plan, right=summary, how="left", condition=condition)
    known = fresh.attribute("known", Array(TERM))
    matched = matching(op, "right", Ref(partners), offset=2)
    terms = call("coalesce", terms_of(matched), empty_array(TERM))
    plan = Project(id=fresh.part(op), input=plan, columns=(*carry(plan.output), Column(known, terms)))
    cases = fresh.attribute("case", _FOUND)
    with_one, with_none = with_any(left.term, Ref(known)), without_all(left.term, Ref(known))
    collection = call("concat", _cases(with_one, True), _cases(with_none, False))
    plan = Flatten(id=fresh.part(op), input=plan, collection=collection, elements=(cases,))
    rows = tracing.project(
        op,
        TracedRows(
            plan,
            trail=left.trail,
            order=left.order,
            variants=left.variants,
            parts=refined([left.parts, right.parts]),
            split=left.split,
            everywhere=left.everywhere and right.everywhere,
            learned=left.learned.merge(right.learned),
        ),
        (*carry(query_columns(left)), *carry((cases,))),
        blame=FieldOf(Ref(cases), 1),
        unless=FieldOf(Ref(cases), 2),
        notes=call("|", left.notes_expr, call("coalesce", noted, integer(0))),
    )
    return FieldOf(Ref(cases), 0), rows


def _settled_membership(tracing: TraceContext, op: Join, left: TracedRows, right: TracedRows) -> TracedRows:
    """The same where nothing is left open: in which alternatives there is a partner is one set of gates."""
    fresh, gates = tracing.fresh, tracing.bits.gates
    known = fresh.attribute("closed", LONG, nullable=True)
    summary, condition = _by_key(tracing, op, right, (Column(known, AggCall("bit_and", (right.blame_expr,))),))
    joined: Plan = Join(id=fresh.part(op), left=left.plan, right=summary, how="left", condition=condition)
    closed = fresh.attribute("closed", LONG)
    without = Column(closed, call("coalesce", Ref(known), long(gates)))
    plan = Project(id=fresh.part(op), input=joined, columns=(*carry(left.plan.output), without))
    rows = replace(left, plan=plan, parts=refined([left.parts, right.parts]), everywhere=False)
    columns = carry(left.holding(op.left.output))
    if not op.traits.drops:
        return _settled_cases(tracing, op, rows, columns, Ref(closed))
    missing = minus(long(gates), Ref(closed)) if op.traits.rejects_partners else Ref(closed)
    bit = tracing.bits.claim(op.id)
    judged = tracing.project(op, rows, columns, blame=union(rows.blame_expr, call("&", missing, long(bit))))
    return tracing.existing(op, tracing.told_apart_by(judged, [bit]))


def _settled_cases(
    tracing: TraceContext, op: Join, rows: TracedRows, columns: tuple[Column, ...], closed: Expr
) -> TracedRows:
    """Every row with a partner in some alternatives, and without one in the others."""
    assert op.exists is not None
    gates = long(tracing.bits.gates)
    case = tracing.fresh.attribute("case", _SETTLED)

    def where(found: bool, blame: Expr) -> Expr:
        listed = call("array", MakeStruct(("found", "blame"), (boolean(found), blame)))
        return either(Compare("<>", call("&", blame, gates), gates), listed, empty_array(_SETTLED))

    own = rows.blame_expr
    cases = call("concat", where(True, union(own, closed)), where(False, union(own, minus(gates, closed))))
    flat = Flatten(id=tracing.fresh.part(op), input=rows.plan, collection=cases, elements=(case,))
    found = Column(op.exists, FieldOf(Ref(case), 0))
    spread = replace(rows, plan=flat, unique=None)
    return tracing.project(op, spread, (*columns, found), blame=FieldOf(Ref(case), 1))


def _cases(terms: Expr, found: bool) -> Expr:
    def case(t: Expr) -> Expr:
        return MakeStruct(("found", "blame", "unless"), (boolean(found), blame_of(t), unless_of(t)))

    return transform(terms, case)


def _summary(tracing: TraceContext, op: Join, right: TracedRows) -> tuple[Plan, Expr | None, Attribute, Expr]:
    """One row for each key of the right side with all that is known of its rows, and the condition to join it."""
    partner = partner_of(op, JoinInput("right", right), None)
    partners = tracing.fresh.attribute("partners", Array(partner.type, False))
    notes = tracing.fresh.attribute("notes", INTEGER)
    known = (
        Column(partners, AggCall("collect_set", (partner,))),
        Column(notes, AggCall("bit_or", (right.notes_expr,))),
    )
    return *_by_key(tracing, op, right, known), partners, Ref(notes)


def _by_key(
    tracing: TraceContext, op: Join, right: TracedRows, aggregates: tuple[Column, ...]
) -> tuple[Plan, Expr | None]:
    """One row for each key of the right side, and the condition to join it."""
    keys = equal_keys(op)
    columns = tuple(Column(tracing.fresh.attribute("key", k.right.type, nullable=True), k.right) for k in keys)
    plan = Aggregate(id=tracing.fresh.part(op), input=right.plan, keys=columns, aggregates=aggregates)
    pairs = zip(keys, columns, strict=True)
    equal = [Compare("<=>" if k.null_safe else "=", k.left, Ref(c.attribute)) for k, c in pairs]
    return plan, all_of(equal) if equal else None
