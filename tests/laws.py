"""The laws that reading and running obey, as checks on any DataFrame."""

from __future__ import annotations

import json
from typing import Any

from pyspark.sql import DataFrame

from sparkwhy.lab.tables import rows_of, tables_of
from sparkwhy.memory import interpreter
from sparkwhy.memory.settings import Settings
from sparkwhy.memory.values import unordered_bag
from sparkwhy.plan.nodes import Plan
from sparkwhy.plan.show import show_plan
from sparkwhy.spark.classic.read.operators import read
from sparkwhy.spark.classic.run.operators import run


def check_spark(df: DataFrame) -> Plan:
    """Running `read(df)` on Spark gives the bag, the schema and the names of `df` itself."""
    plan = read(df)
    _check_spark(df, plan, bag_of(df, plan))
    return plan


def check_both(df: DataFrame) -> Plan:
    """And the interpreter gives the same bag as Spark."""
    plan = read(df)
    expected = bag_of(df, plan)
    _check_spark(df, plan, expected)
    timezone = df.sparkSession.conf.get("spark.sql.session.timeZone")
    assert timezone is not None
    rows = interpreter.run(plan, tables_of(df.sparkSession, plan), settings=Settings(timezone))
    assert unordered_bag(rows, types_of(plan)) == expected, show_plan(plan)
    return plan


def _check_spark(df: DataFrame, plan: Plan, expected: Any) -> None:
    again = run(df.sparkSession, plan)
    assert schema_of(again) == schema_of(df), show_plan(plan)
    assert bag_of(again, plan) == expected, show_plan(plan)


def types_of(plan: Plan) -> list[Any]:
    return [attribute.type for attribute in plan.output]


def bag_of(df: DataFrame, plan: Plan) -> Any:
    """The rows as a bag; arrays are compared without order, for `collect_list` has none."""
    return unordered_bag(rows_of(df, plan), types_of(plan))


def schema_of(df: DataFrame) -> Any:
    """Names, types and nullability of the columns; the metadata that Spark adds for its own use does not count."""
    return _without_metadata(json.loads(df.schema.json()))


def _without_metadata(described: Any) -> Any:
    if isinstance(described, dict):
        return {key: _without_metadata(value) for key, value in described.items() if key != "metadata"}
    if isinstance(described, list):
        return [_without_metadata(item) for item in described]
    return described
