"""Tracing through joins: every pair, and every row without its partners, padded.

A join is run once, as an outer join on the sides whose padded rows are wanted. It pads rows that have no partner at
all. A row whose partners exist only where something is relaxed also exists without them: such padded rows are made
beside the pair with the row's first partner, which knows all partners with the same key.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sparkwhy.backtrace.backtrace import Conditions
from sparkwhy.backtrace.null_rejection import rejects_null
from sparkwhy.plan.build import (
    all_of,
    boolean,
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
    AggCall,
    Attribute,
    Call,
    Case,
    Compare,
    Expr,
    FieldOf,
    IsNull,
    MakeStruct,
    Not,
    Or,
    Ref,
    WindowCall,
)
from sparkwhy.plan.join_keys import equal_keys, residual_conditions
from sparkwhy.plan.join_types import Side, join_type_that_keeps, other_side
from sparkwhy.plan.nodes import Column, Flatten, Join, Plan, SortKey, Window
from sparkwhy.plan.types import BOOLEAN, INTEGER, LONG, Array, Field, Struct
from sparkwhy.trace.blame import drops
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
from sparkwhy.trace.partners import matching
from sparkwhy.trace.recorded import NoPartner
from sparkwhy.trace.rows import TraceContext, TracedRows, query_columns
from sparkwhy.trace.rules.join_counts import counted
from sparkwhy.trace.rules.join_inputs import (
    JoinInput,
    partner_of,
    read_by_join,
    split_apart,
    terms_of,
    told_later,
)
from sparkwhy.trace.variants.partitions import Partition, coarsened, refined
from sparkwhy.trace.worlds import WHOLE_PARTITION

_PAIR, _LEFT_ALONE, _RIGHT_ALONE = 0, 1, 2
_VARIANT = Struct((Field("kind", INTEGER), Field("blame", LONG), Field("unless", SETS)))
_SIDES: tuple[Side, ...] = ("left", "right")


# --- pairs and padded rows ---


def trace_join(
    tracing: TraceContext, op: Join, left: TracedRows, right: TracedRows, wanted: Sequence[Conditions]
) -> TracedRows:
    op, left, right = split_apart(tracing, *counted(tracing, op, left, right, wanted))
    pads_left = _is_padded(op, "left") and not _rejected(wanted, op.right)
    pads_right = _is_padded(op, "right") and not _rejected(wanted, op.left)
    a = _prepared(tracing, op, told_later(JoinInput("left", left)), pads_other=pads_right)
    b = _prepared(tracing, op, told_later(JoinInput("right", right)), pads_other=pads_left)
    plan = Join(
        id=tracing.fresh.part(op),
        where=op.where,
        left=a.rows.plan,
        right=b.rows.plan,
        how=join_type_that_keeps(left=pads_left, right=pads_right),
        condition=op.condition,
    )
    is_plain = a.rank is None and b.rank is None
    found = _marked(tracing, op, plan, a, b) if is_plain else _with_variants(tracing, op, plan, a, b)
    for side in [each for each in _SIDES if drops(op, each)]:  # every dropper has a bit, also one that pads no row
        tracing.bits.claim(op.id, side)
    return found


def _is_padded(op: Join, side: Side) -> bool:
    """Whether rows of this side can be padded: by the join itself, or if it is relaxed."""
    return side in op.traits.keeps or drops(op, side)


def _rejected(wanted: Sequence[Conditions], side: Plan) -> bool:
    """Whether no row is wanted, in any alternative, that has only nulls on this side."""
    ids = frozenset(attribute.id for attribute in side.output)
    return all(any(rejects_null(condition, ids) for condition in conditions) for conditions in wanted)


def _bit(tracing: TraceContext, op: Join, side: Side) -> Expr:
    """The blame of a padded row of this side: none if the join pads it anyway."""
    return long(0 if side in op.traits.keeps else tracing.bits.claim(op.id, side))


def _prepared(tracing: TraceContext, op: Join, side: JoinInput, *, pads_other: bool) -> JoinInput:
    """A side with what the padded rows of the other side need to know about it."""
    if not pads_other:
        return side
    here = tracing.fresh.attribute("here", BOOLEAN)
    rows = tracing.project(op, side.rows, (*carry(query_columns(side.rows)), Column(here, boolean(True))))
    side = replace(side, rows=rows, here=here)
    if rows.is_certain:
        return side
    if not residual_conditions(op) and _is_one_set_enough(tracing, op, side):
        return _with_common_set(tracing, op, side)
    return _with_partners(tracing, op, side)


def _is_one_set_enough(tracing: TraceContext, op: Join, side: JoinInput) -> bool:
    """Whether one set says when any of the rows with the same key is there."""
    if tracing.is_one_set_enough((op.left if side.side == "left" else op.right,), side.rows):
        return True
    return side.rows.unless is None and _has_own_key(op, side)


def _with_common_set(tracing: TraceContext, op: Join, side: JoinInput) -> JoinInput:
    """Each row with its number among the rows of the same key, and with what all of these need."""
    fresh, rows = tracing.fresh, side.rows
    rank, common = fresh.attribute("rank", INTEGER), fresh.attribute("common", LONG)
    if _has_own_key(op, side):
        known = (Column(rank, integer(1)), Column(common, rows.blame_expr))
        alone = tracing.project(op, rows, (*carry(query_columns(rows)), *known))
        return replace(side, rows=alone, rank=rank, common=common)
    needed = Column(common, WindowCall(AggCall("bit_and", (rows.blame_expr,)), WHOLE_PARTITION))
    return replace(_within_key(tracing, op, side, _number(rank), needed), rank=rank, common=common)


def _keys(op: Join, side: JoinInput) -> tuple[Expr, ...]:
    return tuple(key.left if side.side == "left" else key.right for key in equal_keys(op))


def _has_own_key(op: Join, side: JoinInput) -> bool:
    """Whether no two rows of a side are known to have the same key."""
    unique, keys = side.rows.unique, {key.attribute for key in _keys(op, side) if isinstance(key, Ref)}
    return unique is not None and unique <= keys


def _within_key(tracing: TraceContext, op: Join, side: JoinInput, *columns: Column) -> JoinInput:
    """The rows with these columns, by one pass over those of the same key."""
    plan = Window(
        id=tracing.fresh.part(op),
        input=side.rows.plan,
        partition=_keys(op, side),
        order=(SortKey(integer(1)),),
        columns=columns,
    )
    return replace(side, rows=replace(side.rows, plan=plan))


def _number(rank: Attribute) -> Column:
    return Column(rank, WindowCall(Call("row_number", ()), WHOLE_PARTITION))


def _with_partners(tracing: TraceContext, op: Join, side: JoinInput) -> JoinInput:
    """Each row with its number among the rows of the same key, and with the terms of all of these."""
    rank = tracing.fresh.attribute("rank", INTEGER)
    if _has_own_key(op, side):
        return _alone_with_key(tracing, op, side, rank)
    partner = partner_of(op, side, rank)
    partners = tracing.fresh.attribute("partners", Array(partner.type, False))
    function = "collect_list" if residual_conditions(op) else "collect_set"
    collected = Column(partners, WindowCall(AggCall(function, (partner,)), WHOLE_PARTITION))
    if residual_conditions(op):  # partners are told with their numbers, which must be known before
        known = _within_key(tracing, op, _within_key(tracing, op, side, _number(rank)), collected)
    else:
        known = _within_key(tracing, op, side, _number(rank), collected)
    return replace(known, rank=rank, partners=partners)


def _alone_with_key(tracing: TraceContext, op: Join, side: JoinInput, rank: Attribute) -> JoinInput:
    """The same where no two rows have the same key: nothing has to be brought together."""
    partner = partner_of(op, side, rank)
    partners = tracing.fresh.attribute("partners", Array(partner.type, False))
    numbered = tracing.project(op, side.rows, (*carry(query_columns(side.rows)), Column(rank, integer(1))))
    known = (*carry(query_columns(numbered)), Column(partners, call("array", partner)))
    return replace(side, rows=tracing.project(op, numbered, known), rank=rank, partners=partners)


def _marked(tracing: TraceContext, op: Join, plan: Plan, a: JoinInput, b: JoinInput) -> TracedRows:
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


def _with_variants(tracing: TraceContext, op: Join, plan: Plan, a: JoinInput, b: JoinInput) -> TracedRows:
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
