"""Rows that a filter keeps away from an expression that fails on them: the question is answered all the same."""

from __future__ import annotations

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from sparkwhy import ne, why_not
from sparkwhy.errors import QueryFailed
from sparkwhy.plan.show import show_plan
from sparkwhy.rewrite.tolerant import make_strict, make_tolerant
from sparkwhy.spark.classic.read.operators import read


@pytest.fixture(scope="module")
def shares(spark: SparkSession) -> DataFrame:
    rows = [(0, 5, "a"), (2, 7, "7"), (3, 9, "8")]
    return spark.createDataFrame(rows, "parts int, total int, code string")


def test_a_row_on_which_the_changed_query_would_fail_is_explained_and_not_verified(shares: DataFrame) -> None:
    query = shares.filter("parts <> 0").select("parts", (F.col("total") / F.col("parts")).alias("share"))
    answer = why_not(query, {"parts": 0})
    (found,) = answer.explanations
    assert [operator.text for operator in found.operators] == ["filter parts <> 0"]
    assert (found.verified, found.reason) == (False, "with this change the query fails: DIVIDE_BY_ZERO")
    assert any("DIVIDE_BY_ZERO" in warning for warning in answer.warnings)


def test_a_fix_that_stays_clear_of_such_rows_is_verified(shares: DataFrame) -> None:
    valid = shares.filter("code rlike '^[0-9]+$'").filter("total < 8")
    answer = why_not(valid.select(F.col("code").cast("int").alias("n"), "total"), {"n": 8})
    (found,) = answer.explanations
    assert [fix.after for fix in found.fixes] == ["filter total < 10"]
    assert found.verified
    assert found.side_effects is not None
    assert found.side_effects.upper == 0


def test_operators_are_told_as_they_were_written(spark: SparkSession) -> None:
    source = spark.createDataFrame([("1", "a"), ("x", "b"), ("9", "c")], "n string, name string")
    numbers = source.filter("n rlike '^[0-9]+$'").filter(F.col("n").cast("int") > 5)
    kept = numbers.filter(F.col("n").try_cast("int") < 10)
    answer = why_not(kept, {"name": ne("c")})  # also true of the row whose n is no number
    assert any("CAST_INVALID_INPUT" in warning for warning in answer.warnings)
    found = answer.explanations[0]
    assert [operator.text for operator in found.operators] == ["filter cast(n as int) > 5"]
    assert [fix.after for fix in found.fixes] == ["filter cast(n as int) > 0"]
    assert "n = 1, so cast(n as int) > 5 is FALSE" in str(answer)
    assert "try_cast(n as int) < 10" in show_plan(answer.plan)


def test_a_fix_that_lets_another_such_row_in_is_not_verified(spark: SparkSession) -> None:
    """The row itself can be computed; but between it and the old constant lies one that cannot."""
    source = spark.createDataFrame([(-1, 5), (0, 6), (3, 9)], "parts int, total int")
    query = source.filter("parts > 2").select("parts", (F.col("total") / F.col("parts")).alias("share"))
    (found,) = why_not(query, {"share": -5.0}).explanations
    assert [fix.after for fix in found.fixes] == ["filter parts > -2"]
    assert (found.verified, found.reason) == (False, "with this change the query fails: DIVIDE_BY_ZERO")


def test_another_attribute_may_fail_too(spark: SparkSession) -> None:
    """Under the alternative the code is cast, which is no number in the row that is asked for."""
    source = spark.createDataFrame([(1, "5", "a"), (2, "9", "8")], "id int, size string, code string")
    query = source.select("id", F.col("size").cast("int").alias("n")).filter("n > 8 or n is null")
    answer = why_not(query, {"id": 1}, alternatives=[{"size", "code"}])
    told = {tuple(operator.kind for operator in found.operators): found for found in answer.explanations}
    assert {kinds: found.verified for kinds, found in told.items()} == {("filter",): True, ("project",): False}
    assert told["project",].reason == "with this change the query fails: CAST_INVALID_INPUT"


def test_a_query_that_fails_by_itself_still_fails(shares: DataFrame) -> None:
    query = shares.filter("total < 9").select("parts", (F.col("total") / F.col("parts")).alias("share"))
    with pytest.raises(QueryFailed, match="DIVIDE_BY_ZERO"):
        why_not(query, {"share": 3.0})


def test_what_was_made_tolerant_is_strict_again(shares: DataFrame) -> None:
    query = shares.filter("cast(code as int) > 1").selectExpr(
        "total / parts as a", "try_divide(total, 2) as b", "array(1, 2)[parts] as c", "total + 1 - parts * 2 as d"
    )
    plan = read(query)
    forgiving = make_tolerant(plan)
    assert forgiving != plan
    assert make_tolerant(forgiving) == forgiving
    assert make_strict(forgiving, plan) == plan
