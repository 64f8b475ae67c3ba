"""A value on which a filter failed is followed to what made it."""

from __future__ import annotations

import pytest
from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as F

from sparkwhy import why_not


@pytest.fixture
def people(spark: SparkSession) -> DataFrame:
    rows = [("Ann", "DE", 5), ("Bob", "FR", 7), ("Cy", "FR", 9)]
    return spark.createDataFrame(rows, "name string, land string, v int")


@pytest.fixture
def raw(spark: SparkSession) -> DataFrame:
    rows = [("c1", '{"tier":"gold"}', "1,250,000.00"), ("c2", '{"level":"x"}', "12.5")]
    return spark.createDataFrame(rows, "cid string, js string, amount string")


def test_a_flag_is_taken_apart_into_its_conditions(people: DataFrame) -> None:
    flagged = people.withColumn("is_valid", (F.col("v") > 6) & (F.col("land") == "DE")).select("name", "is_valid")
    text = str(why_not(flagged.filter("is_valid"), {"name": "Cy"}))
    assert "is_valid: land = FR, so land = 'DE' is FALSE" in text
    assert "v > 6" not in text  # this part of the flag holds


def test_a_flag_that_must_be_false_names_what_is_true(people: DataFrame) -> None:
    flagged = people.withColumn("is_bad", (F.col("v") > 8) | (F.col("land") == "DE")).select("name", "is_bad")
    text = str(why_not(flagged.filter("not is_bad"), {"name": "Cy"}))
    assert "is_bad: v = 9, so v > 8 is TRUE" in text
    assert "land" not in text


def test_a_flag_of_a_flag_is_followed_to_the_values(people: DataFrame) -> None:
    flagged = people.withColumn("high", F.col("v") > 8).withColumn("ok", F.col("high") & (F.col("land") == "FR"))
    text = str(why_not(flagged.select("name", "ok").filter("ok"), {"name": "Bob"}))
    assert "ok: high = false, so high is FALSE" in text
    assert "high comes from v > 8: v = 7" in text


def test_an_overwritten_column_shows_the_raw_value(raw: DataFrame) -> None:
    parsed = raw.withColumn("amount", F.regexp_replace("amount", ",.*", "").cast("double"))
    text = str(why_not(parsed.filter("amount > 1000"), {"cid": "c1"}))
    assert "amount comes from cast(regexp_replace(amount, ',.*', '') as double): amount = 1,250,000.00" in text


def test_a_branch_of_case_shows_what_it_tests(people: DataFrame) -> None:
    named = people.withColumn("size", F.when(F.col("v") > 8, "big").otherwise("small")).drop("v")
    text = str(why_not(named.filter(F.col("size") == "big"), {"name": "Bob"}))
    assert "size comes from case when v > 8 then 'big' else 'small' end: v = 7" in text


def test_a_field_that_the_text_does_not_have(raw: DataFrame) -> None:
    parsed = raw.withColumn("j", F.from_json("js", "tier string")).select("cid", F.col("j.tier").alias("tier"))
    text = str(why_not(parsed.filter("tier is not null"), {"cid": "c2"}))
    assert 'the null comes from from_json(js).tier: js = {"level":"x"}' in text


def test_a_window_is_named_by_what_it_computes(people: DataFrame) -> None:
    best = F.max(F.col("v") * 2).over(Window.partitionBy("land"))
    text = str(why_not(people.withColumn("best", best).filter("best > 15"), {"name": "Ann"}))
    assert "best comes from window max(v * 2) as best by land" in text


def test_a_value_is_followed_in_its_branch_of_a_union(people: DataFrame, raw: DataFrame) -> None:
    both = people.select("name", F.upper("land").alias("land")).union(raw.select("cid", F.lower("js")))
    text = str(why_not(both.filter("land = 'DE'"), {"name": "c1"}))
    assert "land comes from lower(js): js = " in text
    assert "upper" not in text


def test_a_pivot_without_a_value_names_what_it_lacks(spark: SparkSession) -> None:
    scores = spark.createDataFrame([("a", "q1", 5), ("b", "q3", 7)], "id string, q string, s int")
    pivoted = scores.groupBy("id").pivot("q", ["q1", "q2"]).agg(F.sum("s"))
    text = str(why_not(pivoted.filter("q1 >= 0"), {"id": "b"}))
    assert "the null comes from the pivot: no value where q = 'q1'" in text


def test_values_of_the_row_that_is_dropped_not_of_others_in_its_group(people: DataFrame) -> None:
    marked = people.withColumn("twice", F.col("v") * 2).filter("twice > 15").groupBy("land").agg(F.sum("v").alias("v"))
    text = str(why_not(marked, {"land": "FR", "v": 16}))
    assert "twice comes from v * 2: v = 7" in text


def test_values_behind_a_value_are_hidden_if_wished(people: DataFrame) -> None:
    named = people.withColumn("size", F.when(F.col("v") > 8, "big").otherwise("small")).drop("v")
    answer = why_not(named.filter(F.col("size") == "big"), {"name": "Bob"}, redact=["v"])
    assert "v = 7" not in str(answer)
