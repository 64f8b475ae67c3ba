"""Patterns are checked against a schema: names, types, and values as the plan has them."""

from __future__ import annotations

import datetime as dt
import math
from decimal import Decimal as Number
from typing import Any

import pytest

from sparkwhy.errors import AmbiguousField, PatternError, PatternTypeError, UnknownField
from sparkwhy.plan.exprs import Attribute, AttrId
from sparkwhy.plan.types import (
    BINARY,
    BOOLEAN,
    BYTE,
    DATE,
    DOUBLE,
    FLOAT,
    INTEGER,
    LONG,
    NULL,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    Array,
    Atom,
    Decimal,
    Field,
    Map,
    Struct,
    Type,
)
from sparkwhy.question import pattern as p
from sparkwhy.question.bind import Question, bind
from sparkwhy.question.bound import ArrayPattern, BoundPattern, MapPattern, StructPattern, attributes_mentioned
from sparkwhy.question.pattern import ANY, Among, Between, Comparison, to_pattern

BERLIN_SUMMER = dt.timezone(dt.timedelta(hours=2))
ITEM = Struct((Field("sku", STRING), Field("qty", INTEGER)))
ORDER = Struct((Field("id", LONG), Field("items", Array(ITEM)), Field("placed.at", DATE)))


def output(**types: Type) -> tuple[Attribute, ...]:
    return tuple(Attribute(AttrId(i), name, type) for i, (name, type) in enumerate(types.items()))


def ask(literal: Any, **types: Type) -> Question:
    return bind(to_pattern(literal), output(**types))


def of(literal: Any, type: Type, timezone: str = "UTC") -> BoundPattern:
    """The bound pattern for a single column."""
    question = bind(to_pattern({"c": literal}), output(c=type), timezone=timezone)
    ((_, inner),) = question.wanted
    return inner


# --- names ---


def test_names_become_attributes_and_ordinals() -> None:
    question = ask({"order": {"items": [{"qty": 2}], "ID": 5}, "city": ANY}, city=STRING, order=ORDER)
    city, order = question.output
    items = ArrayPattern(((StructPattern(((1, Comparison("=", 2)),)), 1),), 0, False)
    assert question.wanted == ((order, StructPattern(((1, items), (0, Comparison("=", 5))))), (city, ANY))
    assert attributes_mentioned(question) == (order, city)


def test_names_with_dots() -> None:
    question = bind(to_pattern({"a.b": {"placed.at": ANY}}), output(**{"a.b": ORDER}))
    assert question.wanted[0][1] == StructPattern(((2, ANY),))


def test_an_exact_name_goes_before_one_that_differs_in_case() -> None:
    question = ask({"city": 1}, City=STRING, city=INTEGER)
    assert attributes_mentioned(question) == question.output[1:]


def test_an_unknown_column() -> None:
    with pytest.raises(UnknownField, match=r"the result has no column `cty`.\nHint: did you mean `city`\?") as caught:
        ask({"cty": 1}, city=STRING, other=STRING)
    assert caught.value.path == "cty"
    assert caught.value.nearest == ("city",)
    assert caught.value.known == ("city", "other")


def test_an_unknown_field_inside() -> None:
    with pytest.raises(
        UnknownField, match=r"the result has no field `order.items.skuu`.\nHint: did you mean `sku`\?"
    ) as caught:
        ask({"order": {"items": [{"skuu": "A1"}, ...]}}, order=ORDER)
    assert caught.value.path == "order.items.skuu"


def test_an_unknown_name_like_no_other() -> None:
    with pytest.raises(UnknownField, match="known names: a, b"):
        ask({"zzz": 1}, a=STRING, b=STRING)
    with pytest.raises(UnknownField, match="it has no columns or fields"):
        ask({"a": {"x": 1}}, a=Struct(()))


def test_a_path_in_one_name() -> None:
    with pytest.raises(UnknownField, match=r"written as dicts: \{'order': \{'id': ...\}\}"):
        ask({"order.id": 1}, order=ORDER)


def test_names_that_occur_twice() -> None:
    twice = (Attribute(AttrId(0), "id", STRING), Attribute(AttrId(1), "id", STRING))
    with pytest.raises(AmbiguousField, match="id is ambiguous: 2 fields are called id and id"):
        bind(to_pattern({"id": 1}), twice)
    with pytest.raises(AmbiguousField, match="ID is ambiguous: 2 fields are called id and Id"):
        ask({"ID": 1}, id=STRING, Id=STRING)
    with pytest.raises(AmbiguousField, match=r"s\.a is ambiguous"):
        ask({"s": {"a": 1}}, s=Struct((Field("a", STRING), Field("a", STRING))))


def test_a_pattern_that_mentions_a_column_twice() -> None:
    with pytest.raises(AmbiguousField, match="the pattern names city twice"):
        ask({"city": ANY, "City": ANY}, city=STRING)


# --- values ---

BERLIN_MORNING = dt.datetime(2019, 7, 1, 8, 30, tzinfo=BERLIN_SUMMER)


@pytest.mark.parametrize(
    ("given", "type", "expected"),
    [
        (5, BYTE, 5),
        (5.0, INTEGER, 5),
        (Number("5.00"), LONG, 5),
        (" 5", LONG, 5),
        (5, DOUBLE, 5.0),
        (Number("1.5"), DOUBLE, 1.5),
        ("-inf", DOUBLE, -math.inf),
        (0.1, FLOAT, 0.10000000149011612),
        (1, Decimal(9, 2), Number("1.00")),
        (0.1, Decimal(9, 2), Number("0.10")),
        ("-12.5", Decimal(9, 2), Number("-12.50")),
        (Number("1.5000"), Decimal(9, 2), Number("1.50")),
        (True, BOOLEAN, True),
        ("False", BOOLEAN, False),
        ("5", STRING, "5"),
        (b"x", BINARY, b"x"),
        ("2019-07-01", DATE, dt.date(2019, 7, 1)),
        (dt.date(2019, 7, 1), DATE, dt.date(2019, 7, 1)),
        ("2019-07-01 08:30", TIMESTAMP, BERLIN_MORNING),
        ("2019-07-01T08:30:00", TIMESTAMP, BERLIN_MORNING),
        ("2019-07-01T06:30:00Z", TIMESTAMP, BERLIN_MORNING),
        ("2019-07-01T06:30:00.5+00:00", TIMESTAMP, BERLIN_MORNING.replace(microsecond=500_000)),
        (dt.datetime(2019, 7, 1, 8, 30), TIMESTAMP, BERLIN_MORNING),
        (BERLIN_MORNING, TIMESTAMP, BERLIN_MORNING),
        (dt.date(2019, 7, 1), TIMESTAMP, dt.datetime(2019, 7, 1, tzinfo=BERLIN_SUMMER)),
        ("2019-07-01", TIMESTAMP_NTZ, dt.datetime(2019, 7, 1)),
        (dt.timedelta(1), Atom("interval day to second"), dt.timedelta(1)),
        (14, Atom("interval year to month"), 14),
    ],
)
def test_values_become_those_of_the_type(given: Any, type: Type, expected: Any) -> None:
    bound = of(given, type, timezone="Europe/Berlin")
    assert isinstance(bound, Comparison)
    assert bound == Comparison("=", expected)
    assert repr(bound.value) == repr(expected)


@pytest.mark.parametrize(
    ("given", "type", "reason"),
    [
        (128, BYTE, "does not fit into 8 bits"),
        (5.5, INTEGER, "not a whole number"),
        (math.nan, INTEGER, "not a whole number"),
        (math.inf, INTEGER, "too large"),
        (True, INTEGER, "of the Python type bool"),
        ("five", INTEGER, "of the Python type str"),
        (1, BOOLEAN, "of the Python type int"),
        ("yes", BOOLEAN, "of the Python type str"),
        (True, DOUBLE, "of the Python type bool"),
        ("five", DOUBLE, "could not convert"),
        (10**400, DOUBLE, "too large"),
        (1e300, FLOAT, "too large"),
        (0.125, Decimal(9, 2), "more than 2 decimal places"),
        (10**8, Decimal(9, 2), "too large"),
        ("five", Decimal(9, 2), "not a number"),
        (math.nan, Decimal(9, 2), "not a finite number"),
        (False, Decimal(9, 2), "of the Python type bool"),
        (5, STRING, "of the Python type int"),
        ("x", BINARY, "of the Python type str"),
        ("01.07.2019", DATE, "Invalid isoformat string"),
        (dt.datetime(2019, 7, 1), DATE, "of the Python type datetime"),
        (5, TIMESTAMP, "of the Python type int"),
        ("0001-01-01 00:00:00+10:00", TIMESTAMP, "too large"),
        (BERLIN_MORNING, TIMESTAMP_NTZ, "it has a timezone"),
        (5, Atom("interval day"), "of the Python type int"),
        (5, Atom("variant"), "values of this type cannot be written"),
        (5, Atom("interval"), "values of this type cannot be written"),
        (5, NULL, "values of this type cannot be written"),
    ],
)
def test_values_that_cannot_be_of_the_type(given: Any, type: Type, reason: str) -> None:
    for literal in (given, p.gt(given), p.one_of(None, given), p.between(given, given)):
        with pytest.raises(PatternTypeError, match=reason) as caught:
            of(literal, type)
        assert caught.value.path == "c"


def test_a_session_timezone_that_python_does_not_know() -> None:
    assert of(BERLIN_MORNING, TIMESTAMP, timezone="Mars") == Comparison("=", BERLIN_MORNING)
    with pytest.raises(PatternTypeError, match="'Mars' is not the name of one"):
        of("2019-07-01", TIMESTAMP, timezone="Mars")


def test_predicates_convert_their_values() -> None:
    assert of(p.between(1, "2"), DOUBLE) == Between(1.0, 2.0)
    assert of(p.one_of("2019-07-01", None), DATE) == Among((dt.date(2019, 7, 1), None))
    assert of({"1": ANY, 2: p.ge(0)}, Map(INTEGER, DOUBLE)) == MapPattern(((1, ANY), (2, Comparison(">=", 0.0))))


@pytest.mark.parametrize("literal", [ANY, None, p.not_null(), len])
@pytest.mark.parametrize("type", [STRING, NULL, Atom("variant"), ORDER, Array(ORDER), Map(ORDER, ORDER)])
def test_what_can_be_said_of_any_type(literal: Any, type: Type) -> None:
    assert of(literal, type) == to_pattern({"c": literal}).entries[0][1]


@pytest.mark.parametrize(
    ("literal", "type", "message"),
    [
        ([1], INTEGER, "c is of type int: a list matches the elements of an array"),
        ([1], ORDER, "a list matches the elements"),
        ({"x": 1}, STRING, "c is of type string: a dict matches the fields of a struct"),
        ({"sku": 1}, Array(ITEM), r"a dict matches a single struct.\nHint: write a list with the dict"),
        (5, Array(INTEGER), r"tests a single value.\nHint: write \[5, ...\] for an array with such an element"),
        (p.gt(5), ITEM, r"gt\(5\) tests a single value.\nHint: write a dict: \{'sku': gt\(5\)\}"),
        (p.gt(5), Map(STRING, INTEGER), r"gt\(5\) tests a single value"),
        ({1: ANY}, Map(ITEM, INTEGER), "tests a single value"),
        (p.contains("x"), INTEGER, r"contains\('x'\) tests a string"),
        (p.contains("x"), Array(STRING), r"write \[contains\('x'\), ...\]"),
        (p.between(2, 1), INTEGER, r"between\(2, 1\) matches nothing"),
    ],
)
def test_patterns_that_cannot_be_of_the_type(literal: Any, type: Type, message: str) -> None:
    with pytest.raises(PatternTypeError, match=message) as caught:
        of(literal, type)
    assert caught.value.path == "c"


# --- lists ---


def test_equal_elements_are_counted() -> None:
    bound = of([1, ANY, "1", math.nan, ANY, math.nan, ...], Array(DOUBLE))
    assert isinstance(bound, ArrayPattern)
    assert [count for _, count in bound.counted] == [2, 2]
    assert (bound.anything, bound.is_open, bound.total) == (2, True, 6)


def test_too_many_patterns_for_the_same_elements() -> None:
    of([p.gt(i) for i in range(8)], Array(INTEGER))
    with pytest.raises(PatternError, match="the list for c has too many different patterns"):
        of([p.gt(i) for i in range(9)], Array(INTEGER))


def test_many_patterns_for_different_elements() -> None:
    of([{"sku": str(i), "qty": p.gt(i)} for i in range(100)], Array(ITEM))
    with pytest.raises(PatternError, match="at most 500 stand in a list"):
        of(list(range(501)), Array(INTEGER))


def test_lists_in_lists_that_multiply() -> None:
    inner = [p.gt(i) for i in range(7)]
    with pytest.raises(PatternError, match="in too many ways"):
        of([[*inner, p.gt(10 + i), ...] for i in range(5)], Array(Array(INTEGER)))
