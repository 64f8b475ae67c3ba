"""Timezones are found by every name that a session of Spark may have."""

from __future__ import annotations

import datetime as dt

import pytest

from sparkwhy.plan.show import show_value
from sparkwhy.plan.zones import to_zone, zone_of

SUMMER = dt.datetime(2024, 7, 1, 12)


@pytest.mark.parametrize(
    ("name", "hours"),
    [
        ("UTC", 0),
        ("Z", 0),
        ("GMT", 0),
        ("+02:00", 2),
        ("-0930", -9.5),
        ("UTC+5:45", 5.75),
        ("GMT-3", -3),
        ("Europe/Berlin", 2),
        ("Asia/Kathmandu", 5.75),
    ],
)
def test_a_zone_has_its_offset(name: str, hours: float) -> None:
    assert zone_of(name).utcoffset(SUMMER) == dt.timedelta(hours=hours)


@pytest.mark.parametrize("name", ["", "Nowhere/Land", "+", "UTC+", "/etc/passwd"])
def test_what_is_no_zone_is_a_value_error(name: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        zone_of(name)


def test_of_an_hour_that_comes_twice_both_are_told_apart() -> None:
    utc = dt.datetime(2024, 10, 27, 0, 30, tzinfo=dt.timezone.utc)
    first, second = (to_zone(utc + dt.timedelta(hours=i), "Europe/Berlin") for i in (0, 1))
    assert first.replace(tzinfo=None) == second.replace(tzinfo=None)
    assert first < second
    assert second - first == dt.timedelta(hours=1)
    assert show_value(first) == "timestamp '2024-10-27 02:30:00'"
    assert show_value(second) == "timestamp '2024-10-27 02:30:00+01:00'"
    assert show_value(to_zone(SUMMER.replace(fold=1), "Europe/Berlin")) == "timestamp '2024-07-01 12:00:00'"
