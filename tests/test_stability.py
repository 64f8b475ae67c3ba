"""The answer depends on query, data and question only: not on partitions, the order of rows, the mode, or the past."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as F

from sparkwhy import Answer, gt, why_not
from sparkwhy.backtrace.find_keys import KeyFinder
from sparkwhy.backtrace.partner_keys import Lookup
from sparkwhy.limits import Limits
from sparkwhy.spark.classic import jvm
from tests.sessions import uncompiled

ITEMS = [(1, "a", 5), (1, "b", 20), (2, "a", None), (3, "c", 7), (3, "c", 7)]
LARGE = Limits(large_bytes=-1)
"""All data counts as large."""

PARTS = [("a", "red"), ("b", "blue"), (None, "green")]


@pytest.fixture(scope="module")
def spark(spark: SparkSession) -> SparkSession:
    return uncompiled(spark)


def joined(items: DataFrame, parts: DataFrame) -> DataFrame:
    return items.join(parts, "part").filter((F.col("n") > 6) & (F.col("color") != "blue"))


def grouped(items: DataFrame, parts: DataFrame) -> DataFrame:
    kept = items.filter(F.col("n") < 10).join(parts.filter(F.col("color") != "red"), "part", "left_anti")
    return kept.groupBy("id").agg(F.sum("n").alias("total")).filter(F.col("total") > 100)


def ranked(items: DataFrame, parts: DataFrame) -> DataFrame:
    best = F.row_number().over(Window.partitionBy("id").orderBy(F.desc("n"), "part"))
    return items.join(parts, "part", "left").withColumn("rank", best).filter("rank = 1").drop("rank")


QUESTIONS: dict[str, tuple[Callable[[DataFrame, DataFrame], DataFrame], dict[str, Any]]] = {
    "joined": (joined, {"id": 1}),
    "grouped": (grouped, {"id": 1, "total": gt(0)}),
    "ranked": (ranked, {"id": 1, "part": "a"}),
}


def ask(spark: SparkSession, name: str, arrange: Callable[[DataFrame], DataFrame]) -> Answer:
    query, missing = QUESTIONS[name]
    items = arrange(spark.createDataFrame(ITEMS, "id int, part string, n int"))
    return why_not(query(items, arrange(spark.createDataFrame(PARTS, "part string, color string"))), missing)


def told(answer: Answer) -> list[tuple[bool, list[str]]]:
    return [(each.certain, [op.text for op in each.operators]) for each in answer.explanations]


@pytest.fixture(scope="module")
def plain(spark: SparkSession) -> dict[str, Answer]:
    """The answers for the tables as they are, each asked for once and in this order."""
    return {name: ask(spark, name, lambda df: df) for name in QUESTIONS}


EXPECTED = {
    # the row of part a fails n > 6, that of part b is blue
    "joined": {("filter (n > 6) and (color <> 'blue')",)},
    # part a is red, so it has no partner and stays; its total of 5 is not above 100. Or part b may count as well.
    "grouped": {("filter total > 100",)},
    "ranked": {("filter rank = 1",)},
}


@pytest.mark.parametrize("name", QUESTIONS)
def test_partitions_and_the_order_of_rows_do_not_matter(
    spark: SparkSession, plain: dict[str, Answer], name: str
) -> None:
    expected = told(plain[name])
    assert EXPECTED[name] <= {tuple(texts) for certain, texts in expected if certain}
    assert told(ask(spark, name, lambda df: df.repartition(5).sortWithinPartitions(F.rand(3)))) == expected
    assert told(ask(spark, name, lambda df: df.coalesce(1).orderBy(F.rand(7)))) == expected


@pytest.mark.parametrize("name", QUESTIONS)
def test_the_mode_does_not_matter_where_both_run(spark: SparkSession, plain: dict[str, Answer], name: str) -> None:
    assert spark.conf.get("spark.sql.ansi.enabled") == "true"
    spark.conf.set("spark.sql.ansi.enabled", "false")
    try:
        assert told(ask(spark, name, lambda df: df)) == told(plain[name])
    finally:
        spark.conf.set("spark.sql.ansi.enabled", "true")


def test_the_past_does_not_matter(spark: SparkSession, plain: dict[str, Answer]) -> None:
    """Other questions were asked since the first time."""
    assert ask(spark, "joined", lambda df: df).to_dict() == plain["joined"].to_dict()


@pytest.mark.parametrize("name", ["c05_empty_array", "c17_several_conditions", "c18_count_of_nulls"])
def test_looking_trails_up_gives_the_same_answer(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """As is done where there is much data; here all data counts as much."""
    module = importlib.import_module(f"examples.causes.{name}")
    carried = why_not(module.query(spark), module.MISSING)
    assert str(why_not(module.query(spark), module.MISSING, limits=LARGE)) == str(carried)


def test_groups_of_groups_are_looked_up_level_by_level(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    sales = spark.createDataFrame([("a", 1, 5), ("b", 2, 7)], "shop string, item int, price int")
    cheap = sales.filter(F.col("price") < 6).groupBy("shop").agg(F.count("*").alias("items"))
    shops = cheap.groupBy("items").agg(F.count("*").alias("shops"))
    carried = why_not(shops, {"shops": 2})
    looked_up = why_not(shops, {"shops": 2}, limits=LARGE)
    assert looked_up.explanations[0].witnesses[0].at
    assert looked_up.explanations[0].witnesses == carried.explanations[0].witnesses
    assert looked_up.explanations[0].returned == {"shops": 2}  # what nobody asks for is not computed
    assert carried.explanations[0].returned == {"items": 1, "shops": 2}


def test_keys_of_partners_that_are_looked_up_give_the_same_answer(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Order 3 has no lines, one order a null in its key; all data counts as much, and lines as more than orders."""
    orders = spark.createDataFrame([(1, "Ann"), (2, "Bob"), (3, "Ann"), (None, "Ann")], "id int, buyer string")
    lines = spark.createDataFrame([(1, 5), (1, 50), (2, 7), (None, 8)], "order int, price int")
    sold = orders.join(lines, orders.id == lines.order).filter(F.col("price") > 10).groupBy("buyer").count()
    plain = [why_not(sold, question) for question in ({"buyer": "Ann", "count": 2}, {"buyer": "Bob"})]
    looks: list[Lookup] = []
    values = KeyFinder._values

    def watched(self: KeyFinder, lookup: Lookup) -> tuple[Any, ...] | None:
        looks.append(lookup)
        return values(self, lookup)

    monkeypatch.setattr(KeyFinder, "_values", watched)
    monkeypatch.setattr(jvm, "plan_bytes", lambda source: 2 if "price" in source.toString() else 1)
    limits = Limits(large_bytes=-1, large_side_bytes=-1)
    keyed = [why_not(sold, question, limits=limits) for question in ({"buyer": "Ann", "count": 2}, {"buyer": "Bob"})]
    assert looks
    for one, other in zip(plain, keyed, strict=True):
        assert [e.operators for e in other.explanations] == [e.operators for e in one.explanations]
        assert [[f.after for f in e.fixes] for e in other.explanations] == [
            [f.after for f in e.fixes] for e in one.explanations
        ]


def test_of_much_data_explanations_alone_leave_near_misses_out_and_say_so(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    orders = spark.createDataFrame([(1, "Anne")], "id int, buyer string")
    buyers = spark.createDataFrame([("Ann",)], "name string")
    sold = orders.join(buyers, orders.buyer == buyers.name)
    asked = partial(why_not, sold, {"id": 1}, verify=False, side_effects="none")
    assert "Ann" in str(asked())
    assert not asked().warnings
    assert "explanations_only" in [note.code for note in asked(limits=LARGE).warnings]
    found = [each.operators for each in asked(limits=LARGE).explanations]
    assert found == [each.operators for each in why_not(sold, {"id": 1}).explanations]
