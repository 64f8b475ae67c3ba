"""Inner and outer joins: every pair, and every row without partners in the queries that pad it.

    l.k  present     r.k  present                     l.k  r.k   present
    1    0b11        1    0b01       left join  ->    1    1     0b01
                                                      1    null  0b10

The join runs once, as an outer join on the sides that some query pads. That pads rows that have no partner at all. A
row whose partners are only in some queries is alone in the others: this row is made beside the pair with its first
partner.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sparkwhy.backtrace.backtrace import Conditions
from sparkwhy.backtrace.null_rejection import rejects_null
from sparkwhy.plan.build import (
    all_of,
    boolean,
    call,
    carry,
    either,
    empty_array,
    equal,
    integer,
    long,
    null,
    reduce,
    transform,
)
from sparkwhy.plan.exprs import (
    AggCall,
    Attribute,
    Call,
    Case,
    Expr,
    FieldOf,
    Frame,
    IsNotNull,
    MakeStruct,
    Not,
    Ref,
    WindowCall,
)
from sparkwhy.plan.join_keys import equal_keys, residual_conditions
from sparkwhy.plan.join_types import Side, join_type_that_keeps
from sparkwhy.plan.nodes import Column, Flatten, Join, Plan, Project, SortKey, Window
from sparkwhy.plan.types import BOOLEAN, INTEGER, LONG, Array, Field, Struct
from sparkwhy.trace.blame import drops
from sparkwhy.trace.evaluation.join_sides import count_first, split_sides
from sparkwhy.trace.evaluation.rows import EvaluatedRows, Evaluation, intersect, is_any, subtract, unite
from sparkwhy.trace.joins.partners import matching, read_by_residual
from sparkwhy.trace.variants.partitions import Partition, coarsen, refine

_PAIR, _LEFT_ALONE, _RIGHT_ALONE = 0, 1, 2
_CASE = Struct((Field("kind", INTEGER), Field("present", LONG)))
_WHOLE_PARTITION = Frame("rows", None, None)


@dataclass(frozen=True)
class _JoinSide:
    """One side of a join, and what it brings along for the padded rows of the other side."""

    side: Side
    rows: EvaluatedRows
    padded: int
    """The queries in which rows of this side without partners stay."""

    here: Attribute | None = None
    """Null where a row of the other side has no partner at all."""

    rank: Attribute | None = None
    """The number of a row among those with the same key."""

    partners: Attribute | None = None
    """The queries that have a row with the same key; with more to the condition than keys, a list of these rows."""

    @property
    def is_here(self) -> Expr:
        return boolean(True) if self.here is None else IsNotNull(Ref(self.here))

    def columns(self, below: Plan) -> tuple[Attribute, ...]:
        return self.rows.holders(below.output)


def evaluate_join(
    evaluation: Evaluation, op: Join, left: EvaluatedRows, right: EvaluatedRows, wanted: Sequence[Conditions]
) -> EvaluatedRows:
    """Return the pairs in the queries that have both rows, and a row alone in the queries that pad it and in which it
    has no partner."""
    op, left, right = split_sides(evaluation, *count_first(evaluation, op, left, right, wanted))
    pads_left = _padded_queries(evaluation, op, "left", wanted)
    pads_right = _padded_queries(evaluation, op, "right", wanted)
    a = _JoinSide("left", left, pads_left)
    b = _JoinSide("right", right, pads_right)
    a, b = (a if not pads_right else _prepare(evaluation, op, a)), (b if not pads_left else _prepare(evaluation, op, b))
    plan = Join(
        id=evaluation.fresh.part(op),
        where=op.where,
        left=a.rows.plan,
        right=b.rows.plan,
        how=join_type_that_keeps(left=bool(pads_left), right=bool(pads_right)),
        condition=op.condition,
    )
    is_plain = a.rank is None and b.rank is None
    joined = _mark_rows(evaluation, op, plan, a, b) if is_plain else _list_cases(evaluation, op, plan, a, b)
    return evaluation.drop_absent(op, joined.differ_by([pads_left, pads_right]))


def _padded_queries(evaluation: Evaluation, op: Join, side: Side, wanted: Sequence[Conditions]) -> int:
    """Return the queries that pad rows of this side, if a row with only nulls on the other side is wanted at all."""
    other = frozenset(attribute.id for attribute in (op.right if side == "left" else op.left).output)
    if all(any(rejects_null(condition, other) for condition in conditions) for conditions in wanted):
        return 0
    if side in op.traits.keeps:
        return evaluation.query_mask
    return evaluation.query_mask & ~evaluation.queries_that_drop(op.first_use, side) if drops(op, side) else 0


# --- what a side brings along ---


def _prepare(evaluation: Evaluation, op: Join, side: _JoinSide) -> _JoinSide:
    """Add to a side what the padded rows of the other side need to know about it."""
    here = evaluation.fresh.attribute("here", BOOLEAN)
    rows = evaluation.project(op, side.rows, (*carry(side.rows.columns), Column(here, boolean(True))))
    side = replace(side, rows=rows, here=here)
    if rows.present is None:
        return side
    return (
        _with_partner_list(evaluation, op, side) if residual_conditions(op) else _with_partner_set(evaluation, op, side)
    )


def _with_partner_set(evaluation: Evaluation, op: Join, side: _JoinSide) -> _JoinSide:
    """Number the rows of each key, and add the queries that have any of them."""
    rank, partners = evaluation.fresh.attribute("rank", INTEGER), evaluation.fresh.attribute("partners", LONG)
    if _has_own_key(op, side):
        known = (Column(rank, integer(1)), Column(partners, side.rows.present_expr))
        rows = evaluation.project(op, side.rows, (*carry(side.rows.columns), *known))
        return replace(side, rows=rows, rank=rank, partners=partners)
    united = Column(partners, WindowCall(AggCall("bit_or", (side.rows.present_expr,)), _WHOLE_PARTITION))
    return replace(_compute_within_key(evaluation, op, side, _number(rank), united), rank=rank, partners=partners)


def _with_partner_list(evaluation: Evaluation, op: Join, side: _JoinSide) -> _JoinSide:
    """Number the rows of each key, and list them with what the rest of the condition reads."""
    rank = evaluation.fresh.attribute("rank", INTEGER)
    numbered = _compute_within_key(evaluation, op, side, _number(rank))
    read = read_by_residual(op, side.side)
    names = ("present", "rank", *(f"c{i}" for i in range(len(read))))
    partner = MakeStruct(names, (side.rows.present_expr, Ref(rank), *map(Ref, read)))
    partners = evaluation.fresh.attribute("partners", Array(partner.type, False))
    listed = Column(partners, WindowCall(AggCall("collect_list", (partner,)), _WHOLE_PARTITION))
    return replace(_compute_within_key(evaluation, op, numbered, listed), rank=rank, partners=partners)


def _keys(op: Join, side: _JoinSide) -> tuple[Expr, ...]:
    return tuple(key.left if side.side == "left" else key.right for key in equal_keys(op))


def _has_own_key(op: Join, side: _JoinSide) -> bool:
    """Return whether no two rows of a side are known to have the same key."""
    unique, keys = side.rows.unique, {key.attribute for key in _keys(op, side) if isinstance(key, Ref)}
    return unique is not None and unique <= keys


def _compute_within_key(evaluation: Evaluation, op: Join, side: _JoinSide, *columns: Column) -> _JoinSide:
    """Compute columns over the rows of the same key."""
    plan = Window(
        id=evaluation.fresh.part(op),
        input=side.rows.plan,
        partition=_keys(op, side),
        order=(SortKey(integer(1)),),
        columns=columns,
    )
    return replace(side, rows=replace(side.rows, plan=plan))


def _number(rank: Attribute) -> Column:
    return Column(rank, WindowCall(Call("row_number", ()), _WHOLE_PARTITION))


# --- the joined rows ---


def _join_rows(plan: Plan, a: _JoinSide, b: _JoinSide) -> EvaluatedRows:
    """Return the joined rows, whose `present` is still to be computed."""
    between = refine([a.rows.present_differs_between, b.rows.present_differs_between])
    return EvaluatedRows(
        plan,
        a.rows.count,
        variants={**a.rows.variants, **b.rows.variants},
        present_differs_between=between,
        rows_split_by=_split(a, b),
        counts={**a.rows.counts, **b.rows.counts},
    )


def _split(a: _JoinSide, b: _JoinSide) -> Partition:
    """Return how joined rows are split: a pair as both of its rows are, a padded row as its own side is."""
    found = refine([a.rows.rows_split_by, b.rows.rows_split_by])
    if b.here is not None:
        found = coarsen(found, a.rows.rows_split_by)
    return found if a.here is None else coarsen(found, b.rows.rows_split_by)


def _mark_rows(evaluation: Evaluation, op: Join, plan: Plan, a: _JoinSide, b: _JoinSide) -> EvaluatedRows:
    """Mark the joined rows, where no row is both with and without partners."""
    rows, columns = _join_rows(plan, a, b), carry(a.columns(op.left) + b.columns(op.right))
    always = a.rows.present is None and b.rows.present is None
    if always and {a.padded, b.padded} <= {0, evaluation.query_mask}:
        return evaluation.project(op, rows, columns)
    alone = [(Not(other.is_here), _list_lonely(row)) for row, other in ((a, b), (b, a)) if other.here is not None]
    pair = intersect(a.rows.present_expr, b.rows.present_expr)
    present = Case(tuple(alone), pair) if alone else pair
    return evaluation.project(op, rows, columns, present=present)


def _list_lonely(row: _JoinSide) -> Expr:
    """Return the queries in which a row without any partner is padded."""
    return intersect(row.rows.present_expr, long(row.padded))


def _list_cases(evaluation: Evaluation, op: Join, plan: Plan, a: _JoinSide, b: _JoinSide) -> EvaluatedRows:
    """Return each joined row as a pair, and each of its rows alone, in the queries where it is that."""
    fresh = evaluation.fresh
    pair = intersect(a.rows.present_expr, b.rows.present_expr)
    presents = {_PAIR: Column(fresh.attribute("pair", LONG), either(all_of((a.is_here, b.is_here)), pair, long(0)))}
    for kind, row, other in ((_LEFT_ALONE, a, b), (_RIGHT_ALONE, b, a)):
        if other.here is not None:
            presents[kind] = Column(fresh.attribute("alone", LONG), present_alone(op, row, other))
    known = Project(id=fresh.part(op), input=plan, columns=(*carry(plan.output), *presents.values()))

    def keep_wanted(kind: int, present: Expr) -> Expr:
        listed = call("array", MakeStruct(("kind", "present"), (integer(kind), present)))
        return either(is_any(present), listed, empty_array(_CASE))

    case = fresh.attribute("case", _CASE)
    listed = call("concat", *(keep_wanted(kind, Ref(column.attribute)) for kind, column in presents.items()))
    flat = Flatten(id=fresh.part(op), input=known, collection=listed, elements=(case,))
    rows, kind_of = _join_rows(flat, a, b), FieldOf(Ref(case), 0)
    columns = _padded_columns(op, kind_of, a, b)
    found = evaluation.project(op, replace(rows, variants={}), columns, present=FieldOf(Ref(case), 1))
    return replace(found, variants=rows.variants)


def present_alone(op: Join, row: _JoinSide, other: _JoinSide) -> Expr:
    """Return the queries in which a joined row also stands for the row of one side without partners."""
    cases: list[tuple[Expr, Expr]] = [(Not(row.is_here), long(0)), (Not(other.is_here), _list_lonely(row))]
    if other.rank is not None:
        first, partners = _partners_of(op, other)
        cases.append((equal(Ref(other.rank), first), subtract(_list_lonely(row), partners)))
    return Case(tuple(cases), long(0))


def _partners_of(op: Join, other: _JoinSide) -> tuple[Expr, Expr]:
    """Return the number of the first partner of a joined row, and the queries that have any of its partners."""
    assert other.partners is not None
    known = Ref(other.partners)
    if not residual_conditions(op):
        return integer(1), known
    matched = matching(op, other.side, known, offset=2)
    present = reduce(matched, long(0), lambda found, partner: unite(found, FieldOf(partner, 0)))
    return call("array_min", transform(matched, lambda partner: FieldOf(partner, 1))), present


def _padded_columns(op: Join, kind: Expr, a: _JoinSide, b: _JoinSide) -> tuple[Column, ...]:
    """Return the columns of both sides, with nulls on the other side of a row that is alone beside its partner."""

    def null_if(value: int, attribute: Attribute) -> Expr:
        return either(equal(kind, integer(value)), null(attribute.type), Ref(attribute))

    return (
        *(Column(x, null_if(_RIGHT_ALONE, x) if a.rank else Ref(x)) for x in a.columns(op.left)),
        *(Column(x, null_if(_LEFT_ALONE, x) if b.rank else Ref(x)) for x in b.columns(op.right)),
    )
