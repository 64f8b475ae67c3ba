"""Dates and timestamps: moving between time zones, and their functions.

Python knows the years 1 to 9999 only; what would lie beyond raises `NotInterpretable`.
"""

from __future__ import annotations

import calendar
from collections.abc import Callable, Mapping
from datetime import date, datetime, timedelta, timezone, tzinfo
from typing import TypeVar

from sparkwhy.errors import NotInterpretable
from sparkwhy.memory.arithmetic import Maker, Meaning, ignore_types
from sparkwhy.memory.settings import Settings
from sparkwhy.plan.exprs import Call
from sparkwhy.plan.types import TIMESTAMP

T = TypeVar("T")

EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
MICROSECOND = timedelta(microseconds=1)
DAY = timedelta(days=1)


def check_calendar(compute: Callable[[], T]) -> T:
    try:
        return compute()
    except (OverflowError, ValueError) as error:
        raise NotInterpretable("a date outside of the years 1 to 9999") from error


def micros_of(instant: datetime) -> int:
    """Microseconds since 1970, which is what Spark keeps for a timestamp."""
    return (instant - EPOCH) // MICROSECOND


def instant(micros: int) -> datetime:
    return check_calendar(lambda: EPOCH + micros * MICROSECOND)


def to_local(moment: datetime, zone: tzinfo) -> datetime:
    """Return what a clock in the zone shows at that moment, without the zone."""
    return check_calendar(lambda: moment.astimezone(zone).replace(tzinfo=None, fold=0))


def to_instant(shown: datetime, zone: tzinfo) -> datetime:
    """Return when a clock in the zone shows that time: the earlier of two moments; in a gap, later by the gap."""
    return check_calendar(lambda: shown.replace(tzinfo=zone).astimezone(timezone.utc))


def midnight(day: date) -> datetime:
    return datetime(day.year, day.month, day.day)


def add_months(day: date, months: int) -> date:
    """Return the same day of another month, or the last day of it."""
    years, month = divmod(day.month - 1 + months, 12)
    year = day.year + years
    if not 1 <= year <= 9999:
        raise NotInterpretable("a date outside of the years 1 to 9999")
    return date(year, month + 1, min(day.day, calendar.monthrange(year, month + 1)[1]))


def _add_days(day: date, days: int) -> date:
    return check_calendar(lambda: day + timedelta(days))


def _add_to_timestamp(call: Call, settings: Settings) -> Meaning:
    """Whole days are counted on the calendar of the zone, the rest on the clock."""
    if call.args[0].type != TIMESTAMP:
        return lambda start, span: check_calendar(lambda: start + span)

    def plus(start: datetime, span: timedelta) -> datetime:
        days = abs(span) // DAY * (1 if span >= timedelta(0) else -1)
        return check_calendar(lambda: _add_days_at_same_time(start, days, settings.zone) + (span - days * DAY))

    return plus


def _add_days_at_same_time(start: datetime, days: int, zone: tzinfo) -> datetime:
    """Return the same time of another day; if clocks show it twice, with the offset of the start where that is
    possible.
    """
    shown = start.astimezone(zone)
    moved = shown.replace(tzinfo=None) + days * DAY
    first, second = (moved.replace(tzinfo=zone, fold=fold) for fold in (0, 1))
    twice = first.astimezone(timezone.utc) < second.astimezone(timezone.utc)
    chosen = second if twice and second.utcoffset() == shown.utcoffset() else first
    return chosen.astimezone(timezone.utc)


def _clock(part: Callable[[datetime], int]) -> Maker:
    def make(call: Call, settings: Settings) -> Meaning:
        if call.args[0].type != TIMESTAMP:
            return part
        return lambda to_instant: part(to_local(to_instant, settings.zone))

    return make


STRICT_DATES: Mapping[str, Maker] = {
    "year": ignore_types(lambda day: day.year),
    "quarter": ignore_types(lambda day: (day.month + 2) // 3),
    "month": ignore_types(lambda day: day.month),
    "day": ignore_types(lambda day: day.day),
    "dayofweek": ignore_types(lambda day: day.isoweekday() % 7 + 1),
    "hour": _clock(lambda time: time.hour),
    "minute": _clock(lambda time: time.minute),
    "date_add": ignore_types(_add_days),
    "date_sub": ignore_types(lambda day, days: _add_days(day, -days)),
    "datediff": ignore_types(lambda end, start: (end - start).days),
    "add_months": ignore_types(add_months),
    "interval_days": ignore_types(lambda span: int(span / DAY)),
    "date_plus_months": ignore_types(add_months),
    "timestamp_plus_days": _add_to_timestamp,
}
