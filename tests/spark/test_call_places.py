"""Operations for which Spark records no place have the line of the only call that can have made them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from sparkwhy.plan.show import main_nodes, show_op
from sparkwhy.spark.engine import engine_for

HEAD = """from pyspark.sql import functions as F

def query(df, other, n):
    df = df.filter(F.col("n") > 0)
"""


def places(spark: SparkSession, file: Path, code: str, operator: str) -> list[str | None]:
    """The places of such operators of a query that a file makes."""
    file.write_text(HEAD + code, encoding="utf-8")
    names: dict[str, Any] = {"__file__": str(file)}
    exec(compile(file.read_text(encoding="utf-8"), str(file), "exec"), names)
    schema = "k string, n int, items array<string>, s struct<items array<int>>"
    df, other = (spark.createDataFrame([], schema if i == 0 else "k string, m int") for i in (0, 1))
    plan = engine_for(names["query"](df, other, 3)).read_plan()
    found = [node.where for node in main_nodes(plan).values() if show_op(node).startswith(operator)]
    return [None if where is None else str(where) for where in found]


@pytest.mark.parametrize(
    ("code", "operator"),
    [
        ("    return df.join(other, 'k')", "join on k"),
        ("    return df.join(other, on=['k'], how='left')", "left join on k"),
        ("    return df.groupBy('k').count()", "aggregate"),
        ("    return df.groupBy(F.col('k')).agg(F.max('n'))", "aggregate"),
        ("    return df.limit(7)", "limit"),
        ("    return df.limit(n)", "limit"),
        ("    return df.distinct()", "distinct"),
        ("    return df.dropDuplicates(['k'])", "distinct by k"),
        ("    return df.drop_duplicates(subset=['k'])", "distinct by k"),
        ("    return df.select('k').union(other.select('k'))", "union"),
        ("    return df.select('k', F.explode('items'))", "explode items"),
        ("    return df.select('k', F.explode(F.col('s.items')))", "explode s.items"),
        ("    return df.dropna()", "filter (k is not null)"),
        ("    return df.na.drop()", "filter (k is not null)"),
    ],
)
def test_the_only_call_is_the_place(spark: SparkSession, tmp_path: Path, code: str, operator: str) -> None:
    assert places(spark, tmp_path / "etl.py", code, operator) == ["etl.py:5"]


@pytest.mark.parametrize(
    "code",
    [
        "    if n < 0:\n        return df.limit(7)\n    return df.limit(7)",
        "    if n < 0:\n        return df.limit(n)\n    return df.limit(7)",
        "    def cut(each): return each.limit(7)\n    return cut(cut(df).select('k'))",
    ],
    ids=["two calls", "another call with a computed number", "one call for two operations"],
)
def test_where_two_can_be_meant_there_is_no_place(spark: SparkSession, tmp_path: Path, code: str) -> None:
    assert places(spark, tmp_path / "etl.py", code, "limit") in ([None], [None, None])


def test_the_line_of_a_call_in_a_chain_is_that_of_its_name(spark: SparkSession, tmp_path: Path) -> None:
    code = "    return (\n        df\n        .groupBy(\n            'k')\n        .count()\n    )"
    assert places(spark, tmp_path / "etl.py", code, "aggregate") == ["etl.py:7"]
