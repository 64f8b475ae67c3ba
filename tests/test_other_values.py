"""The row is there, but with another value: what it has, what it is made of, and what would have to change."""

from __future__ import annotations

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from sparkwhy import gt, why_not


@pytest.fixture
def sold(spark: SparkSession) -> DataFrame:
    rows = [("One", 1717, "ok"), ("One", 2828, "bad"), ("Two", 3, "ok")]
    sales = spark.createDataFrame(rows, "title string, qty int, state string")
    return sales.filter("state = 'ok'").groupBy("title").agg(F.sum("qty").alias("sold"))


def test_the_value_that_is_there_is_told_and_the_operator_that_loses_the_rest(sold: DataFrame) -> None:
    answer = why_not(sold, {"title": "One", "sold": 4545})
    assert answer.outcome == "other_value"
    assert "The row is there, with sold = 1717, not 4545 (2828 too low):" in str(answer)
    assert [operator.text for operator in answer.explanations[0].operators] == ["filter state = 'ok'"]
    assert answer.explanations[0].certain


def test_the_rows_that_it_is_made_of_are_told(sold: DataFrame) -> None:
    others = why_not(sold, {"title": "One", "sold": 4545}).others
    assert others is not None
    assert (others.columns, others.rows) == (("sold",), ({"title": "One", "sold": 1717},))
    assert (others.contributors, others.contributing) == (1, ({"title": "One", "qty": 1717},))


def test_a_value_that_no_change_gives_is_told_too(sold: DataFrame) -> None:
    answer = why_not(sold, {"title": "Two", "sold": 2})
    assert (answer.outcome, answer.is_explained) == ("other_value", False)
    assert "The row is there, with sold = 3, not 2 (1 too high):" in str(answer)
    assert "No change of operators was found that gives the value in question." in str(answer)


def test_a_predicate_is_told_as_it_was_written(sold: DataFrame) -> None:
    assert "with sold = 1717, not gt(4000):" in str(why_not(sold, {"title": "One", "sold": gt(4000)}))


def test_a_row_that_is_not_there_at_all_is_explained_as_before(sold: DataFrame) -> None:
    only_two = sold.filter("title = 'Two'")
    assert why_not(only_two, {"title": "One", "sold": 1717}).outcome == "explained"


def test_a_question_for_values_alone_names_no_row(sold: DataFrame) -> None:
    assert why_not(sold, {"sold": 4545}).outcome == "explained"


def test_hidden_values_stay_hidden(sold: DataFrame) -> None:
    answer = why_not(sold, {"title": "One", "sold": 4545}, redact=["qty"])
    for text in (str(answer), answer.to_json(), answer.to_html()):
        assert "1717" not in text
        assert "2828" not in text


def test_the_json_form_has_the_row(sold: DataFrame) -> None:
    told = why_not(sold, {"title": "One", "sold": 4545}).to_dict()
    assert told["outcome"] == "other_value"
    assert told["others"]["rows"] == [{"title": "One", "sold": 1717}]
    assert told["others"]["contributors"] == 1


def test_the_side_that_an_outer_join_does_not_need_is_not_said_to_lack_the_row(spark: SparkSession) -> None:
    visits = spark.createDataFrame([("p1", 1), ("p1", 2), ("p2", 3)], "patient string, day int")
    phones = spark.createDataFrame([("p2", "555")], "patient string, phone string")
    counted = visits.join(phones, "patient", "left").groupBy("patient").agg(F.count("phone").alias("n"))
    answer = why_not(counted, {"patient": "p1", "n": 2})
    assert (answer.outcome, answer.gaps) == ("other_value", ())
    assert "with n = 0, not 2 (2 too low)" in str(answer)


def test_a_count_of_padded_rows_is_not_called_missing_data(spark: SparkSession) -> None:
    customers = spark.createDataFrame([("c1",), ("c2",)], "id string")
    orders = spark.createDataFrame([("c1", 5)], "customer string, amount int")
    joined = customers.join(orders, customers.id == orders.customer, "left")
    answer = why_not(joined.groupBy("id").agg(F.count("*").alias("n")), {"id": "c2", "n": 0})
    assert answer.outcome == "other_value"
    assert "with n = 1, not 0 (1 too high)" in str(answer)


def test_a_function_of_a_row_that_gives_another_value_is_not_called_missing_data(spark: SparkSession) -> None:
    lists = spark.createDataFrame([("x", [1, 5, 3])], "name string, xs array<int>")
    least = lists.select("name", F.array_min("xs").alias("m"))
    assert "The row is there, with m = 1, not 5 (4 too low):" in str(why_not(least, {"name": "x", "m": 5}))
    assert why_not(least, {"m": 5}).outcome == "unexplained"


def test_several_rows_with_other_values_are_listed(spark: SparkSession) -> None:
    sales = spark.createDataFrame([("a", "x", 1), ("a", "y", 2)], "shop string, kind string, qty int")
    answer = why_not(sales.groupBy("shop", "kind").agg(F.sum("qty").alias("n")), {"shop": "a", "n": 5})
    assert "Rows are there, with other values of n:" in str(answer)
    assert answer.others is not None
    assert [row["n"] for row in answer.others.rows] == [1, 2]


def test_the_key_of_a_join_on_names_says_which_row_is_meant(spark: SparkSession) -> None:
    orders = spark.createDataFrame([(1, 5), (1, 6)], "id int, amount int")
    customers = spark.createDataFrame([(1, "Ann")], "id bigint, name string")
    totals = orders.join(customers, "id").groupBy("id").agg(F.sum("amount").alias("total"))
    assert "The row is there, with total = 11, not 13 (2 too low):" in str(why_not(totals, {"id": 1, "total": 13}))


def test_what_nothing_explains_says_what_was_tried_and_how_to_ask(sold: DataFrame) -> None:
    answer = why_not(sold.filter("title = 'Two'"), {"title": "One", "sold": 9})
    assert answer.outcome == "unexplained"
    assert "no such row comes out even if 2 operators of the query, alone or together, drop no row." in str(answer)
    assert "ask without sold to learn what keeps the row out, or which value it has." in str(answer)


# --- joins that multiply rows ---


@pytest.fixture
def orders(spark: SparkSession) -> DataFrame:
    return spark.createDataFrame([(1, "a", 10), (2, "a", 20), (3, "b", 30)], "id int, cust string, amount int")


@pytest.mark.parametrize("how", ["inner", "left"])
def test_a_join_that_sums_a_row_twice_is_named(spark: SparkSession, orders: DataFrame, how: str) -> None:
    payments = spark.createDataFrame([(1, 5), (1, 6), (2, 20), (3, 30)], "id int, paid int")
    summed = orders.join(payments, "id", how).groupBy("cust").agg(F.sum("amount").alias("total"))
    answer = why_not(summed, {"cust": "a", "total": 30})
    assert "The row is there, with total = 40, not 30 (10 too high):" in str(answer)
    (found,) = answer.explanations
    assert "id = 1: 2 partners on the right, so its values count 2 times" in str(answer)
    assert [fix.after.removeprefix("left ") for fix in found.fixes] == [
        'join on id, with dropDuplicates(["id"]) on the right'
    ]
    assert found.verified
    assert found.side_effects is not None
    assert (found.side_effects.added, found.side_effects.removed) == (0, 1)
    assert answer.to_dict()["explanations"][0]["operators"][0]["causes"] == ["several_join_partners"]


def test_a_dimension_with_a_key_twice_is_named(spark: SparkSession, orders: DataFrame) -> None:
    regions = spark.createDataFrame([("a", "N"), ("a", "N"), ("b", "S"), ("b", "S")], "cust string, region string")
    counted = orders.join(regions, "cust").groupBy("region").agg(F.count(F.lit(1)).alias("n"))
    answer = why_not(counted, {"region": "S", "n": 1})
    assert [[o.text for o in each.operators] for each in answer.explanations] == [["join on cust"]]
    assert "cust = b: 2 partners on the right" in str(answer)


def test_a_join_that_multiplies_other_rows_is_not_named(spark: SparkSession, orders: DataFrame) -> None:
    payments = spark.createDataFrame([(1, 5), (2, 20), (3, 30), (3, 31)], "id int, paid int")
    summed = orders.join(payments, "id").groupBy("cust").agg(F.sum("amount").alias("total"))
    assert not why_not(summed, {"cust": "a", "total": 29}).explanations
