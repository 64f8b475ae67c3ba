"""What is written once and used twice is one operator: one explanation, one change, applied to all uses."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from sparkwhy import why_not
from sparkwhy.report.answer import Answer

pytestmark = pytest.mark.spark

LATEST = """with v as (select * from uses_orders where amount > 100)
select a.id from v a left join v b on b.c = a.c and b.d > a.d where b.id is null"""
"""The last order of each customer, of those above 100."""


@pytest.fixture(autouse=True)
def orders(spark: SparkSession) -> Iterator[DataFrame]:
    rows = [(1, "x", 150, 1), (2, "x", 200, 2), (3, "y", 300, 1), (4, "z", 120, 1), (5, "z", 50, 2), (6, "z", 60, 3)]
    rows += [(7, "w", 40, 1)]
    df = spark.createDataFrame(rows, "id int, c string, amount int, d int")
    df.createOrReplaceTempView("uses_orders")
    yield df
    spark.catalog.dropTempView("uses_orders")


def ids(df: DataFrame) -> set[int]:
    return {row.id for row in df.collect()}


def conditions(answer: Answer) -> list[list[tuple[str, str]]]:
    """Return the filters of each verified explanation, before and after its fix, as SQL text."""
    return [
        [(fix.before.removeprefix("filter "), fix.after.removeprefix("filter ")) for fix in each.fixes]
        for each in answer.explanations
        if each.verified
    ]


@pytest.mark.parametrize("asked", [5, 1, 7])
def test_the_fix_of_a_common_table_expression_works_in_its_text(spark: SparkSession, asked: int) -> None:
    answer = why_not(spark.sql(LATEST), {"id": asked})
    assert conditions(answer)
    for fixes in conditions(answer):
        text = LATEST
        for before, after in fixes:
            assert text.count(before) == 1
            text = text.replace(before, after)
        assert asked in ids(spark.sql(text))


def test_side_effects_are_those_of_all_uses(spark: SparkSession) -> None:
    answer = why_not(spark.sql(LATEST), {"id": 7})
    before, after = ids(spark.sql(LATEST)), ids(spark.sql(LATEST.replace("amount > 100", "amount > 39")))
    effects = answer.explanations[0].side_effects
    assert answer.explanations[0].fixes[0].after == "filter amount > 39"
    assert effects is not None
    assert (effects.added, effects.removed) == (len(after - before - {7}), len(before - after)) == (1, 1)


def test_each_use_is_told(spark: SparkSession) -> None:
    query = """with v as (select * from uses_orders where amount > 100)
        select a.id as first, b.id as second from v a join v b on b.c = a.c and b.d > a.d"""
    (found,) = why_not(spark.sql(query), {"first": 5, "second": 6}).explanations
    text = str(why_not(spark.sql(query), {"first": 5, "second": 6}))
    assert [operator.id for operator in found.operators] == [2]
    assert "use 1 of 2: amount = 50, so amount > 100 is FALSE" in text
    assert "use 2 of 2: amount = 60, so amount > 100 is FALSE" in text
    assert "used 2 times in the query: a change changes every use" in text
    assert found.fixes[0].after == "filter amount > 49"


def test_a_view_that_is_used_twice_is_one_operator(spark: SparkSession) -> None:
    spark.sql("create or replace temp view uses_valid as select * from uses_orders\nwhere amount > 100")
    query = "select a.id from uses_valid a left anti join uses_valid b on b.c = a.c and b.d > a.d"
    answer = why_not(spark.sql(query), {"id": 7})
    assert [operator.where for operator in answer.explanations[0].operators] == ["view uses_valid, line 2"]
    assert answer.explanations[0].verified
    spark.catalog.dropTempView("uses_valid")


def test_a_data_frame_that_is_used_twice_is_one_operator(orders: DataFrame) -> None:
    valid = orders.filter(F.col("amount") > 100)
    later = (F.col("b.c") == F.col("a.c")) & (F.col("b.d") > F.col("a.d"))
    query = valid.alias("a").join(valid.alias("b"), later, "left").filter("b.id is null").select("a.id")
    for each in why_not(query, {"id": 5}).explanations:
        assert len({operator.text for operator in each.operators}) == len(each.operators)
        if each.verified:
            assert each.fixes[0].after == "filter amount = 50"


def test_a_filter_that_is_written_twice_is_two_operators(spark: SparkSession) -> None:
    query = """select a.id from (select * from uses_orders where amount > 100) a
        left anti join (select * from uses_orders where amount > 100) b on b.c = a.c and b.d > a.d"""
    first = why_not(spark.sql(query), {"id": 5}).explanations[0]
    assert len(first.operators) == 1
    assert first.verified
    assert [fix.after for fix in first.fixes] == ["filter amount > 49"]


def test_a_function_that_is_called_for_two_inputs_has_no_edit_of_its_line(spark: SparkSession) -> None:
    def large(df: DataFrame) -> DataFrame:
        return df.filter(F.col("amount") > 100)

    one, other = (spark.createDataFrame([(id, amount)], "id int, amount int") for id, amount in ((1, 50), (2, 60)))
    found = why_not(large(one).union(large(other)), {"id": 1}).explanations[0]
    assert found.verified
    assert [fix.diff for fix in found.fixes] == [None]
