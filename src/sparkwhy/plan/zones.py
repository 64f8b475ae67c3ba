"""Timezones by the names that Spark has for them."""

from __future__ import annotations

import datetime as dt
import re
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

_OFFSET = re.compile(r"(?:UTC|GMT|UT)?([+-])(\d{1,2})(?::?(\d{2}))?(?::?(\d{2}))?")


def zone_of(name: str) -> dt.tzinfo:
    """Return the timezone of a session: a region, as `Europe/Berlin`, or an offset, as `+02:00`; else a
    `ValueError`.
    """
    if name in ("Z", "UTC", "GMT", "UT"):
        return dt.timezone.utc
    found = _OFFSET.fullmatch(name)
    if found:
        offset = dt.timedelta(hours=int(found[2]), minutes=int(found[3] or 0), seconds=int(found[4] or 0))
        return dt.timezone(offset if found[1] == "+" else -offset)
    try:
        return ZoneInfo(name)
    except ZoneInfoNotFoundError as error:
        raise ValueError(f"{name!r} is not the name of a timezone") from error


def to_zone(moment: dt.datetime, name: str) -> dt.datetime:
    """Return the moment as clocks show it in a timezone; one that has none is meant there.

    It has a fixed offset: of two moments in one region Python compares what the clocks show, and these repeat an hour.
    `fold` says that the clocks showed the same an hour before: then it takes the offset to tell the moment.
    """
    zone = zone_of(name)
    shown = moment.replace(tzinfo=zone) if moment.tzinfo is None else moment.astimezone(zone)
    first, offset = shown.replace(fold=0).utcoffset(), shown.utcoffset()
    assert offset is not None
    return shown.replace(tzinfo=dt.timezone(offset), fold=int(first != offset))
