"""Filters that move into joins change no rows; how far they move depends on the join."""

from __future__ import annotations

from itertools import combinations, product

import pytest

from sparkwhy.lab.pushdown import push_filters_into_joins
from sparkwhy.memory import interpreter
from sparkwhy.memory.values import Row, unordered_bag
from sparkwhy.plan.exprs import And, Attribute, AttrId, Call, Compare, Expr, IsNull, Literal, Opaque, Or, Ref
from sparkwhy.plan.nodes import Column, Filter, Join, JoinType, Limit, OpId, Plan, Project, Source, Table
from sparkwhy.plan.show import show_op
from sparkwhy.plan.types import BOOLEAN, INTEGER
from sparkwhy.plan.walk import walk
from sparkwhy.plan.walk_exprs import attributes_of

A, B, C, D, SUM = (Attribute(AttrId(i), name, INTEGER) for i, name in enumerate(["a", "b", "c", "d", "sum"], 1))
FOUND = Attribute(AttrId(6), "found", BOOLEAN)
LEFT = Table(id=OpId(1), attributes=(A, B), source=Source("left"))
RIGHT = Table(id=OpId(2), attributes=(C, D), source=Source("right"))
ONE = Literal(1, INTEGER)

MEET = Compare("=", Ref(A), Ref(C))
OF_LEFT, OF_RIGHT, OF_BOTH = (
    Compare(">", Ref(B), ONE),
    Compare(">", Ref(D), ONE),
    Compare("<", Ref(B), Ref(D)),
)
OF_EITHER = Or((And((OF_LEFT, MEET)), And((MEET, OF_RIGHT)), And((MEET, OF_LEFT, OF_BOTH))))
CONDITIONS: tuple[Expr, ...] = (MEET, OF_LEFT, OF_RIGHT, OF_BOTH, OF_EITHER, IsNull(Ref(B)), IsNull(Ref(D)))

HOW: tuple[JoinType, ...] = ("inner", "cross", "left", "right", "full", "semi", "anti", "existence")


def joined(how: JoinType, on: Expr | None = None) -> Join:
    exists = FOUND if how == "existence" else None
    return Join(id=OpId(3), left=LEFT, right=RIGHT, how=how, condition=on, exists=exists)


def where(below: Plan, *conditions: Expr) -> Filter:
    return Filter(id=OpId(below.id.step + 1), input=below, condition=And(conditions))


def steps(plan: Plan) -> list[str]:
    """The operators of the pushed plan other than tables, in reading order."""
    return [show_op(node) for node in walk(push_filters_into_joins(plan)) if not isinstance(node, Table)]


def test_a_comma_join_gets_its_condition_back():
    plan = where(joined("cross"), OF_LEFT, OF_BOTH, MEET, OF_RIGHT)
    assert steps(plan) == ["filter b > 1", "filter d > 1", "join on (a = c) and (b < d)"]


def test_filters_move_through_filters_and_carried_columns():
    total = Column(SUM, Call("+", (Ref(A), Ref(C))))
    columns = (*(Column(x, Ref(x)) for x in (A, B, C, D)), total)
    above = Project(id=OpId(5), input=where(joined("inner"), MEET), columns=columns)
    plan = where(where(above, OF_LEFT), Compare(">", Ref(SUM), ONE))
    assert steps(plan) == ["filter b > 1", "join on a = c", "select *, a + c as sum", "filter sum > 1"]


def test_what_all_branches_ask_for_is_asked_first():
    (join,) = steps(where(joined("cross"), OF_EITHER))
    assert join.startswith("join on (a = c) and (((b > 1) and (a = c)) or ")


@pytest.mark.parametrize(
    ("how", "expected"),
    [
        ("left", ["filter b > 1", "left join on a = c", "filter d > 1"]),
        ("right", ["filter d > 1", "right join on a = c", "filter b > 1"]),
        ("full", ["full join on a = c", "filter (b > 1) and (d > 1)"]),
    ],
)
def test_the_padded_side_of_an_outer_join_is_filtered_above_it(how: JoinType, expected: list[str]):
    assert steps(where(joined(how, MEET), OF_LEFT, OF_RIGHT)) == expected


def test_the_condition_of_an_outer_join_stays():
    plan = joined("left", And((MEET, OF_LEFT, OF_RIGHT)))
    assert push_filters_into_joins(plan) == plan


def test_nothing_moves_below_a_limit():
    limit = Limit(id=OpId(4), input=joined("cross"), count=1)
    assert steps(where(limit, MEET)) == ["cross join", "limit 1", "filter a = c"]


def test_a_random_condition_stays():
    coin = Opaque("rand() < b", (Ref(B),), BOOLEAN, deterministic=False)
    assert steps(where(joined("left", MEET), coin, OF_LEFT)) == [
        "filter b > 1",
        "left join on a = c",
        "filter rand() < b",
    ]


def test_operators_keep_ids_of_their_own():
    plan = push_filters_into_joins(where(joined("left", MEET), OF_LEFT, OF_RIGHT))
    ids = [node.id for node in walk(plan)]
    assert len(set(ids)) == len(ids)


ROWS: dict[OpId, list[Row]] = {
    LEFT.id: list(product([None, 1, 2], repeat=2)),
    RIGHT.id: [(1, 1), (2, 2), (2, None), (None, 2), (3, 2)],
}


@pytest.mark.parametrize("how", HOW)
def test_the_rows_stay_the_same(how: JoinType):
    asked = [*combinations(CONDITIONS, 1), *combinations(CONDITIONS, 2)]
    for on, conditions in product([None, *CONDITIONS], asked):
        join = joined(how, on)
        readable = [each for each in conditions if set(attributes_of(each)) <= set(join.output)]
        assert_same_rows(where(join, *readable) if readable else join)


def assert_same_rows(plan: Plan) -> None:
    types = [attribute.type for attribute in plan.output]
    before, after = interpreter.run(plan, ROWS), interpreter.run(push_filters_into_joins(plan), ROWS)
    assert unordered_bag(after, types) == unordered_bag(before, types), steps(plan)
