"""Patterns of rows: what users write, as Python literals or as JSON, and the frozen values that it becomes.

    {"city": "NY", "names": [ANY, ...], "revenue": gt(0)}

A pattern knows no schema; `bind` gives it one.
"""

from __future__ import annotations

import datetime as dt
import decimal
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from numbers import Integral, Real
from typing import Any, TypeAlias
from typing import Literal as OneOf

from sparkwhy.errors import PatternError, PatternTypeError, assert_never, show_argument
from sparkwhy.plan.show import quote_identifier

MAX_DEPTH = 100
MAX_SIZE = 10_000
"""Beyond these a literal contains itself, or was not written by a person."""

MAX_LENGTH = 100_000
"""Characters or bytes that a value may have."""

MAX_EXPONENT = 1_000
"""Digits of a number: no type of Spark has more, and Python would count them for hours."""

ComparisonOp = OneOf["=", "<>", "<", "<=", ">", ">="]
TextFunction = OneOf["contains", "startswith", "like", "rlike"]


@dataclass(frozen=True, slots=True)
class Anything:
    """Exactly one value, any: the paper's instance placeholder. Null is a value too."""


@dataclass(frozen=True, slots=True)
class Null:
    """The value is null."""


@dataclass(frozen=True, slots=True)
class Present:
    """The value is not null."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """How the value compares with a constant. Null compares with nothing, NaN is equal to itself."""

    op: ComparisonOp
    value: Any


@dataclass(frozen=True, slots=True)
class Between:
    """The value is in a range, with its ends."""

    low: Any
    high: Any


@dataclass(frozen=True, slots=True)
class Among:
    """The value is one of several; a None among them is null."""

    values: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class TextTest:
    """What a string contains or looks like, by the name of the function in Spark."""

    function: TextFunction
    text: str


@dataclass(frozen=True, slots=True)
class Custom:
    """What a function of the user says, that makes a boolean column of the column of the value."""

    function: Callable[[Any], Any]


@dataclass(frozen=True, slots=True)
class Fields:
    """The columns of a row, the fields of a struct or the entries of a map; what is not mentioned is anything."""

    entries: tuple[tuple[Any, Pattern], ...]


@dataclass(frozen=True, slots=True)
class Bag:
    """The elements of an array in any order; with any further ones if it is open."""

    elements: tuple[Pattern, ...]
    is_open: bool


Pattern: TypeAlias = Anything | Null | Present | Comparison | Between | Among | TextTest | Custom | Fields | Bag

PATTERNS = (Anything, Null, Present, Comparison, Between, Among, TextTest, Custom, Fields, Bag)
_ATOMS = (bool, int, float, str, bytes, decimal.Decimal, dt.date, dt.timedelta)


# --- what users call ---

ANY = Anything()
"""Exactly one value, any: `{"names": [ANY, ...]}` is a list of at least one element."""


def eq(value: Any) -> Pattern:
    """Match the value: `{"city": eq("NY")}`, like the plain value `{"city": "NY"}`; `eq(None)` matches null."""
    return Null() if value is None else Comparison("=", _atom(value))


def ne(value: Any) -> Pattern:
    """Match other values, but not null: `{"city": ne("NY")}`; `ne(None)` matches anything but null."""
    return Present() if value is None else Comparison("<>", _atom(value))


def gt(value: Any) -> Pattern:
    """Match greater values: `{"revenue": gt(0)}`."""
    return Comparison(">", _atom(value))


def ge(value: Any) -> Pattern:
    """Match the value and greater ones: `{"day": ge("2024-01-01")}`."""
    return Comparison(">=", _atom(value))


def lt(value: Any) -> Pattern:
    """Match smaller values: `{"revenue": lt(100)}`."""
    return Comparison("<", _atom(value))


def le(value: Any) -> Pattern:
    """Match the value and smaller ones: `{"revenue": le(100)}`."""
    return Comparison("<=", _atom(value))


def between(low: Any, high: Any) -> Pattern:
    """Match values from `low` to `high`, both included: `{"year": between(2018, 2020)}`."""
    return Between(_atom(low), _atom(high))


def one_of(*values: Any) -> Pattern:
    """Match one of the values: `{"city": one_of("NY", "LA")}`, or of a list, `one_of(cities)`; None among them is
    null.
    """
    only_a_collection = len(values) == 1 and isinstance(values[0], list | tuple | set | frozenset)
    return make_among(values[0] if only_a_collection else values)


def contains(text: str) -> Pattern:
    """Match strings that contain the text: `{"title": contains("Arsenal")}`."""
    return TextTest("contains", _text(text))


def startswith(text: str) -> Pattern:
    """Match strings that start with the text: `{"sku": startswith("A-")}`."""
    return TextTest("startswith", _text(text))


def like(text: str) -> Pattern:
    r"""Match strings that look like the text: `{"sku": like("A-%")}`.

    `%` is anything, `_` one character, and a backslash escapes them.
    """
    if not re.fullmatch(r"(?:[^\\]|\\[\\%_])*", _text(text), re.DOTALL):
        raise PatternError(
            f"like({show_argument(text)}) has a backslash that escapes nothing.", hint=r"write \\ for a backslash."
        )
    return TextTest("like", text)


def matches(expression: str) -> Pattern:
    """Match strings in which the regular expression is found: `{"sku": matches("^A-[0-9]+$")}`.

    It may be found anywhere, as by Spark's `rlike`.
    """
    return TextTest("rlike", _text(expression))


def is_null() -> Pattern:
    """Match null: `{"phone": is_null()}`, like a plain None."""
    return Null()


def not_null() -> Pattern:
    """Match anything but null: `{"phone": not_null()}`."""
    return Present()


def make_among(values: Iterable[Any]) -> Among:
    found = tuple(None if value is None else _atom(value) for value in islice(values, MAX_SIZE + 1))
    if len(found) > MAX_SIZE:
        raise PatternError(f"one_of() has more than {MAX_SIZE} values.", hint="name a few of them, or a range.")
    if not found:
        raise PatternError("one_of() matches nothing.", hint="name at least one value.")
    return Among(found)


def _atom(value: Any) -> Any:
    """Return a single value, as Python's own type if it came from elsewhere, as numbers of numpy do."""
    if isinstance(value, _ATOMS):
        return _check_size(value)
    if isinstance(value, bytearray):
        return _check_size(bytes(value))
    if isinstance(value, Integral):
        return _check_size(int(value))
    if isinstance(value, Real):
        return float(value)
    raise PatternTypeError(f"{show_argument(value)} is not a single value.", hint=_suggest_form(value))


def _check_size(value: Any) -> Any:
    """Return a value, unless it is so large that Python itself refuses it or takes hours."""
    match value:
        case int():
            is_bounded = abs(value) < 10**MAX_EXPONENT
        case decimal.Decimal():
            is_bounded = not value.is_finite() or abs(value.adjusted()) < MAX_EXPONENT
        case str() | bytes():
            is_bounded = len(value) <= MAX_LENGTH
        case _:
            is_bounded = True
    if is_bounded:
        return value
    raise PatternError(
        f"a value of the pattern is too large, one of the Python type {type(value).__name__}.",
        hint=f"numbers have at most {MAX_EXPONENT:,} digits, texts at most {MAX_LENGTH:,} characters.",
    )


def _suggest_form(value: Any) -> str:
    match value:
        case None:
            return "nothing compares with null: write None, is_null() or not_null() in place of the predicate."
        case list() | tuple() | dict():
            return "write the list or dict by itself, with predicates inside."
        case _:
            return "values are numbers, strings, bytes, booleans, dates, datetimes and timedeltas."


def _text(value: Any) -> str:
    if isinstance(value, str):
        return str(_check_size(value))
    raise PatternTypeError(
        f"{show_argument(value)} is not a string.", hint="contains, startswith, like and matches take a string."
    )


# --- from Python ---


def to_pattern(literal: Any) -> Fields:
    """Return the pattern that a Python literal says.

    >>> to_pattern({"city": "NY"})
    Fields(entries=(('city', Comparison(op='=', value='NY')),))
    """
    if isinstance(literal, Fields):
        return literal
    if not isinstance(literal, Mapping):
        message = f'`missing` must be a dict such as {{"city": "NY"}}, not a value of type {type(literal).__name__}.'
        raise PatternError(message, hint="name the columns of the missing row and their values.")
    check_extent(literal)
    return _fields(literal, "")


def check_extent(literal: Any) -> None:
    """Refuse what is too deep or too large to be entered, in a loop: it may contain itself."""
    seen, todo = 0, [(literal, 0)]
    while todo:
        current, depth = todo.pop()
        seen += 1
        if depth > MAX_DEPTH or seen > MAX_SIZE:
            raise PatternError(
                f"the pattern is too large: it has more than {MAX_DEPTH} levels or {MAX_SIZE} parts.",
                hint="does a list or dict in it contain itself?",
            )
        inner = current.values() if isinstance(current, Mapping) else current
        if isinstance(current, Mapping | list | tuple):
            todo.extend((each, depth + 1) for each in inner)


def _pattern(literal: Any, path: str) -> Pattern:
    if isinstance(literal, PATTERNS):
        return literal
    if literal is None:
        return Null()
    if literal is ...:
        hint = "ANY is a single value; leave out what may be anything."
        raise PatternError(f"{path} is `...`, which is allowed only in lists.", path=path, hint=hint)
    if isinstance(literal, Mapping):
        return _fields(literal, path)
    if isinstance(literal, list | tuple):
        return _bag(literal, path)
    if callable(literal):
        return _custom(literal, path)
    return eq(literal)


def _fields(literal: Mapping[Any, Any], path: str) -> Fields:
    return Fields(tuple((_atom(name), _pattern(inner, join_path(path, name))) for name, inner in literal.items()))


def join_path(path: str, name: object) -> str:
    """Return the path of a field or entry of what is at the path: `order.items`."""
    return f"{path}.{quote_identifier(str(name))}" if path else quote_identifier(str(name))


def _bag(literals: Sequence[Any], path: str) -> Bag:
    elements = [each for each in literals if each is not ...]
    if len(literals) - len(elements) > 1:
        hint = "one stands for any number of further elements."
        raise PatternTypeError(f"the list for {path} has more than one `...`.", path=path, hint=hint)
    return Bag(tuple(_pattern(each, path) for each in elements), len(elements) < len(literals))


def _custom(function: Callable[..., Any], path: str) -> Pattern:
    if function in (is_null, not_null):
        return _pattern(function(), path)
    if isinstance(function, type) or function in _CONSTRUCTORS:
        name = function.__name__
        raise PatternError(f"{name} is not a pattern.", path=path, hint=f"call it with a value: {name}(...).")
    return Custom(function)


_CONSTRUCTORS = (eq, ne, gt, ge, lt, le, between, one_of, contains, startswith, like, matches)


# --- inside ---


def text_tests(pattern: Pattern) -> Iterator[TextTest]:
    """Yield all tests of the text of strings in a pattern."""
    match pattern:
        case TextTest():
            yield pattern
        case Fields(entries):
            yield from (test for _, inner in entries for test in text_tests(inner))
        case Bag(elements):
            yield from (test for inner in elements for test in text_tests(inner))
        case _:
            return


# --- to text ---

_WORDS: Mapping[str, str] = {"<>": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge", "rlike": "matches"}


def show_pattern(pattern: Pattern) -> str:
    """Return the pattern as the Python literal that a user would write."""
    match pattern:
        case Anything():
            return "ANY"
        case Null():
            return "None"
        case Present():
            return "not_null()"
        case Comparison("=", value):
            return _show_value(value)
        case Comparison(op, value):
            return f"{_WORDS[op]}({_show_value(value)})"
        case Between(low, high):
            return f"between({_show_value(low)}, {_show_value(high)})"
        case Among(values):
            return f"one_of({', '.join(map(_show_value, values))})"
        case TextTest(function, text):
            return f"{_WORDS.get(function, function)}({text!r})"
        case Custom(function):
            return function_name(function)
        case Fields(entries):
            return "{" + ", ".join(f"{_show_value(name)}: {show_pattern(inner)}" for name, inner in entries) + "}"
        case Bag(elements, is_open):
            return "[" + ", ".join([*map(show_pattern, elements), *(["..."] if is_open else [])]) + "]"
        case _:
            assert_never(pattern)


def function_name(function: Callable[..., Any]) -> str:
    """Return how a user's function is called: `is_large`, `<lambda>`."""
    return str(getattr(function, "__name__", type(function).__name__))


def _show_value(value: Any) -> str:
    return f"float('{value}')" if isinstance(value, float) and not math.isfinite(value) else repr(value)
