"""The laws of reading, running and interpreting on the 22 queries of TPC-H, and how two of them print."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from sparkwhy.lab.pushdown import push_filters_into_joins
from sparkwhy.lab.tables import rows_of
from sparkwhy.memory import interpreter
from sparkwhy.memory.settings import Settings
from sparkwhy.memory.values import Row, unordered_bag
from sparkwhy.plan.nodes import OpId, Plan, Table
from sparkwhy.plan.show import show_plan
from sparkwhy.plan.walk import walk
from sparkwhy.spark.classic.read.operators import read
from sparkwhy.spark.classic.run.operators import run
from tests.laws import check_spark, types_of
from tests.tpch.data import QUERIES, TABLES, query, register

SCALE = 0.01
"""The smallest scale at which all queries return rows."""

ONLY_NULL = {"q17"}
"""Queries whose one row is a sum over nothing at this scale."""

GOLDEN = Path(__file__).parents[1] / "golden"


class Warehouse:
    """A session of its own, so that no other test sees the views, and the rows of each table, fetched once."""

    def __init__(self, spark: SparkSession) -> None:
        self.session = spark.newSession()
        register(self.session, SCALE)
        self._rows = cache(self._fetch)

    def plan(self, name: str) -> Plan:
        return read(self.session.sql(query(name)))

    def rows(self, plan: Plan) -> Mapping[OpId, list[Row]]:
        """The rows of every table of a plan, for the interpreter."""
        tables = [node for node in walk(plan) if isinstance(node, Table)]
        return {node.id: self._rows(node.source.name.removesuffix(".parquet")) for node in tables}

    def _fetch(self, name: str) -> list[Row]:
        assert name in TABLES
        plan = read(self.session.table(name))
        return rows_of(run(self.session, plan), plan)


@pytest.fixture(scope="module")
def tpch(spark: SparkSession) -> Warehouse:
    return Warehouse(spark)


@pytest.mark.spark
@pytest.mark.parametrize("name", QUERIES)
def test_spark_and_the_interpreter_return_what_the_query_returns(tpch: Warehouse, name: str):
    df = tpch.session.sql(query(name))
    plan = check_spark(df)
    expected = rows_of(df, plan)
    rows = interpreter.run(push_filters_into_joins(plan), tpch.rows(plan), settings=Settings("UTC"))
    assert unordered_bag(rows, types_of(plan)) == unordered_bag(expected, types_of(plan)), show_plan(plan)
    assert any(value is not None for row in expected for value in row) == (name not in ONLY_NULL)


@pytest.mark.spark
@pytest.mark.parametrize("name", ["q03", "q13"])
def test_plans_print_as_a_user_would_say_them(tpch: Warehouse, name: str):
    assert show_plan(tpch.plan(name)) + "\n" == (GOLDEN / f"tpch_{name}.txt").read_text()
