"""How the values of columns are spread: a few of them, evenly placed in their order, in one pass."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TypeGuard

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import DateType, NumericType, StringType, TimestampType

_FAR_YEAR = re.compile(r"0000-.*|[+-]\d{4,}-.*")
_ORDERED = (NumericType, DateType, TimestampType)


ENOUGH = 2000
"""Of so many values a few are placed well enough."""


def spread(values: DataFrame, count: int, *, share: float = 1.0) -> tuple[tuple[str, ...], ...]:
    """For each column, in order, up to so many of its values as text; of texts, some of the most frequent.

    With a smaller `share`, only so many of the values are looked at to place those in between, if that is enough.
    """
    names = [f"c{i}" for i in range(len(values.columns))]  # names of users may repeat
    named = values.toDF(*names)
    ordered = [f.name for f in named.schema if isinstance(f.dataType, _ORDERED)]
    found = _placed(named, ordered, count, share) if ordered else {}
    for field in named.schema:
        if isinstance(field.dataType, StringType):
            frequent = named.groupBy(field.name).count().dropna().orderBy(F.desc("count"), field.name).limit(count)
            found[field.name] = tuple(row[0] for row in frequent.collect())
    return tuple(found.get(name, ()) for name in names)


def _placed(values: DataFrame, names: Sequence[str], count: int, share: float) -> dict[str, tuple[str, ...]]:
    """The least and the greatest value of each column, and some in between."""
    shares = [i / (count - 1) for i in range(1, count - 1)]
    chosen = F.lit(True) if share >= 1 else F.rand(_SEED) < share

    def placed(name: str) -> Column:
        some = F.percentile_approx(F.when(F.col("chosen"), F.col(name)), shares, 1000)
        ends = [F.array(function(name)) for function in (F.min, F.max)]
        return F.concat(ends[0], F.coalesce(some, F.array()), ends[1]).cast("array<string>").alias(name)

    some = values.withColumn("chosen", chosen)
    looked_at = [F.count(F.when(F.col("chosen"), F.col(name))) for name in names]
    row = some.agg(F.array(*looked_at).alias("looked at"), *map(placed, names)).collect()[0]
    found = {name: tuple(filter(_is_known_to_python, dict.fromkeys(row[name]))) for name in names}
    if share < 1:
        # the two ends are of all values: where these are one, nothing is between them
        scarce = [n for n, seen in zip(names, row[0], strict=True) if seen < ENOUGH and len(set(row[n])) > 1]
        found |= _placed(values, scarce, count, 1.0) if scarce else {}
    return found


_SEED = 17


def _is_known_to_python(text: str | None) -> TypeGuard[str]:
    """Whether it is a value, and no time before the year 1 or after 9999.

    Python has none such, so nobody can compute with it there.
    """
    return text is not None and _FAR_YEAR.fullmatch(text) is None
