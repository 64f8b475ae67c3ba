"""The rows of a join, from its prepared sides: pairs, and rows that stay without a partner."""

from __future__ import annotations

from dataclasses import replace

from sparkwhy.plan.build import (
    all_of,
    call,
    carry,
    either,
    element_of,
    empty_array,
    equal,
    integer,
    long,
    null,
    transform,
)
from sparkwhy.plan.exprs import (
    Attribute,
    Case,
    Compare,
    Expr,
    FieldOf,
    IsNull,
    MakeStruct,
    Not,
    Or,
    Ref,
)
from sparkwhy.plan.join_keys import residual_conditions
from sparkwhy.plan.join_types import Side, other_side
from sparkwhy.plan.nodes import Column, Flatten, Join, Plan
from sparkwhy.plan.types import INTEGER, LONG, Field, Struct
from sparkwhy.trace.context import TraceContext
from sparkwhy.trace.joins.inputs import (
    JoinInput,
    liveness_of,
    read_by_join,
)
from sparkwhy.trace.joins.partners import matching
from sparkwhy.trace.liveness import (
    SETS,
    blame_of,
    exclude_all,
    is_never_alive,
    liveness,
    no_sets,
    one,
    tidy_sets,
    unite_sets,
    unless_of,
)
from sparkwhy.trace.observe import Recording, join_trails, record_at, record_if
from sparkwhy.trace.recorded import NoPartner
from sparkwhy.trace.rows import TracedRows, query_columns
from sparkwhy.trace.variants.partitions import Partition, coarsen, refine

_PAIR, _LEFT_ALONE, _RIGHT_ALONE = 0, 1, 2
_CASE = Struct((Field("kind", INTEGER), Field("blame", LONG), Field("unless", SETS)))


def _bit(tracing: TraceContext, op: Join, side: Side) -> Expr:
    """Return the blame of a padded row of this side: none if the join pads it anyway."""
    return long(0 if side in op.traits.keeps else tracing.bits.bit_of(op.first_use, side))


def mark_rows(tracing: TraceContext, op: Join, plan: Plan, a: JoinInput, b: JoinInput) -> TracedRows:
    """Mark the joined rows, where no row exists both with and without partners."""
    blame: Expr = unite_sets(a.blame, b.blame)
    if b.here is not None:
        blame = unite_sets(blame, either(IsNull(Ref(b.here)), _bit(tracing, op, "left"), long(0)))
    if a.here is not None:
        blame = unite_sets(blame, either(IsNull(Ref(a.here)), _bit(tracing, op, "right"), long(0)))
    blamed = not (a.rows.is_certain and b.rows.is_certain and a.here is None and b.here is None)
    taken = a.rows.unless is not None or b.rows.unless is not None
    flagged = a.rows.flags is not None or b.rows.flags is not None
    rows, trail = _trail_of_rows(tracing, op, _join_rows(plan, a, b), a, b)
    marked = tracing.project(
        op,
        rows,
        carry(a.holders(op.left) + b.holders(op.right)),
        blame=blame if blamed else None,
        unless=call("concat", a.unless, b.unless) if taken else None,
        flags=call("|", a.flags, b.flags) if flagged else None,
        trail=trail,
    )
    return _tidy(tracing, op, marked) if taken else _keep_existing(tracing, op, marked, a, b)


def _join_rows(plan: Plan, a: JoinInput, b: JoinInput) -> TracedRows:
    """Return the joined rows, whose marks are still to be made."""
    return TracedRows(
        plan,
        variants={**a.rows.variants, **b.rows.variants},
        marks_differ_between=refine([a.rows.marks_differ_between, b.rows.marks_differ_between]),
        rows_split_by=_split(a, b),
        everywhere=a.rows.everywhere and b.rows.everywhere,
        learned=a.rows.learned.merge(b.rows.learned),
    )


def _split(a: JoinInput, b: JoinInput) -> Partition:
    """Return how joined rows are split: a pair as both of its rows are, a padded row as its own side is."""
    found = refine([a.rows.rows_split_by, b.rows.rows_split_by])
    if b.here is not None:
        found = coarsen(found, a.rows.rows_split_by)
    return found if a.here is None else coarsen(found, b.rows.rows_split_by)


def _keep_existing(tracing: TraceContext, op: Join, rows: TracedRows, a: JoinInput, b: JoinInput) -> TracedRows:
    """Keep the rows that exist in some variant: two that are split in other ways may have none in common."""
    if len(a.rows.rows_split_by) == 1 or len(b.rows.rows_split_by) == 1:
        return rows
    variant_bits = long(tracing.bits.variant_bits)
    return tracing.keep_rows(op, rows, (Compare("<>", call("&", rows.blame_expr, variant_bits), variant_bits),))


def _trail_of_rows(
    tracing: TraceContext, op: Join, rows: TracedRows, a: JoinInput, b: JoinInput
) -> tuple[TracedRows, Expr | None]:
    """Join the trails of both sides; a padded row also records that it has no partner."""
    if not tracing.records:
        return rows, None
    parts = [a.trail, b.trail]
    for row, other in ((a, b), (b, a)):
        if other.here is not None:
            rows, alone = _record_alone(tracing, op, rows, row.side)
            parts.append(record_if(IsNull(Ref(other.here)), alone))
    return rows, join_trails(parts)


def _record_alone(tracing: TraceContext, op: Join, rows: TracedRows, side: Side) -> tuple[TracedRows, Expr]:
    """Record what the join read of a row without a partner, and on which side it has none."""
    read = read_by_join(op, side, rows.learned.stands_for)
    legend, trail = record_at(rows.learned.legend, op.id, [*read, Recording(NoPartner(other_side(side)))])
    known = replace(rows, learned=replace(rows.learned, legend=legend))
    return known, tracing.recorded_part(op, trail, (each.value for each in read))


def _tidy(tracing: TraceContext, op: Join, rows: TracedRows) -> TracedRows:
    """Tidy the sets of the rows, and drop rows that are never alive."""
    tidy = tracing.project(op, rows, carry(query_columns(rows)), unless=tidy_sets(rows.unless_expr, rows.blame_expr))
    return tracing.keep_rows(op, tidy, (Not(is_never_alive(tidy.unless_expr)),))


def list_cases(tracing: TraceContext, op: Join, plan: Plan, a: JoinInput, b: JoinInput) -> TracedRows:
    """List what each joined row stands for: the pair, and beside its first partner each row without partners."""
    fresh = tracing.fresh
    found = [either(all_of((a.is_here, b.is_here)), _pair(a, b), empty_array(_CASE))]
    if b.here is not None:
        found.append(_list_lonely(op, a, b, _LEFT_ALONE, _bit(tracing, op, "left")))
    if a.here is not None:
        found.append(_list_lonely(op, b, a, _RIGHT_ALONE, _bit(tracing, op, "right")))
    cases = call("concat", *found)
    if not residual_conditions(op):  # Spark is slow with lambdas, and most rows are pairs only
        cases = either(_is_pair_only(a, b), _pair(a, b), cases)
    case = fresh.attribute("case", _CASE)
    flat = Flatten(id=fresh.part(op), input=plan, collection=cases, elements=(case,))
    kind = FieldOf(Ref(case), 0)
    columns = _padded_columns(op, kind, a, b)
    rows, trail = _trail_of_case(tracing, op, _join_rows(flat, a, b), kind, a, b)
    joined = tracing.project(
        op,
        replace(rows, variants={}),
        columns,
        blame=FieldOf(Ref(case), 1),
        unless=FieldOf(Ref(case), 2),
        flags=call("|", a.flags, b.flags),
        trail=trail,
    )
    kept = replace(joined, variants={**a.rows.variants, **b.rows.variants})
    return _keep_existing(tracing, op, kept, a, b)


def _padded_columns(op: Join, kind: Expr, a: JoinInput, b: JoinInput) -> tuple[Column, ...]:
    """Return the columns of both sides, with nulls on the other side of a row that is alone beside its partner."""
    return (
        *(Column(x, _null_if(kind, _RIGHT_ALONE, x) if a.rank else Ref(x)) for x in a.holders(op.left)),
        *(Column(x, _null_if(kind, _LEFT_ALONE, x) if b.rank else Ref(x)) for x in b.holders(op.right)),
    )


def _is_pair_only(a: JoinInput, b: JoinInput) -> Expr:
    """Return a condition under which a joined row stands for the pair only: another one stands for the padded rows."""
    return all_of((a.is_here, b.is_here, *(_is_never_alone(side) for side in (a, b) if side.rank is not None)))


def _is_never_alone(other: JoinInput) -> Expr:
    """Return the condition that this is not the first partner with the key, or that a partner exists in any case."""
    assert other.rank is not None
    another = Compare(">", Ref(other.rank), integer(1))
    if other.common is not None:
        return Or((another, equal(Ref(other.common), long(0))))
    assert other.partners is not None
    if element_of(Ref(other.partners)) != LONG:
        return another
    return Or((another, call("array_contains", Ref(other.partners), long(0))))


def _pair(a: JoinInput, b: JoinInput) -> Expr:
    """Return the case of two partners."""
    blame = unite_sets(a.blame, b.blame)
    if a.rows.unless is None and b.rows.unless is None:
        return call("array", MakeStruct(("kind", "blame", "unless"), (integer(_PAIR), blame, no_sets())))
    return _list_case(one(blame, call("concat", a.unless, b.unless)), _PAIR, long(0))


def _trail_of_case(
    tracing: TraceContext, op: Join, rows: TracedRows, kind: Expr, a: JoinInput, b: JoinInput
) -> tuple[TracedRows, Expr | None]:
    """Return the trail of each case: that of a padded row is its own, with its key; that of a pair has both."""
    if not tracing.records:
        return rows, None
    branches = []
    for number, row in ((_LEFT_ALONE, a), (_RIGHT_ALONE, b)):
        rows, alone = _record_alone(tracing, op, rows, row.side)
        branches.append((equal(kind, integer(number)), join_trails([row.trail, alone])))
    return rows, Case(tuple(branches), join_trails([a.trail, b.trail]))


def _list_lonely(op: Join, row: JoinInput, other: JoinInput, kind: int, bit: Expr) -> Expr:
    """Return the padded rows of one side that a joined row stands for."""
    own = liveness(row.blame, row.unless)
    no_partner = either(Not(other.is_here), _list_case(call("array", own), kind, bit), empty_array(_CASE))
    if other.rank is None:
        return no_partner
    matched = _matching(op, other)
    first = (
        integer(1) if not residual_conditions(op) else call("array_min", transform(matched, lambda p: FieldOf(p, 2)))
    )
    is_first = all_of((row.is_here, other.is_here, equal(Ref(other.rank), first)))
    if element_of(matched) == LONG:  # where nothing takes a partner away, one set for each says all
        lonely = one(row.blame, call("concat", row.unless, matched))
    else:
        lonely = exclude_all(own, liveness_of(matched))
    extra = _list_case(lonely, kind, bit)
    return call("concat", no_partner, either(is_first, extra, empty_array(_CASE)))


def _matching(op: Join, other: JoinInput) -> Expr:
    """Return what is listed of the partners that a joined row stands beside."""
    if other.common is not None:
        return call("array", Ref(other.common))
    assert other.partners is not None
    return matching(op, other.side, Ref(other.partners), offset=3)


def _list_case(ways: Expr, kind: int, bit: Expr) -> Expr:
    def case(t: Expr) -> Expr:
        return MakeStruct(("kind", "blame", "unless"), (integer(kind), unite_sets(blame_of(t), bit), unless_of(t)))

    return transform(ways, case)


def _null_if(kind: Expr, value: int, attribute: Attribute) -> Expr:
    return either(equal(kind, integer(value)), null(attribute.type), Ref(attribute))
