"""Tracing through joins: every pair, and every row without its partners, padded.

A join is run once, as an outer join on the sides whose padded rows are wanted. It pads rows that have no partner at
all. A row whose partners exist only where something is relaxed also exists without them: such padded rows are made
beside the pair with the row's first partner, which knows all partners with the same key.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sparkwhy.plan.build import (
    all_of,
    boolean,
    call,
    carry,
    either,
    empty_array,
    equal,
    integer,
    keep,
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
    IsNotNull,
    IsNull,
    Literal,
    MakeStruct,
    Not,
    Ref,
    WindowCall,
    conjuncts,
)
from sparkwhy.plan.nodes import Aggregate, Column, Flatten, Join, JoinType, Plan, Project, SortKey, Window
from sparkwhy.plan.types import BOOLEAN, INTEGER, LONG, STRING, Array, Field, Struct
from sparkwhy.plan.walk_exprs import attributes_of, paths_of, rewrite
from sparkwhy.trace.bits import Side, drops
from sparkwhy.trace.keys import equal_keys, raw, residual
from sparkwhy.trace.nulls import rejects_null
from sparkwhy.trace.partitions import Partition, coarsened, refined
from sparkwhy.trace.split import block_number, split
from sparkwhy.trace.terms import (
    SETS,
    TERM,
    blame_of,
    never_lives,
    no_sets,
    one,
    term,
    tidied,
    union,
    unless_of,
    with_any,
    without_all,
)
from sparkwhy.trace.traced import Traced, Tracing, query_columns, told_apart
from sparkwhy.trace.trails import Entries, fact, joined, no_trail, only_if, recorded, values
from sparkwhy.trace.wanted import Conditions
from sparkwhy.trace.worlds import WHOLE_PARTITION

_PAIR, _LEFT_ALONE, _RIGHT_ALONE = 0, 1, 2
_VARIANT = Struct((Field("kind", INTEGER), Field("blame", LONG), Field("unless", SETS)))
_FOUND = Struct((Field("found", BOOLEAN), Field("blame", LONG), Field("unless", SETS)))


@dataclass(frozen=True)
class _Input:
    """One side of a join: its rows, and what it brings along for the padded rows of the other side."""

    side: Side
    rows: Traced
    here: Attribute | None = None
    rank: Attribute | None = None
    partners: Attribute | None = None

    @property
    def is_here(self) -> Expr:
        return boolean(True) if self.here is None else IsNotNull(Ref(self.here))

    def held(self, below: Plan) -> tuple[Attribute, ...]:
        """The attributes that hold what the query has on this side."""
        return self.rows.holding(below.output)

    @property
    def blame(self) -> Expr:
        return _or_else(self.rows.blame, long(0))

    @property
    def unless(self) -> Expr:
        return _or_else(self.rows.unless, no_sets())

    @property
    def notes(self) -> Expr:
        return _or_else(self.rows.notes, integer(0))

    @property
    def trail(self) -> Expr:
        return _or_else(self.rows.trail, no_trail())


def _or_else(mark: Attribute | None, default: Expr) -> Expr:
    """A mark of a side that may be padded."""
    return default if mark is None else call("coalesce", Ref(mark), default)


# --- pairs and padded rows ---


def trace_join(tracing: Tracing, op: Join, left: Traced, right: Traced, wanted: Sequence[Conditions]) -> Traced:
    op, left, right = _apart(tracing, op, left, right)
    pads_left = _is_padded(tracing, op, "left") and not _rejected(wanted, op.right)
    pads_right = _is_padded(tracing, op, "right") and not _rejected(wanted, op.left)
    a = _prepared(tracing, op, _Input("left", left), pads_other=pads_right)
    b = _prepared(tracing, op, _Input("right", right), pads_other=pads_left)
    plan = Join(
        id=tracing.fresh.part(op),
        where=op.where,
        left=a.rows.plan,
        right=b.rows.plan,
        how=_HOW[pads_left, pads_right],
        condition=op.condition,
    )
    simple = a.partners is None and b.partners is None
    joined = _marked(tracing, op, plan, a, b) if simple else _with_variants(tracing, op, plan, a, b)
    sides: tuple[Side, ...] = ("left", "right")
    padding = [tracing.bits.claim(op.id, side) for side in sides if drops(op, side)]
    return tracing.existing(op, tracing.told_apart_by(joined, padding))


_HOW: dict[tuple[bool, bool], JoinType] = {
    (True, True): "full",
    (True, False): "left",
    (False, True): "right",
    (False, False): "inner",
}


def _is_padded(tracing: Tracing, op: Join, side: Side) -> bool:
    """Whether rows of this side can be padded: by the join itself, or if it is relaxed."""
    return op.how in (side, "full") or (drops(op, side) and not tracing.bits.drops_everywhere(op.id, side))


def _rejected(wanted: Sequence[Conditions], side: Plan) -> bool:
    """Whether no row is wanted, in any alternative, that has only nulls on this side."""
    ids = frozenset(attribute.id for attribute in side.output)
    return all(any(rejects_null(condition, ids) for condition in conditions) for conditions in wanted)


def _apart(tracing: Tracing, op: Join, left: Traced, right: Traced) -> tuple[Join, Traced, Traced]:
    """The sides, split as far as the condition reads them differently; rows of other alternatives are no partners."""
    read = () if op.condition is None else (op.condition,)
    left = split(tracing, op, left, told_apart(left, read))
    right = split(tracing, op, right, told_apart(right, read))
    both = refined([left.split, right.split])  # partners of one alternative each are few; of all, their terms are many
    left, right = split(tracing, op, left, both), split(tracing, op, right, both)
    shared = coarsened(left.split, right.split)
    if len(shared) == 1:
        return op, left, right
    sides = [(op.left, left), (op.right, right)]
    blocks = [tracing.fresh.attribute("block", INTEGER) for _ in sides]
    shapes, rows = [], []
    for block, (below, side) in zip(blocks, sides, strict=True):
        tracing.texts[block.id] = ("",) * tracing.bits.alternatives
        shapes.append(_with(tracing, op, below, Column(block, integer(0))))
        columns = (*carry(query_columns(side)), Column(block, block_number(side, shared)))
        rows.append(tracing.project(op, side, columns))
    same = equal(Ref(blocks[0]), Ref(blocks[1]))
    condition = same if op.condition is None else all_of((same, *conjuncts(op.condition)))
    how = "inner" if op.how == "cross" else op.how
    return replace(op, left=shapes[0], right=shapes[1], how=how, condition=condition), rows[0], rows[1]


def _with(tracing: Tracing, op: Join, below: Plan, column: Column) -> Plan:
    return Project(id=tracing.fresh.part(op), input=below, columns=(*carry(below.output), column))


def _bit(tracing: Tracing, op: Join, side: Side) -> Expr:
    """The blame of a padded row of this side: none if the join pads it anyway."""
    return long(0 if op.how in (side, "full") else tracing.bits.claim(op.id, side))


def _prepared(tracing: Tracing, op: Join, side: _Input, *, pads_other: bool) -> _Input:
    """A side with what the padded rows of the other side need to know about it."""
    if not pads_other:
        return side
    here = tracing.fresh.attribute("here", BOOLEAN)
    rows = tracing.project(op, side.rows, (*carry(query_columns(side.rows)), Column(here, boolean(True))))
    side = replace(side, rows=rows, here=here)
    return side if rows.is_certain else _with_partners(tracing, op, side)


def _with_partners(tracing: Tracing, op: Join, side: _Input) -> _Input:
    """Each row with its number among the rows of the same key, and with the terms of all of these."""
    fresh, rows = tracing.fresh, side.rows
    keys = tuple(key.left if side.side == "left" else key.right for key in equal_keys(op))
    rank = fresh.attribute("rank", INTEGER)
    if rows.unique is not None and rows.unique <= {key.attribute for key in keys if isinstance(key, Ref)}:
        return _alone_with_key(tracing, op, side, rank)
    number = Column(rank, WindowCall(Call("row_number", ()), WHOLE_PARTITION))
    ranked = Window(id=fresh.part(op), input=rows.plan, partition=keys, order=(SortKey(integer(1)),), columns=(number,))
    partner = _partner(op, side, rank)
    function = "collect_list" if residual(op) else "collect_set"
    partners = fresh.attribute("partners", Array(partner.type, False))
    collected = Column(partners, WindowCall(AggCall(function, (partner,)), WHOLE_PARTITION))
    plan = Window(id=fresh.part(op), input=ranked, partition=keys, order=(), columns=(collected,))
    return replace(side, rows=replace(rows, plan=plan), rank=rank, partners=partners)


def _alone_with_key(tracing: Tracing, op: Join, side: _Input, rank: Attribute) -> _Input:
    """The same where no two rows have the same key: nothing has to be brought together."""
    partner = _partner(op, side, rank)
    partners = tracing.fresh.attribute("partners", Array(partner.type, False))
    numbered = tracing.project(op, side.rows, (*carry(query_columns(side.rows)), Column(rank, integer(1))))
    known = (*carry(query_columns(numbered)), Column(partners, call("array", partner)))
    return replace(side, rows=tracing.project(op, numbered, known), rank=rank, partners=partners)


def _partner(op: Join, side: _Input, rank: Attribute | None) -> Expr:
    """What is known of a partner: its term, and what the condition reads of it besides keys, and its number."""
    read = _read_by_residual(op, side.side)
    if not residual(op):
        return side.rows.term
    names = tuple(f"c{i}" for i in range(len(read)))
    number: tuple[Expr, ...] = () if rank is None else (Ref(rank),)
    label = () if rank is None else ("rank",)
    return MakeStruct(
        ("blame", "unless", *label, *names),
        (side.rows.blame_expr, side.rows.unless_expr, *number, *(Ref(a) for a in read)),
    )


def _read_by_residual(op: Join, side: Side) -> tuple[Attribute, ...]:
    """The attributes of this side that the condition reads besides keys."""
    own = {a.id for a in (op.left if side == "left" else op.right).output}
    return tuple(dict.fromkeys(a for part in residual(op) for a in attributes_of(part) if a.id in own))


def _matching(op: Join, side: Side, partners: Expr, offset: int) -> Expr:
    """The partners, of all with the same key, that meet the rest of the condition too."""
    if not residual(op):
        return partners
    places = {a.id: offset + i for i, a in enumerate(_read_by_residual(op, side))}

    def meets(partner: Expr) -> Expr:
        def field(part: Expr) -> Expr | None:
            found = isinstance(part, Ref) and part.attribute.id in places
            return FieldOf(partner, places[part.attribute.id]) if found and isinstance(part, Ref) else None

        return all_of(rewrite(part, field) for part in residual(op))

    return keep(partners, meets)


def _terms(partners: Expr) -> Expr:
    return transform(partners, lambda p: term(blame_of(p), unless_of(p)))


def _marked(tracing: Tracing, op: Join, plan: Plan, a: _Input, b: _Input) -> Traced:
    """The joined rows with their marks, where no row exists both with and without partners."""
    blame: Expr = union(a.blame, b.blame)
    if b.here is not None:
        blame = union(blame, either(IsNull(Ref(b.here)), _bit(tracing, op, "left"), long(0)))
    if a.here is not None:
        blame = union(blame, either(IsNull(Ref(a.here)), _bit(tracing, op, "right"), long(0)))
    blamed = not (a.rows.is_certain and b.rows.is_certain and a.here is None and b.here is None)
    taken = a.rows.unless is not None or b.rows.unless is not None
    noted = a.rows.notes is not None or b.rows.notes is not None
    marked = tracing.project(
        op,
        _joined(plan, a, b),
        carry(a.held(op.left) + b.held(op.right)),
        blame=blame if blamed else None,
        unless=call("concat", a.unless, b.unless) if taken else None,
        notes=call("|", a.notes, b.notes) if noted else None,
        trail=_joined_trail(tracing, op, a, b) if tracing.records else None,
    )
    return _tidy(tracing, op, marked) if taken else _existing(tracing, op, marked, a, b)


def _joined(plan: Plan, a: _Input, b: _Input) -> Traced:
    """The joined rows, whose marks are still to be made."""
    return Traced(
        plan,
        variants={**a.rows.variants, **b.rows.variants},
        parts=refined([a.rows.parts, b.rows.parts]),
        split=_split(a, b),
        everywhere=a.rows.everywhere and b.rows.everywhere,
    )


def _split(a: _Input, b: _Input) -> Partition:
    """How joined rows are split: a pair as both of its rows are, a padded row as its own side is."""
    found = refined([a.rows.split, b.rows.split])
    if b.here is not None:
        found = coarsened(found, a.rows.split)
    return found if a.here is None else coarsened(found, b.rows.split)


def _existing(tracing: Tracing, op: Join, rows: Traced, a: _Input, b: _Input) -> Traced:
    """The rows that exist in some alternative: two that are split in other ways may have none in common."""
    if len(a.rows.split) == 1 or len(b.rows.split) == 1:
        return rows
    gates = long(tracing.bits.gates)
    return tracing.only(op, rows, (Compare("<>", call("&", rows.blame_expr, gates), gates),))


def _joined_trail(tracing: Tracing, op: Join, a: _Input, b: _Input) -> Expr:
    """The trails of both sides, and for a padded row what found no partner, also where the join pads it anyway."""
    parts = [a.trail, b.trail]
    for row, other in ((a, b), (b, a)):
        if other.here is not None:
            parts.append(only_if(IsNull(Ref(other.here)), _alone_record(tracing, op, row.side)))
    return joined(parts)


def _alone_record(tracing: Tracing, op: Join, side: Side) -> Expr:
    """What a row without a partner records: what the join read of it, and on which side nothing was found."""
    other = "right" if side == "left" else "left"
    read = _read_of(tracing, op, side)
    trail = recorded(op, [*read, fact(NO_PARTNER, Literal(other, STRING))])
    return tracing.told(op, trail, (value for _, value in read))


def _read_of(tracing: Tracing, op: Join, side: Side) -> Entries:
    """What a join reads of a row of this side: attributes as they are, and keys that are computed from them."""
    rows = op.left if side == "left" else op.right
    own = {attribute.id for attribute in rows.output}
    read = () if op.condition is None else paths_of(op.condition)
    paths = [path for path in read if all(attribute.id in own for attribute in attributes_of(path))]
    keys = [key.left if side == "left" else key.right for key in equal_keys(op)]
    return values(op, (*paths, *map(raw, keys), *keys), tracing.texts)


NO_PARTNER = "no partner on the"
PARTNER = "partner on the"


def _tidy(tracing: Tracing, op: Join, rows: Traced) -> Traced:
    """The rows with tidied sets, without those that are never alive."""
    tidy = tracing.project(op, rows, carry(query_columns(rows)), unless=tidied(rows.unless_expr, rows.blame_expr))
    return tracing.only(op, tidy, (Not(never_lives(tidy.unless_expr)),))


def _with_variants(tracing: Tracing, op: Join, plan: Plan, a: _Input, b: _Input) -> Traced:
    """The joined rows, beside the pair with its first partner also each row without its partners."""
    fresh = tracing.fresh
    pair = _variants(one(union(a.blame, b.blame), call("concat", a.unless, b.unless)), _PAIR, long(0))
    found = [either(all_of((a.is_here, b.is_here)), pair, empty_array(_VARIANT))]
    if b.here is not None:
        found.append(_alone(op, a, b, _LEFT_ALONE, _bit(tracing, op, "left")))
    if a.here is not None:
        found.append(_alone(op, b, a, _RIGHT_ALONE, _bit(tracing, op, "right")))
    variant = fresh.attribute("variant", _VARIANT)
    flat = Flatten(id=fresh.part(op), input=plan, collection=call("concat", *found), elements=(variant,))
    kind = FieldOf(Ref(variant), 0)
    columns = (
        *(Column(x, _null_if(kind, _RIGHT_ALONE, x) if a.partners else Ref(x)) for x in a.held(op.left)),
        *(Column(x, _null_if(kind, _LEFT_ALONE, x) if b.partners else Ref(x)) for x in b.held(op.right)),
    )
    joined = tracing.project(
        op,
        replace(_joined(flat, a, b), variants={}),
        columns,
        blame=FieldOf(Ref(variant), 1),
        unless=FieldOf(Ref(variant), 2),
        notes=call("|", a.notes, b.notes),
        trail=_variant_trail(tracing, op, kind, a, b) if tracing.records else None,
    )
    kept = replace(joined, variants={**a.rows.variants, **b.rows.variants})
    return _existing(tracing, op, kept, a, b)


def _variant_trail(tracing: Tracing, op: Join, kind: Expr, a: _Input, b: _Input) -> Expr:
    """The trail of a padded row is its own, with its key; that of a pair is both."""

    def alone(row: _Input) -> Expr:
        return joined([row.trail, _alone_record(tracing, op, row.side)])

    branches = (
        (equal(kind, integer(_LEFT_ALONE)), alone(a)),
        (equal(kind, integer(_RIGHT_ALONE)), alone(b)),
    )
    return Case(branches, joined([a.trail, b.trail]))


def _alone(op: Join, row: _Input, other: _Input, kind: int, bit: Expr) -> Expr:
    """The padded rows of one side that this joined row stands for."""
    own = term(row.blame, row.unless)
    no_partner = either(Not(other.is_here), _variants(call("array", own), kind, bit), empty_array(_VARIANT))
    if other.partners is None or other.rank is None:
        return no_partner
    matching = _matching(op, other.side, Ref(other.partners), offset=3)
    first = integer(1) if not residual(op) else call("array_min", transform(matching, lambda p: FieldOf(p, 2)))
    is_first = all_of((row.is_here, other.is_here, equal(Ref(other.rank), first)))
    extra = _variants(without_all(own, _terms(matching)), kind, bit)
    return call("concat", no_partner, either(is_first, extra, empty_array(_VARIANT)))


def _variants(terms: Expr, kind: int, bit: Expr) -> Expr:
    def variant(t: Expr) -> Expr:
        return MakeStruct(("kind", "blame", "unless"), (integer(kind), union(blame_of(t), bit), unless_of(t)))

    return transform(terms, variant)


def _null_if(kind: Expr, value: int, attribute: Attribute) -> Expr:
    return either(equal(kind, integer(value)), null(attribute.type), Ref(attribute))


# --- semi, anti and existence joins ---


def trace_membership(tracing: Tracing, op: Join, left: Traced, right: Traced) -> Traced:
    """Every left row, once where it has a partner and once where it has none."""
    op, left, right = _apart(tracing, op, left, right)
    if right.is_certain:
        found, rows = _known_membership(tracing, op, left, right)
    else:
        found, rows = _possible_membership(tracing, op, left, right)
    if op.how == "existence":
        assert op.exists is not None
        return tracing.project(op, rows, (*carry(left.holding(op.left.output)), Column(op.exists, found)))
    kept = found if op.how == "semi" else Not(found)
    met = fact(NO_PARTNER if op.how == "semi" else PARTNER, Literal("right", STRING))
    record = [*_read_of(tracing, op, "left"), met]
    return tracing.unless_kept(op, rows, carry(left.holding(op.left.output)), kept, record)


def _known_membership(tracing: Tracing, op: Join, left: Traced, right: Traced) -> tuple[Expr, Traced]:
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


def _possible_membership(tracing: Tracing, op: Join, left: Traced, right: Traced) -> tuple[Expr, Traced]:
    """Whether a row has a partner, where that depends on what is relaxed: a row for each case."""
    fresh = tracing.fresh
    summary, condition, partners, noted = _summary(tracing, op, right)
    plan: Plan = Join(id=fresh.part(op), left=left.plan, right=summary, how="left", condition=condition)
    known = fresh.attribute("known", Array(TERM))
    matching = _matching(op, "right", Ref(partners), offset=2)
    terms = call("coalesce", _terms(matching), empty_array(TERM))
    plan = Project(id=fresh.part(op), input=plan, columns=(*carry(plan.output), Column(known, terms)))
    cases = fresh.attribute("case", _FOUND)
    with_one, with_none = with_any(left.term, Ref(known)), without_all(left.term, Ref(known))
    collection = call("concat", _cases(with_one, True), _cases(with_none, False))
    plan = Flatten(id=fresh.part(op), input=plan, collection=collection, elements=(cases,))
    rows = tracing.project(
        op,
        Traced(
            plan,
            trail=left.trail,
            order=left.order,
            variants=left.variants,
            parts=refined([left.parts, right.parts]),
            split=left.split,
            everywhere=left.everywhere and right.everywhere,
        ),
        (*carry(query_columns(left)), *carry((cases,))),
        blame=FieldOf(Ref(cases), 1),
        unless=FieldOf(Ref(cases), 2),
        notes=call("|", left.notes_expr, call("coalesce", noted, integer(0))),
    )
    return FieldOf(Ref(cases), 0), rows


def _cases(terms: Expr, found: bool) -> Expr:
    def case(t: Expr) -> Expr:
        return MakeStruct(("found", "blame", "unless"), (boolean(found), blame_of(t), unless_of(t)))

    return transform(terms, case)


def _summary(tracing: Tracing, op: Join, right: Traced) -> tuple[Plan, Expr | None, Attribute, Expr]:
    """One row for each key of the right side with all that is known of its rows, and the condition to join it."""
    fresh = tracing.fresh
    keys = equal_keys(op)
    columns = tuple(Column(fresh.attribute("key", key.right.type, nullable=True), key.right) for key in keys)
    partner = _partner(op, _Input("right", right), None)
    partners = fresh.attribute("partners", Array(partner.type, False))
    notes = fresh.attribute("notes", INTEGER)
    plan = Aggregate(
        id=fresh.part(op),
        input=right.plan,
        keys=columns,
        aggregates=(
            Column(partners, AggCall("collect_set", (partner,))),
            Column(notes, AggCall("bit_or", (right.notes_expr,))),
        ),
    )
    pairs = zip(keys, columns, strict=True)
    equal = [Compare("<=>" if k.null_safe else "=", k.left, Ref(c.attribute)) for k, c in pairs]
    return plan, all_of(equal) if equal else None, partners, Ref(notes)
