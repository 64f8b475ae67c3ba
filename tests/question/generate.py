"""Types, values and patterns drawn at random, small enough that values match patterns about as often as not."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Mapping, Sequence
from decimal import Decimal as Number
from random import Random
from typing import Any

from sparkwhy.memory.values import MapValue, Value
from sparkwhy.plan.types import (
    BOOLEAN,
    DATE,
    DOUBLE,
    FLOAT,
    INTEGER,
    LONG,
    STRING,
    TIMESTAMP,
    Array,
    Decimal,
    Field,
    Map,
    Struct,
    Type,
)
from sparkwhy.question import pattern as p

UTC = dt.timezone.utc

_MONEY = (Number("0.00"), Number("1.50"), Number("-3.25"))

VALUES: Mapping[Type, Sequence[Value]] = {
    INTEGER: (0, 1, 2, -7),
    STRING: ("", "a", "ab", "a_b", "100%"),
    LONG: (0, 1, 2**40),
    DOUBLE: (0.0, -0.0, 1.5, math.nan, math.inf),
    FLOAT: (0.5, -2.25, math.nan),
    BOOLEAN: (True, False),
    DATE: (dt.date(2019, 1, 1), dt.date(2020, 2, 29)),
    TIMESTAMP: (dt.datetime(2019, 1, 1, tzinfo=UTC), dt.datetime(2019, 1, 1, 12, 30, 0, 5, tzinfo=UTC)),
    Decimal(9, 2): _MONEY,
}


def values_of(type: Type) -> Sequence[Value]:
    """Some values of a type; of decimals as they come out of sums too."""
    if isinstance(type, Decimal) and type not in VALUES:
        return tuple(value.quantize(Number(1).scaleb(-type.scale)) for value in _MONEY)
    return VALUES[type]


TEXTS = (
    p.contains("a"),
    p.contains(""),
    p.startswith("a"),
    p.startswith("100%"),
    p.like("a%"),
    p.like(r"a\_b"),
    p.like("_"),
    p.matches("^a.?b?$"),
    p.matches("[0-9]"),
)


def a_type(random: Random, depth: int) -> Type:
    match random.randrange(7) if depth else 0:
        case 1 | 2:
            return Array(a_type(random, depth - 1))
        case 3:
            return Struct(_fields(random, depth - 1))
        case 4 | 5:
            return Array(Struct(_fields(random, depth - 1)))
        case 6:
            return Map(random.choice((STRING, INTEGER, DOUBLE)), a_type(random, depth - 1))
        case _:
            return random.choice(list(VALUES))


def _fields(random: Random, depth: int) -> tuple[Field, ...]:
    names = ("a", "b", "c")[: random.randint(1, 3)]
    return tuple(Field(name, a_type(random, depth)) for name in names)


def a_value(random: Random, type: Type) -> Value:
    if random.random() < 0.15:
        return None
    match type:
        case Array(element):
            return tuple(a_value(random, element) for _ in range(random.randrange(5)))
        case Struct(fields):
            return tuple(a_value(random, field.type) for field in fields)
        case Map(key, value):
            keys = {str(k + 0.0 if isinstance(k, float) else k): k for k in random.sample(values_of(key), 2)}
            return MapValue(tuple((k, a_value(random, value)) for k in keys.values()))
        case _:
            return random.choice(values_of(type))


def a_literal(random: Random, type: Type) -> Any:
    """What a user would write for values of the type."""
    if random.random() < 0.25:
        return random.choice((p.ANY, p.ANY, None, p.is_null, p.not_null()))
    match type:
        case Array(element):
            return _a_list(random, element)
        case Struct(fields):
            mentioned = random.sample(fields, random.randint(0, len(fields)))
            return {field.name: a_literal(random, field.type) for field in mentioned}
        case Map(key, value):
            return {k: a_literal(random, value) for k in random.sample(values_of(key), random.randint(0, 2))}
        case _:
            return _a_test(random, type)


def _a_list(random: Random, element: Type) -> list[Any]:
    """Some elements stand there twice: multiplicity counts."""
    different = [a_literal(random, element) for _ in range(random.randrange(4))]
    repeated = [literal for literal in different for _ in range(random.choice((1, 1, 2)))]
    return [*repeated, *([...] if random.random() < 0.6 else [])]


def _a_test(random: Random, type: Type) -> Any:
    options = values_of(type)
    value = random.choice(options)
    if type == STRING and random.random() < 0.4:
        return random.choice(TEXTS)
    match random.randrange(6):
        case 0 | 1 | 2:
            return value
        case 3:
            return random.choice((p.eq, p.ne, p.gt, p.ge, p.lt, p.le))(value)
        case 4:
            return p.between(*_in_order(value, random.choice(options)))
        case _:
            return p.one_of(*random.sample(options, random.randint(1, 2)), *random.choice(((), (None,))))


def _in_order(low: Any, high: Any) -> tuple[Any, Any]:
    return (high, low) if low > high else (low, high)
