"""The values of a column that come nearest to one that is not there."""

from __future__ import annotations

import datetime as dt
import decimal
from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

_SHOWN = 3


def nearest_values(values: DataFrame, wanted: Any) -> tuple[str, ...]:
    """The nearest values of a DataFrame of one column, as text: by distance, or for strings by edits."""
    (name,) = values.columns
    column = F.col(name)
    distance = _distance(column, wanted)
    if distance is None:
        return ()
    near = values.filter(column.isNotNull()).distinct().orderBy(distance, column).limit(_SHOWN)
    return tuple(str(row[0]) for row in near.collect())


def _distance(column: Column, wanted: Any) -> Column | None:
    match wanted:
        case bool():
            return None
        case int() | float() | decimal.Decimal():
            return F.abs(column.cast("double") - F.lit(float(wanted)))
        case str():
            plain = F.lower(F.trim(column))
            return F.levenshtein(plain, F.lit(wanted.strip().lower()))
        case dt.datetime():
            return F.abs(F.unix_micros(column) - F.lit(int(wanted.timestamp() * 1_000_000)))
        case dt.date():
            return F.abs(F.datediff(column, F.lit(wanted)))
        case _:
            return None
