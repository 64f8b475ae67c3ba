"""The arguments of `why_not` beside the query and the question, checked before anything runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeAlias
from typing import Literal as OneOf

from sparkwhy.alternatives.declared import Alternative, Declared
from sparkwhy.alternatives.enumerate import Mode
from sparkwhy.errors import AlternativeError, BadArgument, show_argument
from sparkwhy.report.redact import Mask, Redaction

SideEffectsWish: TypeAlias = OneOf["none", "bounds", "exact"]

_MOST = 1000
"""Groups, and members of a group, that are read from the caller's iterators, which may have no end."""


_LONGEST = 1e9
"""Seconds, some thirty years. A longer timeout may be no number that a clock can count to."""


@dataclass(frozen=True)
class Options:
    """What the caller wants to know, which attributes may stand for each other, and how long it may take."""

    verify: bool = True
    side_effects: SideEffectsWish = "bounds"
    declared: Declared = ()
    automatic: bool = False
    mode: Mode = "swap"
    timeout: float | None = None
    redaction: Redaction | None = None

    @classmethod
    def from_arguments(
        cls,
        *,
        verify: Any,
        side_effects: Any,
        alternatives: Any,
        mode: Mode,
        progress: Any,
        timeout: Any,
        redact: bool | Iterable[str] | Mask,
    ) -> Options:
        """Return the options; raise `BadArgument` or `AlternativeError` for one that cannot be."""
        if not isinstance(verify, bool):
            raise BadArgument("verify", f"is True or False, not {show_argument(verify)}", hint="write verify=False.")
        if not isinstance(side_effects, str) or side_effects not in ("none", "bounds", "exact"):
            hint = 'write side_effects="none", "bounds" or "exact".'
            raise BadArgument("side_effects", f"cannot be counted as {show_argument(side_effects)}", hint=hint)
        if progress is not None and not callable(progress):
            hint = "pass a function that takes the name of a stage: progress=print."
            raise BadArgument("progress", f"is called with each stage; {show_argument(progress)} cannot be", hint=hint)
        automatic = isinstance(alternatives, str) and alternatives == "auto"
        declared = () if alternatives is None or automatic else _read_groups(alternatives)
        wanted: Any = side_effects
        return cls(verify, wanted, declared, automatic, mode, _seconds(timeout), Redaction.from_argument(redact))


def _read_groups(given: Any) -> Declared:
    """Return the declared groups. Each is read once: it may be an iterator."""
    if isinstance(given, str | Mapping | Alternative) or not _is_iterable(given):
        hint = 'write alternatives=[{"address1", "address2"}], or "auto".'
        raise AlternativeError(f"alternatives are a list of groups, not {show_argument(given)}.", hint=hint)
    return tuple(_group(each) for each in _take_bounded(given, "alternatives"))


def _group(given: Any) -> Any:
    if isinstance(given, str | Alternative | Mapping) or not _is_iterable(given):
        return given
    return tuple(_take_bounded(given, "a group of alternatives"))


def _take_bounded(given: Iterable[Any], what: str) -> list[Any]:
    found = list(islice(given, _MOST + 1))
    if len(found) > _MOST:
        raise AlternativeError(f"{what} has more than {_MOST} members.", hint="name the few that you suspect.")
    return found


def _is_iterable(given: Any) -> bool:
    """Return whether a value can be iterated; a Column has `__iter__` and fails."""
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
