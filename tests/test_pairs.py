"""Questions about both sides of a join: the parts are there, and the answer says what keeps them apart."""

from __future__ import annotations

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

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
