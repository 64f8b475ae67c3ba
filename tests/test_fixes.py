"""Fixes on Spark: what is proposed, that it was run, what else it does, and how it is told."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from sparkwhy import ANY, Answer, Limits, gt, pipeline, why_not
from sparkwhy.explain.candidates import Claim
from sparkwhy.explain.model import Explanation, SideEffects
from sparkwhy.explain.rank import rank
from sparkwhy.plan.build import all_of
from sparkwhy.plan.nodes import Filter, OpId
from sparkwhy.question.match import conditions
from sparkwhy.spark.classic.run.operators import run
from tests.test_why_not import ADDRESSES, PEOPLE

MISSING: dict[str, Any] = {"city": "NY", "nList": [ANY, ...]}


@pytest.fixture(scope="module")
def cities(spark: SparkSession) -> DataFrame:
    person = spark.createDataFrame(PEOPLE, f"name string, address1 {ADDRESSES}, address2 {ADDRESSES}").alias("person")
    return (
        person.withColumn("address", F.explode("address2"))
        .filter(F.col("address.year") >= 2019)
        .select("name", F.col("address.city").alias("city"))
        .groupBy("city")
        .agg(F.collect_list("name").alias("nList"))
    )


@pytest.fixture(scope="module")
def exact(cities: DataFrame) -> Answer:
    return why_not(cities, MISSING, alternatives=[{"address1", "address2"}], side_effects="exact")


def fixes(explanation: Explanation) -> list[tuple[str, str, str]]:
    return [(fix.kind, fix.before, fix.after) for fix in explanation.fixes]


# --- the running example ---


def test_the_nearest_year_is_enough(exact: Answer) -> None:
    first = exact.explanations[0]
    assert fixes(first) == [("constant", "filter address.year >= 2019", "filter address.year >= 2018")]
    assert (first.verified, first.minimal, first.reason, dict(first.alternative)) == (True, True, None, {})


def test_one_other_city_enters_and_none_leaves(exact: Answer) -> None:
    effects = exact.explanations[0].side_effects
    assert effects is not None
    assert (effects.lower, effects.upper, effects.added, effects.removed) == (1, 1, 1, 0)
    assert effects.added_rows == ({"city": "SF", "nList": ("Peter",)},)
    assert effects.removed_rows == ()


def test_the_alternative_has_fixes_of_its_own(exact: Answer) -> None:
    _, second = exact.explanations
    assert dict(second.alternative) == {"address2": "address1"}
    assert fixes(second) == [
        ("attribute", "explode address2 as address", "explode address1 as address"),
        ("constant", "filter address.year >= 2019", "filter address.year >= 2018"),
    ]
    assert second.verified is True


def test_one_more_name_in_a_list_is_less_than_a_new_city(exact: Answer) -> None:
    """Peter joins Sue in LA, which as rows is one that leaves and one that enters. The paper has both explanations."""
    first, second = (each.side_effects for each in exact.explanations)
    assert first is not None
    assert second is not None
    assert (first.added, first.removed, first.changed, first.distance) == (1, 0, 0, 2)
    assert (second.added, second.removed, second.changed, second.distance) == (1, 1, 1, 1)
    assert [each.minimal for each in exact.explanations] == [True, True]
    assert [(each.extends, each.is_folded) for each in exact.explanations] == [(None, False), (1, False)]
    assert "1 other row has other elements in its lists, such as" in str(exact)


def test_elements_decide_on_large_data_too(cities: DataFrame) -> None:
    answer = why_not(cities, MISSING, alternatives=[{"address1", "address2"}], limits=Limits(large_bytes=0))
    assert [each.minimal for each in answer.explanations] == [True, True]


def test_the_line_of_the_user_is_told_as_a_diff(exact: Answer) -> None:
    (fix,) = exact.explanations[0].fixes
    lines = Path(__file__).read_text(encoding="utf-8").splitlines()
    (number,) = [n for n, text in enumerate(lines, 1) if text.endswith('F.col("address.year") >= 2019)')]
    assert fix.diff == "\n".join(
        [
            "--- test_fixes.py",
            "+++ test_fixes.py",
            f"@@ -{number} +{number} @@",
            '-        .filter(F.col("address.year") >= 2019)',
            '+        .filter(F.col("address.year") >= 2018)',
        ]
    )


def test_plain_data_has_it_all(exact: Answer) -> None:
    told = exact.to_dict()["explanations"][0]
    (fix,) = exact.explanations[0].fixes
    assert told["fixes"] == [
        {
            "operator": fix.operator.id,
            "before": "filter address.year >= 2019",
            "after": "filter address.year >= 2018",
            "kind": "constant",
            "diff": fix.diff,
        }
    ]
    assert (told["verified"], told["minimal"], told["reason"]) == (True, True, None)
    assert told["side_effects"] == {
        "lower": 1,
        "upper": 1,
        "added": 1,
        "removed": 0,
        "changed": 0,
        "distance": 2,
        "added_rows": [{"city": "SF", "nList": ["Peter"]}],
        "removed_rows": [],
    }


def test_side_effects_are_told_without_examples(cities: DataFrame) -> None:
    (explanation,) = why_not(cities, MISSING).explanations
    effects = explanation.side_effects
    assert effects is not None
    assert (effects.lower, effects.upper) == (1, 1)
    assert (effects.added, effects.removed, effects.added_rows) == (1, 0, ())


def test_side_effects_are_not_counted_if_nobody_wants_them(cities: DataFrame) -> None:
    (explanation,) = why_not(cities, MISSING, side_effects="none").explanations
    assert (explanation.verified, explanation.minimal, explanation.side_effects) == (True, True, None)


def test_nothing_is_tried_if_nobody_wants_it(cities: DataFrame) -> None:
    (explanation,) = why_not(cities, MISSING, verify=False).explanations
    assert (explanation.verified, explanation.fixes, explanation.minimal) == (None, (), None)
    assert (explanation.side_effects, explanation.reason) == (None, None)


def test_sums_of_doubles_that_differ_in_their_last_digits_are_no_side_effects(spark: SparkSession) -> None:
    """0.1 + 0.2 + 0.3 is 0.6000000000000001, and 0.3 + 0.2 + 0.1 is 0.6."""
    rows = [("a", "x", 0.1), ("a", "x", 0.2), ("a", "x", 0.3), ("a", "y", 0.3), ("a", "y", 0.2), ("a", "y", 0.1)]
    data = spark.createDataFrame([*rows, ("b", "y", 1.0)], "g string, k string, v double").coalesce(1)
    sums = data.filter("k = 'x'").groupBy("g").agg(F.sum("v").alias("total"), F.count("*").alias("n"))
    (explanation,) = why_not(sums, {"g": "b"}).explanations
    assert explanation.side_effects == SideEffects(0, 0, 0, 0)


# --- the causes ---

FIXED = {
    "c01_null_comparison": ["filter not (status <=> 'blocked')"],
    "c02_null_key": ["left join on buyer = id"],
    "c03_inner_join": ["left join on customer"],
    "c04_case_of_a_constant": ["filter lower(trim(country)) = 'germany'"],
    "c04_stray_characters": ["join on trim(replace(city, '\u00a0', ' ')) = trim(replace(place, '\u00a0', ' '))"],
    "c05_empty_array": ["explode_outer orders as item"],
    "c06_filtered_left_join": ["filter (status = 'paid') or (status is null)"],
    "c07_moved_field": ["aggregate count(*) as tweets by user.location as country"],
    "c07_renamed_column": ["filter email is not null", "select name, lower(email) as contact"],
    "c08_key_format": ["join on regexp_replace(sku, '^0+(?=.)', '') = regexp_replace(number, '^0+(?=.)', '')"],
    "c08_key_type": ["left join on cast(tax as double) = rate"],
    "c11_not_in_list": ["filter not (country in ('US', 'CA')) or (country is null)"],
    "c13_row_number": ["filter rn = 2"],
    "c17_several_conditions": ["filter (country = 'FR') and paid", "filter amount >= 80"],
    "c18_count_of_nulls": ["filter reviews >= 1"],
    "c19_limit": ["limit 4"],
}
NOT_FIXED = {
    "c12_not_in_subquery": (
        "the row comes through without anti join (not in) on id = customer; no smaller change was found"
    ),
    "c13_drop_duplicates": "the row comes through without distinct by name; no smaller change was found",
    "c15_dropna": "phone is null for this row; drop the null test to let it through",
}


def example(name: str) -> ModuleType:
    return importlib.import_module(f"examples.causes.{name}")


def ask(spark: SparkSession, name: str, side_effects: Any = "none") -> Answer:
    module = example(name)
    alternatives = getattr(module, "ALTERNATIVES", None)
    return why_not(module.query(spark), module.MISSING, alternatives=alternatives, side_effects=side_effects)


@pytest.fixture
def judged(monkeypatch: pytest.MonkeyPatch) -> list[Claim]:
    """What is behind the explanations of the answers of a test, with the changed queries."""
    seen: list[Claim] = []

    def spy(found: Sequence[Claim]) -> tuple[Explanation, ...]:
        seen.extend(found)
        return rank(found)

    monkeypatch.setattr(pipeline, "rank", spy)
    return seen


@pytest.mark.parametrize("name", FIXED)
def test_a_cause_ends_in_a_fix_that_brings_the_row(spark: SparkSession, judged: list[Claim], name: str) -> None:
    answer = ask(spark, name)
    (explanation,) = answer.explanations
    assert [fix.after for fix in explanation.fixes] == FIXED[name]
    assert (explanation.verified, explanation.minimal) == (True, True)
    (found,) = judged
    assert found.repair is not None
    matching = Filter(id=OpId(0), input=found.repair.fixed_plan, condition=all_of(conditions(answer.question)))
    assert not run(spark, matching).isEmpty()


@pytest.mark.parametrize("name", NOT_FIXED)
def test_or_the_reason_is_told_why_there_is_none(spark: SparkSession, name: str) -> None:
    answer = ask(spark, name, "exact")
    assert answer.outcome == "explained"
    (explanation,) = answer.explanations
    assert (explanation.verified, explanation.minimal, explanation.fixes) == (False, False, ())
    assert explanation.side_effects is None
    assert explanation.reason == NOT_FIXED[name]


def test_a_time_is_moved_to_the_moment_of_the_row(spark: SparkSession) -> None:
    (explanation,) = ask(spark, "c14_date_boundary").explanations
    assert explanation.verified is True
    (fix,) = explanation.fixes
    assert fix.after.startswith("filter (at >= '2024-01-01') and (at <= '2024-01-31 10:15:00")
    assert fix.diff is not None
    assert '+    return events.filter(F.col("at").between("2024-01-01", "2024-01-31 10:15:00' in fix.diff


ONLY_EXPLAINED = (9, 10, 16, 20, 21, 22, 23, 24, 25)
"""Causes outside of the query, or in what only Spark understands: what is said of them is checked with the causes."""


def test_every_example_is_checked_here() -> None:
    known = {path.stem for path in Path(__file__).parent.parent.glob("examples/causes/c*.py")}
    others = {name for name in known if int(name[1:3]) in ONLY_EXPLAINED}
    assert known - others == {*FIXED, *NOT_FIXED, "c14_date_boundary"}


# --- others ---


def test_a_value_is_added_to_a_list(spark: SparkSession) -> None:
    df = spark.createDataFrame([("Ann", "DE"), ("Bob", "FR"), ("Cid", "FR")], "name string, country string")
    kept = df.filter(F.col("country").isin("DE", "AT"))
    (explanation,) = why_not(kept, {"name": "Bob"}, side_effects="exact").explanations
    assert [fix.after for fix in explanation.fixes] == ["filter country in ('DE', 'AT', 'FR')"]
    assert explanation.side_effects is not None
    assert explanation.side_effects.added_rows == ({"name": "Cid", "country": "FR"},)


def test_a_bound_below_an_aggregate_is_looked_for_in_the_data(spark: SparkSession) -> None:
    """5 + 20 + 40: no single row tells where the bound has to be."""
    rows = spark.createDataFrame([("a", n) for n in (5, 20, 40, 60)] + [("b", 30)], "k string, v int")
    totals = rows.filter(F.col("v") < 10).groupBy("k").agg(F.sum("v").alias("total"))
    answer = why_not(totals, {"k": "a", "total": 65}, side_effects="exact")
    assert answer.outcome == "other_value"  # the group is there, with 5
    (explanation,) = answer.explanations
    assert [fix.after for fix in explanation.fixes] == ["filter v < 41"]
    assert (explanation.certain, explanation.verified) == (False, True)
    assert explanation.side_effects is not None
    assert explanation.side_effects.added_rows == ({"k": "b", "total": 30},)
    assert explanation.side_effects.removed_rows == ({"k": "a", "total": 5},)


def test_what_no_constant_brings_is_told_as_tried(spark: SparkSession) -> None:
    rows = spark.createDataFrame([("a", n) for n in (5, 20, 40)], "k string, v int")
    totals = rows.filter(F.col("v") < 10).groupBy("k").agg(F.sum("v").alias("total"))
    answer = why_not(totals, {"k": "a", "total": 45})
    assert (answer.outcome, answer.is_explained) == ("other_value", False)
    assert answer.explanations == ()
    (tried,) = answer.tried
    assert tried.verified is False
    assert tried.reason == "with this change total is 25, not total = 45"


# --- aggregate functions ---


@pytest.fixture(scope="module")
def sales(spark: SparkSession) -> DataFrame:
    rows = [("a", 1.0, 1), ("a", 5.0, 1), ("b", 2.0, 2), ("b", 2.0, 2), ("c", 9.0, 3)]
    return spark.createDataFrame(rows, "shop string, price double, item int")


def test_another_function_gives_the_value_that_is_asked_for(sales: DataFrame) -> None:
    totals = sales.groupBy("shop").agg(F.sum("price").alias("price"))
    (found,) = why_not(totals, {"shop": "a", "price": 3.0}).explanations
    (fix,) = found.fixes
    assert (fix.kind, fix.after) == ("aggregate", "aggregate avg(price) as price by shop")
    assert found.verified
    assert found.alternative == {}
    assert found.side_effects is not None
    assert found.side_effects.lower == 3  # of the shops a, b and c, the sums of a and b go, the mean of b comes
    assert fix.diff is not None
    assert fix.diff.endswith('+    totals = sales.groupBy("shop").agg(F.avg("price").alias("price"))')


def test_values_may_have_been_counted_more_than_once(sales: DataFrame) -> None:
    counts = sales.groupBy("shop").agg(F.count("item").alias("items"))
    (found,) = why_not(counts, {"shop": "a", "items": 1}).explanations
    assert [fix.after for fix in found.fixes] == ["aggregate count(distinct item) as items by shop"]


def test_a_function_is_not_changed_where_the_one_as_written_would_do(sales: DataFrame) -> None:
    totals = sales.filter(F.col("price") > 5).groupBy("shop").agg(F.sum("price").alias("price"))
    found = why_not(totals, {"shop": "a", "price": gt(0)}).explanations
    assert [[each.kind for each in explanation.operators] for explanation in found] == [["filter"]]


def test_an_answer_does_not_call_a_function_an_alternative(sales: DataFrame) -> None:
    totals = sales.groupBy("shop").agg(F.sum("price").alias("price"))
    assert len(why_not(totals, {"shop": "a", "price": 3.0}).alternatives) == 1


def test_a_function_that_fails_does_not_fail_the_question(spark: SparkSession) -> None:
    """The sum of these numbers is beyond a long."""
    huge = spark.createDataFrame([("a", 2**62), ("a", 2**62), ("b", 1)], "k string, v bigint")
    largest = huge.groupBy("k").agg(F.max("v").alias("v"))
    answer = why_not(largest, {"k": "a", "v": 7})
    assert (answer.outcome, answer.is_explained) == ("other_value", False)
    (told,) = [each for each in answer.warnings if each.startswith("sum(v) in place of max(v) was not tried: ")]
    assert "overflow" in told.lower()


def test_functions_that_are_too_many_are_told(spark: SparkSession) -> None:
    data = spark.createDataFrame([("a", 1.0, 2.0, 3.0)], "k string, x double, y double, z double")
    sums = data.groupBy("k").agg(*(F.sum(name).alias(name) for name in "xyz"))
    answer = why_not(sums, {"k": "a", "x": 9.0, "y": 9.0, "z": 9.0})
    told = [each for each in answer.warnings if each.endswith("at most 6 other functions are tried")]
    assert len(told) == 3  # of avg, min and max for each of three columns


def test_constants_have_all_digits_that_a_decimal_of_spark_has(spark: SparkSession) -> None:
    """More than Python computes with if nobody says so."""
    prices = spark.sql("SELECT 1 AS k, v FROM VALUES (12345678901234567890123456789.01BD), (1.5BD) AS t(v)")
    counted = prices.filter(F.col("v") < 1).groupBy("k").agg(F.count("*").alias("n"))
    (found,) = why_not(counted, {"k": 1, "n": 2}).explanations
    assert found.verified
    assert "v <= 1234567890123456" in found.fixes[0].after


@pytest.mark.parametrize(("condition", "row", "reason"), [
    ("active", 1, "active is false for this row; drop the condition or allow false"),
    ("not active", 2, "active is true for this row; drop the condition or allow true"),
    ("active", 3, "active is null for this row; drop the condition or allow null"),
])  # fmt: skip
def test_a_filter_on_a_boolean_column_says_its_value(
    spark: SparkSession, condition: str, row: int, reason: str
) -> None:
    people = spark.createDataFrame([(1, False), (2, True), (3, None)], "id int, active boolean")
    (found,) = why_not(people.filter(condition), {"id": row}).explanations
    assert (found.verified, found.reason) == (False, reason)


@pytest.mark.parametrize(("count", "rank"), [(3, 4), (3, 5), (3, 60), (1, 2)])
@pytest.mark.parametrize("how", ["in", "exists"])
def test_a_limit_in_a_subquery_is_as_long_as_needed(spark: SparkSession, count: int, rank: int, how: str) -> None:
    spark.range(1, 101).createOrReplaceTempView("ranked")
    limited = f"(select id as r from ranked order by id limit {count})"
    tests = {"in": f"id in {limited}", "exists": f"exists (select 1 from {limited} where r = id)"}
    answer = why_not(spark.sql(f"select id from ranked where {tests[how]}"), {"id": rank})
    found = next(each for each in answer.explanations if each.operators[0].kind == "limit")
    assert found.verified
    assert [fix.after for fix in found.fixes] == [f"limit {rank}"]
    assert found.side_effects is not None
    assert found.side_effects.added == rank - count - 1


def test_a_line_is_not_shown_if_only_a_part_of_what_it_needs_can_be_written(spark: SparkSession) -> None:
    data = spark.createDataFrame([(1, None), (2, [7])], "id int, `only here` array<int>")
    answer = why_not(data.withColumn("i", F.explode("only here")).filter(F.col("i") > 5), {"id": 1})
    (explanation,) = answer.explanations
    assert [operator.kind for operator in explanation.operators] == ["flatten", "filter"]
    assert explanation.verified
    assert [fix.diff for fix in explanation.fixes] == [None, None]
