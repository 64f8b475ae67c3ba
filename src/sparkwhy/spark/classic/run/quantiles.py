"""Quantiles: a few values of each column, evenly placed in their order, found in one pass."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TypeGuard

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import DateType, NumericType, StringType, TimestampType

from sparkwhy.limits import DEFAULT_LIMITS

_FAR_YEAR = re.compile(r"0000-.*|[+-]\d{4,}-.*")
_ORDERED = (NumericType, DateType, TimestampType)


def quantiles(
    values: DataFrame, count: int, *, share: float = 1.0, enough: int = DEFAULT_LIMITS.sampled_values
) -> tuple[tuple[str, ...], ...]:
    """Return up to `count` values of each column as text, evenly placed; of strings, the most frequent ones.

    With a `share` below 1, those between the least and the greatest are taken from a sample of that share, unless it
    has fewer than `enough` values.
    """
    names = [f"c{i}" for i in range(len(values.columns))]  # names of users may repeat
    named = values.toDF(*names)
    ordered = [f.name for f in named.schema if isinstance(f.dataType, _ORDERED)]
    found = _place_values(named, ordered, count, share, enough) if ordered else {}
    for field in named.schema:
        if isinstance(field.dataType, StringType):
            frequent = named.groupBy(field.name).count().dropna().orderBy(F.desc("count"), field.name).limit(count)
            found[field.name] = tuple(row[0] for row in frequent.collect())
    return tuple(found.get(name, ()) for name in names)


def _place_values(
    values: DataFrame, names: Sequence[str], count: int, share: float, enough: int
) -> dict[str, tuple[str, ...]]:
    """Return the least and the greatest value of each column, and some in between."""
    shares = [i / (count - 1) for i in range(1, count - 1)]
    chosen = F.lit(True) if share >= 1 else F.rand(_SEED) < share

    def place(name: str) -> Column:
        some = F.percentile_approx(F.when(F.col("chosen"), F.col(name)), shares, 1000)
        ends = [F.array(function(name)) for function in (F.min, F.max)]
        return F.concat(ends[0], F.coalesce(some, F.array()), ends[1]).cast("array<string>").alias(name)

    some = values.withColumn("chosen", chosen)
    looked_at = [F.count(F.when(F.col("chosen"), F.col(name))) for name in names]
    row = some.agg(F.array(*looked_at).alias("looked at"), *map(place, names)).collect()[0]
    found = {name: tuple(filter(_is_known_to_python, dict.fromkeys(row[name]))) for name in names}
    if share < 1:
        # the two ends are of all values: where these are one, nothing is between them
        scarce = [n for n, seen in zip(names, row[0], strict=True) if seen < enough and len(set(row[n])) > 1]
        found |= _place_values(values, scarce, count, 1.0, enough) if scarce else {}
    return found


_SEED = 17


def _is_known_to_python(text: str | None) -> TypeGuard[str]:
    """Return whether Python has this value: it has no times before the year 1 or after 9999."""
    return text is not None and _FAR_YEAR.fullmatch(text) is None
