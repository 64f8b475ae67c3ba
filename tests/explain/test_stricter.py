"""Filters that would have to let fewer rows through: which are tried, and what comes of it."""

from __future__ import annotations

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import sparkwhy


def numbers(spark: SparkSession) -> DataFrame:
    return spark.createDataFrame([(1, "a", 5), (2, "a", 20), (3, "b", 7), (4, "b", None)], "n int, g string, v int")


def first(df: DataFrame, missing: dict[str, object]) -> sparkwhy.Explanation:
    answer = sparkwhy.why_not(df, missing)
    assert answer.is_explained, str(answer)
    return answer.explanations[0]


def fixes(explanation: sparkwhy.Explanation) -> list[tuple[str, str]]:
    assert explanation.verified
    return [(fix.before, fix.after) for fix in explanation.fixes]


def test_a_count_is_smaller_with_a_stricter_filter(spark: SparkSession) -> None:
    counted = numbers(spark).filter("n < 10").groupBy("g").agg(F.count("*").alias("c"))
    assert fixes(first(counted, {"g": "a", "c": 1})) == [("filter n < 10", "filter n < 2")]  # of 1 and 2


def test_an_anti_join_finds_no_partner_with_a_stricter_filter_on_the_right(spark: SparkSession) -> None:
    excluded = numbers(spark).filter("v >= 5").select(F.col("n").alias("m"))
    left = numbers(spark).join(excluded, F.col("n") == F.col("m"), "left_anti")
    certain, works = sparkwhy.why_not(left, {"n": 1}).explanations
    assert (certain.certain, works.certain) == (True, False)
    assert fixes(works) == [("filter v >= 5", "filter v > 5")]


def test_a_limit_reaches_further_with_a_stricter_filter(spark: SparkSession) -> None:
    best = numbers(spark).filter("v <> 0").orderBy(F.col("v").desc()).limit(1)
    told = [fixes(each) for each in sparkwhy.why_not(best, {"n": 3}).explanations]
    assert [("limit 1", "limit 2")] in told
    assert [("filter v <> 0", "filter v <> 20")] in told


def test_what_does_not_help_is_told_as_tried(spark: SparkSession) -> None:
    counted = numbers(spark).filter("n < 10").groupBy("g").agg(F.count("*").alias("c"))
    answer = sparkwhy.why_not(counted, {"g": "a", "c": 3})
    assert not answer.is_explained
    assert [[operator.text for operator in each.operators] for each in answer.tried] == [["filter n < 10"]]


def test_without_verification_nothing_is_said_of_filters_that_rows_pass(spark: SparkSession) -> None:
    limited = numbers(spark).filter("v <> 0").orderBy(F.col("v").desc()).limit(1)
    answer = sparkwhy.why_not(limited, {"n": 3}, verify=False)
    told = [[operator.text for operator in each.operators] for each in answer.explanations]
    assert ["limit 1"] in told
    assert ["filter v <> 0"] not in told


def test_a_filter_is_not_tried_where_only_keys_of_groups_are_asked_for(spark: SparkSession) -> None:
    kept = numbers(spark).filter("v <> 0").filter("n < 3")
    counted = kept.groupBy("g").agg(F.count("*").alias("c"))
    answer = sparkwhy.why_not(counted, {"g": "b"})  # no group appears when fewer rows come
    assert fixes(answer.explanations[0]) == [("filter n < 3", "filter n <= 3")]
    assert answer.tried == ()
    doubled = counted.filter("c < 1")
    assert ["filter v <> 0"] in [
        [operator.text for operator in each.operators] for each in sparkwhy.why_not(doubled, {"g": "a"}).tried
    ]
