"""A selective question is cheap: its job reads only the columns that it needs, and its key reaches the scan."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from sparkwhy import why_not
from sparkwhy.explain.candidates import candidate_plan
from sparkwhy.limits import DEFAULT_LIMITS as LIMITS
from sparkwhy.question.bind import bind
from sparkwhy.question.match import conditions
from sparkwhy.question.pattern import to_pattern
from sparkwhy.spark.classic.engine import ClassicEngine
from sparkwhy.spark.classic.jvm import take_per_partition
from sparkwhy.spark.classic.read.operators import read
from sparkwhy.spark.classic.run import first_rows as glance
from sparkwhy.spark.classic.run.first_rows import first_rows
from sparkwhy.spark.classic.run.operators import run
from sparkwhy.trace.trace import trace


@pytest.fixture(scope="module")
def shop(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> dict[str, DataFrame]:
    folder: Path = tmp_path_factory.mktemp("shop")
    wide = [F.lit("x").alias(f"unused{i}") for i in range(5)]
    items = spark.range(100).select(
        (F.col("id") % 10).alias("order_id"), F.col("id").cast("double").alias("price"), "id", *wide
    )
    orders = spark.range(10).select(F.col("id").alias("order_key"), F.lit("1995-01-01").alias("day"), *wide)
    found = {}
    for name, df in (("items", items), ("orders", orders)):
        df.coalesce(1).write.parquet(str(folder / name))
        found[name] = spark.read.parquet(str(folder / name))
    return found


def physical_plan(df: DataFrame, missing: dict[str, object]) -> str:
    plan = read(df)
    traced = trace(plan, conditions(bind(to_pattern(missing), plan.output)), records=True)
    asked = run(df.sparkSession, candidate_plan(traced))
    return str(asked._jdf.queryExecution().executedPlan().toString())


def scans(plan: str) -> dict[str, str]:
    """What each scan reads, and what is pushed into it; a table that is scanned twice would show here."""
    found = re.findall(r"PushedFilters: \[(.*?)\], ReadSchema: struct<(.*?)>", plan)
    assert len({read for _, read in found}) == len(found), plan
    return {read: pushed for pushed, read in found}


def test_only_needed_columns_are_read_and_the_key_is_pushed_to_both_sides(shop: dict[str, DataFrame]) -> None:
    query = (
        shop["orders"]
        .join(shop["items"], F.col("order_key") == F.col("order_id"))
        .filter((F.col("day") > "1999-01-01") & (F.col("price") < 50))
        .groupBy("order_id", "day")
        .agg(F.sum("price").alias("total"))
    )
    found = scans(physical_plan(query, {"order_id": 7}))
    assert set(found) == {"order_key:bigint,day:string", "order_id:bigint,price:double"}
    assert "EqualTo(order_key,7)" in found["order_key:bigint,day:string"]
    assert "EqualTo(order_id,7)" in found["order_id:bigint,price:double"]


def test_a_condition_that_a_padded_row_could_meet_is_not_pushed(shop: dict[str, DataFrame]) -> None:
    query = shop["orders"].join(shop["items"], F.col("order_key") == F.col("order_id"), "left").filter("price < 0")
    pushed = " ".join(scans(physical_plan(query, {"price": None})).values())
    assert "price" not in pushed


@pytest.fixture(scope="module")
def orders(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> DataFrame:
    folder = tmp_path_factory.mktemp("nested") / "orders"
    fields = ", ".join(f"id * {i} as f{i}" for i in range(8))
    items = f"if(id % 3 = 0, array(), array(struct({fields}), null)) as items"
    spark.range(9).selectExpr("id as k", items).coalesce(1).write.parquet(str(folder))
    return spark.read.parquet(str(folder))


def test_of_nested_items_only_the_fields_are_read_that_are_used(orders: DataFrame) -> None:
    """Spark itself reads all of them, as soon as two are used."""
    items = orders.withColumn("item", F.explode("items")).filter(F.col("item.f2") > 100)
    totals = items.groupBy("k").agg(F.sum("item.f3").alias("total"))
    (read,) = re.findall(r"ReadSchema: (.*)", physical_plan(totals, {"k": 5}))
    assert read.strip() == "struct<k:bigint,items:array<struct<f2:bigint,f3:bigint>>>"


def test_empty_arrays_and_null_items_are_told_apart_though_few_fields_are_read(orders: DataFrame) -> None:
    items = orders.withColumn("item", F.explode("items")).filter(F.col("item.f2") >= 0)
    counts = items.groupBy("k").agg(F.count("*").alias("n"))
    assert sorted(map(tuple, counts.collect())) == [(k, 1) for k in (1, 2, 4, 5, 7, 8)]
    empty = why_not(counts, {"k": 3}).explanations
    assert [[each.kind for each in found.operators] for found in empty] == [["flatten", "filter"]]
    two = why_not(counts, {"k": 4, "n": 2}).explanations  # the second item is null
    assert [[each.kind for each in found.operators] for found in two] == [["filter"]]


def test_some_rows_of_each_partition_are_read(spark: SparkSession) -> None:
    numbers = spark.range(0, 100, numPartitions=4)
    some = [row.id for row in take_per_partition(numbers, 3).collect()]
    assert some == [start + i for start in (0, 25, 50, 75) for i in range(3)]
    assert take_per_partition(numbers, 1000).count() == 100


def test_fewer_rows_of_each_partition_are_glanced_at_where_there_are_many(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    numbers = spark.range(0, 10_000, numPartitions=2)
    assert first_rows(numbers).count() == 2 * LIMITS.first_rows
    monkeypatch.setattr(glance, "source_bytes", lambda _: LIMITS.first_rows_bytes * 4)
    assert first_rows(numbers).count() == 2 * LIMITS.first_rows // 4
    monkeypatch.setattr(glance, "source_bytes", lambda _: LIMITS.first_rows_bytes * 10**6)
    assert first_rows(numbers).count() == 2 * LIMITS.fewest_first_rows


def test_a_common_table_expression_is_as_large_as_what_it_reads(spark: SparkSession) -> None:
    spark.range(9).createOrReplaceTempView("few")
    spark.range(10**9).createOrReplaceTempView("many")
    few = spark.sql("with c as (select id from few) select a.id from c a where id in (select id from c)")
    assert ClassicEngine(few).source_bytes() < 1000
    many = spark.sql("with c as (select id from few) select id from c where id in (select id from many)")
    assert ClassicEngine(many).source_bytes() == 8 * 10**9
