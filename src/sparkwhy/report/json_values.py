"""Values of the data as JSON data."""

from __future__ import annotations

import datetime as dt
import decimal
import math
from collections.abc import Mapping
from typing import Any

from sparkwhy.trace.encode import MapEntries, Typed, print_value


def to_json_value(value: Typed) -> Any:
    """Return a decoded value as JSON data.

    Numbers, booleans, strings and null stay what they are. Decimals are strings, so that no digit is lost; dates and
    timestamps are ISO 8601, timestamps with the offset of the session time zone; bytes are hexadecimal digits. `NaN`,
    `Infinity` and `-Infinity` are strings. An array is an array, a struct an object, and a map an array of objects with
    `key` and `value`.

    >>> to_json_value(((1, None), decimal.Decimal("1.50"), {"day": dt.date(2024, 1, 31)}))
    [[1, None], '1.50', {'day': '2024-01-31'}]
    """
    match value:
        case None | bool() | int():
            return value
        case str():
            return str(value)  # a message is more than its text
        case float():
            return value if math.isfinite(value) else print_value(value)
        case decimal.Decimal():
            return format(value, "f")
        case dt.date():  # and a datetime
            return value.isoformat()
        case bytes():
            return value.hex().upper()
        case MapEntries(pairs):
            return [{"key": to_json_value(key), "value": to_json_value(each)} for key, each in pairs]
        case Mapping():
            return {name: to_json_value(each) for name, each in value.items()}
        case list() | tuple():
            return list(map(to_json_value, value))
        case _:
            return print_value(value)
