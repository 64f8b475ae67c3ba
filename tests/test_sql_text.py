"""Operators of SQL are quoted as they were written: constants, aliases, no casts and names that only Spark knows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from pyspark.sql import SparkSession

from sparkwhy import why_not

pytestmark = pytest.mark.spark


@pytest.fixture(scope="module", autouse=True)
def tables(spark: SparkSession) -> Iterator[None]:
    orders = [(1, "x", 150, 1), (2, "x", 200, 2), (3, "y", 300, 1), (4, "z", 50, 2), (7, "w", 40, 1)]
    spark.createDataFrame(orders, "id int, c string, amount int, d int").createOrReplaceTempView("text_o")
    spark.createDataFrame([("x", 0), ("y", 0), ("q", 3)], "c string, conv bigint").createOrReplaceTempView("text_p")
    yield
    for name in ("text_o", "text_p"):
        spark.catalog.dropTempView(name)


FROM = "from text_o o left join text_p p on o.c = p.c"

CASES: Mapping[str, tuple[str, dict[str, Any], str]] = {
    "decimal_over_bigint": ("select c from text_p where conv >= 0.05", {"c": "x"}, "filter conv >= 0.05"),
    "decimal_first": ("select c from text_p where 0.05 <= conv", {"c": "x"}, "filter 0.05 <= conv"),
    "aliases": (f"select o.id {FROM} where p.c is null and o.c <> 'w'", {"id": 7}, "(p.c is null) and (o.c <> 'w')"),
    "join": (
        "select o.id from text_o o join text_p p on o.c = p.c and o.amount > p.conv + 200",
        {"id": 1},
        "join on (o.c = p.c) and (amount > (conv + 200))",
    ),
    "self_join": (
        "select a.id from text_o a join text_o b on a.c = b.c and a.id < b.id where b.d > 2",
        {"id": 1},
        "filter b.d > 2",
    ),
    "nested": ("select id from (select * from text_o) where d > amount", {"id": 1}, "filter d > amount"),
    "subquery": (
        "select id from text_o o where amount > (select avg(amount) from text_o i where i.c = o.c)",
        {"id": 1},
        "filter amount > avg(amount)",
    ),
    "written_cast": (
        "select id from text_o where cast(amount as double) > 200",
        {"id": 1},
        "filter cast(amount as double) > 200",
    ),
    "grouping_id": (
        "select c, sum(amount) s from text_o group by rollup(c, d) having grouping_id() = 0 and sum(amount) > 100",
        {"c": "z"},
        "filter (grouping_id() = 0) and (s > 100)",
    ),
    "set_operation": ("select c from text_o\nintersect\nselect c from text_p", {"c": "w"}, "c = w: no partner"),
}


@pytest.mark.parametrize("case", CASES)
def test_operators_are_quoted_as_they_were_written(spark: SparkSession, case: str) -> None:
    query, missing, quoted = CASES[case]
    text = str(why_not(spark.sql(query), missing))
    assert quoted in text
    for name in ("left.", "right.", "#", "spark_grouping_id", "__auto_generated", "_we0"):
        assert name not in text


def test_columns_that_no_alias_tells_apart_are_numbered(spark: SparkSession) -> None:
    one, other = (spark.createDataFrame(rows, "id int, k string") for rows in ([(1, "a")], [(1, "a")]))
    joined = one.join(other, one.id == other.id, "left").filter(other.k.isNull())
    text = str(why_not(joined.select(one.id), {"id": 1}))
    assert "filter k (2) is null" in text
    assert "#" not in text


@pytest.mark.parametrize(
    ("groups", "missing", "note"),
    [
        ("grouping sets ((c), (d))", {"c": "x", "d": 1}, "no grouping set has c and d; the sets are (c), (d)."),
        ("rollup(c, d)", {"c": None, "d": 1}, "no grouping set has d without c; the sets are (c, d), (c), ()."),
        ("cube(c, d)", {"c": "q", "d": 1}, None),
    ],
)
def test_a_set_that_grouping_sets_lack_is_named(
    spark: SparkSession, groups: str, missing: dict[str, Any], note: str | None
) -> None:
    answer = why_not(spark.sql(f"select c, d, sum(amount) s from text_o group by {groups}"), missing)
    assert [each for each in map(str, answer.warnings) if "grouping set" in each] == ([] if note is None else [note])
