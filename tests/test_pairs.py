"""Questions about both sides of a join: the parts are there, and the answer says what keeps them apart."""

from __future__ import annotations

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as F

import sparkwhy


@pytest.fixture
def bought(spark: SparkSession) -> DataFrame:
    orders = spark.createDataFrame([(5, "Qz1 "), (6, None), (7, "C3")], "order_id int, cid string")
    customers = spark.createDataFrame([("Qz1", "Bob"), ("C3", "Zoe")], "cid string, name string")
    return orders.join(customers, orders.cid == customers.cid).select("order_id", "name")


def test_the_values_that_differ_are_told_with_a_hint(bought: DataFrame) -> None:
    answer = sparkwhy.why_not(bought, {"order_id": 5, "name": "Bob"})
    (found,) = answer.explanations
    assert [operator.text for operator in found.operators] == ["join on cid"]
    assert found.certain
    assert "left.cid = 'Qz1 ', right.cid = Qz1, so left.cid = right.cid is FALSE" in str(answer)
    assert "equal after trim" in str(answer)
    assert found.verified
    assert [fix.after for fix in found.fixes] == ["join on trim(left.cid) = trim(right.cid)"]
    assert "no other row of the result changes" in str(answer)


@pytest.mark.parametrize(
    "missing", [{"cid": "Qz1 ", "name": "Bob"}, {"order_id": 5, "key": "Qz1"}, {"cid": "Qz1 ", "key": "Qz1"}]
)
def test_a_pair_is_found_by_the_keys_of_the_join_too(spark: SparkSession, missing: dict[str, object]) -> None:
    orders = spark.createDataFrame([(5, "Qz1 "), (7, "C3")], "order_id int, cid string")
    customers = spark.createDataFrame([("Qz1", "Bob"), ("C3", "Zoe")], "key string, name string")
    for how in ("inner", "full"):
        answer = sparkwhy.why_not(orders.join(customers, orders.cid == customers.key, how), missing)
        assert answer.outcome == "explained"
        assert [operator.id for operator in answer.explanations[0].operators] == [3]
        assert answer.explanations[0].fixes[0].after.endswith("join on trim(cid) = trim(key)")


def test_a_key_of_a_join_on_names_may_be_on_either_side(spark: SparkSession) -> None:
    orders = spark.createDataFrame([("C2", 20), ("c1", 10)], "id string, amount int")
    customers = spark.createDataFrame([("c1", "Ann"), ("c2", "Bob")], "id string, name string")
    joined = orders.join(customers, "id")
    for missing in ({"id": "c2"}, {"id": "c2", "amount": 20}, {"id": "C2", "name": "Bob"}):
        answer = sparkwhy.why_not(joined, missing)
        assert answer.outcome != "not_in_data", missing
    assert sparkwhy.why_not(joined, {"id": "c2"}).outcome == "explained"
    nowhere = sparkwhy.why_not(joined, {"id": "c9"})
    assert (nowhere.outcome, len(nowhere.gaps)) == ("not_in_data", 2)


def test_a_filter_over_a_product_keeps_pairs_apart(spark: SparkSession) -> None:
    offices = spark.createDataFrame([("Rome",), ("Oslo",)], "office string")
    cities = spark.createDataFrame([("Lima", 1), ("Oslo", 2)], "city string, n int")
    answer = sparkwhy.why_not(offices.crossJoin(cities).filter("office = city"), {"office": "Rome", "city": "Lima"})
    assert answer.outcome == "explained"
    assert answer.explanations[0].certain


def test_side_effects_of_another_comparison_are_counted(spark: SparkSession) -> None:
    orders = spark.createDataFrame([(5, "a "), (7, "b "), (8, "c")], "order_id int, cid string")
    customers = spark.createDataFrame([("a", "Bob"), ("b", "Zoe"), ("c", "Cy")], "key string, name string")
    joined = orders.join(customers, orders.cid == customers.key)
    (found,) = sparkwhy.why_not(joined, {"order_id": 5, "name": "Bob"}).explanations
    assert found.side_effects is not None
    assert (found.side_effects.added, found.side_effects.removed) == (1, 0)  # order 7 finds Zoe


def test_a_null_is_told(bought: DataFrame) -> None:
    answer = sparkwhy.why_not(bought, {"order_id": 6, "name": "Bob"})
    assert "left.cid = right.cid is NULL, not true" in str(answer)
    assert "null equals no value" in str(answer)
    assert "<=>" not in str(answer)  # it would not help: the other side is no null


def test_values_are_hidden_if_wished(bought: DataFrame) -> None:
    answer = sparkwhy.why_not(bought, {"order_id": 5, "name": "Bob"}, redact=["cid"])
    assert not any("Qz1" in told for told in (str(answer), answer.to_json(), answer.to_html()))


def test_who_is_in_no_source_is_not_looked_for_in_pairs(bought: DataFrame) -> None:
    assert sparkwhy.why_not(bought, {"order_id": 5, "name": "Nobody"}).outcome == "not_in_data"


def test_if_spark_fails_on_pairs_the_question_is_answered_without(
    bought: DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_args: object, **_options: object) -> None:
        raise PySparkException("no space left on device")

    monkeypatch.setattr("sparkwhy.pipeline.find_pairs", fails)
    answer = sparkwhy.why_not(bought, {"order_id": 5, "name": "Bob"})
    assert (answer.outcome, answer.explanations) == ("unexplained", ())
    assert [note.code for note in answer.warnings] == ["pairs_left_out"]


# --- keys that are written differently ---


@pytest.fixture
def sold(spark: SparkSession) -> DataFrame:
    rows = [(1, "c-001", 100), (2, "c-003", 310), (3, "C-002", 50), (4, "C-001", 70)]
    orders = spark.createDataFrame(rows, "id int, cust string, amount int")
    customers = spark.createDataFrame(
        [("C-001", "Ann", "N"), ("C-002", "Bob", "S"), ("C-003", "Cy", "W")], "cust string, name string, region string"
    )
    return orders.join(customers, "cust")


def blamed(answer: sparkwhy.Answer) -> list[list[str]]:
    return [[operator.text for operator in found.operators] for found in answer.explanations]


LOWER = "join on lower(left.cust) = lower(right.cust)"


@pytest.mark.parametrize(
    "missing",
    [
        {"cust": "C-003", "amount": 310},
        {"cust": "C-003"},
        {"cust": "c-003", "name": "Cy"},
        {"id": 2, "name": "Cy"},
        {"id": 2},
        {"name": "Cy"},
    ],
)
def test_near_keys_are_found_whichever_columns_are_asked_for(sold: DataFrame, missing: dict[str, object]) -> None:
    answer = sparkwhy.why_not(sold, missing)
    assert blamed(answer) == [["join on cust"]]
    (found,) = answer.explanations
    assert found.verified
    assert found.fixes[0].after.startswith(LOWER)
    assert "left.cust = c-003, right.cust = C-003, so left.cust = right.cust is FALSE" in str(answer)
    assert found.returned is not None
    assert all(found.returned[column] == value for column, value in missing.items())


def test_the_key_of_a_join_on_names_is_kept_in_the_form_of_the_question(sold: DataFrame) -> None:
    (found,) = sparkwhy.why_not(sold, {"cust": "C-003", "amount": 310}).explanations
    assert [fix.after for fix in found.fixes] == [f"{LOWER}, keeping right.cust"]
    (found,) = sparkwhy.why_not(sold, {"cust": "c-003", "name": "Cy"}).explanations
    assert [fix.after for fix in found.fixes] == [LOWER]


def test_near_keys_are_found_below_groups(sold: DataFrame) -> None:
    revenue = sold.groupBy("name").agg(F.sum("amount").alias("revenue")).filter("revenue > 60")
    answer = sparkwhy.why_not(revenue, {"name": "Cy", "revenue": 310})
    assert (answer.outcome, blamed(answer)) == ("explained", [["join on cust"]])
    assert "would give name = Cy, revenue = 310" in str(answer)
    answer = sparkwhy.why_not(revenue, {"name": "Ann", "revenue": 170})
    assert (answer.outcome, blamed(answer)) == ("other_value", [["join on cust"]])
    assert "left.cust = c-001, right.cust = C-001" in str(answer)


def test_near_keys_are_found_below_outer_joins_and_groups(spark: SparkSession) -> None:
    items = spark.createDataFrame([("0077", 5), ("12", 7), ("0012", 1)], "sku string, qty int")
    products = spark.createDataFrame([("77", "pen"), ("12", "ink"), ("9", "pad")], "sku string, title string")
    counted = products.join(items, "sku", "left").groupBy("title").agg(F.count(F.lit(1)).alias("n"))
    answer = sparkwhy.why_not(counted, {"title": "ink", "n": 2})
    assert (answer.outcome, blamed(answer)) == ("other_value", [["left join on sku"]])
    assert answer.explanations[0].verified
    assert "equal after removing leading zeros" in str(answer)


@pytest.mark.parametrize("above", ["window", "dedup", "distinct", "limit", "join"])
def test_near_keys_are_found_below_other_operators(spark: SparkSession, above: str) -> None:
    parts = spark.createDataFrame([("AX-2 ", 9), ("B", 8)], "part string, n int")
    bins = spark.createDataFrame(
        [("AX-2", "bin7", "hall"), ("B", "bin8", "hall")], "part string, bin string, at string"
    )
    halls = spark.createDataFrame([("hall", 1)], "at string, floor int")
    joined = parts.join(bins, "part")
    ranked = joined.withColumn("rank", F.row_number().over(Window.partitionBy("at").orderBy("n")))
    query = {
        "window": ranked.filter("rank <= 2"),
        "dedup": joined.dropDuplicates(["bin"]),
        "distinct": joined.select("bin", "n").distinct(),
        "limit": joined.orderBy("n").limit(5),
        "join": joined.join(halls, "at", "left"),
    }[above]
    answer = sparkwhy.why_not(query, {"bin": "bin7", "n": 9})
    assert (answer.outcome, blamed(answer)[0]) == ("explained", ["join on part"])
    assert [fix.after for fix in answer.explanations[0].fixes] == ["join on trim(left.part) = trim(right.part)"]


def test_two_joins_with_near_keys_are_named_together(spark: SparkSession) -> None:
    facts = spark.createDataFrame([(1, "a1 ", "S1", 10), (2, "a2", "s2", 20)], "id int, a string, s string, v int")
    some = spark.createDataFrame([("a1", "A1"), ("a2", "A2")], "a string, an string")
    others = spark.createDataFrame([("s1", "X"), ("s2", "Y")], "s string, sn string")
    summed = facts.join(some, "a").join(others, "s").groupBy("an", "sn").agg(F.sum("v").alias("v"))
    answer = sparkwhy.why_not(summed, {"an": "A1", "sn": "X", "v": 10})
    assert blamed(answer) == [["join on a", "join on s"]]
    assert answer.explanations[0].verified


def test_near_keys_are_found_beside_a_filter_that_drops_the_row_too(sold: DataFrame, spark: SparkSession) -> None:
    summed = sold.filter("amount < 300").groupBy("name").agg(F.sum("amount").alias("revenue"))
    answer = sparkwhy.why_not(summed, {"name": "Cy", "revenue": 310})
    assert blamed(answer)[0] == ["join on cust", "filter amount < 300"]
    assert answer.explanations[0].verified


def test_near_keys_come_beside_other_certain_explanations(spark: SparkSession) -> None:
    orders = spark.createDataFrame([(2, "c-003"), (3, "C-002")], "id int, cust string")
    customers = spark.createDataFrame([("C-002", "S"), ("C-003", "W")], "cust string, region string")
    kept = orders.join(customers, "cust", "left").filter("region = 'W'")
    answer = sparkwhy.why_not(kept, {"id": 2})
    assert blamed(answer)[0] == ["left join on cust"]
    assert ["filter region = 'W'"] in blamed(answer)


def test_a_time_and_a_date_are_near_keys_but_two_times_are_not(spark: SparkSession) -> None:
    events = spark.sql(
        "select * from values (timestamp'2024-01-05 10:30:00', 3), (timestamp'2024-01-05 11:00:00', 4) t(at, n)"
    )
    days = spark.sql("select * from values (timestamp'2024-01-05 00:00:00', 'mon') t(day, name)")
    found = sparkwhy.why_not(events.join(days, events.at == days.day).select("n", "name"), {"n": 3, "name": "mon"})
    assert "cast(at as date)" in found.explanations[0].fixes[0].after
    others = events.select(events.at.alias("other"), events.n.alias("m"))
    answer = sparkwhy.why_not(events.join(others, events.at == others.other), {"n": 3, "m": 4})
    assert not any("as date" in fix.after for each in answer.explanations for fix in each.fixes)


def test_near_keys_are_hidden_if_wished(sold: DataFrame) -> None:
    answer = sparkwhy.why_not(sold.groupBy("name").count(), {"name": "Cy"}, redact=["cust"])
    assert not any("-003" in text for text in (str(answer), answer.to_json(), answer.to_html()))


def test_keys_are_not_compared_by_order_to_bring_a_pair_together(spark: SparkSession) -> None:
    orders = spark.createDataFrame([(5, "x17")], "order_id int, cid string")
    customers = spark.createDataFrame([("y42", "Bob")], "cid string, name string")
    joined = orders.join(customers, orders.cid == customers.cid).select("order_id", "name")
    (found,) = sparkwhy.why_not(joined, {"order_id": 5, "name": "Bob"}).explanations
    assert found.certain
    assert not any("<=" in fix.after for fix in found.fixes)


@pytest.mark.parametrize("missing", [{"cust": "C-003", "amount": 310}, {"id": 2}, {"name": "Cy"}])
def test_asking_for_the_very_row_that_a_fix_returns_finds_the_same(sold: DataFrame, missing: dict[str, object]) -> None:
    (found,) = sparkwhy.why_not(sold, missing).explanations
    again = sparkwhy.why_not(sold, dict(found.witnesses[0].row))
    assert blamed(again) == [["join on cust"]]
    assert again.explanations[0].verified
