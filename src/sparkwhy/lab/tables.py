"""Rows of Spark as rows of the reference engine, so that both can be asked the same."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from sparkwhy.lab.values import MapValue, Row, Value
from sparkwhy.plan.nodes import OpId, Plan, Table
from sparkwhy.plan.types import BINARY, TIMESTAMP, Array, Map, Struct, Type
from sparkwhy.plan.walk import walk
from sparkwhy.spark.run import run


def tables_of(session: SparkSession, plan: Plan) -> Mapping[OpId, list[Row]]:
    """The rows of every table of a plan, for `interpreter.run`."""
    return {node.id: rows_of(run(session, node), node) for node in walk(plan) if isinstance(node, Table)}


def rows_of(df: DataFrame, plan: Plan) -> list[Row]:
    """The rows of a DataFrame that has the output of the plan."""
    types = [attribute.type for attribute in plan.output]
    return [tuple(from_spark(value, type) for value, type in zip(row, types, strict=True)) for row in df.collect()]


def from_spark(value: Any, type: Type) -> Value:
    """A value that PySpark collected, as the reference engine has it."""
    if value is None:
        return None
    match type:
        case Array(element):
            return tuple(from_spark(item, element) for item in value)
        case Struct(fields):
            return tuple(from_spark(item, field.type) for item, field in zip(value, fields, strict=True))
        case Map(key, inner):
            return MapValue(tuple((from_spark(k, key), from_spark(v, inner)) for k, v in value.items()))
        case _ if type == TIMESTAMP:
            return value.astimezone(dt.timezone.utc)
        case _ if type == BINARY:
            return bytes(value)
        case _:
            return value
