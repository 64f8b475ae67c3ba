"""Many filters in a row: what is made of them grows with their number, and not with its power."""

from __future__ import annotations

from random import Random

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from sparkwhy import why_not
from sparkwhy.plan.exprs import Compare, Literal, Ref
from sparkwhy.plan.node_exprs import exprs_of
from sparkwhy.plan.nodes import Filter, OpId, Plan, Project
from sparkwhy.plan.types import INTEGER
from sparkwhy.plan.walk import walk
from sparkwhy.plan.walk_exprs import parts
from sparkwhy.trace.evaluate import evaluate
from sparkwhy.trace.trace import trace
from tests.trace.plans import Generator


def chain(count: int, shift: int = 0) -> Plan:
    plan: Plan = Generator(Random("chain")).table()
    for i in range(count):
        condition = Compare("<>", Ref(plan.output[0]), Literal(i + shift, INTEGER))
        plan = Filter(id=OpId(100 + i), input=plan, condition=condition)
    return plan


def size(plan: Plan) -> int:
    return sum(1 for node in walk(plan) for expr in exprs_of(node) for _ in parts(expr))


def test_trails_grow_with_the_number_of_filters() -> None:
    short, long = (trace(chain(count), records=True).rows.plan for count in (10, 40))
    assert size(long) < 5 * size(short)
    assert [type(node) for node in walk(long)].count(Project) == 1  # Spark would make one of many by copies


@pytest.mark.parametrize("count", [10, 40])
def test_rows_in_none_of_the_queries_are_dropped_once(count: int) -> None:
    plans = [chain(count, shift) for shift in range(3)]
    rows = evaluate(plans, [frozenset() for _ in plans]).rows.plan
    assert [type(node) for node in walk(rows)].count(Filter) == 1


def test_many_filters_are_answered(spark: SparkSession) -> None:
    df = spark.createDataFrame([(i,) for i in range(30)], "n int")
    for i in range(24):
        df = df.filter(F.col("n") != i)
    (found,) = why_not(df, {"n": 4}, side_effects="none").explanations
    assert [operator.text for operator in found.operators] == ["filter n <> 4"]
