"""What cannot be read says so, with place and hint, before any job runs."""

from __future__ import annotations

from functools import reduce

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from sparkwhy.errors import NotADataFrame, UnsupportedOperator
from sparkwhy.spark.classic.read.operators import read


def jobs(spark: SparkSession) -> int:
    return len(spark.sparkContext.statusTracker().getJobIdsForGroup(None))


@pytest.mark.parametrize("thing", [None, 1, "df", [], {"a": 1}, F, DataFrame])
def test_only_dataframes_can_be_read(thing) -> None:
    with pytest.raises(NotADataFrame, match="expected a PySpark DataFrame") as raised:
        read(thing)
    assert raised.value.hint == "pass the DataFrame itself."


def test_a_streaming_dataframe_has_no_rows_to_ask_about(spark: SparkSession) -> None:
    with pytest.raises(NotADataFrame, match="streaming"):
        read(spark.readStream.format("rate").load())


def test_an_operator_that_rows_cannot_be_followed_through(spark: SparkSession) -> None:
    before = jobs(spark)
    with pytest.raises(UnsupportedOperator, match="cannot explain through JsonTuple at SQL line 1") as raised:
        read(spark.sql("select json_tuple('{}', 'a')"))
    assert raised.value.operator == "JsonTuple"
    assert raised.value.where == "SQL line 1"
    assert "localCheckpoint" in str(raised.value)
    assert jobs(spark) == before


def test_a_subquery_where_it_cannot_be_a_join(spark: SparkSession) -> None:
    with pytest.raises(UnsupportedOperator, match="subquery") as raised:
        read(spark.sql("select id from range(9)\norder by id * (select max(id) from range(3))"))
    assert raised.value.where == "SQL line 2"


UNREAD = {
    "a recursive common table expression": """
        with recursive r(n) as (select 1 union all select n + 1 from r where n < 5) select * from r""",
    "ScriptTransformation": "select transform(id) using 'cat' as (x string) from range(3)",
    "a subquery in this place": "select id from range(9) order by id * (select max(id) from range(3))",
    "a subquery inside soundex": "select soundex(cast((select max(id) from range(3)) as string)) from range(2)",
    "TABLESAMPLE that draws other rows in each run": "select * from (select 1) tablesample (50 percent)",
    "ShowTables": "show tables",
}


def test_a_recursive_query_says_where_it_is(spark: SparkSession) -> None:
    before = jobs(spark)
    with pytest.raises(UnsupportedOperator, match=r"WITH RECURSIVE\) at SQL line 2") as raised:
        read(
            spark.sql("with recursive r(n) as (\n  select 1 union all select n + 1 from r where n < 5) select * from r")
        )
    assert "compute it first" in str(raised.value)
    assert jobs(spark) == before


@pytest.mark.parametrize("operator", UNREAD)
def test_what_cannot_be_read_is_named(spark: SparkSession, operator: str) -> None:
    with pytest.raises(UnsupportedOperator, match=f"cannot explain through {operator}"):
        read(spark.sql(UNREAD[operator]))


def test_an_expression_without_end(spark: SparkSession) -> None:
    deep = reduce(lambda a, b: a + b, [F.col("id")] * 220)
    with pytest.raises(UnsupportedOperator, match="nested hundreds of levels deep"):
        read(spark.range(3).select(deep))


def test_a_long_chain_of_conditions_is_no_deep_expression(spark: SparkSession) -> None:
    wide = reduce(lambda a, b: a | b, [F.col("id") == number for number in range(120)])
    assert read(spark.range(3).filter(wide)).kind == "filter"


def test_reading_runs_no_job(spark: SparkSession) -> None:
    before = jobs(spark)
    read(spark.range(9).groupBy("id").count().filter("count > 1").orderBy("id"))
    assert jobs(spark) == before


def test_a_checkpoint_hides_what_is_below(spark: SparkSession) -> None:
    df = spark.sql("select json_tuple('{\"a\": 1}', 'a')").localCheckpoint().filter("c0 = 1")
    assert read(df).kind == "filter"
