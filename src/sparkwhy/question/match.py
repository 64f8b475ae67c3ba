"""Which rows match a question: as conditions that the engines evaluate, and for a row in hand.

The two share no code, so that each can be checked by the other.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

from sparkwhy.errors import NotInterpretable, assert_never
from sparkwhy.plan.exprs import (
    And,
    Attribute,
    Call,
    Compare,
    Expr,
    FieldOf,
    In,
    IsNotNull,
    IsNull,
    ItemOf,
    Lambda,
    Literal,
    Opaque,
    Or,
    Ref,
    Variable,
    is_true,
)
from sparkwhy.plan.types import BOOLEAN, INTEGER, STRING, Array, Map
from sparkwhy.question.bound import (
    ArrayPattern,
    BoundPattern,
    MapPattern,
    Question,
    StructPattern,
    accepts_null,
    group_overlapping,
)
from sparkwhy.question.pattern import (
    Among,
    Anything,
    Between,
    Comparison,
    Custom,
    Null,
    Present,
    TextTest,
    function_name,
)

__all__ = ["conditions", "row_matches"]


# --- as conditions ---


def conditions(question: Question) -> tuple[Expr, ...]:
    """Return what must all hold for a row to match: true exactly where the value matches; null may stand for false.

    The question is split into as many conditions as possible, so that each can be pushed down by itself:
    `{"order": {"id": 5, "x": 1}}` gives `order.id = 5` and `order.x = 1`.
    """
    return tuple(each for _, own in conditions_by_attribute(question) for each in own)


def conditions_by_attribute(question: Question) -> Iterator[tuple[Attribute, tuple[Expr, ...]]]:
    """Yield each attribute that the question mentions, with its conditions."""
    return ((attribute, _conditions(Ref(attribute), pattern)) for attribute, pattern in question.wanted)


def _conditions(value: Expr, pattern: BoundPattern) -> tuple[Expr, ...]:
    match pattern:
        case Anything():
            return ()
        case Null():
            return (IsNull(value),)
        case Present():
            return (IsNotNull(value),)
        case Comparison(op, constant):
            return (Compare(op, value, Literal(constant, value.type)),)
        case Between(low, high):
            ends = Literal(low, value.type), Literal(high, value.type)
            return (Compare(">=", value, ends[0]), Compare("<=", value, ends[1]))
        case Among(values):
            return (_membership_test(value, values),)
        case TextTest(function, text):
            return (Call(function, (value, Literal(text, STRING))),)
        case Custom(function):
            return (Opaque(f"<{function_name(function).strip('<>')}>", (value,), BOOLEAN, handle=function),)
        case StructPattern():
            return _struct_conditions(value, pattern)
        case MapPattern():
            return _map_conditions(value, pattern)
        case ArrayPattern():
            return _array_conditions(value, pattern)
        case _:
            assert_never(pattern)


def _membership_test(value: Expr, options: tuple[Any, ...]) -> Expr:
    null = (IsNull(value),) if None in options else ()
    present = tuple(Literal(option, value.type) for option in options if option is not None)
    tests = (*null, *((In(value, present),) if present else ()))
    return tests[0] if len(tests) == 1 else Or(tests)


def _struct_conditions(value: Expr, pattern: StructPattern) -> tuple[Expr, ...]:
    """Return the conditions on the fields. A null struct has null fields: where these are all that is asked for, the
    struct itself must not be null."""
    known = any(not accepts_null(inner) for _, inner in pattern.fields)
    inside = (each for i, inner in pattern.fields for each in _conditions(FieldOf(value, i), inner))
    return (*(() if known else (IsNotNull(value),)), *inside)


def _map_conditions(value: Expr, pattern: MapPattern) -> tuple[Expr, ...]:
    if not pattern.items:
        return (IsNotNull(value),)
    assert isinstance(value.type, Map)
    keys = [(Literal(key, value.type.key), inner) for key, inner in pattern.items]
    return tuple(each for key, inner in keys for each in _entry_conditions(value, key, inner))


def _entry_conditions(value: Expr, key: Literal, pattern: BoundPattern) -> tuple[Expr, ...]:
    """Ask for the key where null would match: the value at a missing key is null too."""
    there = Call("array_contains", (Call("map_keys", (value,)), key))
    return (*((there,) if accepts_null(pattern) else ()), *_conditions(ItemOf(value, key), pattern))


def _array_conditions(value: Expr, pattern: ArrayPattern) -> tuple[Expr, ...]:
    """Require an element of its own for each element pattern, by Hall's theorem.

    There is such an assignment exactly if any set of patterns is matched by at least as many elements as the
    patterns of the set stand for. Sets of patterns that cannot match the same element follow from their parts.
    """
    counts = dict(pattern.counted)
    sizes = _size_conditions(value, pattern)
    hall = (
        _count_condition(value, chosen, sum(counts[each] for each in chosen))
        for group in group_overlapping(list(counts))
        for chosen in _subsets(group)
    )
    return (*sizes, *hall)


def _size_conditions(value: Expr, pattern: ArrayPattern) -> tuple[Expr, ...]:
    size, total = Call("size", (value,)), Literal(pattern.total, INTEGER)
    if not pattern.is_open:
        return (Compare("=", size, total),)
    if pattern.anything:
        return (Compare(">=", size, total),)
    return () if pattern.counted else (IsNotNull(value),)


def _subsets(patterns: Sequence[BoundPattern]) -> Iterator[tuple[BoundPattern, ...]]:
    return (chosen for size in range(1, len(patterns) + 1) for chosen in combinations(patterns, size))


def _count_condition(array: Expr, patterns: tuple[BoundPattern, ...], count: int) -> Expr:
    """Return the condition that at least `count` elements match one of the patterns."""
    assert isinstance(array.type, Array)
    element = _variable(array)
    tests = tuple(_test(element, pattern) for pattern in patterns)
    some = Lambda((element,), tests[0] if len(tests) == 1 else Or(tests))
    if count == 1:
        return Call("exists", (array, some))
    return Compare(">=", Call("size", (Call("filter", (array, some)),)), Literal(count, INTEGER))


def _variable(array: Expr) -> Variable:
    """Return a variable for the elements of the array, with a number that no lambda around it has."""
    assert isinstance(array.type, Array)
    depth = _depth(array)
    return Variable(depth, "x" if depth == 1 else f"x{depth}", array.type.element)


def _depth(value: Expr) -> int:
    while isinstance(value, FieldOf | ItemOf):
        value = value.input
    return value.id + 1 if isinstance(value, Variable) else 1


def _test(value: Expr, pattern: BoundPattern) -> Expr:
    """Return one condition, true or false."""
    parts = _conditions(value, pattern)
    return is_true(parts[0] if len(parts) == 1 else And(parts))


# --- for a row in hand ---


def row_matches(question: Question, row: tuple[Any, ...]) -> bool:
    """Return whether the row, in the values of the plan, matches; by the definition."""
    place = {attribute.id: i for i, attribute in enumerate(question.output)}
    return all(_value_matches(pattern, row[place[attribute.id]]) for attribute, pattern in question.wanted)


def _value_matches(pattern: BoundPattern, value: Any) -> bool:
    match pattern:
        case Anything():
            return True
        case Null():
            return value is None
        case Present():
            return value is not None
        case Among(values):
            return any(
                value is option or (_are_present(value, option) and _compare(value, option) == 0) for option in values
            )
        case Custom(function):
            raise NotInterpretable(f"only Spark can evaluate {function_name(function)}")
        case _ if value is None:
            return False
        case Comparison(op, constant):
            return _COMPARISONS[op](_compare(value, constant), 0)
        case Between(low, high):
            return _compare(low, value) <= 0 <= _compare(high, value)
        case TextTest(function, text):
            return _TEXT_TESTS[function](value, text)
        case StructPattern(fields):
            return all(_value_matches(inner, value[i]) for i, inner in fields)
        case MapPattern(items):
            return all(any(_compare(k, key) == 0 and _value_matches(p, v) for k, v in value.pairs) for key, p in items)
        case ArrayPattern():
            return _is_assignable(pattern, value)
        case _:
            assert_never(pattern)


_COMPARISONS: Mapping[str, Callable[[int, int], bool]] = {
    "=": operator.eq,
    "<>": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def _are_present(left: Any, right: Any) -> bool:
    return left is not None and right is not None


def _compare(left: Any, right: Any) -> int:
    """Negative, zero or positive; NaN is equal to itself and greater than all numbers."""
    if left != left or right != right:
        return int(left != left) - int(right != right)
    return int(left > right) - int(left < right)


def _has_match(text: str, expression: str) -> bool:
    try:
        return re.search(expression, text, re.ASCII) is not None
    except re.error as error:
        raise NotInterpretable(f"only Java knows the regular expression {expression}") from error


def _looks_like(text: str, pattern: str) -> bool:
    pieces = re.findall(r"\\.|.", pattern, re.DOTALL)
    expression = "".join({"%": ".*", "_": "."}.get(piece, re.escape(piece[-1])) for piece in pieces)
    return re.fullmatch(expression, text, re.DOTALL) is not None


_TEXT_TESTS: Mapping[str, Callable[[str, str], bool]] = {
    "contains": lambda text, part: part in text,
    "startswith": lambda text, part: text.startswith(part),
    "like": _looks_like,
    "rlike": _has_match,
}


def _is_assignable(pattern: ArrayPattern, values: tuple[Any, ...]) -> bool:
    """Return whether every element pattern gets an element of its own, and none is left over unless the list is
    open.
    """
    if len(values) < pattern.total or (len(values) > pattern.total and not pattern.is_open):
        return False
    slots = [inner for inner, count in pattern.counted for _ in range(count)]
    candidates = [[i for i, value in enumerate(values) if _value_matches(inner, value)] for inner in slots]
    holder: dict[int, int] = {}
    return all(_augment(slot, candidates, holder, set()) for slot in range(len(slots)))


def _augment(slot: int, candidates: list[list[int]], holder: dict[int, int], tried: set[int]) -> bool:
    """Find an element for the slot; who holds one may have to move on."""
    for element in candidates[slot]:
        if element in tried:
            continue
        tried.add(element)
        if element not in holder or _augment(holder[element], candidates, holder, tried):
            holder[element] = slot
            return True
    return False
