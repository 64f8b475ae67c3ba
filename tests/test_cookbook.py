"""The cookbook: it shows all causes, and what it advises does help.

That its code and its answers are those of today is asked in `test_causes.py`, which has the answers.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from examples.causes import c21_schema_drift
from examples.session import scratch
from scripts import cookbook
from sparkwhy import why_not
from tests.test_causes import CAUSES

PAGE = cookbook.PAGE.read_text(encoding="utf-8")


def test_every_example_is_shown_under_the_number_of_its_cause() -> None:
    sections = PAGE.split("\n## ")[1:]
    assert [section.partition(".")[0] for section in sections] == [str(number) for number in range(1, 26)]
    for number, section in enumerate(sections, 1):
        shown = cookbook.names(section)
        assert sorted(shown) == [name for name in CAUSES if name.startswith(f"c{number:02}_")]
        assert shown, number


# --- what the page advises ---


def renamed(spark: SparkSession) -> DataFrame:
    users = spark.createDataFrame(
        [("Ann", "a@x.org", None), ("Eva", None, "e@x.org")], "name string, mail string, email string"
    )
    return users.select("name", F.coalesce("mail", "email").alias("contact"))


def dates(spark: SparkSession) -> DataFrame:
    written = spark.createDataFrame([("2024-01-05",), ("05.02.2024",)], "written string")
    parsed = [F.try_to_date("written", form) for form in ("yyyy-MM-dd", "dd.MM.yyyy")]
    return written.withColumn("day", F.coalesce(*parsed))


def raw_lines(spark: SparkSession) -> DataFrame:
    schema = "id int, amount int, _corrupt_record string"
    read = spark.read.schema(schema).option("mode", "PERMISSIVE").json("examples/causes/data/payments.jsonl")
    return spark.createDataFrame(read.collect(), schema)  # with fewer columns Spark may not notice


def line_breaks(spark: SparkSession) -> DataFrame:
    reader = spark.read.schema("id int, note string, amount int").option("header", True)
    return reader.option("multiLine", True).csv("examples/causes/data/notes.csv")


def by_name(spark: SparkSession) -> DataFrame:
    staff = spark.createDataFrame([("Ann", "Oslo")], "name string, city string")
    return staff.unionByName(spark.createDataFrame([("Rome", "Eva")], "city string, name string"))


def in_the_join(spark: SparkSession) -> DataFrame:
    customers = spark.createDataFrame([(1, "Ann"), (3, "Cid")], "id int, name string")
    orders = spark.createDataFrame([(1, "paid")], "buyer int, status string")
    return customers.join(orders, (customers.id == orders.buyer) & (orders.status == "paid"), "left")


def without_blanks(spark: SparkSession) -> DataFrame:
    place = spark.createDataFrame([("Lyon\u00a0",)], "place string")
    return place.select(F.trim(F.translate("place", "\u00a0", " ")).alias("place"))


@pytest.mark.parametrize(
    ("advised", "found"),
    [
        (renamed, "name = 'Eva' and contact = 'e@x.org'"),
        (dates, "day = date '2024-02-05'"),
        (raw_lines, "_corrupt_record like '%35%'"),
        (line_breaks, "id = 2 and amount = 35"),
        (by_name, "name = 'Eva'"),
        (in_the_join, "name = 'Cid'"),
        (without_blanks, "place = 'Lyon'"),
    ],
)
def test_what_is_advised_brings_the_row(
    spark: SparkSession, advised: Callable[[SparkSession], DataFrame], found: str
) -> None:
    assert not advised(spark).filter(found).isEmpty()


def test_a_merged_schema_lets_the_new_column_be_found(spark: SparkSession) -> None:
    c21_schema_drift.query(spark)
    merged = spark.read.option("mergeSchema", True).parquet(str(scratch() / "users"))
    users = merged.filter(F.col("mail").isNotNull()).select("name", F.lower("mail").alias("contact"))
    answer = why_not(users, {"contact": "eva@example.org"}, alternatives="auto", verify=False)
    assert answer.explanations[0].alternative == {"mail": "email"}
