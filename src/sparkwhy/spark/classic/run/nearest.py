"""The rows of a small relation that come nearest to values that are not there."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import reduce
from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import DataType, DateType, NumericType, TimestampNTZType, TimestampType

from sparkwhy.limits import DEFAULT_LIMITS

_ACCENTED = {c: unicodedata.normalize("NFD", c)[0] for c in map(chr, range(0xC0, 0x180))}
_PLAIN = {**{c: plain for c, plain in _ACCENTED.items() if plain != c}, "\u00a0": " "}


def nearest_values(values: DataFrame, wanted: Any, count: int = DEFAULT_LIMITS.nearest) -> tuple[str, ...]:
    """Return the nearest values of a DataFrame of one column, as text."""
    found = nearest_rows(values.dropna(), (wanted,), count)
    return tuple(value for (value,) in found if value is not None)


def nearest_rows(
    rows: DataFrame, wanted: Sequence[Any], count: int = DEFAULT_LIMITS.nearest
) -> tuple[tuple[str | None, ...], ...]:
    """Return `count` distinct rows as text: those that differ from the wanted values in the fewest columns, and least
    there.

    Numbers and times are compared by distance, all else by edits. If nothing is wanted: the first rows, nulls first.
    """
    names = [f"c{i}" for i in range(len(rows.columns))]  # names of users may repeat
    types = [field.dataType for field in rows.schema]
    pairs = list(zip(map(F.col, names), types, map(F.lit, wanted), strict=False))
    differing = _sum([F.when(c.cast("string") == w.cast("string"), 0).otherwise(1) for c, _, w in pairs])
    distance = _sum([_distance(c, type, w) for c, type, w in pairs])
    texts = [F.col(name).cast("string").alias(name) for name in names]
    measured = rows.toDF(*names).select(*texts, differing.alias("differing"), distance.alias("distance")).distinct()
    near = measured.orderBy("differing", "distance", *names).limit(count).select(*names)
    return tuple(tuple(row) for row in near.collect())


def _sum(columns: Sequence[Column]) -> Column:
    return reduce(lambda a, b: a + b, columns, F.lit(0))


def _distance(column: Column, type: DataType, wanted: Column) -> Column:
    """Measure how far a value is off; one that cannot be compared by size is compared as text."""
    edits = F.levenshtein(_plain(column.cast("string")), _plain(wanted.cast("string"))).cast("double")
    match type:
        case NumericType():
            apart = F.abs(column.cast("double") - wanted.try_cast("double"))
        case TimestampType() | TimestampNTZType():
            apart = F.abs(_micros(column) - _micros(wanted)).cast("double")
        case DateType():
            apart = F.abs(F.datediff(column, wanted.try_cast("date"))).cast("double")
        case _:
            apart = edits
    return F.coalesce(apart, edits, F.lit(float("inf")))


def _micros(column: Column) -> Column:
    return F.unix_micros(column.try_cast("timestamp"))


def _plain(text: Column) -> Column:
    """Remove what people overlook in a text: case, accents, blanks around it, leading zeros."""
    ascii = F.translate(text, "".join(_PLAIN), "".join(_PLAIN.values()))
    return F.regexp_replace(F.lower(F.trim(ascii)), "^0+(?=.)", "")
