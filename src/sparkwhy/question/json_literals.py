"""Constants of patterns as JSON: those that JSON has no type for are objects with one name that starts with `$`.

date(2024, 1, 31)   {"$date": "2024-01-31"}
Decimal("1.50")     {"$decimal": "1.50"}
"""

from __future__ import annotations

import datetime as dt
import decimal
import math
from collections.abc import Callable, Mapping
from typing import Any

from sparkwhy.errors import PatternError

_MICROSECOND = dt.timedelta(microseconds=1)


def literal_to_json(value: Any) -> Any:
    """Return a constant of a pattern as JSON data, from which `literal_from_json` makes an equal one."""
    match value:
        case float() if not math.isfinite(value):
            return {"$float": _show_float(value)}
        case decimal.Decimal():
            return {"$decimal": str(value)}
        case dt.datetime():
            return {"$timestamp": value.isoformat()}
        case dt.date():
            return {"$date": value.isoformat()}
        case dt.timedelta():
            return {"$microseconds": value // _MICROSECOND}
        case bytes():
            return {"$bytes": value.hex().upper()}
        case _:
            return value


def _show_float(value: float) -> str:
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def literal_from_json(value: Any) -> Any:
    """Return the constant that a part of the JSON stands for; raise `PatternError` if a typed one cannot be read.

    >>> literal_from_json({"$date": "2024-01-31"}), literal_from_json("2024-01-31")
    (datetime.date(2024, 1, 31), '2024-01-31')
    """
    if not is_typed_literal(value):
        return value
    ((name, given),) = value.items()
    try:
        return _READERS[name](given)
    except (ValueError, TypeError, ArithmeticError) as error:
        raise PatternError(f"{name} cannot be {given!r}.", path=name, hint=f"write {_EXAMPLES[name]}.") from error


def is_typed_literal(value: Any) -> bool:
    """Return whether a part of the JSON is a constant with its type."""
    return isinstance(value, dict) and len(value) == 1 and next(iter(value)) in _READERS


_FLOATS = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}


def _float(given: Any) -> float:
    if given in _FLOATS:
        return _FLOATS[given]
    raise ValueError


def _duration(given: Any) -> dt.timedelta:
    return dt.timedelta(microseconds=given)


_READERS: Mapping[str, Callable[[Any], Any]] = {
    "$float": _float,
    "$decimal": decimal.Decimal,
    "$timestamp": dt.datetime.fromisoformat,
    "$date": dt.date.fromisoformat,
    "$microseconds": _duration,
    "$bytes": bytes.fromhex,
}

_EXAMPLES: Mapping[str, str] = {
    "$float": '{"$float": "NaN"}, "Infinity" or "-Infinity"',
    "$decimal": '{"$decimal": "1.50"}',
    "$timestamp": '{"$timestamp": "2024-01-31T10:15:00+00:00"}',
    "$date": '{"$date": "2024-01-31"}',
    "$microseconds": '{"$microseconds": 1000000}',
    "$bytes": '{"$bytes": "61FF"}',
}
