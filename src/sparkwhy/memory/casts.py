"""Casts between types, with the rules of Spark for the three modes.

In mode "legacy" a number that does not fit is cut, and what cannot be read is null; in mode "ansi" both raise
`EvaluationError`, and in mode "try" both are null.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import datetime
from fractions import Fraction
from typing import Any

from sparkwhy.errors import EvaluationError, NotInterpretable
from sparkwhy.memory.collections import make_map
from sparkwhy.memory.dates import MICROSECOND, instant, micros_of, midnight, to_instant, to_local
from sparkwhy.memory.intervals import MONTHS, SPANS, truncate_to_unit
from sparkwhy.memory.numbers import (
    apply_mode,
    check_fits,
    float32,
    float32_of_exact,
    float64,
    rescale,
    saturate,
    truncate,
    wrap,
)
from sparkwhy.memory.parsing import (
    read_boolean,
    read_date,
    read_decimal,
    read_float,
    read_integer,
    read_timestamp,
    read_timestamp_ntz,
    read_truncated,
)
from sparkwhy.memory.printing import printer
from sparkwhy.memory.settings import Settings
from sparkwhy.memory.values import MapValue, Value
from sparkwhy.plan.exprs import Mode
from sparkwhy.plan.types import (
    BINARY,
    BOOLEAN,
    DATE,
    FLOAT,
    FRACTIONALS,
    INTEGER,
    INTEGRALS,
    LONG,
    NULL,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    Array,
    Decimal,
    Map,
    Struct,
    Type,
    ddl,
    interval_fields,
    is_day_time,
    is_numeric,
    is_year_month,
)

Caster = Callable[[Any], Value]


def caster(source: Type, target: Type, mode: Mode, settings: Settings) -> Caster:
    """Return what turns a value of one type into one of the other; null stays null. Intervals fail in mode "legacy"
    too.
    """
    always_fails = interval_fields(source) is not None or interval_fields(target) is not None
    cast = apply_mode("ansi" if always_fails and mode == "legacy" else mode, _caster(source, target, mode, settings))
    return lambda value: None if value is None else cast(value)


def _caster(source: Type, target: Type, mode: Mode, settings: Settings) -> Caster:
    match source, target:
        case Array(a), Array(b):
            return _array_caster(caster(a, b, mode, settings))
        case Map(k, v), Map(to_k, to_v):
            return _map_caster(caster(k, to_k, mode, settings), caster(v, to_v, mode, settings))
        case Struct(parts), Struct(others):
            pairs = zip(parts, others, strict=True)
            return _struct_caster([caster(a.type, b.type, mode, settings) for a, b in pairs])
        case _ if source in (target, NULL):
            return lambda value: value
        case _, _ if target == STRING:
            return printer(source, mode, settings)
        case _:
            return _to_atom(source, target, mode, settings)


def _array_caster(cast: Caster) -> Caster:
    return lambda array: tuple(map(cast, array))


def _map_caster(cast_key: Caster, cast_value: Caster) -> Caster:
    def cast(entries: MapValue) -> MapValue:
        return make_map((cast_key(k), cast_value(v)) for k, v in entries.pairs)

    return cast


def _struct_caster(casts: list[Caster]) -> Caster:
    return lambda parts: tuple(cast(part) for cast, part in zip(casts, parts, strict=True))


def _to_atom(source: Type, target: Type, mode: Mode, settings: Settings) -> Caster:
    cast: Caster | None = None
    if target == BOOLEAN:
        cast = _to_boolean(source)
    elif target in INTEGRALS:
        cast = _to_integer(source, target, mode)
    elif target in FRACTIONALS:
        cast = _to_float(source, target)
    elif isinstance(target, Decimal):
        cast = _to_decimal(source, target)
    elif target == BINARY:
        cast = _to_binary(source)
    elif target in (DATE, TIMESTAMP, TIMESTAMP_NTZ):
        cast = _to_date(source, settings) if target == DATE else _to_time(source, target, settings)
    elif is_day_time(target) or is_year_month(target):
        cast = _to_interval(source, target)
    if cast is None:
        raise NotInterpretable(f"no cast from {ddl(source)} to {ddl(target)}")
    return cast


def _always_null(_: Value) -> None:
    """Return null: Spark allows some casts that have no value, such as a date to a number."""


# --- booleans, numbers, bytes -------------------------------------------------------------------------------


def _to_boolean(source: Type) -> Caster | None:
    if source == STRING:
        return read_boolean
    if source == TIMESTAMP:
        return lambda to_instant: micros_of(to_instant) != 0
    if source == DATE:
        return _always_null
    return (lambda number: number != 0) if is_numeric(source) else None


def _to_integer(source: Type, target: Type, mode: Mode) -> Caster | None:
    legacy = mode == "legacy"
    if source == STRING:
        read = read_truncated if legacy else read_integer
        return lambda text: read(text, target)
    if source == BOOLEAN:
        return int
    if source == DATE:
        return _always_null
    if source in FRACTIONALS:
        return _wrap_to(target) if legacy else (lambda number: truncate(number, target))
    whole = _whole_number(source)
    if whole is None:
        return None
    if legacy and is_numeric(source):
        return lambda value: wrap(whole(value), target)
    return lambda value: check_fits(whole(value), target)


def _wrap_to(target: Type) -> Caster:
    """Return a byte or short is what is left of the int."""
    wide = LONG if target == LONG else INTEGER
    return lambda number: wrap(saturate(number, wide), target)


def _whole_number(source: Type) -> Callable[[Any], int] | None:
    """Return the integer that a value stands for: seconds of a timestamp, units of an interval."""
    if source in INTEGRALS or isinstance(source, Decimal):
        return math.trunc
    if source == TIMESTAMP:
        return lambda to_instant: micros_of(to_instant) // 1_000_000
    named = interval_fields(source)
    if named is None:
        return None
    if is_day_time(source):
        return lambda span: truncate_to_unit(span // MICROSECOND, SPANS[named[1]]) // SPANS[named[1]]
    return lambda months: truncate_to_unit(months, MONTHS[named[1]]) // MONTHS[named[1]]


def _to_float(source: Type, target: Type) -> Caster | None:
    if source == STRING:
        return lambda text: read_float(text, target)
    if source == BOOLEAN:
        return float
    if source == DATE:
        return _always_null
    if source in FRACTIONALS:
        return float32 if target == FLOAT else float
    if source == TIMESTAMP:
        narrow = float32 if target == FLOAT else float
        return lambda to_instant: narrow(micros_of(to_instant) / 1_000_000)
    if not is_numeric(source):
        return None
    return float32_of_exact if target == FLOAT else float64


def _to_decimal(source: Type, target: Decimal) -> Caster | None:
    """Return a float goes into a decimal as the double that is printed for it, NaN as null even in mode "ansi"."""
    if source == STRING:
        return lambda text: rescale(read_decimal(text), target)
    if source == DATE:
        return _always_null
    if source == TIMESTAMP:
        return lambda to_instant: rescale(Fraction(repr(micros_of(to_instant) / 1_000_000)), target)
    if source in FRACTIONALS:
        return lambda number: rescale(Fraction(repr(number)), target) if math.isfinite(number) else None
    if source == BOOLEAN or is_numeric(source):
        return lambda number: rescale(number, target)
    return None


def _to_binary(source: Type) -> Caster | None:
    if source == STRING:
        return lambda text: text.encode()
    if source in INTEGRALS:
        size = INTEGRALS[source] // 8
        return lambda number: number.to_bytes(size, "big", signed=True)
    return None


# --- dates, times, intervals --------------------------------------------------------------------------------


def _to_date(source: Type, settings: Settings) -> Caster | None:
    if source == STRING:
        return read_date
    if source == TIMESTAMP:
        return lambda to_instant: to_local(to_instant, settings.zone).date()
    return datetime.date if source == TIMESTAMP_NTZ else None


def _to_time(source: Type, target: Type, settings: Settings) -> Caster | None:
    zone = settings.zone
    if target == TIMESTAMP_NTZ:
        if source == STRING:
            return read_timestamp_ntz
        if source == DATE:
            return midnight
        return (lambda at: to_local(at, zone)) if source == TIMESTAMP else None
    if source == STRING:
        return lambda text: read_timestamp(text, zone)
    if source == DATE:
        return lambda day: to_instant(midnight(day), zone)
    if source == TIMESTAMP_NTZ:
        return lambda shown: to_instant(shown, zone)
    return _seconds_to_time(source)


def _seconds_to_time(source: Type) -> Caster | None:
    """Numbers are seconds since 1970; true is a microsecond after, strange as it is."""
    if source == BOOLEAN:
        return instant
    if source in FRACTIONALS:
        return _float_to_time
    if source in INTEGRALS or isinstance(source, Decimal):
        return lambda seconds: instant(math.trunc(Fraction(seconds) * 1_000_000))
    return None


def _float_to_time(seconds: float) -> datetime:
    if not math.isfinite(seconds):
        raise EvaluationError(f"{seconds} is not a time")
    return instant(saturate(seconds * 1_000_000, LONG))


def _to_interval(source: Type, target: Type) -> Caster | None:
    _, last = interval_fields(target) or ("", "")
    if is_day_time(target):
        unit = SPANS[last]
        if is_day_time(source):
            kept = 1 if last == "second" else unit
            return lambda span: truncate_to_unit(span // MICROSECOND, kept) * MICROSECOND
        return (lambda count: check_fits(count * unit, LONG) * MICROSECOND) if source in INTEGRALS else None
    if is_year_month(source):
        return lambda months: truncate_to_unit(months, MONTHS[last])
    return (lambda count: count * MONTHS[last]) if source in INTEGRALS else None
