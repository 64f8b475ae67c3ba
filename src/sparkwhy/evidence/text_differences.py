"""Near misses: values that a small change of their text, or a look at the clock, shows to be almost equal."""

from __future__ import annotations

import datetime as dt
import decimal
import re
import unicodedata
from collections.abc import Callable, Iterable
from itertools import combinations

from sparkwhy.messages import Message, Value


def _strip_accents(text: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFD", text) if not unicodedata.combining(c))


def _as_number(text: str) -> str:
    try:
        return str(decimal.Decimal(text.strip()).normalize())
    except decimal.InvalidOperation:
        return text


_CHANGES: tuple[tuple[str, Callable[[str], str]], ...] = (
    ("replacing non-breaking spaces", lambda text: text.replace("\u00a0", " ")),
    ("removing invisible characters", lambda text: re.sub("[\t\r\n\u200b\ufeff]", "", text)),
    ("trim", lambda text: text.strip(" ")),
    ("lower", str.lower),
    ("removing accents", _strip_accents),
    ("removing leading zeros", lambda text: re.sub("^0+(?=.)", "", text)),
    ("cast to a number", _as_number),
    ("cast to a date", lambda text: re.sub(r"^(\d{4}-\d{2}-\d{2})[ T].*$", r"\1", text)),
)
"""What makes texts equal that people take to be equal, in the order in which it is applied."""


def change_text(text: str, names: Iterable[str]) -> str:
    """Return a text after some changes, each given by its name: `"AX-2 "` after trim is `"AX-2"`."""
    known = dict(_CHANGES)
    return _apply_changes(text, tuple((name, known[name]) for name in names))


def equal_after(one: str, other: str) -> tuple[str, ...] | None:
    """Return the fewest changes that make two texts equal, by name; None if nothing does."""
    for count in range(len(_CHANGES) + 1):
        for changes in combinations(_CHANGES, count):
            if _apply_changes(one, changes) == _apply_changes(other, changes):
                return tuple(name for name, _ in changes)
    return None


def _apply_changes(text: str, changes: tuple[tuple[str, Callable[[str], str]], ...]) -> str:
    for _, change in changes:
        text = change(text)
    return text


def describe_near_miss(one: str | None, other: str | None) -> Message | None:
    """Return a sentence on two texts that differ only in what people overlook."""
    if one is None or other is None or one == other:
        return None
    changes = equal_after(one, other)
    if changes is None:
        return None
    return Message("equal_after", one=Value("", one), other=Value("", other), changes=" and ".join(changes))


def time_apart(one: str | None, other: str | None) -> Message | None:
    """Return a sentence on how far apart two times are; None if these are no times."""
    mine, bound = _time(one), _time(other)
    if mine is None or bound is None or mine == bound:
        return None
    order = "after" if mine > bound else "before"
    span = _duration(abs(mine - bound))
    return Message("time_apart", one=Value("", one), duration=span, order=order, other=Value("", other))


def _time(text: str | None) -> dt.datetime | None:
    try:
        return None if text is None else dt.datetime.fromisoformat(text)
    except ValueError:
        return None


def _duration(span: dt.timedelta) -> str:
    hours, rest = divmod(span.seconds, 3600)
    minutes, seconds = divmod(rest, 60)
    parts = {"day": span.days, "hour": hours, "minute": minutes, "second": seconds + span.microseconds / 1_000_000}
    return " ".join(f"{count:g} {unit}{'' if count == 1 else 's'}" for unit, count in parts.items() if count)


_DATE_FORMATS = {
    "dd.MM.yyyy": "%d.%m.%Y",
    "dd/MM/yyyy": "%d/%m/%Y",
    "MM/dd/yyyy": "%m/%d/%Y",
    "yyyy/MM/dd": "%Y/%m/%d",
    "dd-MM-yyyy": "%d-%m-%Y",
    "yyyyMMdd": "%Y%m%d",
    "dd MMM yyyy": "%d %b %Y",
    "MMM dd, yyyy": "%b %d, %Y",
}
"""Usual formats of dates that Spark does not take for one, each as Spark and as Python write it."""

_TIME_FORMATS = {"": "", " HH:mm": " %H:%M", " HH:mm:ss": " %H:%M:%S"}


def date_formats(text: str) -> tuple[str, ...]:
    """Return the formats, as Spark writes them, in which a text is a date: `dd.MM.yyyy` for 05.02.2024."""
    both = (
        (day + time, f"{day_form}{time_form}")
        for day, day_form in _DATE_FORMATS.items()
        for time, time_form in _TIME_FORMATS.items()
    )
    return tuple(format for format, form in both if len(text) == len(format) and _is_written(text, form))


def _is_written(text: str, form: str) -> bool:
    try:
        dt.datetime.strptime(text, form)  # only whether it can be read is asked
    except ValueError:
        return False
    return True
