"""The order of explanations, and which of them are told under others, as users see it."""

from __future__ import annotations

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from sparkwhy import Answer, Explanation, why_not


@pytest.fixture(scope="module")
def orders(spark: SparkSession) -> DataFrame:
    rows = [(1, 10, "open", 5.0), (2, 11, "open", 7.5), (3, 12, "done", 1.0), (4, 11, "done", 2.0)]
    return spark.createDataFrame(rows, "id int, customer int, status string, amount double")


@pytest.fixture(scope="module")
def customers(spark: SparkSession) -> DataFrame:
    rows = [(10, "Ann", True, "gold"), (11, "Bob", False, "gold"), (12, "Cat", True, "silver")]
    return spark.createDataFrame(rows, "customer int, name string, active boolean, tier string")


def kinds(explanation: Explanation) -> list[str]:
    return [operator.kind for operator in explanation.operators]


def places(answer: Answer) -> list[tuple[list[str], int | None, bool]]:
    """The kinds of operators of each explanation, the core that it extends, and whether it is told in one line."""
    return [(kinds(each), each.extends, each.is_folded) for each in answer.explanations]


# --- a partner that is lost below the join ---


def test_a_join_without_a_partner_is_told_under_the_filter_that_drops_the_partner(
    orders: DataFrame, customers: DataFrame
) -> None:
    answer = why_not(orders.join(customers.filter("tier = 'silver'"), "customer").select("id", "name"), {"id": 2})
    assert places(answer) == [(["filter"], None, False), (["join"], 1, True)]
    text = str(answer)
    assert text.count("would give") == 1
    assert "keeps the row without the partner that is lost here:\n         2. join on customer (" in text


@pytest.mark.parametrize("key", [10, 11])
def test_the_same_if_the_question_names_the_key_of_a_dimension(
    orders: DataFrame, customers: DataFrame, key: int
) -> None:
    """An outer join always keeps the key, without disturbing any other row: it must not come first."""
    kept = orders.filter("status = 'cancelled'")
    answer = why_not(customers.join(kept, "customer").select("customer", "name", "id"), {"customer": key})
    assert places(answer) == [(["filter"], None, False), (["join"], 1, True)]
    grouped = customers.join(kept, "customer").groupBy("customer").agg(F.sum("amount").alias("total"))
    assert places(why_not(grouped, {"customer": key})) == [(["filter"], None, False), (["join"], 1, True)]


def test_all_joins_that_lack_something_because_of_one_filter_are_told_under_it(
    spark: SparkSession, orders: DataFrame, customers: DataFrame
) -> None:
    regions = spark.createDataFrame([("gold", "EU"), ("silver", "US")], "tier string, region string")
    joined = orders.join(customers.filter("tier = 'silver'"), "customer").join(regions, "tier")
    assert places(why_not(joined.select("id", "name", "region"), {"id": 4})) == [
        (["filter"], None, False),
        (["join", "join"], 1, True),
    ]


def test_a_fix_is_told_in_full_behind_an_explanation_that_has_none(orders: DataFrame, customers: DataFrame) -> None:
    answer = why_not(orders.join(customers.filter("active"), "customer").select("id", "name"), {"id": 2})
    assert places(answer) == [(["filter"], None, False), (["join"], 1, False)]
    assert [each.verified for each in answer.explanations] == [False, True]


@pytest.fixture(scope="module")
def with_unknown(spark: SparkSession, orders: DataFrame) -> DataFrame:
    """One more order, of a customer who was never there."""
    return spark.createDataFrame([(2, 11, "open", 7.5), (9, 99, "open", 1.0)], orders.schema)


def test_a_join_without_a_partner_stands_by_itself_if_nothing_drops_the_partner(
    with_unknown: DataFrame, customers: DataFrame
) -> None:
    answer = why_not(with_unknown.join(customers.filter("name <> 'Bob'"), "customer").select("id", "name"), {"id": 9})
    assert places(answer) == [(["join"], None, False)]


def test_rows_of_which_one_never_had_a_partner_stand_by_themselves(
    with_unknown: DataFrame, customers: DataFrame
) -> None:
    joined = with_unknown.join(customers.filter("name <> 'Bob'"), "customer").select("id", "status")
    assert places(why_not(joined, {"status": "open"})) == [(["filter"], None, False), (["join"], None, False)]


# --- cores and extensions ---


def test_what_changes_more_is_told_in_one_line_under_what_is_enough(spark: SparkSession) -> None:
    rows = [(1, 5, 5), (2, 7, 1), (3, 7, 7)]
    numbers = spark.createDataFrame(rows, "id int, a int, b int").filter("a < 6").filter("b < 6")
    answer = why_not(numbers.groupBy().agg(F.count("*").alias("n")), {"n": 2}, side_effects="exact")
    assert [(each.extends, each.is_folded) for each in answer.explanations if len(each.operators) == 1] == [
        (None, False) for each in answer.explanations if len(each.operators) == 1
    ]
    for each in answer.explanations:
        if len(each.operators) > 1:
            assert each.is_folded
            assert each.extends == 1
    data = answer.to_dict()["explanations"]
    assert [(each["extends"], each["is_folded"]) for each in data] == [
        (each.extends, each.is_folded) for each in answer.explanations
    ]


# --- certain comes before what happens to work ---


def test_a_constant_that_happens_to_work_does_not_come_before_the_operator_that_drops_the_row(
    spark: SparkSession,
) -> None:
    """With another topic the second row is the first of its user; but a duplicate is what drops it."""
    rows = [(1, "ann", "billing", 1), (2, "ann", "login", 2), (3, "bob", "login", 3)]
    tickets = spark.createDataFrame(rows, "id int, who string, topic string, day int")
    firsts = tickets.filter("topic <> 'spam'").orderBy("day").dropDuplicates(["who"])
    answer = why_not(firsts, {"id": 2})
    assert kinds(answer.explanations[0]) == ["distinct"]
    assert answer.explanations[0].certain


# --- the best way to change the same operators ---


@pytest.fixture(scope="module")
def days(spark: SparkSession) -> DataFrame:
    rows = [(day, day % 4, "x" if day % 2 else "y") for day in range(1, 10)]
    return spark.createDataFrame([*rows, (20, 0, "z")], "day int, part int, kind string")


@pytest.mark.parametrize(
    ("condition", "missing", "fix", "effects", "second", "more"),
    [
        ("day >= 30", {"day": 3}, "filter day = 3", 0, "filter day >= 3", 7),
        ("day between 8 and 9", {"day": 3}, "filter (day >= 3) and (day <= 3)", 2,
            "filter (day >= 3) and (day <= 9)", 4),
        ("kind = 'x'", {"day": 4}, "filter kind in ('x', 'y')", 3, "filter kind = 'y'", 8),
        ("kind = 'q'", {"part": 0}, "filter kind = 'z'", 0, "filter kind = 'y'", 2),  # every witness is looked at
        ("day > 8", {"day": 6}, "filter day > 5", 2, "filter (day > 8) or (day = 6)", 0),
    ],
)  # fmt: skip
def test_the_form_with_the_fewest_side_effects_is_the_fix_and_the_runner_up_is_shown(
    days: DataFrame, condition: str, missing: dict[str, int], fix: str, effects: int, second: str, more: int
) -> None:
    (explanation,) = why_not(days.filter(condition), missing).explanations
    assert explanation.side_effects is not None
    assert explanation.runner_up is not None
    assert [each.after for each in explanation.fixes] == [fix]
    assert (explanation.side_effects.upper, explanation.runner_up.side_effects.upper) == (effects, more)
    assert [each.after for each in explanation.runner_up.fixes] == [second]
