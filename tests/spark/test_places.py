"""Operators know the line of the user's code, where Spark does."""

from __future__ import annotations

import inspect
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from sparkwhy.plan.nodes import Place, Plan
from sparkwhy.plan.walk import walk
from sparkwhy.spark.classic.read.code_places import check
from sparkwhy.spark.classic.read.operators import read


def place_of(kind: str, df: DataFrame) -> Place | None:
    (found,) = [node.where for node in walk(read(df)) if node.kind == kind]
    return found


def line() -> int:
    frame = inspect.currentframe()
    assert frame is not None
    assert frame.f_back is not None
    return frame.f_back.f_lineno


def test_a_filter_knows_its_file_and_line(spark: SparkSession) -> None:
    here = line() + 1
    df = spark.range(9).filter(F.col("id") >= 3)
    place = place_of("filter", df)
    assert place == Place(str(Path(__file__)), here, "__ge__")
    assert str(place) == f"test_places.py:{here}"


def test_the_place_is_where_the_condition_was_written(spark: SparkSession) -> None:
    here = line() + 1
    condition = F.col("id") >= 3
    place = place_of("filter", spark.range(9).filter(condition))
    assert place is not None
    assert place.line == here


def test_computed_columns_groupings_and_joins_know_theirs(spark: SparkSession) -> None:
    a, b = spark.range(9), spark.range(9)
    first = line() + 1
    project = a.select((F.col("id") + 1).alias("x"))
    grouped = a.groupBy("id").agg(F.sum(F.col("id") + 1))
    joined = a.join(b, a.id == b.id)
    places = [place_of("project", project), place_of("aggregate", grouped), place_of("join", joined)]
    assert [place.line if place else None for place in places] == [first, first + 1, first + 2]


def test_a_join_on_names_has_no_place_that_spark_knows(spark: SparkSession) -> None:
    assert place_of("join", spark.range(3).join(spark.range(4), "id")) is None


def test_sql_text_gives_its_line(spark: SparkSession) -> None:
    df = spark.sql("select id\nfrom range(9)\nwhere id >= 3")
    place = place_of("filter", df)
    assert place == Place("SQL", 3, "id >= 3")
    assert str(place) == "SQL line 3"


def test_what_is_left_of_a_condition_with_a_subquery_keeps_its_line(spark: SparkSession) -> None:
    """Spark makes the rest anew when it takes the subquery out, with the line of the whole query."""
    df = spark.sql("select id\nfrom range(9)\nwhere id > 1 and id < 8\n  and id in (select id from range(3))")
    assert place_of("filter", df) == Place("SQL", 3, "id > 1")


def numbered(plan: Plan) -> list[str]:
    return [f"{node.id} {node.kind}" for node in walk(plan)]


def test_steps_are_numbered_in_reading_order(spark: SparkSession) -> None:
    left = spark.range(3).filter("id > 0")
    right = spark.range(4).select(F.explode(F.array(F.lit(1), F.lit(2))).alias("x"), "id")
    assert numbered(read(left.join(right, "id"))) == [
        "1 table",
        "2 filter",
        "3 table",
        "4 flatten",
        "4.1 project",  # puts the columns of the select in order
        "5 join",
        "5.1 project",  # the column that both sides have comes once
    ]


def test_exists_and_not_exists_have_the_line_of_their_own(spark: SparkSession) -> None:
    df = spark.sql("select id from range(9)\nwhere id > 1\n  and exists (select 1 from range(3))")
    assert str(place_of("join", df)) == "SQL line 3"
    df = spark.sql("select id from range(9)\nwhere id > 1\n  and not exists (\n  select 1 from range(3))")
    assert str(place_of("join", df)) == "SQL line 3"


def test_sql_text_inside_python_has_the_line_of_the_call(spark: SparkSession) -> None:
    here = line() + 1
    df = spark.range(9).filter("id % 2 = 0 and id > 3")
    assert str(place_of("filter", df)) == f"test_places.py:{here}"
    two = " and ".join(["id > 4", "id < 8"])
    assert place_of("filter", spark.range(9).filter(two)) is None, "the text is nowhere in the file"


def test_in_exists_and_set_operations_have_the_line_of_their_own(spark: SparkSession) -> None:
    within = "select id from range(9)\nwhere id > 1\n  and id {} (\n  select id from range(3))"
    assert str(place_of("join", spark.sql(within.format("in")))) == "SQL line 3"
    assert str(place_of("join", spark.sql(within.format("not in")))) == "SQL line 3"
    beside = "select id from range(9) r\nwhere id > 1\n  and exists (\n  select 1 from range(3) q where q.id = r.id)"
    assert str(place_of("join", spark.sql(beside))) == "SQL line 3"
    both = "select id from range(9)\n{}\nselect id\nfrom range(3)"
    assert str(place_of("intersect", spark.sql(both.format("intersect")))) == "SQL line 2"
    assert str(place_of("except", spark.sql(both.format("except")))) == "SQL line 2"


def test_the_text_of_a_view_has_lines_of_its_own(spark: SparkSession) -> None:
    spark.sql("create or replace temp view evens as\nselect id from range(9)\nwhere id % 2 = 0")
    assert str(place_of("filter", spark.sql("select *\nfrom evens"))) == "view evens, line 2"


def test_a_place_that_the_code_does_not_have_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """PySpark gives lines of imported files as lines of the current cell."""
    cells = ["", "x = 1", "import etl\ndf = etl.load()\nlate = df.filter(df.year >= 2020)"]
    notebook = SimpleNamespace(get_ipython=lambda: SimpleNamespace(user_ns={"In": cells}))
    monkeypatch.setitem(sys.modules, "IPython", notebook)
    assert check(Place("cell [2]", 3, "__ge__")) == Place("cell [2]", 3, "__ge__")
    assert check(Place("cell [2]", 11, "__ge__")) is None
    assert check(Place("cell [2]", 1, "__ge__")) == Place("cell [2]", 1, "__ge__"), "within three lines"
    assert check(Place("cell [2]", 2, "isin")) is None
    assert check(Place(__file__, 10**6, "isin")) is None
