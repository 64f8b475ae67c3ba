"""Strings read as values of other types, as Spark reads them in casts; what cannot be read raises."""

from __future__ import annotations

import decimal
import math
import re
from datetime import date, datetime, timedelta, timezone, tzinfo
from fractions import Fraction
from typing import NamedTuple
from zoneinfo import ZoneInfo

from sparkwhy.errors import EvaluationError, NotInterpretable
from sparkwhy.memory.dates import midnight, to_instant
from sparkwhy.memory.numbers import check_fits, float32_of_exact
from sparkwhy.plan.types import FLOAT, Type, ddl

_BLANKS = "".join(map(chr, [*range(33), 127]))
"""Spark trims white space and control characters before it reads anything but a decimal or a float."""

_JAVA_BLANKS = "".join(map(chr, range(33)))

_TRUE = frozenset({"t", "true", "y", "yes", "1"})
_FALSE = frozenset({"f", "false", "n", "no", "0"})

_INTEGER = re.compile(r"[+-]?[0-9]+")
_TRUNCATED = re.compile(r"([+-]?[0-9]*)(?:\.[0-9]*)?")
_FLOAT = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_DECIMAL = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
"""Java reads a decimal with the digits of any script, but a float only with those of ASCII."""

_SPECIAL = {"inf": math.inf, "infinity": math.inf, "nan": math.nan}

_DATE = re.compile(r"([+-]?)([0-9]{4,7})(?:-([0-9]{1,2})(?:-([0-9]{1,2})(?:[ T].*)?)?)?", re.DOTALL)
_TIME = re.compile(r"([0-9]{1,2})(?::([0-9]{1,2})(?::([0-9]{1,2})(?:\.([0-9]*))?([^0-9].*)?)?)?", re.DOTALL)
_OFFSET = re.compile(r"(?:UTC|GMT|UT)?([+-])(\d{1,2})(?::?(\d{1,2}))?(?::?(\d{2}))?")


def _parse_error(text: str, type: str) -> EvaluationError:
    return EvaluationError(f"cannot read '{text}' as {type}")


def read_boolean(text: str) -> bool:
    word = text.strip(_BLANKS).lower()
    if word in _TRUE:
        return True
    if word in _FALSE:
        return False
    raise _parse_error(text, "boolean")


# --- numbers ------------------------------------------------------------------------------------------------


def read_integer(text: str, type: Type) -> int:
    """Digits and nothing else, as ANSI has it."""
    if not _INTEGER.fullmatch(text.strip(_BLANKS)):
        raise _parse_error(text, ddl(type))
    return check_fits(int(text.strip(_BLANKS)), type)


def read_truncated(text: str, type: Type) -> int:
    """Digits, and after a point more of them, which are dropped."""
    trimmed = text.strip(_BLANKS)
    found = _TRUNCATED.fullmatch(trimmed)
    if not found or trimmed in ("", "+", "-"):
        raise _parse_error(text, ddl(type))
    return check_fits(int(found[1]) if found[1].strip("+-") else 0, type)


def read_decimal(text: str) -> Fraction:
    trimmed = text.strip(_JAVA_BLANKS)
    if not _DECIMAL.fullmatch(trimmed):
        raise _parse_error(text, "decimal")
    number = decimal.Decimal(trimmed)
    if number.adjusted() >= 38 or number.adjusted() < -1000:
        if number.adjusted() > 0:
            raise _parse_error(text, "decimal")
        return Fraction(0)
    return Fraction(number)


def read_float(text: str, type: Type) -> float:
    """Return a float or double, with the suffixes and the names that Java knows."""
    trimmed = text.strip(_JAVA_BLANKS)
    named = _SPECIAL.get(trimmed.lower().removeprefix("+").removeprefix("-"))
    if named is not None and not (named != named and trimmed[:1] in "+-" and trimmed[1:] != "NaN"):
        return -named if trimmed.startswith("-") else named
    digits = trimmed[:-1] if trimmed[-1:] in "dDfF" else trimmed
    if not _FLOAT.fullmatch(digits):
        raise _parse_error(text, ddl(type))
    if type == FLOAT and abs(float(digits)) < 1e39:
        return math.copysign(float32_of_exact(Fraction(decimal.Decimal(digits))), float(digits))
    return float(digits)


# --- dates and times ----------------------------------------------------------------------------------------


class Clock(NamedTuple):
    """What a timestamp text says: a local time, and perhaps the zone."""

    shown: datetime
    zone: tzinfo | None


def read_date(text: str) -> date:
    found = _DATE.fullmatch(text.strip(_BLANKS))
    if not found:
        raise _parse_error(text, "date")
    return _day(text, found[1], found[2], found[3], found[4])


def _day(text: str, sign: str, year: str, month: str | None, day: str | None) -> date:
    number = int(sign + year)
    _check_month(text, number, int(month or 1), int(day or 1))
    if not 1 <= number <= 9999:
        raise NotInterpretable(f"the year of '{text}' is outside of 1 to 9999")
    return date(number, int(month or 1), int(day or 1))


def _check_month(text: str, year: int, month: int, day: int) -> None:
    """Check a date. The calendar repeats every 400 years, so years that Python does not have can be checked too."""
    try:
        date(year % 400 + 400, month, day)
    except ValueError as error:
        raise _parse_error(text, "date") from error


def read_timestamp(text: str, zone: tzinfo) -> datetime:
    shown, written = _read_clock(text)
    return to_instant(shown, written or zone)


def read_timestamp_ntz(text: str) -> datetime:
    """Parse a timestamp without a zone; a zone in the text is ignored."""
    return _read_clock(text).shown


def _read_clock(text: str) -> Clock:
    trimmed = text.strip(_BLANKS)
    if _is_time_only(trimmed):
        raise NotInterpretable(f"'{text}' is a time of the day on which it is read")
    day, mark, time = _split_at_time(trimmed)
    found = _DATE.fullmatch(day)
    if not found or len(found[2]) > 6 or (mark and found[4] is None):
        raise _parse_error(text, "timestamp")
    shown = midnight(_day(text, found[1], found[2], found[3], found[4]))
    return _parse_time(text, shown, time) if mark else Clock(shown, None)


def _is_time_only(text: str) -> bool:
    time = text.removeprefix("T")
    return (time != text or ":" in text) and _TIME.fullmatch(time) is not None


def _split_at_time(text: str) -> tuple[str, str, str]:
    found = re.search(r"[ T]", text)
    return (text[: found.start()], found[0], text[found.end() :]) if found else (text, "", "")


def _parse_time(text: str, day: datetime, time: str) -> Clock:
    found = _TIME.fullmatch(time)
    if not found:
        raise _parse_error(text, "timestamp")
    hour, minute, second = int(found[1]), int(found[2] or 0), int(found[3] or 0)
    if hour > 23 or minute > 59 or second > 59:
        raise _parse_error(text, "timestamp")
    micros = int((found[4] or "")[:6].ljust(6, "0"))
    shown = day + timedelta(hours=hour, minutes=minute, seconds=second, microseconds=micros)
    return Clock(shown, _read_zone(text, found[5].strip()) if found[5] else None)


def _read_zone(text: str, name: str) -> tzinfo:
    if name in ("Z", "UTC", "GMT", "UT"):
        return timezone.utc
    if found := _OFFSET.fullmatch(name):
        offset = timedelta(hours=int(found[2]), minutes=int(found[3] or 0), seconds=int(found[4] or 0))
        return timezone(offset if found[1] == "+" else -offset)
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError) as error:
        raise _parse_error(text, "timestamp") from error
