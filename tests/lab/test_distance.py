"""The distance of results: by hand, against all ways to pair elements, and as a metric."""

from __future__ import annotations

import math
from itertools import combinations, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparkwhy.lab.assignment import cheapest_cost
from sparkwhy.lab.distance import BagTree, Leaf, Record, Tree, result_difference, result_distance, tree, tree_distance
from sparkwhy.memory.values import MapValue
from sparkwhy.plan.types import DOUBLE, INTEGER, STRING, Array, Field, Map, Struct, Type

NAMES = Array(STRING)
CITIES: list[Type] = [STRING, NAMES]
PAIR = Struct((Field("a", INTEGER), Field("b", INTEGER)))


# --- by hand ---


@pytest.mark.parametrize(
    ("types", "before", "after", "expected"),
    [
        ([INTEGER], [], [], 0),
        ([INTEGER], [], [(1,)], 2),  # a tuple and its value
        ([INTEGER], [(1,)], [(2,)], 1),  # another value in the same place
        ([INTEGER], [(1,), (1,)], [(1,)], 2),  # multiplicities count
        ([INTEGER, INTEGER], [(1, 2), (3, 4)], [(3, 4), (1, 2)], 0),  # rows have no order
        ([INTEGER, INTEGER], [(1, 2), (3, 4)], [(1, 5), (3, 6)], 2),
        ([INTEGER, INTEGER], [(1, 2), (3, 4)], [(3, 2)], 4),  # one is relabelled, the other goes
        ([INTEGER], [(None,)], [(1,)], 1),
        ([NAMES], [(("a", "b"),)], [(("b", "a"),)], 0),  # neither have lists
        ([NAMES], [(("a",),)], [(("a", "b", "b"),)], 2),
        ([NAMES], [(None,)], [((),)], 1),
        ([NAMES], [(None,)], [(("a", "b"),)], 3),
        ([PAIR], [((1, 2),)], [(None,)], 3),  # the struct becomes null, both values go
        ([PAIR], [((1, 2),)], [((1, 3),)], 1),
        ([DOUBLE], [(math.nan,), (0.0,)], [(-0.0,), (math.nan,)], 0),
        ([Map(STRING, INTEGER)], [(MapValue((("x", 1), ("y", 2))),)], [(MapValue((("y", 2), ("x", 1))),)], 0),
        ([Map(STRING, INTEGER)], [(MapValue((("x", 1),)),)], [(MapValue((("x", 3), ("y", 2))),)], 4),
    ],
)
def test_distances_by_hand(types, before, after, expected) -> None:
    assert result_distance(before, after, types) == expected
    assert result_distance(after, before, types) == expected


def test_the_trees_of_the_paper() -> None:
    """T1 is the result, T2 has NY and SF besides, T3 has NY and one name more for LA: T3 is nearer."""
    t1 = [("LA", ("Sue",))]
    t2 = [("LA", ("Sue",)), ("NY", ("Sue",)), ("SF", ("Peter",))]
    t3 = [("LA", ("Sue", "Peter")), ("NY", ("Sue",))]
    assert result_distance(t1, t2, CITIES) == 4 + 4
    assert result_distance(t1, t3, CITIES) == 4 + 1


def test_rows_that_enter_and_leave() -> None:
    before = [("LA", ("Sue", "Ann")), ("LA", ("Sue", "Ann")), ("SF", None)]
    after = [("LA", ("Ann", "Sue")), ("SF", ()), ("NY", ("Sue",))]
    entered, left = result_difference(before, after, CITIES)
    assert sorted(entered) == [("NY", ("Sue",)), ("SF", ())]
    assert list(left) == [("LA", ("Sue", "Ann")), ("SF", None)]


def test_there_may_be_nothing_to_assign() -> None:
    assert cheapest_cost([]) == 0
    with pytest.raises(AssertionError):
        cheapest_cost([[1], [2]])


# --- against all ways to pair elements ---


@given(st.integers(0, 4).flatmap(lambda n: st.lists(st.lists(st.integers(-5, 9), min_size=4, max_size=4), max_size=n)))
def test_the_assignment_is_the_cheapest_of_all(costs: list[list[int]]) -> None:
    cheapest = min(sum(row[c] for row, c in zip(costs, p, strict=False)) for p in permutations(range(4), len(costs)))
    assert cheapest_cost(costs) == cheapest


def literally(one: Tree, other: Tree) -> int:
    """The distance by trying every partial matching of the elements of bags."""
    match one, other:
        case Leaf(), Leaf():
            return int(one != other)
        case Record(), Record():
            return sum(literally(a, b) for a, b in zip(one.fields, other.fields, strict=True))
        case BagTree(), BagTree():
            mine = [each for each, count in one.elements for _ in range(count)]
            theirs = [each for each, count in other.elements for _ in range(count)]
            return min(
                sum(literally(mine[i], theirs[j]) for i, j in zip(chosen, partners, strict=True))
                + sum(each.size for i, each in enumerate(mine) if i not in chosen)
                + sum(each.size for j, each in enumerate(theirs) if j not in partners)
                for size in range(min(len(mine), len(theirs)) + 1)
                for chosen in combinations(range(len(mine)), size)
                for partners in permutations(range(len(theirs)), size)
            )
        case _:
            return max(one.size, other.size)


SMALL = st.one_of(st.none(), st.integers(0, 2))
NESTED = Array(Struct((Field("a", INTEGER), Field("xs", Array(INTEGER)))))
LISTS = st.one_of(st.none(), st.lists(SMALL, max_size=2).map(tuple))
ELEMENTS = st.one_of(st.none(), st.tuples(SMALL, LISTS))
VALUES = st.one_of(st.none(), st.lists(ELEMENTS, max_size=4).map(tuple))
TREES = VALUES.map(lambda value: tree(value, NESTED))


@given(TREES, TREES)
def test_no_matching_is_cheaper(one: Tree, other: Tree) -> None:
    assert tree_distance(one, other) == literally(one, other)


# --- a metric ---


@given(TREES, TREES)
def test_it_is_symmetric(one: Tree, other: Tree) -> None:
    assert tree_distance(one, other) == tree_distance(other, one)


@given(TREES, TREES)
def test_only_equal_trees_are_at_no_distance(one: Tree, other: Tree) -> None:
    assert (tree_distance(one, other) == 0) == (one == other)


@given(TREES, TREES, TREES)
def test_a_detour_is_never_shorter(one: Tree, other: Tree, third: Tree) -> None:
    assert tree_distance(one, other) <= tree_distance(one, third) + tree_distance(third, other)


@given(st.lists(ELEMENTS.map(lambda value: (value,)), max_size=4).flatmap(lambda rows: st.permutations(rows)), VALUES)
def test_the_order_of_rows_does_not_matter(rows, other) -> None:
    types = [NESTED.element]
    others = [(each,) for each in other or ()]
    assert result_distance(rows, others, types) == result_distance(rows[::-1], others[::-1], types)
    assert result_distance(rows, rows[::-1], types) == 0
