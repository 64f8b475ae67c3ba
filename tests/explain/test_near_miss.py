"""Values that are almost equal, and what would make them so."""

from __future__ import annotations

import pytest

from sparkwhy.evidence.text_differences import date_formats, describe_near_miss, equal_after, time_apart
from sparkwhy.wording import quote_visibly as visible


@pytest.mark.parametrize(
    ("one", "other", "changes"),
    [
        ("NY", "NY ", ("trim",)),
        ("NY", "ny", ("lower",)),
        ("NY", " ny", ("trim", "lower")),
        ("NY", "NY\u00a0", ("replacing non-breaking spaces", "trim")),
        ("New York", "New\u00a0York", ("replacing non-breaking spaces",)),
        ("NY", "NY\ufeff", ("removing invisible characters",)),
        ("NY", "NY\n", ("removing invisible characters",)),
        ("Zurich", "Z\u00fcrich", ("removing accents",)),
        ("Z\u00fcrich", "Zu\u0308rich", ("removing accents",)),  # one letter, or two characters that look like it
        ("00042", "42", ("removing leading zeros",)),
        ("42.0", "42", ("cast to a number",)),
        ("2024-03-01 10:00:00", "2024-03-01", ("cast to a date",)),
        ("0", "00", ("removing leading zeros",)),
        ("NY", "NJ", None),
        ("", "0", None),
    ],
)
def test_the_fewest_changes_are_named(one: str, other: str, changes: tuple[str, ...] | None) -> None:
    assert equal_after(one, other) == changes
    assert equal_after(other, one) == changes


def test_equal_values_and_nulls_are_no_near_misses() -> None:
    assert describe_near_miss("NY", "NY") is None
    assert describe_near_miss(None, "NY") is None
    assert describe_near_miss("NY", None) is None


def test_characters_that_cannot_be_seen_are_shown_by_number() -> None:
    assert visible("NY ") == "'NY '"
    assert visible("NY\u00a0") == "'NY<U+00A0>'"
    assert visible("Zu\u0308rich") == "'Zu<U+0308>rich'"
    assert visible("Z\u00fcrich") == "'Z\u00fcrich'"


@pytest.mark.parametrize(
    ("one", "other", "sentence"),
    [
        ("2024-01-31 10:15:00", "2024-01-31 00:00:00", "10 hours 15 minutes after"),
        ("2024-01-30", "2024-01-31", "1 day before"),
        ("2024-01-31 00:00:01", "2024-01-31 00:00:00", "1 second after"),
    ],
)
def test_how_far_two_times_are_apart(one: str, other: str, sentence: str) -> None:
    assert time_apart(one, other) == f"{one} is {sentence} {other}"


def test_what_is_no_time_is_not_apart() -> None:
    assert time_apart("2024-01-31", "soon") is None
    assert time_apart(None, "2024-01-31") is None
    assert time_apart("2024-01-31", "2024-01-31") is None


@pytest.mark.parametrize(
    ("text", "formats"),
    [
        ("05.02.2024", ("dd.MM.yyyy",)),
        ("05/02/2024", ("dd/MM/yyyy", "MM/dd/yyyy")),
        ("25/02/2024", ("dd/MM/yyyy",)),
        ("20240205", ("yyyyMMdd",)),
        ("05 Feb 2024 10:15", ("dd MMM yyyy HH:mm",)),
        ("5.2.2024", ()),  # Spark would not take it for dd.MM.yyyy
        ("30.02.2024", ()),
        ("soon", ()),
    ],
)
def test_the_format_of_a_date(text: str, formats: tuple[str, ...]) -> None:
    assert date_formats(text) == formats
