"""Rows of Spark as rows of the reference engine, so that both can be asked the same."""

from __future__ import annotations

from collections.abc import Mapping

from pyspark.sql import DataFrame, SparkSession

from sparkwhy.memory.values import Row
from sparkwhy.plan.nodes import OpId, Plan, Table
from sparkwhy.plan.walk import walk
from sparkwhy.spark.classic.run.operators import run
from sparkwhy.spark.classic.run.rows import from_spark


def tables_of(session: SparkSession, plan: Plan) -> Mapping[OpId, list[Row]]:
    """Return the rows of every table of a plan, for `interpreter.run`."""
    return {node.id: rows_of(run(session, node), node) for node in walk(plan) if isinstance(node, Table)}


def rows_of(df: DataFrame, plan: Plan) -> list[Row]:
    """Return the rows of a DataFrame that has the output of the plan."""
    types = [attribute.type for attribute in plan.output]
    return [tuple(from_spark(value, type) for value, type in zip(row, types, strict=True)) for row in df.collect()]
