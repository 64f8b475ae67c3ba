"""Values that PySpark collected, as the engine in memory has them."""

from __future__ import annotations

import datetime as dt
from typing import Any

from sparkwhy.memory.values import MapValue, Value
from sparkwhy.plan.types import BINARY, TIMESTAMP, Array, Map, Struct, Type


def from_spark(value: Any, type: Type) -> Value:
    """Return a value of this type."""
    if value is None:
        return None
    match type:
        case Array(element):
            return tuple(from_spark(item, element) for item in value)
        case Struct(fields):
            return tuple(from_spark(item, field.type) for item, field in zip(value, fields, strict=True))
        case Map(key, inner):
            return MapValue(tuple((from_spark(k, key), from_spark(v, inner)) for k, v in value.items()))
        case _ if type == TIMESTAMP:
            return value.astimezone(dt.timezone.utc)
        case _ if type == BINARY:
            return bytes(value)
        case _:
            return value
