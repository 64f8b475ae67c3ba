"""Queries that once broke a law, made small. Each says what was wrong."""

from __future__ import annotations

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from sparkwhy.plan.show import show_plan
from sparkwhy.spark.classic.read.operators import read
from tests.laws import check_both


def test_a_null_of_a_struct_with_odd_field_names(both_modes: SparkSession) -> None:
    """Types were handed to Spark as SQL text, without quotes around the names of fields."""
    left = both_modes.sql("SELECT 1 AS n")
    right = both_modes.sql("SELECT 2 AS n, named_struct('a.b', 1, 'x y', 'u', '名前', 1.5D) AS s")
    check_both(left.unionByName(right, allowMissingColumns=True))


def test_a_cast_to_a_struct_with_odd_field_names(both_modes: SparkSession) -> None:
    df = both_modes.sql("SELECT array(named_struct('*', 1)) AS s, named_struct('ti`ck', 2) AS t")
    check_both(df.select(F.col("s").cast("array<struct<`*`:bigint>>"), F.col("t").cast("struct<`ti``ck`:string>")))


def test_a_union_that_widens_arrays_keeps_what_may_be_null(both_modes: SparkSession) -> None:
    """SQL text also says nothing of nulls inside of arrays: the widened array could suddenly hold some."""
    left = both_modes.sql("SELECT array(1, 2) AS a, named_struct('x', 1) AS s, map('k', 1) AS m")
    right = both_modes.sql("SELECT array(3L) AS a, named_struct('x', 2L) AS s, map('k', 2L) AS m")
    check_both(left.union(right))


def test_a_date_without_a_pattern_is_a_cast_and_one_with_a_pattern_is_told_as_it_was_written(
    both_modes: SparkSession,
) -> None:
    """Both were black boxes, told as `to_date(d, None, Some(UTC), true)`."""
    df = both_modes.createDataFrame([("2024-02-29", "29.2.2024"), (None, None)], "d string, e string")
    casts = df.select(F.to_date("d").alias("day"), F.to_timestamp("d").alias("at"))
    check_both(casts)
    assert "select cast(d as date) as day, cast(d as timestamp) as at" in show_plan(read(casts))
    assert "select to_date(e, 'd.M.yyyy') as day" in show_plan(read(df.select(F.to_date("e", "d.M.yyyy").alias("day"))))
