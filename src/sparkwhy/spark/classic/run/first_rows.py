"""The first rows of each partition of a table: enough to find an example of what most rows are like."""

from __future__ import annotations

from pyspark.sql import DataFrame

from sparkwhy.limits import DEFAULT_LIMITS, Limits
from sparkwhy.spark.classic.jvm import source_bytes, take_per_partition


def first_rows(df: DataFrame, limits: Limits = DEFAULT_LIMITS, *, times: int = 1) -> DataFrame:
    """Take the first rows of each partition, fewer of each where the source is large; the rest is not read."""
    share = min(1.0, limits.first_rows_bytes / max(source_bytes(df), 1))
    return take_per_partition(df, times * max(round(limits.first_rows * share), limits.fewest_first_rows))


def more_rows(df: DataFrame, limits: Limits = DEFAULT_LIMITS) -> DataFrame:
    """Take `limits.more_rows_factor` times as many: some percent of the data rather than some thousandths."""
    return first_rows(df, limits, times=limits.more_rows_factor)
