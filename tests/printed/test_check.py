"""The harness itself: a fix that is false is noticed, one that is true is not."""

from __future__ import annotations

from dataclasses import replace

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from sparkwhy import Answer, why_not
from tests.printed.check import Tally, check_answer
from tests.printed.recording import recording


@pytest.fixture(scope="module")
def shops(spark: SparkSession) -> None:
    spark.createDataFrame([("a", 1), ("b", 5), ("c", 9)], "shop string, n int").createOrReplaceTempView("shops")


@pytest.mark.parametrize(
    ("after", "effects", "said"),
    [
        (None, None, []),
        ("filter n > 6", None, ["the row is not there"]),
        ("filter m > 4", None, ["the query does not run"]),
        (None, 1, ["0 rows enter and 0 leave, not 1 to 1"]),
    ],
    ids=["true", "no row", "no query", "other side effects"],
)
def test_what_is_printed_is_run(spark: SparkSession, after: str | None, effects: int | None, said: list[str]) -> None:
    data = spark.createDataFrame([("a", 1), ("b", 5), ("c", 9)], "shop string, n int")
    with recording():
        df = data.filter(F.col("n") > 7).select("shop")
    tally = Tally()
    check_answer(df, {"shop": "b"}, edited(why_not(df, {"shop": "b"}), after, effects), tally)
    assert [problem for problem in said if problem not in str(tally.false)] == []
    assert (tally.true, len(tally.false), tally.unknown) == (int(not said), len(said), [])


def test_text_of_sql_is_changed_too(spark: SparkSession, shops: None) -> None:
    with recording():
        df = spark.sql("select shop\nfrom shops where n  > 7")
    tally = Tally()
    check_answer(df, {"shop": "b"}, why_not(df, {"shop": "b"}), tally)
    assert (tally.true, tally.false, tally.unknown) == (1, [], [])


def test_a_dataframe_that_is_used_twice_is_changed_in_both_places(spark: SparkSession) -> None:
    data = spark.createDataFrame([("a", 1), ("b", 5), ("c", 9)], "shop string, n int")
    with recording():
        valid = data.filter("n > 7")
        df = valid.join(valid.select("shop"), "shop")
    tally = Tally()
    answer = why_not(df, {"shop": "b"})
    check_answer(df, {"shop": "b"}, answer, tally)
    assert tally.false == []


def edited(answer: Answer, after: str | None, effects: int | None) -> Answer:
    """The first explanation alone, with another fix or other side effects."""
    found = answer.explanations[0]
    if after is not None:
        found = replace(found, fixes=tuple(replace(fix, after=after) for fix in found.fixes))
    if effects is not None:
        assert found.side_effects is not None
        found = replace(found, side_effects=replace(found.side_effects, lower=effects, upper=effects))
    return replace(answer, explanations=(found,))
