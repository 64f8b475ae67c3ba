"""The queries in which a row stays, where many conditions have to be decided: each once, and bounds by halving.

Queries that are evaluated together often differ in one constant: `x < 1` in one, `x < 2` in the next. Which of them
keep a row depends on where x is among the constants. That takes a few comparisons, however many queries there are:

    query 0: x < 10                       x < 20 ? (x < 10 ? 0b111 : 0b110)
    query 1: x < 20             ->               : (x < 30 ? 0b100 : 0b000)
    query 2: x < 30
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from sparkwhy.plan.build import all_of, either, long
from sparkwhy.plan.exprs import (
    Cast,
    Compare,
    CompareOp,
    Expr,
    IsNull,
    Literal,
    conjuncts,
)
from sparkwhy.plan.types import DATE, DOUBLE, INTEGRALS, TIMESTAMP, TIMESTAMP_NTZ, Decimal, Type
from sparkwhy.plan.walk_exprs import is_random
from sparkwhy.rewrite.never_fails import never_fails
from sparkwhy.trace.variants.partitions import agreement, members, union_of

_FEW = 3
"""Up to this number of bounds on one value are decided one after another."""

_HOLDS: Mapping[CompareOp, Callable[[int, int], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "=": operator.eq,
}

_MIRRORED: Mapping[CompareOp, CompareOp] = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "="}


@dataclass(frozen=True)
class QueryCondition:
    """A condition, and the set of the queries that keep only rows for which it is true."""

    condition: Expr
    queries: int


def split_conjuncts(conditions: Iterable[QueryCondition]) -> tuple[QueryCondition, ...]:
    """Return the conjuncts of the conditions, each once, with all queries that ask for it.

    `a AND b` in query 0 and `a AND c` in query 1 give a in both, b in query 0 and c in query 1.
    """
    listed = [
        QueryCondition(each, whole.queries) for whole in conditions for each in _guard(conjuncts(whole.condition))
    ]
    blocks = agreement([part.condition for part in listed])
    return tuple(_unite([listed[i] for i in members(block)]) for block in blocks)


def _guard(parts: Sequence[Expr]) -> Iterator[Expr]:
    """Return the parts, each by itself; but one that may fail stays behind those before it: `x <> 0 AND 1 / x > 2`."""
    for at, part in enumerate(parts):
        yield part if never_fails(part) else all_of(parts[: at + 1])


def _unite(equal: Sequence[QueryCondition]) -> QueryCondition:
    return QueryCondition(equal[0].condition, union_of(part.queries for part in equal))


def queries_kept(conditions: Sequence[QueryCondition], among: int) -> list[Expr]:
    """Return sets of queries whose intersection has those that keep a row, of all `among` which there are."""
    bounds = [_bound(each) for each in conditions]
    places = agreement([(at if b is None else (b.side, b.constant.type)) for at, b in enumerate(bounds)])
    found: list[Expr] = []
    for place in places:
        here = [bound for i in members(place) if (bound := bounds[i]) is not None]
        if len(here) > _FEW:
            found.extend(_halve(portion, among) for portion in _portions(here))
        else:
            found.extend(_decide(conditions[i], among) for i in members(place))
    return found


def _decide(each: QueryCondition, among: int) -> Expr:
    return either(each.condition, long(among), long(among & ~each.queries))


def _portions(bounds: Sequence[_Bound]) -> Iterator[Sequence[_Bound]]:
    """Return the bounds in portions whose code is short enough for Java to compile; neighbours stay together."""
    ordered = sorted(bounds, key=lambda bound: bound.value)
    return (ordered[at : at + _MANY] for at in range(0, len(ordered), _MANY))


_MANY = 12
"""The number of bounds on one value that are decided by halving at once, in about 4,500 bytes of code."""


@dataclass(frozen=True)
class _Bound:
    """A comparison of an expression with a constant, whose value Python knows, in some queries."""

    side: Expr
    op: CompareOp
    constant: Expr
    value: Any
    queries: int


def _bound(part: QueryCondition) -> _Bound | None:
    if not isinstance(part.condition, Compare) or part.condition.op not in _HOLDS:
        return None
    if is_random(part.condition):  # to be computed once
        return None
    op, left, right = part.condition.op, part.condition.left, part.condition.right
    if (value := _value(right)) is not None:
        return _Bound(left, op, right, value, part.queries)
    if (value := _value(left)) is not None:
        return _Bound(right, _MIRRORED[op], left, value, part.queries)
    return None


def _value(constant: Expr) -> Any:
    """Return the value of a constant, if Python and Spark agree on its place among others of its type."""
    match constant:
        case Literal(value, type) if type in _ORDERED or isinstance(type, Decimal):
            return value if value == value else None  # NaN has no place for Python
        case Cast(Literal(int() as value, inner), type) if inner in INTEGRALS and _holds_exactly(type, value):
            return value
        case Cast(Literal(str() as text), type) if type == DATE:
            return _day(text)
        case _:
            return None


_ORDERED: frozenset[Type] = frozenset({*INTEGRALS, DOUBLE, DATE, TIMESTAMP, TIMESTAMP_NTZ})


def _holds_exactly(type: Type, value: int) -> bool:
    if isinstance(type, Decimal):
        return len(str(abs(value))) <= type.precision - type.scale
    if type in INTEGRALS:
        return abs(value) < 1 << (INTEGRALS[type] - 1)
    return type == DOUBLE and abs(value) < 1 << 53


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text) if len(text) == len("2000-01-01") else None
    except ValueError:
        return None


def _halve(bounds: Sequence[_Bound], among: int) -> Expr:
    """Return the queries that keep a row, by bounds on one side: none of those with a bound where the side is null.

    The constants c0 < c1 < ... make places on a line: 0 is below c0, 1 is c0 itself, 2 is between c0 and c1, and so on.
    """
    side = bounds[0].side
    constants = {bound.value: bound.constant for bound in sorted(bounds, key=lambda bound: bound.value)}
    place_of = {value: 2 * i + 1 for i, value in enumerate(constants)}
    borders = [Compare(op, side, constant) for constant in constants.values() for op in _BORDERS]
    kept = [
        among & ~union_of(b.queries for b in bounds if not _HOLDS[b.op](place, place_of[b.value]))
        for place in range(len(borders) + 1)
    ]

    def find(first: int, last: int) -> Expr:
        """Return the queries where the side is at one of these places."""
        if len(set(kept[first : last + 1])) == 1:
            return long(kept[first])
        middle = (first + last) // 2
        return either(borders[middle], find(first, middle), find(middle + 1, last))

    return either(IsNull(side), long(among & ~union_of(b.queries for b in bounds)), find(0, len(borders)))


_BORDERS: tuple[CompareOp, CompareOp] = ("<", "<=")
"""Below a constant; at most the constant."""
