"""Patterns with a schema: names are positions, values are those of the plan, and lists count what they ask for.

Also how the element patterns of a list relate: which of them one element could match at the same time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from sparkwhy.errors import assert_never
from sparkwhy.plan.exprs import Attribute
from sparkwhy.plan.types import Array, Map, Struct, Type
from sparkwhy.question.pattern import (
    Among,
    Anything,
    Between,
    Comparison,
    Custom,
    Fields,
    Null,
    Present,
    TextTest,
)


@dataclass(frozen=True, slots=True)
class StructPattern:
    """A struct, that is not null, by the ordinals of its mentioned fields."""

    fields: tuple[tuple[int, BoundPattern], ...]


@dataclass(frozen=True, slots=True)
class MapPattern:
    """A map, that is not null, with an entry for every mentioned key."""

    items: tuple[tuple[Any, BoundPattern], ...]


@dataclass(frozen=True, slots=True)
class ArrayPattern:
    """An array that is not null, with a number of elements of its own for each of these different patterns.

    `anything` is for how many elements the pattern says no more than that they are there.
    """

    counted: tuple[tuple[BoundPattern, int], ...]
    anything: int
    is_open: bool

    @property
    def total(self) -> int:
        return self.anything + sum(count for _, count in self.counted)


BoundPattern: TypeAlias = (
    Anything
    | Null
    | Present
    | Comparison
    | Between
    | Among
    | TextTest
    | Custom
    | StructPattern
    | MapPattern
    | ArrayPattern
)


@dataclass(frozen=True, slots=True)
class Question:
    """A pattern of rows with this output: what it asks of each attribute that it mentions, and how it was written."""

    wanted: tuple[tuple[Attribute, BoundPattern], ...]
    output: tuple[Attribute, ...]
    pattern: Fields


def functions_of(question: Question) -> Iterator[tuple[Custom, Type]]:
    """Yield the functions of the user, each with the type of the values that it gets."""
    todo: list[tuple[BoundPattern, Type]] = [(pattern, attribute.type) for attribute, pattern in question.wanted]
    while todo:
        match todo.pop():
            case Custom() as function, type:
                yield function, type
            case StructPattern(fields), Struct(known):
                todo += [(inner, known[i].type) for i, inner in fields]
            case MapPattern(items), Map(_, value):
                todo += [(inner, value) for _, inner in items]
            case ArrayPattern(counted), Array(element):
                todo += [(inner, element) for inner, _ in counted]
            case _:
                continue


def attributes_mentioned(question: Question) -> tuple[Attribute, ...]:
    """Return the attributes that the question names, in the order of the pattern."""
    return tuple(attribute for attribute, _ in question.wanted)


def accepts_null(pattern: BoundPattern) -> bool:
    """Return whether null may match."""
    match pattern:
        case Anything() | Null() | Custom():
            return True
        case Among(values):
            return None in values
        case Present() | Comparison() | Between() | TextTest() | StructPattern() | MapPattern() | ArrayPattern():
            return False
        case _:
            assert_never(pattern)


def are_disjoint(left: BoundPattern, right: BoundPattern) -> bool:
    """Return whether clearly no value matches both: `{"sku": "A"}` and `{"sku": "B"}`."""
    match left, right:
        case Comparison("="), Comparison("="):
            return left != right
        case StructPattern(fields), StructPattern(others):
            return any(are_disjoint(one, other) for i, one in fields for j, other in others if i == j)
        case (Null(), other) | (other, Null()):
            return not accepts_null(other)
        case _:
            return False


def group_overlapping(patterns: Sequence[BoundPattern]) -> list[list[BoundPattern]]:
    """Return the patterns in groups, such that no value matches patterns of two groups."""
    groups: list[list[BoundPattern]] = []
    for pattern in patterns:
        overlapping = [group for group in groups if not all(are_disjoint(pattern, other) for other in group)]
        joined = [*(each for group in overlapping for each in group), pattern]
        groups = [*(group for group in groups if group not in overlapping), joined]
    return groups


def count_tests(pattern: BoundPattern) -> int:
    """Return how many tests the condition for the pattern consists of."""
    match pattern:
        case StructPattern(fields):
            return 1 + sum(count_tests(inner) for _, inner in fields)
        case MapPattern(items):
            return 1 + sum(count_tests(inner) for _, inner in items)
        case ArrayPattern(counted):
            groups = group_overlapping([inner for inner, _ in counted])
            return 1 + sum((count_tests(inner) << (len(group) - 1)) for group in groups for inner in group)
        case Anything() | Null() | Present() | Comparison() | Between() | Among() | TextTest() | Custom():
            return 1
        case _:
            assert_never(pattern)
