"""Values that users write, as the Python values that the plan has for the types of its columns.

A string is accepted for every type that it reads as: `"2019-01-01"` for a date, `"61402"` for a number. A value that
the type cannot hold exactly is refused, but for floats, which round as ever.
"""

from __future__ import annotations

import datetime as dt
import decimal
import re
import struct
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from sparkwhy.plan.types import (
    BINARY,
    BOOLEAN,
    DATE,
    DOUBLE,
    FLOAT,
    INTEGRALS,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    Atom,
    Decimal,
    Type,
    is_year_month,
)
from sparkwhy.plan.zones import to_zone

NAN = float("nan")
"""The only NaN in bound patterns, so that equal patterns are equal."""

_INTEGER = re.compile(r"\s*[+-]?[0-9]+\s*")
_FRACTION = re.compile(r"\.([0-9]{1,6})(?![0-9])")

Reader: TypeAlias = Callable[[Any], Any]


def convert(given: Any, type: Type, timezone: str) -> Any:
    """Return the value of this type that was given; a `ValueError` says why there is none.

    >>> convert("12.5", Decimal(9, 2), "UTC")
    Decimal('12.50')
    """
    try:
        return _reader(type, timezone)(given)
    except ArithmeticError as error:
        raise ValueError("it is too large or too precise") from error


def _reader(type: Type, timezone: str) -> Reader:
    match type:
        case Decimal():
            return lambda given: _decimal(given, type)
        case Atom(name) if type in INTEGRALS:
            return lambda given: _integer(given, INTEGRALS[type])
        case Atom() if is_year_month(type):
            return lambda given: _integer(given, 32)
        case Atom(name) if name.startswith("interval "):
            return _duration
        case _ if type == TIMESTAMP:
            return lambda given: _instant(given, timezone)
        case _ if type in _READERS:
            return _READERS[type]
        case _:
            raise ValueError("values of this type cannot be written")


def _wrong_type(given: Any) -> ValueError:
    return ValueError(f"it is of the Python type {type(given).__name__}")


# --- numbers ---


def _boolean(given: Any) -> bool:
    if isinstance(given, bool):
        return given
    if isinstance(given, str) and given.strip().lower() in ("true", "false"):
        return given.strip().lower() == "true"
    raise _wrong_type(given)


def _integer(given: Any, bits: int) -> int:
    number = _whole(given)
    if not -(2 ** (bits - 1)) <= number < 2 ** (bits - 1):
        raise ValueError(f"it does not fit into {bits} bits")
    return number


def _whole(given: Any) -> int:
    match given:
        case bool():
            raise _wrong_type(given)
        case int():
            return given
        case str() if _INTEGER.fullmatch(given):
            return int(given)
        case float() | decimal.Decimal() if given == given and int(given) == given:
            return int(given)
        case float() | decimal.Decimal():
            raise ValueError("it is not a whole number")
        case _:
            raise _wrong_type(given)


def _double(given: Any) -> float:
    if isinstance(given, bool) or not isinstance(given, int | float | decimal.Decimal | str):
        raise _wrong_type(given)
    number = float(given)
    return number if number == number else NAN


def _float(given: Any) -> float:
    """Return the number with as many bits as Spark keeps: 0.1 is another number in 32 bits."""
    (number,) = struct.unpack("<f", struct.pack("<f", _double(given)))
    return number if number == number else NAN


def _decimal(given: Any, type: Decimal) -> decimal.Decimal:
    if isinstance(given, bool) or not isinstance(given, int | float | decimal.Decimal | str):
        raise _wrong_type(given)
    exact = _parse_decimal(repr(given) if isinstance(given, float) else given)
    if not exact.is_finite():
        raise ValueError("it is not a finite number")
    scaled = exact.quantize(decimal.Decimal(1).scaleb(-type.scale), context=decimal.Context(prec=type.precision))
    if scaled != exact:
        raise ValueError(f"it has more than {type.scale} decimal places")
    return scaled


def _parse_decimal(given: int | decimal.Decimal | str) -> decimal.Decimal:
    try:
        return decimal.Decimal(given)
    except decimal.InvalidOperation as error:
        raise ValueError("it is not a number") from error


# --- text ---


def _string(given: Any) -> str:
    if not isinstance(given, str):
        raise _wrong_type(given)
    if not is_text(given):
        raise ValueError("it is not valid text, it contains half of a surrogate pair")
    return str(given)


def is_text(given: str) -> bool:
    """Return whether the characters are whole: Python also has halves of them, which no data can have."""
    return not any("\ud800" <= character <= "\udfff" for character in given)


def _bytes(given: Any) -> bytes:
    if isinstance(given, bytes):
        return given
    raise _wrong_type(given)


# --- time ---


def _date(given: Any) -> dt.date:
    if isinstance(given, str):
        return dt.date.fromisoformat(given.strip())
    if isinstance(given, dt.date) and not isinstance(given, dt.datetime):
        return given
    raise _wrong_type(given)


def _moment(given: Any) -> dt.datetime:
    match given:
        case dt.datetime():
            return given
        case dt.date():
            return dt.datetime.combine(given, dt.time())
        case str():
            return dt.datetime.fromisoformat(_iso(given.strip()))
        case _:
            raise _wrong_type(given)


def _iso(text: str) -> str:
    """Return the text in the form that Python 3.10 reads: an offset in digits, fractions of a second in six digits."""
    return _FRACTION.sub(lambda found: f".{found[1]:0<6}", re.sub("[Zz]$", "+00:00", text))


def _local(given: Any) -> dt.datetime:
    moment = _moment(given)
    if moment.tzinfo is not None:
        raise ValueError("it has a timezone")
    return moment


def _instant(given: Any, timezone: str) -> dt.datetime:
    """Return a moment in the timezone of the session, in which it is shown too; in its own if that is unknown."""
    moment = _moment(given)
    try:
        return to_zone(moment, timezone)
    except ValueError as error:
        if moment.tzinfo is not None:
            return moment
        raise ValueError(f"it has no timezone, and {timezone!r} is not the name of one") from error


def _duration(given: Any) -> dt.timedelta:
    if isinstance(given, dt.timedelta):
        return given
    raise _wrong_type(given)


_READERS: Mapping[Type, Reader] = {
    BOOLEAN: _boolean,
    DOUBLE: _double,
    FLOAT: _float,
    STRING: _string,
    BINARY: _bytes,
    DATE: _date,
    TIMESTAMP_NTZ: _local,
}
