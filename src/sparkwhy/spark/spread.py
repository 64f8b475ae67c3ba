"""How the values of columns are spread: a few of them, evenly placed in their order, in one pass."""

from __future__ import annotations

import re

from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import DateType, NumericType, StringType, TimestampType

_FAR_YEAR = re.compile(r"0000-.*|[+-]\d{4,}-.*")
_ORDERED = (NumericType, DateType, TimestampType)


def spread(values: DataFrame, count: int) -> tuple[tuple[str, ...], ...]:
    """For each column, in order, up to so many of its values as text; of texts, some of the most frequent."""
    names = [f"c{i}" for i in range(len(values.columns))]  # names of users may repeat
    named = values.toDF(*names)
    ordered = [f.name for f in named.schema if isinstance(f.dataType, _ORDERED)]
    found: dict[str, tuple[str, ...]] = {}
    if ordered:
        shares = [i / (count - 1) for i in range(count)]
        taken = [F.percentile_approx(name, shares, 1000).cast("array<string>").alias(name) for name in ordered]
        row = named.agg(*taken).collect()[0]
        found = {name: tuple(filter(_is_known_to_python, dict.fromkeys(row[name] or ()))) for name in ordered}
    for field in named.schema:
        if isinstance(field.dataType, StringType):
            frequent = named.groupBy(field.name).count().dropna().orderBy(F.desc("count"), field.name).limit(count)
            found[field.name] = tuple(row[0] for row in frequent.collect())
    return tuple(found.get(name, ()) for name in names)


def _is_known_to_python(text: str) -> bool:
    """Whether it is no time before the year 1 or after 9999: Python has none, so nobody can compute with it there."""
    return _FAR_YEAR.fullmatch(text) is None
