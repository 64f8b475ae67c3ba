"""When values are equal, and how they are ordered."""

from __future__ import annotations

import math

import pytest

from sparkwhy.memory.values import MapValue, bag, compare, grouping_key, in_order, normalize_zero, unordered_bag
from sparkwhy.plan.types import INTEGER, STRING, Array, Field, Map, Struct

NAN = math.nan


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (NAN, float("nan")),
        (0.0, -0.0),
        (None, None),
        ((NAN, None), (float("nan"), None)),
        (MapValue((("a", 1), ("b", -0.0))), MapValue((("b", 0.0), ("a", 1)))),
    ],
)
def test_grouping_puts_together(a: object, b: object) -> None:
    assert grouping_key(a) == grouping_key(b)
    assert hash(grouping_key(a)) == hash(grouping_key(b))


@pytest.mark.parametrize(
    ("a", "b"), [(None, 0), (NAN, math.inf), ((1, None), (1,)), (MapValue(()), MapValue(((1, 1),)))]
)
def test_grouping_keeps_apart(a: object, b: object) -> None:
    assert grouping_key(a) != grouping_key(b)


def test_order_has_null_first_and_nan_last() -> None:
    assert sorted([NAN, 1.0, None, -math.inf, math.inf], key=in_order)[:4] == [None, -math.inf, 1.0, math.inf]


@pytest.mark.parametrize(
    "ascending",
    [
        ["", "A", "a", "é", "日", "😀"],
        [(), (None,), (None, 1), (1,), (1, None), (1, 2), (2,)],
        [False, True],
        [b"", b"\x00", b"\xff"],
    ],
)
def test_order_of_other_values(ascending: list[object]) -> None:
    turned = ascending[::-1]
    assert sorted(turned, key=in_order) == ascending
    assert all(compare(value, value) == 0 for value in ascending)


def test_grouping_keys_come_out_without_the_sign_of_zero() -> None:
    assert str(normalize_zero((-0.0, MapValue(((-0.0, (-0.0,)),))))) == "(0.0, MapValue(pairs=((0.0, (0.0,)),)))"


def test_bags_count_rows_and_forget_their_order() -> None:
    assert bag([(1, NAN), (2, None), (1, NAN)]) == bag([(2, None), (1, float("nan")), (1, NAN)])
    assert bag([(1,)]) != bag([(1,), (1,)])
    assert bag([((1, 2),)]) != bag([((2, 1),)])


def test_unordered_bags_forget_the_order_of_arrays_but_not_of_structs() -> None:
    pair = Struct((Field("a", INTEGER), Field("b", INTEGER)))
    assert unordered_bag([(((1, 2), (3, 4)),)], [Array(pair)]) == unordered_bag([(((3, 4), (1, 2)),)], [Array(pair)])
    assert unordered_bag([(((1, 2),),)], [Array(pair)]) != unordered_bag([(((2, 1),),)], [Array(pair)])
    assert unordered_bag([((1, 1, 2),)], [Array(INTEGER)]) != unordered_bag([((1, 2, 2),)], [Array(INTEGER)])
    maps = [Map(STRING, Array(INTEGER))]
    left, right = MapValue((("a", (1, 2)), ("b", None))), MapValue((("b", None), ("a", (2, 1))))
    assert unordered_bag([(left,)], maps) == unordered_bag([(right,)], maps)
