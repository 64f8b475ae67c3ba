"""What is run becomes methods that Java compiles: it leaves those of more than 8,000 bytes uncompiled."""

from __future__ import annotations

import re

import pytest
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from sparkwhy.rewrite.codegen import Codegen
from sparkwhy.spark.classic.read.operators import read
from sparkwhy.spark.classic.run.operators import run

MOST = 8000


def largest_method(df: DataFrame) -> int:
    """The bytes of the largest method that Spark made of a query that was run, by its own account."""
    session = df.sparkSession
    assert session._jvm is not None
    executed = df._jdf.queryExecution().executedPlan()
    told = session._jvm.org.apache.spark.sql.execution.debug.package.codegenString(executed)
    return max(int(size) for size in re.findall(r"maxMethodCodeSize:(\d+)", told))


def numbers(spark: SparkSession, tmp: str) -> DataFrame:
    spark.range(100).selectExpr("id", "cast(id % 7 as decimal(12, 2)) as d").write.parquet(tmp)
    return spark.read.parquet(tmp)


def score(seed: int) -> Column:
    """Sixty comparisons."""
    d = F.col("d")
    found = F.lit(0)
    for i in range(60):
        found = found + F.when(d < F.lit((seed + i) % 11), 0).otherwise(i + 1)
    return found


@pytest.fixture
def scored(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> DataFrame:
    df = numbers(spark, str(tmp_path_factory.mktemp("numbers") / "n"))
    for seed in range(3):
        df = df.withColumn(f"score{seed}", score(seed))
    return df


def test_much_that_is_computed_of_a_row_is_compiled_in_pieces(scored: DataFrame) -> None:
    plan = read(scored.groupBy("id").agg(F.max("score0"), F.max("score1"), F.max("score2")))
    together, pieces = run(scored.sparkSession, plan), run(scored.sparkSession, plan, codegen=Codegen.PIECES)
    assert sorted(together.collect()) == sorted(pieces.collect())
    assert largest_method(together) > MOST
    assert largest_method(pieces) < MOST


def test_marks_are_computed_once_and_what_is_read_is_asked_of_the_source(scored: DataFrame) -> None:
    """Spark would put all that a mark is made of into the filter that reads it, and compute it again above."""
    marked = scored.select("id", "d", score(0).cast("long").alias("mark"), "score1")
    plan = read(marked.filter("mark > 1000").filter("d < 5"))
    together, pieces = run(scored.sparkSession, plan), run(scored.sparkSession, plan, codegen=Codegen.PIECES)
    assert sorted(together.collect()) == sorted(pieces.collect())
    asked = [line for line in _steps(pieces).splitlines() if "Filter" in line.split("[")[0]]
    assert [("CASE" in line, " < 5" in line) for line in asked] == [(False, False), (False, True)]
    assert any("CASE" in line for line in _steps(together).splitlines() if "Filter" in line.split("[")[0])
    assert "LessThan(d,5.00)" in _steps(pieces)


def test_rows_that_are_together_stay_together(scored: DataFrame) -> None:
    """What ends a method makes Spark forget by what rows are together: it would shuffle them once more."""
    groups = scored.groupBy("id").agg(F.max("score0").alias("best"), F.max("score1").alias("worst"))
    listed = groups.select("id", F.explode(F.array("best", "worst")).alias("n"))
    pieces = run(scored.sparkSession, read(listed.groupBy("id").agg(F.sum("n").alias("n"))), codegen=Codegen.PIECES)
    assert len(pieces.collect()) == 100
    assert _steps(pieces).split("Initial Plan")[0].count("Exchange") == 1


def test_rows_are_chosen_before_more_is_computed_of_them(scored: DataFrame) -> None:
    plan = read(scored.filter("score0 = 1000"))
    together, apart = run(scored.sparkSession, plan), run(scored.sparkSession, plan, codegen=Codegen.APART)
    assert together.collect() == apart.collect()
    above, below = _steps(apart).split("Coalesce")
    assert "Filter" in below
    assert above.count("CASE WHEN") == 3 * 60  # all that is told of a row, and only of those that are left
    assert "Coalesce" not in _steps(together)


def _steps(df: DataFrame) -> str:
    return str(df._jdf.queryExecution().executedPlan().toString())
