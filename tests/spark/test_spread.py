"""A few values of each column, evenly placed."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from sparkwhy.spark.classic.run.quantiles import quantiles


def test_all_values_are_told_if_they_are_few(spark: SparkSession) -> None:
    values = spark.createDataFrame([(3, "b"), (1, "a"), (2, "b"), (None, None)], "n int, s string")
    assert quantiles(values, 5) == (("1", "2", "3"), ("b", "a"))


def test_the_ends_are_exact_and_the_rest_is_where_it_belongs_if_some_are_looked_at(spark: SparkSession) -> None:
    values = spark.range(50_000).select((F.col("id") * 7).alias("n"))
    (found,) = quantiles(values, 5, share=0.1)
    numbers = [int(text) for text in found]
    assert (numbers[0], numbers[-1]) == (0, 49_999 * 7)
    assert all(number % 7 == 0 for number in numbers), "values of the data"
    assert [round(number / (50_000 * 7), 1) for number in numbers[1:-1]] == pytest.approx([0.2, 0.5, 0.8], abs=0.11)


def test_where_some_are_not_enough_all_are_looked_at(spark: SparkSession) -> None:
    values = spark.range(100).select("id")
    assert quantiles(values, 3, share=0.01) == quantiles(values, 3)
    assert quantiles(values, 3, share=1e-9, enough=0) == (("0", "99"),), "the ends are known, whatever is looked at"


def test_columns_without_values_have_none(spark: SparkSession) -> None:
    values = spark.createDataFrame([(None, True)], "n int, b boolean")
    assert quantiles(values, 5) == ((), ())


def test_of_each_column_enough_values_are_looked_at(spark: SparkSession) -> None:
    """The second column has a value in every fiftieth row: a tenth of these would place none of them well."""
    values = spark.range(50_000).selectExpr("id AS n", "if(id % 50 = 0, id, null) AS rare")
    often, rare = quantiles(values, 5, share=0.1)
    assert rare == quantiles(values.select("rare"), 5)[0]
    assert often != quantiles(values.select("n"), 5)[0], "of these some were enough"
