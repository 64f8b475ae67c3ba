"""Values as Spark prints them when they are cast to a string."""

from __future__ import annotations

import decimal
import math
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from sparkwhy.memory.dates import to_local
from sparkwhy.memory.intervals import show_months, show_span
from sparkwhy.memory.numbers import float32
from sparkwhy.memory.settings import Settings
from sparkwhy.memory.values import MapValue, Value
from sparkwhy.plan.exprs import Mode
from sparkwhy.plan.types import (
    BINARY,
    BOOLEAN,
    DATE,
    DOUBLE,
    FLOAT,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    Array,
    Decimal,
    Map,
    Struct,
    Type,
    interval_fields,
    is_day_time,
    is_year_month,
)

Printer = Callable[[Any], str]


def printer(type: Type, mode: Mode, settings: Settings) -> Printer:
    """Return what turns a value of the type, not null, into text."""
    match type:
        case Array(element):
            return _array_printer(_print_nulls(printer(element, mode, settings)))
        case Map(key, value):
            return _map_printer(printer(key, mode, settings), _print_nulls(printer(value, mode, settings)))
        case Struct(parts):
            return _struct_printer([_print_nulls(printer(part.type, mode, settings)) for part in parts])
        case Decimal():
            return str if mode == "legacy" else (lambda number: format(number, "f"))
        case _:
            return _atom_printer(type, settings)


def _atom_printer(type: Type, settings: Settings) -> Printer:
    if type == BOOLEAN:
        return lambda value: "true" if value else "false"
    if type == BINARY:
        return lambda value: str(value, "utf-8", "replace")
    if type == DATE:
        return lambda day: day.isoformat()
    if type == TIMESTAMP:
        return lambda moment: show_time(to_local(moment, settings.zone))
    if type == TIMESTAMP_NTZ:
        return show_time
    if type in _FLOATING:
        return _FLOATING[type]
    if is_day_time(type) or is_year_month(type):
        first, last = interval_fields(type) or ("", "")
        show = show_span if is_day_time(type) else show_months
        return lambda interval: show(interval, first, last)
    return str


def show_time(time: datetime) -> str:
    shown = time.isoformat(sep=" ", timespec="seconds")
    return shown + f".{time.microsecond:06d}".rstrip("0") if time.microsecond else shown


# --- nested values ------------------------------------------------------------------------------------------


def _print_nulls(show: Printer) -> Printer:
    return lambda value: "null" if value is None else show(value)


def _array_printer(show: Printer) -> Printer:
    return lambda array: "[" + ", ".join(map(show, array)) + "]"


def _map_printer(show_key: Printer, show_value: Printer) -> Printer:
    def show(entries: MapValue) -> str:
        return "{" + ", ".join(f"{show_key(k)} -> {show_value(v)}" for k, v in entries.pairs) + "}"

    return show


def _struct_printer(shows: list[Printer]) -> Printer:
    def show_struct(parts: tuple[Value, ...]) -> str:
        return "{" + ", ".join(show(part) for show, part in zip(shows, parts, strict=True)) + "}"

    return show_struct


# --- floating point numbers ---------------------------------------------------------------------------------


def show_double(number: float) -> str:
    """Print a number as Java does: plain between a thousandth and ten millions, otherwise `1.5E10`."""
    return _format_as_java(number, repr(number))


def show_float(number: float) -> str:
    """Print a float with as few digits as distinguish it from all other floats of 32 bits."""
    if not math.isfinite(number):
        return _format_as_java(number, repr(number))
    candidates = (f"{number:.{digits}g}" for digits in range(1, 10))
    return _format_as_java(number, next(text for text in candidates if float32(float(text)) == number))


def _format_as_java(number: float, digits: str) -> str:
    if math.isnan(number):
        return "NaN"
    if math.isinf(number):
        return "Infinity" if number > 0 else "-Infinity"
    mantissa, exponent = _scientific(digits)
    if len(mantissa) == 1:  # Java prints at least two digits, and the two that come nearest
        mantissa, exponent = _scientific(f"{number:.1e}")
    if number == 0 or -3 <= exponent < 7:
        plain = format(decimal.Decimal(digits), "f")
        return plain if "." in plain else plain + ".0"
    sign = "-" if number < 0 else ""
    return f"{sign}{mantissa[0]}.{mantissa[1:] or '0'}E{exponent}"


def _scientific(digits: str) -> tuple[str, int]:
    """Return the significant digits of a printed number, and the power of ten of the first."""
    number = decimal.Decimal(digits)
    return "".join(map(str, number.as_tuple().digits)).rstrip("0") or "0", number.adjusted()


_FLOATING: Mapping[Type, Printer] = {FLOAT: show_float, DOUBLE: show_double}
