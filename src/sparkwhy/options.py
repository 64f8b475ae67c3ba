"""The arguments of `why_not` beside the query and the question, checked before anything runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeAlias
from typing import Literal as OneOf

from sparkwhy.alternatives.declared import Alternative, Declared
from sparkwhy.errors import AlternativeError, BadArgument, show_argument
from sparkwhy.report.redact import Mask, Redaction

SideEffectsWish: TypeAlias = OneOf["none", "bounds", "exact"]

_MOST = 1000
"""So many groups, and so many members of a group, can be meant; an iterator may have no end."""


_LONGEST = 1e9
"""Seconds, some thirty years: what is longer is no limit, and may be no number that a clock can count to."""


@dataclass(frozen=True)
class Options:
    """What the caller wants to know, which attributes may stand for each other, and what limits there are."""

    verify: bool = True
    side_effects: SideEffectsWish = "bounds"
    declared: Declared = ()
    automatic: bool = False
    timeout: float | None = None
    redaction: Redaction | None = None

    @classmethod
    def checked(
        cls,
        *,
        verify: Any,
        side_effects: Any,
        alternatives: Any,
        progress: Any,
        timeout: Any,
        redact: bool | Iterable[str] | Mask,
    ) -> Options:
        """What was asked for, if it can be."""
        if not isinstance(verify, bool):
            raise BadArgument("verify", f"is True or False, not {show_argument(verify)}", hint="write verify=False.")
        if not isinstance(side_effects, str) or side_effects not in ("none", "bounds", "exact"):
            hint = 'write side_effects="none", "bounds" or "exact".'
            raise BadArgument("side_effects", f"cannot be counted as {show_argument(side_effects)}", hint=hint)
        if progress is not None and not callable(progress):
            hint = "pass a function that takes the name of a stage: progress=print."
            raise BadArgument("progress", f"is called with each stage; {show_argument(progress)} cannot be", hint=hint)
        automatic = isinstance(alternatives, str) and alternatives == "auto"
        declared = () if alternatives is None or automatic else _declared(alternatives)
        wanted: Any = side_effects
        return cls(verify, wanted, declared, automatic, _seconds(timeout), Redaction.checked(redact))


def _declared(given: Any) -> Declared:
    """The groups, each read once: they may be iterators."""
    if isinstance(given, str | Mapping | Alternative) or not _is_iterable(given):
        hint = 'write alternatives=[{"address1", "address2"}], or "auto".'
        raise AlternativeError(f"alternatives are a list of groups, not {show_argument(given)}.", hint=hint)
    return tuple(_group(each) for each in _bounded(given, "alternatives"))


def _group(given: Any) -> Any:
    if isinstance(given, str | Alternative | Mapping) or not _is_iterable(given):
        return given
    return tuple(_bounded(given, "a group of alternatives"))


def _bounded(given: Iterable[Any], what: str) -> list[Any]:
    found = list(islice(given, _MOST + 1))
    if len(found) > _MOST:
        raise AlternativeError(f"{what} has more than {_MOST} members.", hint="name the few that you suspect.")
    return found


def _is_iterable(given: Any) -> bool:
    """Whether it can be walked; a Column says yes and means no."""
    try:
        iter(given)
    except Exception:  # of whatever was handed in
        return False
    return True


def _seconds(timeout: Any) -> float | None:
    if timeout is None:
        return None
    is_number = isinstance(timeout, int | float) and not isinstance(timeout, bool)
    if not is_number or not 0 < timeout <= _LONGEST:
        hint = "write the seconds that the question may take, timeout=60, or None for no limit."
        raise BadArgument("timeout", f"is a number of seconds, not {show_argument(timeout)}", hint=hint)
    return float(timeout)
