"""Who is blamed for a row, where many conditions have to be decided: each part once, and bounds by halving.

Queries that are tried together often differ in one constant: `x < 1` in one, `x < 2` in the next. Which of them hold is
decided by where x is among the constants, and that takes a few comparisons, however many queries there are.
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
"""So many bounds on one value are decided one after another."""

_HOLDS: Mapping[CompareOp, Callable[[int, int], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "=": operator.eq,
}

_TURNED: Mapping[CompareOp, CompareOp] = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "="}


@dataclass(frozen=True)
class Part:
    """A condition, and the bits to blame where it is not true."""

    condition: Expr
    bits: int


def parts_of(conditions: Iterable[Part]) -> tuple[Part, ...]:
    """What must hold for the conditions to hold, each once, with the bits of all conditions that ask for it."""
    listed = [Part(each, whole.bits) for whole in conditions for each in _guarded(conjuncts(whole.condition))]
    blocks = agreement([part.condition for part in listed])
    return tuple(_together([listed[i] for i in members(block)]) for block in blocks)


def _guarded(parts: Sequence[Expr]) -> Iterator[Expr]:
    """The parts, each by itself; but one that may fail stays behind those before it, as in `x <> 0 AND 1 / x > 2`."""
    for at, part in enumerate(parts):
        yield part if never_fails(part) else all_of(parts[: at + 1])


def _together(alike: Sequence[Part]) -> Part:
    return Part(alike[0].condition, union_of(part.bits for part in alike))


def blames(parts: Sequence[Part]) -> list[Expr]:
    """Sets of bits. Their union has the bits of exactly those parts that are not true."""
    bounds = [_bound(part) for part in parts]
    places = agreement([(at if b is None else (b.side, b.constant.type)) for at, b in enumerate(bounds)])
    found: list[Expr] = []
    for place in places:
        here = [bound for i in members(place) if (bound := bounds[i]) is not None]
        if len(here) > _FEW:
            found.extend(map(_by_halving, _portions(here)))
        else:
            found.extend(either(parts[i].condition, long(0), long(parts[i].bits)) for i in members(place))
    return found


def _portions(bounds: Sequence[_Bound]) -> Iterator[Sequence[_Bound]]:
    """The bounds, so many at a time as become no method that Java leaves uncompiled; neighbours stay together."""
    ordered = sorted(bounds, key=lambda bound: bound.value)
    return (ordered[at : at + _MANY] for at in range(0, len(ordered), _MANY))


_MANY = 12
"""So many bounds on one value are decided by halving, in some 4,500 bytes of code."""


@dataclass(frozen=True)
class _Bound:
    """A comparison of a side with a constant, which has a value that Python knows."""

    side: Expr
    op: CompareOp
    constant: Expr
    value: Any
    bits: int


def _bound(part: Part) -> _Bound | None:
    if not isinstance(part.condition, Compare) or part.condition.op not in _HOLDS:
        return None
    if is_random(part.condition):  # to be computed once
        return None
    op, left, right = part.condition.op, part.condition.left, part.condition.right
    if (value := _value(right)) is not None:
        return _Bound(left, op, right, value, part.bits)
    if (value := _value(left)) is not None:
        return _Bound(right, _TURNED[op], left, value, part.bits)
    return None


def _value(constant: Expr) -> Any:
    """The value of a constant, if Python and Spark agree on its place among others of its type."""
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


def _by_halving(bounds: Sequence[_Bound]) -> Expr:
    """The bits of the bounds on one side that are not true: of all, where it is null.

    The constants c0 < c1 < ... make places on a line: 0 is below c0, 1 is c0 itself, 2 is between c0 and c1, and so on.
    """
    side = bounds[0].side
    constants = {bound.value: bound.constant for bound in sorted(bounds, key=lambda bound: bound.value)}
    place_of = {value: 2 * i + 1 for i, value in enumerate(constants)}
    borders = [Compare(op, side, constant) for constant in constants.values() for op in _BORDERS]
    blamed = [
        union_of(b.bits for b in bounds if not _HOLDS[b.op](place, place_of[b.value]))
        for place in range(len(borders) + 1)
    ]

    def among(first: int, last: int) -> Expr:
        """The bits where the side is at one of these places."""
        if len(set(blamed[first : last + 1])) == 1:
            return long(blamed[first])
        middle = (first + last) // 2
        return either(borders[middle], among(first, middle), among(middle + 1, last))

    return either(IsNull(side), long(union_of(b.bits for b in bounds)), among(0, len(borders)))


_BORDERS: tuple[CompareOp, CompareOp] = ("<", "<=")
"""Below a constant; at most the constant."""
