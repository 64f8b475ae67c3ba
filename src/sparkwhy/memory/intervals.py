"""Intervals: the fields that their types name, and how they are cut, counted and printed."""

from __future__ import annotations

from datetime import timedelta

from sparkwhy.memory.dates import MICROSECOND

SPANS = {"day": 86_400_000_000, "hour": 3_600_000_000, "minute": 60_000_000, "second": 1_000_000}
"""The fields of a day-time interval, in microseconds, longest first."""

MONTHS = {"year": 12, "month": 1}

_ORDER = list(SPANS)


def truncate_to_unit(number: int, unit: int) -> int:
    """Return the number without what is less than a unit, towards zero."""
    return (abs(number) // unit * unit) * (1 if number >= 0 else -1)


def show_span(span: timedelta, first: str, last: str) -> str:
    """`INTERVAL '-1 02:03:04.5' DAY TO SECOND`"""
    micros = span // MICROSECOND
    rest, shown = abs(micros), ""
    for field in _ORDER[_ORDER.index(first) : _ORDER.index(last) + 1]:
        count, left = divmod(rest, SPANS[field])
        mark = "" if field == first else " " if field == "hour" else ":"
        digits = str(count) if field == "day" else f"{count:02d}"
        shown += mark + digits
        rest = left
    if last == "second" and rest:
        shown += f".{rest:06d}".rstrip("0")
    return _literal(micros < 0, shown, first, last)


def show_months(months: int, first: str, last: str) -> str:
    """`INTERVAL '-1-2' YEAR TO MONTH`"""
    years, rest = divmod(abs(months), 12)
    match first, last:
        case "year", "month":
            shown = f"{years}-{rest}"
        case "year", _:
            shown = str(years)
        case _:
            shown = str(abs(months))
    return _literal(months < 0, shown, first, last)


def _literal(negative: bool, shown: str, first: str, last: str) -> str:
    unit = first if first == last else f"{first} to {last}"
    return f"INTERVAL '{'-' if negative else ''}{shown}' {unit.upper()}"
