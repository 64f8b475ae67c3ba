"""The laws of reading, running and interpreting, on generated queries over nested data."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import TypeAlias

import pytest
from hypothesis import assume, event, given, settings
from hypothesis import strategies as st
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from sparkwhy.errors import EvaluationError, NotInterpretable
from sparkwhy.lab.tables import tables_of
from sparkwhy.memory import interpreter
from sparkwhy.memory.values import unordered_bag
from sparkwhy.plan.nodes import Plan
from sparkwhy.plan.show import show_plan
from sparkwhy.spark.classic.read.operators import read
from sparkwhy.spark.classic.run.operators import run
from tests.generate.queries import build, queries
from tests.laws import bag_of, schema_of, types_of

pytestmark = [pytest.mark.spark, pytest.mark.slow, pytest.mark.timeout(1800)]

FAILED = "failed"
BROKEN = "broken"
"""A bug of Spark, which excuses the query as written, but not the plan that it was read as."""

BUGS_OF_SPARK = ("INTERNAL_ERROR", "PLAN_VALIDATION_FAILED")
"""The second where an `intersectAll` has the same column twice: its optimizer loses one of them."""

Outcome: TypeAlias = "Hashable | dict[Hashable, int]"

INTERPRETED = {
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.adaptive.enabled": "false",
}
"""Queries over a handful of rows spend most of their time in the compiler: without it they run four times as fast."""


@pytest.fixture
def quick(both_modes: SparkSession) -> Iterator[SparkSession]:
    yield from _with_settings(both_modes, INTERPRETED)


@pytest.fixture
def case_sensitive(spark: SparkSession) -> Iterator[SparkSession]:
    yield from _with_settings(spark, {**INTERPRETED, "spark.sql.caseSensitive": "true"})


def _with_settings(session: SparkSession, values: dict[str, str]) -> Iterator[SparkSession]:
    before = {name: session.conf.get(name) for name in values}
    for name, value in values.items():
        session.conf.set(name, value)
    yield session
    for name, old in before.items():
        assert old is not None
        session.conf.set(name, old)


def examples(few: int) -> int:
    """So many by default; an exploring profile says itself how many."""
    return few if settings.get_current_profile_name() == "default" else settings().max_examples


@settings(max_examples=examples(50))
@given(data=st.data())
def test_generated_queries(quick: SparkSession, data: st.DataObject) -> None:
    check(build(quick, data.draw(queries(quick))))


@settings(max_examples=examples(20))
@given(data=st.data())
def test_generated_queries_where_case_matters(case_sensitive: SparkSession, data: st.DataObject) -> None:
    check(build(case_sensitive, data.draw(queries(case_sensitive))))


# --- the laws, for queries that may fail -----------------------------------------------------------------------------


def check(df: DataFrame) -> None:
    """Spark's answer, that of the plan it was read as, and that of the interpreter are the same.

    A query that fails in Spark fails everywhere. The interpreter may fail where Spark did not: it computes columns
    that nobody reads, which Spark leaves out.
    """
    plan = read(df)
    expected = spark_outcome(df, plan)
    assume(expected != BROKEN)
    again = run(df.sparkSession, plan)
    assert schema_of(again) == schema_of(df), show_plan(plan)
    assert spark_outcome(again, plan) == expected, show_plan(plan)
    found = interpreted_outcome(df.sparkSession, plan)
    if found == FAILED and df.sparkSession.conf.get("spark.sql.ansi.enabled") == "true":
        event("the interpreter failed")
        return
    if found is not NotImplemented:
        assert found == expected, show_plan(plan)


def spark_outcome(df: DataFrame, plan: Plan) -> Outcome:
    try:
        return bag_of(df, plan)
    except (PySparkException, Py4JJavaError) as error:
        event(f"Spark failed: {condition_of(error)}")
        return BROKEN if any(words in str(error) for words in BUGS_OF_SPARK) else FAILED


def condition_of(error: Exception) -> str:
    return str(error.getCondition()) if isinstance(error, PySparkException) else str(error)[:200]


def interpreted_outcome(session: SparkSession, plan: Plan) -> Outcome:
    try:
        return unordered_bag(interpreter.run(plan, tables_of(session, plan)), types_of(plan))
    except EvaluationError:
        return FAILED
    except NotInterpretable as error:
        event(f"not interpretable: {str(error)[:80]}")
        return NotImplemented
