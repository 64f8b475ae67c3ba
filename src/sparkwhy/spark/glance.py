"""A glance at a table: some of its rows, enough to find an example of what most rows are like."""

from __future__ import annotations

from pyspark.sql import DataFrame

from sparkwhy.spark.jvm import at_most, source_bytes

MOST, LEAST = 1000, 50
"""So many rows of each partition are looked at; fewer, down to the least, if a source has more bytes than `USUAL`."""

USUAL = 512 << 20


def first_rows(df: DataFrame) -> DataFrame:
    """The first rows of each partition, fewer of each where partitions are many; the rest is not read."""
    share = min(1.0, USUAL / max(source_bytes(df), 1))
    return at_most(df, max(round(MOST * share), LEAST))
