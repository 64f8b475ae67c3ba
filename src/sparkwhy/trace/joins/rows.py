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
from sparkwhy.trace.joins.inputs import (
    JoinInput,
    read_by_join,
    terms_of,
)
from sparkwhy.trace.joins.partners import matching
from sparkwhy.trace.liveness import (
    SETS,
    blame_of,
    never_lives,
    no_sets,
    one,
    term,
    tidied,
    union,
    unless_of,
    without_all,
)
from sparkwhy.trace.observe import Recording, joined, only_if, record_at
from sparkwhy.trace.recorded import NoPartner
from sparkwhy.trace.rows import TraceContext, TracedRows, query_columns
from sparkwhy.trace.variants.partitions import Partition, coarsened, refined

_PAIR, _LEFT_ALONE, _RIGHT_ALONE = 0, 1, 2
_VARIANT = Struct((Field("kind", INTEGER), Field("blame", LONG), Field("unless", SETS)))


def _bit(tracing: TraceContext, op: Join, side: Side) -> Expr:
    """The blame of a padded row of this side: none if the join pads it anyway."""
    return long(0 if side in op.traits.keeps else tracing.bits.claim(op.id, side))


def mark_rows(tracing: TraceContext, op: Join, plan: Plan, a: JoinInput, b: JoinInput) -> TracedRows:
    """The joined rows with their marks, where no row exists both with and without partners."""
    blame: Expr = union(a.blame, b.blame)
    if b.here is not None:
        blame = union(blame, either(IsNull(Ref(b.here)), _bit(tracing, op, "left"), long(0)))
    if a.here is not None:
        blame = union(blame, either(IsNull(Ref(a.here)), _bit(tracing, op, "right"), long(0)))
    blamed = not (a.rows.is_certain and b.rows.is_certain and a.here is None and b.here is None)
    taken = a.rows.unless is not None or b.rows.unless is not None
    noted = a.rows.notes is not None or b.rows.notes is not None
    rows, trail = _joined_trail(tracing, op, _joined(plan, a, b), a, b)
    marked = tracing.project(
        op,
        rows,
        carry(a.held(op.left) + b.held(op.right)),
        blame=blame if blamed else None,
        unless=call("concat", a.unless, b.unless) if taken else None,
        notes=call("|", a.notes, b.notes) if noted else None,
        trail=trail,
    )
    return _tidy(tracing, op, marked) if taken else _existing(tracing, op, marked, a, b)


def _joined(plan: Plan, a: JoinInput, b: JoinInput) -> TracedRows:
    """The joined rows, whose marks are still to be made."""
    return TracedRows(
        plan,
        variants={**a.rows.variants, **b.rows.variants},
        parts=refined([a.rows.parts, b.rows.parts]),
        split=_split(a, b),
        everywhere=a.rows.everywhere and b.rows.everywhere,
        learned=a.rows.learned.merge(b.rows.learned),
    )


def _split(a: JoinInput, b: JoinInput) -> Partition:
    """How joined rows are split: a pair as both of its rows are, a padded row as its own side is."""
    found = refined([a.rows.split, b.rows.split])
    if b.here is not None:
        found = coarsened(found, a.rows.split)
    return found if a.here is None else coarsened(found, b.rows.split)


def _existing(tracing: TraceContext, op: Join, rows: TracedRows, a: JoinInput, b: JoinInput) -> TracedRows:
    """The rows that exist in some alternative: two that are split in other ways may have none in common."""
    if len(a.rows.split) == 1 or len(b.rows.split) == 1:
        return rows
    gates = long(tracing.bits.gates)
    return tracing.only(op, rows, (Compare("<>", call("&", rows.blame_expr, gates), gates),))


def _joined_trail(
    tracing: TraceContext, op: Join, rows: TracedRows, a: JoinInput, b: JoinInput
) -> tuple[TracedRows, Expr | None]:
    """The trails of both sides, and for a padded row what found no partner, also where the join pads it anyway."""
    if not tracing.records:
        return rows, None
    parts = [a.trail, b.trail]
    for row, other in ((a, b), (b, a)):
        if other.here is not None:
            rows, alone = _alone_record(tracing, op, rows, row.side)
            parts.append(only_if(IsNull(Ref(other.here)), alone))
    return rows, joined(parts)


def _alone_record(tracing: TraceContext, op: Join, rows: TracedRows, side: Side) -> tuple[TracedRows, Expr]:
    """What a row without a partner records: what the join read of it, and on which side nothing was found."""
    read = read_by_join(op, side, rows.learned.stands_for)
    legend, trail = record_at(rows.learned.legend, op.id, [*read, Recording(NoPartner(other_side(side)))])
    known = replace(rows, learned=replace(rows.learned, legend=legend))
    return known, tracing.recorded_part(op, trail, (each.value for each in read))


def _tidy(tracing: TraceContext, op: Join, rows: TracedRows) -> TracedRows:
    """The rows with tidied sets, without those that are never alive."""
    tidy = tracing.project(op, rows, carry(query_columns(rows)), unless=tidied(rows.unless_expr, rows.blame_expr))
    return tracing.only(op, tidy, (Not(never_lives(tidy.unless_expr)),))


def list_cases(tracing: TraceContext, op: Join, plan: Plan, a: JoinInput, b: JoinInput) -> TracedRows:
    """The joined rows, beside the pair with its first partner also each row without its partners."""
    fresh = tracing.fresh
    found = [either(all_of((a.is_here, b.is_here)), _pair(a, b), empty_array(_VARIANT))]
    if b.here is not None:
        found.append(_alone(op, a, b, _LEFT_ALONE, _bit(tracing, op, "left")))
    if a.here is not None:
        found.append(_alone(op, b, a, _RIGHT_ALONE, _bit(tracing, op, "right")))
    variants = call("concat", *found)
    if not residual_conditions(op):  # Spark is slow with lambdas, and most rows are pairs only
        variants = either(_is_pair_only(a, b), _pair(a, b), variants)
    variant = fresh.attribute("variant", _VARIANT)
    flat = Flatten(id=fresh.part(op), input=plan, collection=variants, elements=(variant,))
    kind = FieldOf(Ref(variant), 0)
    columns = _padded_columns(op, kind, a, b)
    rows, trail = _variant_trail(tracing, op, _joined(flat, a, b), kind, a, b)
    joined = tracing.project(
        op,
        replace(rows, variants={}),
        columns,
        blame=FieldOf(Ref(variant), 1),
        unless=FieldOf(Ref(variant), 2),
        notes=call("|", a.notes, b.notes),
        trail=trail,
    )
    kept = replace(joined, variants={**a.rows.variants, **b.rows.variants})
    return _existing(tracing, op, kept, a, b)


def _padded_columns(op: Join, kind: Expr, a: JoinInput, b: JoinInput) -> tuple[Column, ...]:
    """What the query has on both sides, with nulls on the other side of a row that is alone beside its partner."""
    return (
        *(Column(x, _null_if(kind, _RIGHT_ALONE, x) if a.rank else Ref(x)) for x in a.held(op.left)),
        *(Column(x, _null_if(kind, _LEFT_ALONE, x) if b.rank else Ref(x)) for x in b.held(op.right)),
    )


def _is_pair_only(a: JoinInput, b: JoinInput) -> Expr:
    """Whether a joined row surely stands for no row without its partners: another one does, or there is none."""
    return all_of((a.is_here, b.is_here, *(_never_alone_beside(side) for side in (a, b) if side.rank is not None)))


def _never_alone_beside(other: JoinInput) -> Expr:
    """Whether this is not the first partner with the key, or one of the partners exists in any case."""
    assert other.rank is not None
    another = Compare(">", Ref(other.rank), integer(1))
    if other.common is not None:
        return Or((another, equal(Ref(other.common), long(0))))
    assert other.partners is not None
    if element_of(Ref(other.partners)) != LONG:
        return another
    return Or((another, call("array_contains", Ref(other.partners), long(0))))


def _pair(a: JoinInput, b: JoinInput) -> Expr:
    """The variant of two partners."""
    blame = union(a.blame, b.blame)
    if a.rows.unless is None and b.rows.unless is None:
        return call("array", MakeStruct(("kind", "blame", "unless"), (integer(_PAIR), blame, no_sets())))
    return _variants(one(blame, call("concat", a.unless, b.unless)), _PAIR, long(0))


def _variant_trail(
    tracing: TraceContext, op: Join, rows: TracedRows, kind: Expr, a: JoinInput, b: JoinInput
) -> tuple[TracedRows, Expr | None]:
    """The trail of a padded row is its own, with its key; that of a pair is both."""
    if not tracing.records:
        return rows, None
    branches = []
    for number, row in ((_LEFT_ALONE, a), (_RIGHT_ALONE, b)):
        rows, alone = _alone_record(tracing, op, rows, row.side)
        branches.append((equal(kind, integer(number)), joined([row.trail, alone])))
    return rows, Case(tuple(branches), joined([a.trail, b.trail]))


def _alone(op: Join, row: JoinInput, other: JoinInput, kind: int, bit: Expr) -> Expr:
    """The padded rows of one side that this joined row stands for."""
    own = term(row.blame, row.unless)
    no_partner = either(Not(other.is_here), _variants(call("array", own), kind, bit), empty_array(_VARIANT))
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
        lonely = without_all(own, terms_of(matched))
    extra = _variants(lonely, kind, bit)
    return call("concat", no_partner, either(is_first, extra, empty_array(_VARIANT)))


def _matching(op: Join, other: JoinInput) -> Expr:
    """What is known of the partners that a joined row stands beside."""
    if other.common is not None:
        return call("array", Ref(other.common))
    assert other.partners is not None
    return matching(op, other.side, Ref(other.partners), offset=3)


def _variants(terms: Expr, kind: int, bit: Expr) -> Expr:
    def variant(t: Expr) -> Expr:
        return MakeStruct(("kind", "blame", "unless"), (integer(kind), union(blame_of(t), bit), unless_of(t)))

    return transform(terms, variant)


def _null_if(kind: Expr, value: int, attribute: Attribute) -> Expr:
    return either(equal(kind, integer(value)), null(attribute.type), Ref(attribute))
