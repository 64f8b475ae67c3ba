"""Check a pattern against the output of a plan: resolve its names, convert its values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, NoReturn

from sparkwhy.errors import (
    AmbiguousField,
    PatternError,
    PatternTypeError,
    UnknownField,
    abbreviate,
    assert_never,
    quote_name,
    show_argument,
)
from sparkwhy.plan.exprs import Attribute
from sparkwhy.plan.types import STRING, Array, Map, Struct, Type, ddl
from sparkwhy.question.bound import (
    ArrayPattern,
    BoundPattern,
    MapPattern,
    Question,
    StructPattern,
    count_tests,
    group_overlapping,
)
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
    join_path,
    show_pattern,
)
from sparkwhy.question.values import convert, is_text

__all__ = ["MAX_DIFFERENT", "MAX_OVERLAPPING", "MAX_WEIGHT", "Question", "bind"]

MAX_OVERLAPPING = 8
"""Largest number of patterns in one list that may match the same element: each subset becomes a condition."""

MAX_DIFFERENT = 500
"""Largest number of different patterns in one list."""

MAX_WEIGHT = 5_000
"""Largest number of tests in the conditions for a pattern: lists inside of lists multiply."""

_SHOWN_NAMES = 12


@dataclass(frozen=True, slots=True)
class PatternSpot:
    """A position in the pattern: its path and the type of its values. Texts are padded with blanks to `width`."""

    path: str
    type: Type
    timezone: str
    width: int = 0

    def field(self, name: object, type: Type) -> PatternSpot:
        return PatternSpot(join_path(self.path, name), type, self.timezone)

    def elements(self, type: Type) -> PatternSpot:
        return PatternSpot(self.path, type, self.timezone)

    def fail(self, problem: str, hint: str) -> NoReturn:
        message = f"{self.path} is of type {ddl(self.type)}: {problem}."
        raise PatternTypeError(message, path=self.path, type=ddl(self.type), hint=hint)


def bind(
    pattern: Fields, output: tuple[Attribute, ...], *, timezone: str = "UTC", widths: Mapping[int, int] | None = None
) -> Question:
    """Resolve the names of a pattern and convert its values for rows with this output.

    Times without a timezone are in `timezone`.

    `widths` has the lengths of the columns, by position, that Spark pads with blanks: char(n).
    """
    places = _resolve(pattern, [attribute.name for attribute in output], "")
    wanted = []
    for place, (_, inner) in zip(places, pattern.entries, strict=True):
        attribute = output[place]
        width = (widths or {}).get(place, 0)
        wanted.append(
            (
                attribute,
                _bind_pattern(inner, PatternSpot(join_path("", attribute.name), attribute.type, timezone, width)),
            )
        )
    if sum(count_tests(inner) for _, inner in wanted) > MAX_WEIGHT:
        hint = "ask with fewer lists inside of lists."
        raise PatternError("the lists of the pattern can be matched in too many ways.", hint=hint)
    return Question(tuple(wanted), output, pattern)


# --- names ---


def _resolve(pattern: Fields, known: Sequence[str], path: str) -> list[int]:
    """Return the position of each name of the pattern among the known names."""
    places = [_position_of(name, known, path) for name, _ in pattern.entries]
    for place, times in Counter(places).items():
        if times > 1:
            full = join_path(path, known[place])
            raise AmbiguousField(
                f"the pattern names {full} twice.", path=full, hint="put both conditions in one place."
            )
    return places


def _position_of(name: Any, known: Sequence[str], path: str) -> int:
    exact = [i for i, each in enumerate(known) if each == name]
    alike = exact or [i for i, each in enumerate(known) if each.lower() == str(name).lower()]
    if len(alike) == 1:
        return alike[0]
    full = join_path(path, name)
    if alike:
        raise AmbiguousField(
            f"{full} is ambiguous: {len(alike)} fields are called {' and '.join(known[i] for i in alike)}.",
            path=full,
            hint="rename one of them, or ask about another field.",
        )
    raise _unknown_field(str(name), tuple(known), full, "field" if path else "column")


def _unknown_field(name: str, known: tuple[str, ...], full: str, kind: str) -> UnknownField:
    spelled = {each.lower(): each for each in known}
    nearest = tuple(spelled[low] for low in get_close_matches(name.lower(), spelled))
    head, _, rest = name.partition(".")
    if rest and head.lower() in spelled:
        hint = f"fields inside of fields are written as dicts: {{{spelled[head.lower()]!r}: {{{rest!r}: ...}}}}."
    elif nearest:
        hint = f"did you mean {' or '.join(map(quote_name, nearest))}?"
    else:
        more = ", ..." if len(known) > _SHOWN_NAMES else ""
        hint = f"known names: {', '.join(known[:_SHOWN_NAMES])}{more}." if known else "it has no columns or fields."
    return UnknownField(path=full, known=known, nearest=nearest, hint=hint, kind=kind)


# --- patterns ---


def _bind_pattern(pattern: Pattern, spot: PatternSpot) -> BoundPattern:
    match pattern:
        case Anything() | Null() | Present() | Custom():
            return pattern
        case Comparison(op, value):
            return Comparison(op, _bind_value(value, pattern, spot))
        case Between(low, high):
            return _bind_range(_bind_value(low, pattern, spot), _bind_value(high, pattern, spot), pattern, spot)
        case Among(values):
            return Among(tuple(None if value is None else _bind_value(value, pattern, spot) for value in values))
        case TextTest():
            return _bind_text_test(pattern, spot)
        case Fields():
            return _bind_fields(pattern, spot)
        case Bag():
            return _bind_elements(pattern, spot)
        case _:
            assert_never(pattern)


def _bind_value(value: Any, pattern: Pattern, spot: PatternSpot) -> Any:
    if isinstance(spot.type, Array | Map | Struct):
        spot.fail(f"{abbreviate(show_pattern(pattern))} tests a single value", _composite_hint(pattern, spot.type))
    if isinstance(value, str):
        value = value.ljust(spot.width)  # as Spark does when it compares
    try:
        return convert(value, spot.type, spot.timezone)
    except ValueError as error:
        spot.fail(f"{show_argument(value)} is not a value of this type: {error}", _value_hint(spot.type))


def _composite_hint(pattern: Pattern, type: Type) -> str:
    if isinstance(type, Array):
        return f"write [{abbreviate(show_pattern(pattern))}, ...] for an array with such an element."
    names = f"{type.fields[0].name!r}" if isinstance(type, Struct) and type.fields else "..."
    return f"write a dict: {{{names}: {abbreviate(show_pattern(pattern))}}}."


def _value_hint(type: Type) -> str:
    return f"write a value that fits {ddl(type)}, or a function of the column: lambda column: ..."


def _bind_range(low: Any, high: Any, pattern: Pattern, spot: PatternSpot) -> Between:
    if low > high:
        spot.fail(f"{abbreviate(show_pattern(pattern))} matches nothing", "write the smaller value first.")
    return Between(low, high)


def _bind_text_test(pattern: TextTest, spot: PatternSpot) -> TextTest:
    if not is_text(pattern.text):
        spot.fail(f"{abbreviate(show_pattern(pattern))} is not valid text", "it contains half of a surrogate pair.")
    if spot.type != STRING:
        in_array = isinstance(spot.type, Array) and spot.type.element == STRING
        hint = _composite_hint(pattern, spot.type) if in_array else "only strings have parts of text to test."
        spot.fail(f"{abbreviate(show_pattern(pattern))} tests a string", hint)
    return pattern


def _bind_fields(pattern: Fields, spot: PatternSpot) -> BoundPattern:
    match spot.type:
        case Struct(fields):
            places = _resolve(pattern, spot.type.names, spot.path)
            named = [(i, fields[i], inner) for i, (_, inner) in zip(places, pattern.entries, strict=True)]
            return StructPattern(
                tuple((i, _bind_pattern(inner, spot.field(field.name, field.type))) for i, field, inner in named)
            )
        case Map(key, value):
            of_keys = spot.elements(key)
            return MapPattern(
                tuple(
                    (_bind_value(k, pattern, of_keys), _bind_pattern(inner, spot.field(k, value)))
                    for k, inner in pattern.entries
                )
            )
        case Array():
            spot.fail("a dict matches a single struct", "write a list with the dict: [{...}, ...].")
        case _:
            spot.fail("a dict matches the fields of a struct", "write a value, or a predicate such as gt(0).")


def _bind_elements(pattern: Bag, spot: PatternSpot) -> ArrayPattern:
    if not isinstance(spot.type, Array):
        spot.fail("a list matches the elements of an array", "write one_of(...) for one of several values.")
    inside = spot.elements(spot.type.element)
    counts = Counter(_bind_pattern(element, inside) for element in pattern.elements)
    anything = counts.pop(ANY, 0)
    if len(counts) > MAX_DIFFERENT or max(map(len, group_overlapping(list(counts))), default=0) > MAX_OVERLAPPING:
        raise PatternError(
            f"the list for {spot.path} has too many different patterns.",
            path=spot.path,
            hint=f"at most {MAX_OVERLAPPING} may match the same elements, and at most {MAX_DIFFERENT} stand in a list.",
        )
    return ArrayPattern(tuple(counts.items()), anything, pattern.is_open)
