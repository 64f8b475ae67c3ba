"""Values of the reference engine: how they are represented, when they are equal, how they are ordered.

| type | value |
|---|---|
| void, and null of any type | `None` |
| boolean, integers, string, binary | `bool`, `int`, `str`, `bytes` |
| float, double | `float`; that of a float is rounded to 32 bits |
| decimal | `decimal.Decimal` with the exponent that its type says |
| date, timestamp_ntz | `datetime.date`, naive `datetime.datetime` |
| timestamp | `datetime.datetime` in UTC |
| interval day, hour, ... to second | `datetime.timedelta` |
| interval year, month | `int`, a number of months |
| array, struct | `tuple`; that of a struct by position |
| map | `MapValue` |
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cmp_to_key
from typing import Any, TypeAlias

from sparkwhy.plan.types import Array, Map, Struct, Type

Value: TypeAlias = Any
"""A value as the table above says; the type of an expression says which."""

Row: TypeAlias = tuple[Value, ...]


class _Canonical(Enum):
    """Stands for all NaNs: no two Python NaNs are equal."""

    NAN = "NaN"


@dataclass(frozen=True, slots=True)
class MapValue:
    """A map, with its entries in the order in which they were put in."""

    pairs: tuple[tuple[Value, Value], ...]

    @property
    def keys(self) -> tuple[Value, ...]:
        return tuple(grouping_key for grouping_key, _ in self.pairs)

    @property
    def values(self) -> tuple[Value, ...]:
        return tuple(value for _, value in self.pairs)


def grouping_key(value: Value) -> Hashable:
    """Return a form that is equal for values of one type that a grouping puts together.

    Nulls are equal, NaN is equal to itself, -0.0 to 0.0; the entries of a map have no order.
    """
    if isinstance(value, float):
        return value + 0.0 if value == value else _Canonical.NAN
    if isinstance(value, tuple):
        return tuple([grouping_key(part) for part in value])
    if isinstance(value, MapValue):
        return frozenset((grouping_key(k), grouping_key(v)) for k, v in value.pairs)
    hashable: Hashable = value
    return hashable


def normalize_zero(value: Value) -> Value:
    """Return the value as a grouping key comes out of a grouping: with 0.0 for -0.0."""
    if isinstance(value, float):
        return value + 0.0
    if isinstance(value, tuple):
        return tuple([normalize_zero(part) for part in value])
    if isinstance(value, MapValue):
        return MapValue(tuple((normalize_zero(k), normalize_zero(v)) for k, v in value.pairs))
    return value


def compare(a: Value, b: Value) -> int:
    """Negative, zero or positive, as `a` comes before, is equal to, or comes after `b`.

    Null comes first and NaN last, also inside of arrays and structs. Strings are ordered by code points, as
    their UTF-8 bytes are.
    """
    if a is None or b is None:
        return (a is not None) - (b is not None)
    if isinstance(a, tuple):
        return _compare_parts(a, b)
    if isinstance(a, float) and (a != a or b != b):
        return int(a != a) - int(b != b)
    return int(a > b) - int(a < b)


def _compare_parts(a: Sequence[Value], b: Sequence[Value]) -> int:
    for left, right in zip(a, b, strict=False):
        if order := compare(left, right):
            return order
    return len(a) - len(b)


in_order = cmp_to_key(compare)
"""The key that makes `sorted`, `min` and `max` follow `compare`."""


def bag(rows: Iterable[Row]) -> Counter[Hashable]:
    """Return the rows with their multiplicities: equal for results that differ in nothing but the order of rows."""
    return Counter(grouping_key(row) for row in rows)


def unordered_bag(rows: Iterable[Row], types: Sequence[Type]) -> Counter[Hashable]:
    """Like `bag`, but with the arrays at every level compared as bags: `collect_list` promises no order."""
    return Counter(tuple(_unordered_key(value, type) for value, type in zip(row, types, strict=True)) for row in rows)


def _unordered_key(value: Value, type: Type) -> Hashable:
    if value is None:
        return None
    match type:
        case Array(element):
            return frozenset(Counter(_unordered_key(part, element) for part in value).items())
        case Struct(fields):
            return tuple(_unordered_key(part, field.type) for part, field in zip(value, fields, strict=True))
        case Map(of_key, of_value):
            return frozenset((_unordered_key(k, of_key), _unordered_key(v, of_value)) for k, v in value.pairs)
        case _:
            return grouping_key(value)
