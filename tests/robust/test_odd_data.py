"""Odd data has the right answer, or an error of ours that says what to do; and nothing is left behind."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from pathlib import Path

import pytest
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from sparkwhy import Answer, SparkWhyError, why_not
from sparkwhy.plan.build import call
from sparkwhy.plan.exprs import Attribute, AttrId, Compare, Expr, FieldOf, Literal, Ref
from sparkwhy.plan.nodes import Column, Filter, OpId, Plan, Project, Sort, SortKey, Source, Table, Union
from sparkwhy.plan.show import show_value
from sparkwhy.plan.types import INTEGER, Field, Struct, Type
from sparkwhy.plan.zones import zone_of
from sparkwhy.spark.classic.jobs.failures import query_failed
from tests.fix.chain import Case, Tables, tried
from tests.robust.odd_data import CASES, Is, Odd, Place, Refuses, Sees

SETTINGS = {
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.adaptive.enabled": "false",
}
"""Of so few rows no compiler is worth its time."""


@pytest.fixture
def place(spark: SparkSession, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Place]:
    """A place for one case; afterwards there are no settings, caches, views or tables of it."""
    odd: Odd = request.param
    wanted = {**SETTINGS, **(odd.settings or {})}
    before = {name: spark.conf.get(name) for name in wanted}
    for name, value in wanted.items():
        spark.conf.set(name, value)
    yield Place(spark, tmp_path)
    spark.catalog.clearCache()
    spark.catalog.dropTempView("odd_people")
    spark.sql("drop table if exists odd_padded")
    for name, old in before.items():
        assert old is not None
        spark.conf.set(name, old)


def test_no_case_is_there_twice() -> None:
    assert len({odd.id for odd in CASES}) == len(CASES)


@pytest.mark.spark
@pytest.mark.parametrize(
    ("place", "odd"), [(odd, odd) for odd in CASES], ids=lambda odd: odd.id[:60], indirect=["place"]
)
def test_odd_data(place: Place, odd: Odd) -> None:
    df = odd.make(place)
    if isinstance(odd.out, Refuses):
        with pytest.raises(odd.out.error) as raised:
            why_not(df, odd.missing, **odd.options)
        assert all(word in str(raised.value) for word in odd.out.words), str(raised.value)
    else:
        check(why_not(df, odd.missing, **odd.options), odd.out)


def check(answer: Answer, out: Sees | Is) -> None:
    text = str(answer)
    assert all(word in text for word in out.words), text
    assert answer.to_json()
    assert answer.to_html()
    if isinstance(out, Is):
        assert answer.outcome == out.outcome, text
        return
    assert answer.outcome == "explained", text
    first = answer.explanations[0]
    assert len(first.operators) == len(out.operators), text
    assert all(op.text.startswith(words) for op, words in zip(first.operators, out.operators, strict=True)), text
    assert first.verified is out.verified, text
    noted = any(word.startswith("Note: ") for word in out.words)
    assert ("returns other values on each run" in text) == noted, text


# --- plans of a thousand operators, without Spark ---

MANY = 1_000
N, ID = Attribute(AttrId(1), "n", INTEGER), Attribute(AttrId(2), "id", INTEGER)
ROWS = [(3, 1), (9, 2)]


def table(step: int) -> Table:
    return Table(id=OpId(step), attributes=(N, ID), source=Source("people"))


def projects() -> tuple[Plan, Tables]:
    plan: Plan = table(1)
    last = N
    for i in range(MANY):
        new = Attribute(AttrId(10 + i), "x", INTEGER)
        more = Column(new, call("+", Ref(last), Literal(1, INTEGER)))
        plan = Project(id=OpId(2 + i), input=plan, columns=(Column(N, Ref(N)), Column(ID, Ref(ID)), more))
        last = new
    return plan, {OpId(1): ROWS}


def sorts() -> tuple[Plan, Tables]:
    plan: Plan = table(1)
    for i in range(MANY):
        plan = Sort(id=OpId(2 + i), input=plan, order=(SortKey(Ref(N)),))
    return plan, {OpId(1): ROWS}


def unions() -> tuple[Plan, Tables]:
    def branch(i: int) -> Table:
        output = (Attribute(AttrId(10 + 2 * i), "n", INTEGER), Attribute(AttrId(11 + 2 * i), "id", INTEGER))
        return Table(id=OpId(1 + i), attributes=output, source=Source("people"))

    branches = tuple(branch(i) for i in range(MANY))
    return Union(id=OpId(MANY + 1), branches=branches, attributes=(N, ID)), {each.id: ROWS for each in branches}


@pytest.mark.timeout(60)  # alone it takes a few seconds: what grows with the square of the plan would be seen
@pytest.mark.parametrize("made", [projects, sorts, unions])
def test_a_thousand_operators(made) -> None:
    plan, tables = made()
    last = Filter(id=OpId(2 * MANY), input=plan, condition=Compare(">=", Ref(N), Literal(5, INTEGER)))
    answer = tried(Case.of(last, tables, (Compare("=", Ref(ID), Literal(1, INTEGER)),)))
    (only,) = answer.ranked
    assert [operator.text for operator in only.operators] == ["filter n >= 5"]
    assert only.verified


@pytest.mark.timeout(10)  # if each level asked its input twice, this would not end
def test_the_type_of_a_deep_field_takes_no_time() -> None:
    deep: Type = INTEGER
    for _ in range(100):
        deep = Struct((Field("f", deep),))
    value: Expr = Ref(Attribute(AttrId(1), "d", deep))
    for _ in range(100):
        value = FieldOf(value, 0)
    assert value.type == INTEGER


def test_a_time_is_shown_with_all_its_digits() -> None:
    """A fix must be what it was when it was run."""
    assert show_value(dt.datetime(1, 1, 1, 0, 0, 0, 5)) == "timestamp '0001-01-01 00:00:00.000005'"
    assert show_value(dt.datetime(2024, 7, 1, 12, tzinfo=zone_of("+02:00"))) == "timestamp '2024-07-01 12:00:00'"


def test_a_plan_that_is_too_long_for_spark_has_a_hint() -> None:
    failed = query_failed(PySparkException("java.lang.StackOverflowError"), "tracing rows", table(1))
    assert "put .localCheckpoint() in the middle" in str(failed)


@pytest.mark.spark
@pytest.mark.parametrize(
    ("cause", "hint"), [("StackOverflowError", "put .localCheckpoint() in the middle"), ("OutOfMemoryError", "memory")]
)
def test_an_error_on_another_thread_of_the_jvm_is_told_by_its_cause(spark: SparkSession, cause: str, hint: str) -> None:
    assert spark.sparkContext._gateway is not None
    java = spark.sparkContext._gateway.jvm.java
    thrown = java.util.concurrent.ExecutionException("Boxed Exception", getattr(java.lang, cause)("deep"))
    failed = query_failed(Py4JJavaError("collecting", thrown), "trying fixes", table(1))
    assert f"Spark says: java.lang.{cause}: deep" in str(failed)
    assert hint in str(failed.hint)


def test_an_error_of_ours_is_what_is_counted_as_refused() -> None:
    assert all(issubclass(odd.out.error, SparkWhyError) for odd in CASES if isinstance(odd.out, Refuses))
