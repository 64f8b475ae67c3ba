"""Decimals of much data are added up as whole numbers, and the sums are those of the decimals."""

from __future__ import annotations

import decimal
from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from sparkwhy.memory.interpreter import run
from sparkwhy.memory.values import Row
from sparkwhy.plan.build import boolean
from sparkwhy.plan.exprs import AggCall, Call, Compare, Expr, Literal, Ref
from sparkwhy.plan.node_exprs import exprs_of
from sparkwhy.plan.nodes import Aggregate, Column, Filter, OpId, Plan
from sparkwhy.plan.types import Decimal
from sparkwhy.plan.walk import walk
from sparkwhy.plan.walk_exprs import parts
from sparkwhy.spark.classic.read.operators import read
from sparkwhy.spark.classic.run.operators import run as run_on_spark
from sparkwhy.trace.evaluate import EvaluatedQueries, evaluate
from sparkwhy.trace.evaluation.rows import EvaluatedRows
from sparkwhy.trace.trace import TracedQuery, trace
from tests.fix.test_ladder import K
from tests.plan.test_nodes import attribute, table

TYPES = [Decimal(15, 2), Decimal(18, 0), Decimal(31, 4), Decimal(38, 6)]
ZERO = decimal.Decimal(0)


def total(function: str, described: Decimal) -> Aggregate:
    """A total by key of what is not zero."""
    value = attribute(2, "v", described)
    kept = Filter(id=OpId(2), input=table(1, K, value), condition=Compare("<>", Ref(value), Literal(ZERO, described)))
    call = AggCall(function, (Ref(value),))
    made = Column(attribute(3, "total", call.type), call)
    return Aggregate(id=OpId(3), input=kept, keys=(Column(K, Ref(K)),), aggregates=(made,))


def values(described: Decimal, random: Random) -> list[Row]:
    """Small and large numbers of both signs, nulls, and what is just too long for a whole number."""
    unit = decimal.Decimal(1).scaleb(-described.scale)
    digits = min(described.precision, 34)
    found: list[Row] = [(random.randint(1, 3), None if random.random() < 0.5 else ZERO * unit) for _ in range(5)]
    for length in (1, 5, 9, 17, 18, 19, 25, digits):
        for _ in range(random.randint(0, 3) if length <= digits else 0):
            found.append((random.randint(1, 3), random.randint(-(10**length) + 1, 10**length - 1) * unit))
    return found


def both_ways(plan: Plan) -> list[TracedQuery]:
    """Traced as ever, and as it is where there is much data; the question reads the last column."""
    asked: tuple[Expr, ...] = (Compare(">", Ref(plan.output[-1]), Literal(ZERO, plan.output[-1].type)),)
    return [trace(plan, asked, records=True, references=large) for large in (False, True)]


def texts_of(query: TracedQuery | EvaluatedQueries, rows: Sequence[Sequence[Any]]) -> list[tuple[str, ...]]:
    """Return the values of rows and their marks: what they blame, or the queries that have them."""
    places = {a.id: i for i, a in enumerate(query.rows.plan.output)}
    found = query.rows
    given = (found.present,) if isinstance(found, EvaluatedRows) else (found.blame, found.maybe)
    marks = [mark for mark in given if mark is not None]
    return sorted(tuple(str(row[places[a.id]]) for a in (*query.plans[0].output, *marks)) for row in rows)


def uses_numbers(query: TracedQuery | EvaluatedQueries) -> bool:
    found = (part for node in walk(query.rows.plan) for expr in exprs_of(node) for part in parts(expr))
    return any(isinstance(part, Call) and part.function == "unscaled_value" for part in found)


@pytest.mark.parametrize("function", ["sum", "avg"])
@pytest.mark.parametrize("described", TYPES)
def test_sums_by_whole_numbers_are_those_of_the_decimals(function: str, described: Decimal) -> None:
    as_ever, by_numbers = both_ways(total(function, described))
    assert (uses_numbers(as_ever), uses_numbers(by_numbers)) == (False, True)
    for seed in range(20):
        tables = {OpId(1): values(described, Random(f"{described}/{seed}"))}
        expected, found = (texts_of(query, run(query.rows.plan, tables)) for query in (as_ever, by_numbers))
        assert found == expected


@pytest.mark.parametrize("described", TYPES)
def test_changed_queries_are_evaluated_with_them_too(described: Decimal) -> None:
    plan = total("sum", described)
    assert isinstance(plan.input, Filter)
    other = replace(plan, input=replace(plan.input, condition=boolean(True)))
    as_ever, by_numbers = (evaluate([plan, other], [frozenset()] * 2, large=large) for large in (False, True))
    assert (uses_numbers(as_ever), uses_numbers(by_numbers)) == (False, True)
    tables = {OpId(1): values(described, Random(f"{described}"))}
    expected, found = (texts_of(query, run(query.rows.plan, tables)) for query in (as_ever, by_numbers))
    assert found == expected


@pytest.mark.parametrize("described", TYPES)
def test_spark_adds_them_up_too(spark: SparkSession, described: Decimal) -> None:
    rows = values(described, Random(f"{described}"))
    df = spark.createDataFrame(rows, f"k int, v decimal({described.precision}, {described.scale})")
    sums = df.filter("v <> 0").groupBy("k").agg(F.avg("v").alias("mean"), F.sum("v").alias("total"))
    as_ever, by_numbers = both_ways(read(sums))
    assert uses_numbers(by_numbers)
    expected, found = (texts_of(each, run_on_spark(spark, each.rows.plan).collect()) for each in (as_ever, by_numbers))
    assert found == expected
