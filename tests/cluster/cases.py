"""Questions that are asked on the cluster and in local mode: those of other tests and of the examples, as they are."""

from __future__ import annotations

import importlib
import importlib.util
import json
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from pyspark.sql import SparkSession, Window
from pyspark.sql import functions as F

from sparkwhy import ANY, Answer, SparkWhyError, why_not
from sparkwhy.cli.demo import cities
from sparkwhy.scenarios import SCENARIOS
from sparkwhy.scenarios.data.tables import GeneratedTables
from tests import test_stability
from tests.test_causes import CAUSES

Case = Callable[[SparkSession], Answer]

ROWS = 200
"""Of the tables of the scenarios."""


def told(spark: SparkSession, name: str) -> dict[str, Any]:
    """The answer to a question as plain data, or the error; lists as bags."""
    try:
        answer = json.loads({**CASES, **ELSEWHERE}[name](spark).to_json())
        return {key: _without_order(value) for key, value in answer.items()}
    except SparkWhyError as error:
        return {"error": str(error)}


def _without_order(value: Any) -> Any:
    """`[Sue, Peter]` as `[Peter, Sue]`, as data and in texts: `collect_list` has the order in which tasks end."""
    match value:
        case dict():
            return {key: _without_order(inner) for key, inner in value.items()}
        case list() if not any(isinstance(inner, dict | list) for inner in value):
            return sorted(value, key=repr)
        case list():
            return [_without_order(inner) for inner in value]
        case str() if value.startswith("[") and value.endswith("]"):
            return f"[{', '.join(sorted(value[1:-1].split(', ')))}]"
        case _:
            return value


def running_example(spark: SparkSession) -> Answer:
    missing = {"city": "NY", "nList": [ANY, ...]}
    return why_not(cities(spark), missing, alternatives=[{"address1", "address2"}], side_effects="exact")


def cause(name: str, spark: SparkSession) -> Answer:
    example = importlib.import_module(f"examples.causes.{name}")
    return why_not(example.query(spark), example.MISSING, alternatives=getattr(example, "ALTERNATIVES", None))


def scenario(name: str, spark: SparkSession) -> Answer:
    asked, tables = SCENARIOS[name], GeneratedTables(spark, rows=ROWS)
    return why_not(asked.query(tables), asked.question(tables), alternatives=asked.alternatives)


def arranged(name: str, spark: SparkSession) -> Answer:
    return test_stability.ask(spark, name, lambda df: df.repartition(3))


def python_function(spark: SparkSession) -> Answer:
    """Where the function runs, the package is not there: it says so itself."""
    is_there = F.udf(lambda name: importlib.util.find_spec(name) is not None, "boolean", useArrow=False)
    names = spark.createDataFrame([("json",), ("sparkwhy",)], "name string")
    return why_not(names.filter(is_there("name")), {"name": "sparkwhy"})


def shares(spark: SparkSession) -> Answer:
    """A window above a join above a grouping, of more rows than a task has."""
    sales = spark.range(0, 600, numPartitions=4).selectExpr("id % 50 as shop", "id % 7 as item", "id as price")
    shops = spark.range(0, 60, numPartitions=3).selectExpr("id as shop", "id % 5 as region").filter("shop <> 13")
    totals = sales.filter("price < 500").groupBy("shop").agg(F.sum("price").alias("total"))
    rank = F.rank().over(Window.partitionBy("region").orderBy(F.desc("total"), "shop"))
    return why_not(totals.join(shops, "shop").withColumn("rank", rank).filter("rank <= 3"), {"shop": 13})


LEFT_TO_CHANCE = {"c13_drop_duplicates"}
"""Which of the duplicates is kept is decided by the task that ends first: on a cluster the row may well be there."""

CASES: Mapping[str, Case] = {
    "running_example": running_example,
    "shares": shares,
    **{name: partial(cause, name) for name in CAUSES if name not in LEFT_TO_CHANCE},
    **{name: partial(arranged, name) for name in test_stability.QUESTIONS},
    **{name: partial(scenario, name) for name in ("D1", "D4", "T1", "T4", "C1", "C2", "C3")},
}

ELSEWHERE: Mapping[str, Case] = {"python_function": python_function}
"""What has another answer in local mode."""
