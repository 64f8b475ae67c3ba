"""A glance at a table: some of its rows, enough to find an example of what most rows are like."""

from __future__ import annotations

from pyspark.sql import DataFrame

from sparkwhy.spark.classic.jvm import at_most, source_bytes

MOST, LEAST = 1000, 50
"""So many rows of each partition are looked at; fewer, down to the least, if a source has more bytes than `USUAL`."""

USUAL = 512 << 20


MORE = 64
"""So many times as many rows are looked at where a glance is not enough."""


def first_rows(df: DataFrame, times: int = 1) -> DataFrame:
    """The first rows of each partition, fewer of each where partitions are many; the rest is not read."""
    share = min(1.0, USUAL / max(source_bytes(df), 1))
    return at_most(df, times * max(round(MOST * share), LEAST))


def more_rows(df: DataFrame) -> DataFrame:
    """The same, but some percent of the data rather than some thousandths."""
    return first_rows(df, MORE)
