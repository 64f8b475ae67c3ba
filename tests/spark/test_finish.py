"""Few rows are finished on the driver, with the result that Spark would have."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from random import Random
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from sparkwhy import why_not
from sparkwhy.explain.candidates import candidate_plan
from sparkwhy.limits import DEFAULT_LIMITS, Limits
from sparkwhy.plan.nodes import Aggregate, Plan
from sparkwhy.rewrite.split_small import SmallAt
from sparkwhy.spark.classic.run import collect_small as finish
from sparkwhy.spark.classic.run.collect_small import collect_small
from sparkwhy.spark.classic.run.operators import run
from sparkwhy.trace.trace import trace
from tests.trace.plans import Generator
from tests.trace.test_law_on_spark import with_data


def is_group(node: Plan) -> bool:
    return isinstance(node, Aggregate)


def told(rows: Sequence[Sequence[Any]]) -> list[str]:
    """The rows as text, whatever they are made of."""
    return sorted(json.dumps(row, default=str) for row in rows)


@pytest.mark.parametrize("in_memory", [0, 1000])
@pytest.mark.parametrize("seed", range(6))
def test_candidates_are_the_same(spark: SparkSession, seed: int, in_memory: int) -> None:
    generator = Generator(Random(f"finish/{seed}"))
    plan = with_data(spark, generator.plan(1 + seed % 4), generator.tables)
    asked = candidate_plan(trace(plan, records=True))
    small_at, limits = SmallAt(is_group, last=seed % 2 == 0), Limits(memory_rows=in_memory)
    assert told(collect_small(spark, asked, small_at, limits)) == told(run(spark, asked).collect())


@contextmanager
def jobs_of(spark: SparkSession) -> Iterator[list[int]]:
    """The jobs that run meanwhile."""
    found: list[int] = []
    known = set(spark.sparkContext.statusTracker().getJobIdsForGroup(None))
    try:
        yield found
    finally:
        found.extend(set(spark.sparkContext.statusTracker().getJobIdsForGroup(None)) - known)


@pytest.fixture(scope="module")
def totals(spark: SparkSession) -> DataFrame:
    rows = [("a", 1), ("a", 5), ("b", 2), ("b", None)]
    sales = spark.createDataFrame(rows, "shop string, price int").localCheckpoint()
    return sales.filter("price > 2").groupBy("shop").agg(F.sum("price").alias("total"), F.collect_list("price"))


def explained(df: DataFrame, missing: dict[str, Any], limits: Limits = DEFAULT_LIMITS) -> list[str]:
    answer = why_not(df, missing, verify=False, side_effects="none", limits=limits)
    return [json.dumps(each, sort_keys=True) for each in answer.to_dict()["explanations"]]


def test_fewer_jobs_run_where_a_key_is_asked_for(
    spark: SparkSession, totals: DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    with jobs_of(spark) as few:
        found = explained(totals, {"shop": "b"})
    monkeypatch.setattr(finish, "split_small", lambda *_: None)
    with jobs_of(spark) as many:
        assert explained(totals, {"shop": "b"}) == found
    assert 0 < len(few) < len(many)


def test_fewer_jobs_run_where_few_rows_are_asked_for(spark: SparkSession) -> None:
    sales = spark.createDataFrame([("a", 1), ("b", 2), ("b", None)], "shop string, price int").localCheckpoint()
    dear = sales.filter("price > 2")
    with jobs_of(spark) as few:
        found = explained(dear, {"shop": "b"})
    with jobs_of(spark) as many:
        assert explained(dear, {"shop": "b"}, Limits(memory_rows=1)) == found, "two rows are too many now"
    assert found
    assert 0 < len(few) < len(many)


@pytest.mark.parametrize("limits", [Limits(driver_rows=0), Limits(driver_elements=0)])
def test_many_rows_and_long_lists_are_left_to_spark(
    totals: DataFrame, monkeypatch: pytest.MonkeyPatch, limits: Limits
) -> None:
    found = explained(totals, {"shop": "b"})
    monkeypatch.setattr(finish, "_finish", lambda *_: pytest.fail("too much for the driver"))
    assert explained(totals, {"shop": "b"}, limits) == found
    assert found


def test_more_rows_are_finished_in_one_job(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    """A sum of all rows: beside its rows stands one that is always there."""
    sales = spark.createDataFrame([(i, i % 7) for i in range(50)], "price int, shop int").localCheckpoint()
    total = sales.filter("price > 10").filter("shop < 5").agg(F.sum("price").alias("total"))
    found = explained(total, {"total": 1225})
    rows_at_hand: list[int] = []

    def counted(*args: Any) -> Sequence[Sequence[Any]]:
        with jobs_of(spark) as jobs:
            finished_rows = finish_with_spark(*args)
        rows_at_hand.append(len(jobs))
        return finished_rows

    finish_with_spark = finish._finish
    monkeypatch.setattr(finish, "_finish", counted)
    assert explained(total, {"total": 1225}, Limits(memory_rows=0)) == found
    assert rows_at_hand == [1]
