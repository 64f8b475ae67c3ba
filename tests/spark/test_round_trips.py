"""How often the driver asks the JVM: each call takes its time, and a query may have a thousand columns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from py4j.clientserver import JavaClient
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from sparkwhy import why_not
from sparkwhy.plan.exprs import AggCall, Attribute, AttrId, Call, Frame, Ref, WindowCall
from sparkwhy.plan.nodes import Column, OpId, Plan, SortKey, Source, Table, Window
from sparkwhy.plan.types import LONG, STRING, Map
from sparkwhy.rewrite.codegen import Codegen
from sparkwhy.spark.classic import jvm
from sparkwhy.spark.classic.read.operators import read
from sparkwhy.spark.classic.run.operators import run
from sparkwhy.spark.classic.run.window_text import window_texts

Counted = Callable[[Callable[[], object]], int]


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Counted:
    """Counts the calls of some work; what py4j throws away in between does not count."""
    sent: list[str] = []
    send = JavaClient.send_command

    def counted(client: JavaClient, command: str, *args: Any, **kwargs: Any) -> Any:
        if not command.startswith("m\nd"):
            sent.append(command)
        return send(client, command, *args, **kwargs)

    monkeypatch.setattr(JavaClient, "send_command", counted)

    def count(work: Callable[[], object]) -> int:
        sent.clear()
        work()
        return len(sent)

    return count


def wide(spark: SparkSession, width: int) -> DataFrame:
    """A table of so many columns, some of which are passed on."""
    table = spark.createDataFrame([tuple(range(width))], [f"c{i}" for i in range(width)])
    return table.filter("c0 > 1").select(*(f"c{i}" for i in range(width - 1)))


def with_fields(spark: SparkSession, width: int) -> DataFrame:
    """A struct of so many fields, each of which becomes a column."""
    struct = F.struct(*(F.lit(i).alias(f"c{i}") for i in range(width)))
    return spark.range(3).select(struct.alias("s")).localCheckpoint().select("s.*")


@pytest.mark.parametrize("table", [wide, with_fields])
def test_reading_takes_as_many_calls_for_many_columns(
    spark: SparkSession, calls: Counted, table: Callable[[SparkSession, int], DataFrame]
) -> None:
    few, many = table(spark, 20), table(spark, 200)
    read(few)  # what is asked once
    assert calls(lambda: read(many)) == calls(lambda: read(few))


def test_running_takes_as_many_calls_for_many_columns(spark: SparkSession, calls: Counted) -> None:
    few, many = read(wide(spark, 20)), read(wide(spark, 200))
    assert calls(lambda: run(spark, many)) == calls(lambda: run(spark, few))


def test_a_step_of_text_takes_few_calls(spark: SparkSession, calls: Counted) -> None:
    base = spark.range(9)
    short = read(base.filter("id > 1").selectExpr("id", "id + 1 AS x"))
    long = read(base.filter("id > 1").selectExpr("id", "id + 1 AS x").filter("x > 2").selectExpr("id", "x + 1 AS y"))
    assert calls(lambda: run(spark, long)) - calls(lambda: run(spark, short)) <= 6


def test_projections_of_our_own_are_told_in_one_step(spark: SparkSession) -> None:
    plan = read(spark.range(9).withColumn("x", F.col("id") + 1).withColumn("y", F.col("id") + 2))
    apart, together = (
        str(jvm.analyzed_plan(run(spark, plan, codegen=each))) for each in (Codegen.WHOLE, Codegen.PIECES)
    )
    assert apart.count("Project") - together.count("Project") == 1


@pytest.mark.parametrize("name", ["", "a`b", "${x}", "a\x1fb", "a.b", "naïve", "two words"])
def test_any_name_comes_back(spark: SparkSession, name: str) -> None:
    df = spark.range(3).select((F.col("id") + 1).alias(name), F.lit(1).alias("other"))
    assert run(spark, read(df)).columns == [name, "other"]


def test_the_sources_are_measured_once(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    measured = []

    def source_bytes(df: DataFrame) -> int:
        measured.append(df)
        return measure(df)

    measure = jvm.source_bytes
    monkeypatch.setattr(jvm, "source_bytes", source_bytes)
    why_not(spark.range(9).filter("id > 5"), {"id": 3})
    assert len(measured) == 1


def test_other_readings_are_left_to_fixes(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    def single_changes(*_: object) -> object:
        raise AssertionError("nobody asks for fixes")

    monkeypatch.setattr("sparkwhy.fix.find_fixes.single_changes", single_changes)
    df = spark.createDataFrame([(3, 4)], ["a", "b"]).filter("a > 5")
    assert why_not(df, {"a": 3}, alternatives=[{"a", "b"}], verify=False, side_effects="none").explanations


def test_what_counts_rows_is_compiled_by_itself(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    below: list[str] = []

    def take(df: DataFrame, count: int) -> DataFrame:
        below.append(str(jvm.analyzed_plan(df).getClass().getSimpleName()))
        return take_per_partition(df, count)

    take_per_partition = jvm.take_per_partition
    monkeypatch.setattr(jvm, "take_per_partition", take)
    why_not(spark.range(9).filter("id > 5"), {"id": 3})
    assert "Repartition" in below[:1]


# --- windows as text ---

NUMBER = Attribute(AttrId(1), "n", LONG)
TEXT = Attribute(AttrId(2), "t", STRING)
ENTRIES = Attribute(AttrId(3), "m", Map(STRING, LONG, True))
ROWS: Plan = Table(id=OpId(1), attributes=(NUMBER, TEXT, ENTRIES), source=Source("rows"))


def window(function: Call | AggCall, frame: Frame, by: Attribute = TEXT) -> Window:
    made = Column(Attribute(AttrId(9), "w", LONG), WindowCall(function, frame))
    order = (SortKey(Ref(NUMBER), ascending=False, nulls_first=False),)
    return Window(id=OpId(2), input=ROWS, partition=(Ref(by),), order=order, columns=(made,))


WHOLE = Frame("rows", None, "current row")
SUM = AggCall("sum", (Ref(NUMBER),))


def test_a_rank_has_no_frame() -> None:
    texts = window_texts(window(Call("row_number", ()), WHOLE))
    assert texts == ["row_number() OVER (PARTITION BY a2 ORDER BY a1 DESC NULLS LAST) AS a9"]


@pytest.mark.parametrize(
    ("frame", "text"),
    [
        (WHOLE, "rows BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW"),
        (Frame("range", None, None), "range BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING"),
        (Frame("rows", -2, 3), "rows BETWEEN 2 PRECEDING AND 3 FOLLOWING"),
        (Frame("rows", 0, 1), "rows BETWEEN CURRENT ROW AND 1 FOLLOWING"),
        (Frame("rows", -3, -1), "rows BETWEEN 3 PRECEDING AND 1 PRECEDING"),
    ],
)
def test_the_frame_of_an_aggregate(frame: Frame, text: str) -> None:
    assert window_texts(window(SUM, frame)) == [
        f"sum(a1) OVER (PARTITION BY a2 ORDER BY a1 DESC NULLS LAST {text}) AS a9"
    ]


def test_what_is_not_written_as_text() -> None:
    assert window_texts(window(SUM, Frame("range", -2, 0))) is None
    assert window_texts(window(SUM, WHOLE, by=ENTRIES)) is None
