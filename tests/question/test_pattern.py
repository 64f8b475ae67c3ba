"""What users write becomes a pattern, and prints as they would write it."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparkwhy.errors import PatternError, PatternTypeError, SparkWhyError
from sparkwhy.question import pattern as p
from sparkwhy.question.pattern import (
    ANY,
    Among,
    Anything,
    Bag,
    Between,
    Comparison,
    Custom,
    Fields,
    Null,
    Pattern,
    Present,
    TextTest,
    show_pattern,
    to_pattern,
)
from tests.question.generate import a_literal, a_type


def of(literal: Any) -> Pattern:
    """The pattern of a single column."""
    ((_, inner),) = to_pattern({"c": literal}).entries
    return inner


@pytest.mark.parametrize(
    ("literal", "expected"),
    [
        (ANY, Anything()),
        (None, Null()),
        ("NY", Comparison("=", "NY")),
        (5, Comparison("=", 5)),
        (Fraction(1, 2), Comparison("=", 0.5)),
        (bytearray(b"x"), Comparison("=", b"x")),
        (p.eq("NY"), Comparison("=", "NY")),
        (p.eq(None), Null()),
        (p.ne(1), Comparison("<>", 1)),
        (p.ne(None), Present()),
        (p.gt(1), Comparison(">", 1)),
        (p.ge(1), Comparison(">=", 1)),
        (p.lt(1), Comparison("<", 1)),
        (p.le(1), Comparison("<=", 1)),
        (p.between(1, 2), Between(1, 2)),
        (p.one_of(1, None), Among((1, None))),
        (p.one_of([1, 2]), Among((1, 2))),
        (p.contains("x"), TextTest("contains", "x")),
        (p.startswith("x"), TextTest("startswith", "x")),
        (p.like("x%"), TextTest("like", "x%")),
        (p.matches("x+"), TextTest("rlike", "x+")),
        (p.is_null(), Null()),
        (p.is_null, Null()),
        (p.not_null(), Present()),
        (p.not_null, Present()),
        (len, Custom(len)),
        ({"a": 1, 2: ANY}, Fields((("a", Comparison("=", 1)), (2, ANY)))),
        ({}, Fields(())),
        ([], Bag((), False)),
        ([...], Bag((), True)),
        ([ANY, ..., 1], Bag((ANY, Comparison("=", 1)), True)),
        (({"a": ANY},), Bag((Fields((("a", ANY),)),), False)),
    ],
)
def test_a_literal_becomes_a_pattern(literal: Any, expected: Pattern) -> None:
    assert of(literal) == expected


def test_a_pattern_is_a_pattern_already() -> None:
    pattern = to_pattern({"a": 1})
    assert to_pattern(pattern) is pattern


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: to_pattern(["a"]), PatternError, r"must be a dict such as .* not a value of type list"),
        (lambda: of(...), PatternError, "c is `...`, which is allowed only in lists"),
        (lambda: to_pattern({"a": {"b": [..., 1, ...]}}), PatternTypeError, "the list for a.b has more than one `...`"),
        (lambda: of({1, 2}), PatternTypeError, "{1, 2} is not a single value"),
        (lambda: of(object), PatternError, "object is not a pattern"),
        (lambda: of(p.gt), PatternError, r"gt is not a pattern.\nHint: call it with a value: gt\(...\)"),
        (lambda: p.gt(None), PatternTypeError, "nothing compares with null"),
        (lambda: p.gt([1]), PatternTypeError, "write the list or dict by itself"),
        (lambda: p.contains(5), PatternTypeError, "5 is not a string"),  # type: ignore[arg-type]
        (lambda: p.one_of(), PatternError, "matches nothing"),
        (lambda: p.like("a\\"), PatternError, "escapes nothing"),
        (lambda: p.like(r"\a"), PatternError, "escapes nothing"),
    ],
)
def test_what_is_no_pattern(make: Callable[[], Any], error: type[SparkWhyError], message: str) -> None:
    with pytest.raises(error, match=message):
        make()


def test_a_literal_that_contains_itself() -> None:
    once: list[Any] = []
    once.append(once)
    many: dict[str, Any] = {}
    many.update(a=many, b=[many, many])
    for literal in (once, many):
        with pytest.raises(PatternError, match="does a list or dict in it contain itself"):
            to_pattern({"c": literal})


def test_a_literal_of_very_many_levels_or_parts() -> None:
    deep: Any = 1
    for _ in range(100_000):
        deep = [deep]
    wide: Any = [1]
    for _ in range(50):
        wide = [wide, wide]
    for literal in (deep, wide, list(range(20_000))):
        with pytest.raises(PatternError, match="too large"):
            to_pattern({"c": literal})


@pytest.mark.parametrize(
    ("literal", "text"),
    [
        (
            {"city": "NY", "names": [..., ANY], "revenue": p.gt(0)},
            "{'city': 'NY', 'names': [ANY, ...], 'revenue': gt(0)}",
        ),
        ({"a": p.eq(1), "b": p.ne(2), "c": p.is_null}, "{'a': 1, 'b': ne(2), 'c': None}"),
        (
            {"a": p.matches("x"), "b": p.like("y"), "c": p.not_null},
            "{'a': matches('x'), 'b': like('y'), 'c': not_null()}",
        ),
        ({"a": p.between(1, 2), "b": p.one_of("x", None)}, "{'a': between(1, 2), 'b': one_of('x', None)}"),
        ({"a": math.nan, "b": -math.inf, "c": {1: []}}, "{'a': float('nan'), 'b': float('-inf'), 'c': {1: []}}"),
        ({"a": len, "b": lambda c: c}, "{'a': len, 'b': <lambda>}"),
    ],
)
def test_a_pattern_prints_as_users_write_it(literal: Any, text: str) -> None:
    assert show_pattern(to_pattern(literal)) == text


@given(st.randoms(use_true_random=False))
def test_what_is_printed_can_be_written(random: Random) -> None:
    literal = {"c": a_literal(random, a_type(random, 3)), "a 'name'": 1}
    text = show_pattern(to_pattern(literal))
    names = {**vars(p), "datetime": dt, "Decimal": Decimal, "float": float}
    assert show_pattern(to_pattern(eval(text, names))) == text
