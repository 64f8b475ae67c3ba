"""Spark and the interpreter give a traced plan the same rows, marks included."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from pyspark.sql import SparkSession

from sparkwhy.lab.tables import rows_of
from sparkwhy.memory.interpreter import run
from sparkwhy.memory.values import Row
from sparkwhy.plan.nodes import OpId, Plan, Source, Table
from sparkwhy.plan.walk import fold, with_inputs
from sparkwhy.spark.classic import jvm
from sparkwhy.spark.classic.run import operators as spark_run
from sparkwhy.trace.trace import trace
from tests.sessions import uncompiled
from tests.trace.plans import Generator
from tests.trace.test_law import bag

SQL_TYPES = {
    **dict.fromkeys(("k", "v", "j", "w"), "int"),
    "xs": "array<int>",
    "l": "bigint",
    "d": "date",
    "m": "decimal(9, 2)",
    "x": "double",
}


@pytest.fixture(scope="module")
def spark(spark: SparkSession) -> SparkSession:
    return uncompiled(spark)


def with_data(spark: SparkSession, plan: Plan, tables: dict[OpId, list[Row]]) -> Plan:
    """The plan with tables that Spark can read."""

    def combine(node: Plan, inputs: tuple[Plan, ...]) -> Plan:
        if not isinstance(node, Table):
            return with_inputs(node, inputs)
        schema = ", ".join(f"{a.name} {SQL_TYPES[a.name]}" for a in node.attributes)
        df = spark.createDataFrame([tuple(row) for row in tables[node.id]], schema).coalesce(1).localCheckpoint()
        return replace(node, source=Source(node.source.name, jvm.analyzed_plan(df)))

    return fold(plan, combine)


@pytest.mark.parametrize("seed", range(12))
def test_both_engines_trace_alike(spark: SparkSession, seed: int) -> None:
    generator = Generator(Random(f"spark/{seed}"))
    plan = generator.plan(1 + seed % 4)
    traced = trace(with_data(spark, plan, generator.tables), records=seed % 2 == 0).rows.plan
    found = rows_of(spark_run.run(spark, traced), traced)
    assert bag(found, traced) == bag(run(traced, generator.tables), traced)
