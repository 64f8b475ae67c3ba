"""Lists and structs are read only in the fields that are looked at, and mean the same."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from sparkwhy.plan.build import call, exists
from sparkwhy.plan.exprs import Attribute, AttrId, Compare, CompareOp, FieldOf, Literal, Not, Ref, is_true
from sparkwhy.plan.nodes import Filter, OpId
from sparkwhy.plan.types import DOUBLE, FLOAT, INTEGER, STRING, Array, Atom, Field, Struct
from sparkwhy.spark.classic.read.operators import read
from sparkwhy.spark.classic.run.narrow_structs import narrow_condition
from sparkwhy.spark.classic.run.operators import run
from sparkwhy.spark.classic.run.sql_text import sql_of

INNER = Struct((Field("_sku", STRING), Field("size", INTEGER)))
ITEM = Struct((Field("name", STRING), Field("qty", INTEGER), Field("made", INNER)))
ITEMS = Ref(Attribute(AttrId(1), "items", Array(ITEM), True))


def test_a_value_that_is_looked_for_in_one_field_is_looked_for_in_the_list_of_that_field() -> None:
    condition = exists(ITEMS, lambda item: is_true(Compare("=", FieldOf(item, 1), Literal(3, INTEGER))))
    assert narrow_condition(condition) == call("array_contains", FieldOf(ITEMS, 1), Literal(3, INTEGER))


def test_a_condition_on_one_field_reads_that_field_only() -> None:
    condition = exists(ITEMS, lambda item: is_true(Compare(">", FieldOf(FieldOf(item, 2), 1), Literal(3, INTEGER))))
    expected = exists(FieldOf(FieldOf(ITEMS, 2), 1), lambda v: is_true(Compare(">", v, Literal(3, INTEGER))))
    assert narrow_condition(condition) == expected


def test_a_condition_on_two_fields_or_on_whole_elements_stays() -> None:
    two = exists(ITEMS, lambda item: is_true(Compare("=", FieldOf(item, 0), FieldOf(FieldOf(item, 2), 0))))
    whole = exists(ITEMS, lambda item: is_true(Compare("=", item, item)))
    assert (narrow_condition(two), narrow_condition(whole)) == (two, whole)


ROWS = [
    (1, [("pen", 3, ("a", 1)), None]),
    (2, [(None, None, None), ("ink", 2, ("b", None))]),
    (3, []),
    (4, None),
    (5, [None, ("cap", 3, None)]),
]


@pytest.mark.parametrize(
    ("field", "op", "value", "expected"),
    [
        (1, "=", Literal(3, INTEGER), [1, 5]),
        (1, "<", Literal(3, INTEGER), [2]),
        (0, "=", Literal("ink", STRING), [2]),
        (0, "=", Literal(None, STRING), []),
    ],
)
def test_it_keeps_the_rows(spark: SparkSession, field: int, op: CompareOp, value: Literal, expected: list[int]) -> None:
    described = "id int, items array<struct<name: string, qty: int, made: struct<_sku: string, size: int>>>"
    table = read(spark.createDataFrame(ROWS, described))
    items = Ref(table.output[1])
    condition = exists(items, lambda item: is_true(Compare(op, FieldOf(item, field), value)))
    found = run(spark, Filter(id=OpId(9), input=table, condition=condition)).collect()
    assert [row[0] for row in found] == expected


def test_below_a_negation_a_null_among_the_values_is_no_answer(spark: SparkSession) -> None:
    """No item has 7; that one of them is null must not make the filter drop the row."""
    table = read(
        spark.createDataFrame([(1, [("a", 3), ("b", None)])], "id int, items array<struct<name: string, qty: int>>")
    )
    items = Ref(table.output[1])
    absent = Not(exists(items, lambda item: is_true(Compare("=", FieldOf(item, 1), Literal(7, INTEGER)))))
    assert run(spark, Filter(id=OpId(9), input=table, condition=absent)).count() == 1


@pytest.fixture(scope="module")
def nested(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> DataFrame:
    folder: Path = tmp_path_factory.mktemp("nested")
    rows = [(1, ("t", "b"), [("x", 1, 2.0)]), (2, None, [])]
    described = "id int, title struct<_VALUE: string, bib: string>, items array<struct<sku: string, a: int, b: double>>"
    spark.createDataFrame(rows, described).coalesce(1).write.parquet(str(folder / "t"))
    return spark.read.parquet(str(folder / "t"))


def test_below_a_flatten_only_the_fields_of_structs_that_are_read_are_read(nested: DataFrame) -> None:
    query = nested.select(F.col("title._VALUE").alias("t"), F.explode_outer("items").alias("i"))
    plan = read(query.select("t", F.col("i.sku").alias("sku")))
    found = run(nested.sparkSession, plan)
    text = found._jdf.queryExecution().executedPlan().toString()
    assert "ReadSchema: struct<title:struct<_VALUE:string>,items:array<struct<sku:string>>>" in text
    assert [tuple(row) for row in found.collect()] == [("t", "x"), (None, None)]


@pytest.mark.parametrize("type", [DOUBLE, FLOAT])
@pytest.mark.parametrize("value", [0.0, -0.0, 0.1, 1e-18, -2.5e30, 123456789.125])
def test_floating_numbers_are_text_that_means_them(spark: SparkSession, type: Atom, value: float) -> None:
    written = F.expr(sql_of(Literal(value, type)) or "")
    found, meant = (column.cast("string") for column in (written, F.lit(value).cast(type.name)))
    assert tuple(spark.range(1).select(found == meant, F.typeof(written)).collect()[0]) == (True, type.name)


@pytest.mark.parametrize("value", [float("inf"), float("nan")])
def test_what_has_no_digits_is_no_text(value: float) -> None:
    assert sql_of(Literal(value, DOUBLE)) is None
