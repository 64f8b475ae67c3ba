"""The catalogue of `plan.functions` once more, with what each function does.

`STRICT` functions are null when an argument is; `NULL_AWARE` ones see their nulls. `coalesce`, which must not
look further than it needs, is in `evaluate`; the ranking functions, which look at other rows, in `windows`.
"""

from __future__ import annotations

from collections.abc import Mapping

from sparkwhy.memory.arithmetic import NULL_AWARE_NUMBERS, STRICT_NUMBERS, Maker, ignore_types
from sparkwhy.memory.collections import NULL_AWARE_COLLECTIONS, STRICT_COLLECTIONS
from sparkwhy.memory.dates import STRICT_DATES
from sparkwhy.memory.strings import NULL_AWARE_STRINGS, STRICT_STRINGS
from sparkwhy.memory.values import Value


def _has_at_least(count: int, *values: Value) -> bool:
    """Return whether at least `count` of the values are neither null nor NaN."""
    return sum(bool(value is not None and value == value) for value in values) >= count


def _nan_value(value: float | None, instead: float | None) -> float | None:
    return instead if value is not None and value != value else value


STRICT: Mapping[str, Maker] = {**STRICT_NUMBERS, **STRICT_STRINGS, **STRICT_DATES, **STRICT_COLLECTIONS}

NULL_AWARE: Mapping[str, Maker] = {
    **NULL_AWARE_NUMBERS,
    **NULL_AWARE_STRINGS,
    **NULL_AWARE_COLLECTIONS,
    "isnan": ignore_types(lambda value: value is not None and value != value),
    "nanvl": ignore_types(_nan_value),
    "at_least_n_non_nulls": ignore_types(_has_at_least),
}
