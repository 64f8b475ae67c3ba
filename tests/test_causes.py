"""The causes for which rows go missing, as people meet them: each example gets the answer that a person needs."""

from __future__ import annotations

import importlib
import inspect
import json
from collections.abc import Mapping
from datetime import datetime, timedelta, timezone
from itertools import combinations
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession, Window
from pyspark.sql import functions as F

from examples.causes import (
    c01_null_comparison,
    c02_null_key,
    c03_inner_join,
    c04_case_of_a_constant,
    c04_stray_characters,
    c05_empty_array,
    c06_filtered_left_join,
    c07_moved_field,
    c07_renamed_column,
    c08_key_format,
    c08_key_type,
    c09_unparsed_date,
    c10_malformed_record,
    c11_not_in_list,
    c12_not_in_subquery,
    c13_drop_duplicates,
    c13_row_number,
    c14_date_boundary,
    c15_dropna,
    c16_union_by_position,
    c17_several_conditions,
    c18_count_of_nulls,
    c19_limit,
    c20_json_field_case,
    c21_schema_drift,
    c22_csv_newline,
    c23_udf_returns_none,
    c24_never_read,
    c25_sample,
)
from scripts import cookbook
from sparkwhy import Answer, SparkWhyError, why_not
from sparkwhy.errors import UnsupportedOperator
from sparkwhy.plan.build import all_of
from sparkwhy.plan.nodes import Filter, OpId, Plan
from sparkwhy.plan.show import show_expr
from sparkwhy.plan.walk import fold, walk, with_inputs
from sparkwhy.question.match import conditions
from sparkwhy.spark.classic.run.operators import run
from sparkwhy.trace.blame import Dropper, droppers_of
from sparkwhy.trace.relax import relax
from sparkwhy.trace.witness import Observation
from tests.report.json_schema import problems

CAUSES = sorted(path.stem for path in (Path(__file__).parent.parent / "examples" / "causes").glob("c*.py"))


NOT_IN_DATA = {"c10_malformed_record", "c16_union_by_position", "c24_never_read"}
"""The row is in no source, as it was read."""

NOT_FOLLOWED = {"c25_sample"}

_answers: dict[str, Answer] = {}


def ask(spark: SparkSession, example: ModuleType) -> Answer:
    """The answer to the question of an example, which is asked once for all tests."""
    if example.__name__ not in _answers:
        alternatives = getattr(example, "ALTERNATIVES", None)
        _answers[example.__name__] = why_not(example.query(spark), example.MISSING, alternatives=alternatives)
    return _answers[example.__name__]


def line(example: ModuleType, fragment: str) -> str:
    """Where the fragment stands in the example: `c01.py:18`."""
    assert example.__file__ is not None
    (number,) = [n for n, text in enumerate(inspect.getsource(example).splitlines(), 1) if fragment in text]
    return f"{Path(example.__file__).name}:{number}"


def operators(answer: Answer) -> list[tuple[str, str, str | None]]:
    """The operators of the only explanation: kind, text and place."""
    assert answer.outcome == "explained"
    (explanation,) = answer.explanations
    return [(operator.kind, operator.text, operator.where) for operator in explanation.operators]


def observed(answer: Answer, operator: int = 0, witness: int = 0) -> Observation:
    """What happened to a witness at an operator of the only explanation."""
    (explanation,) = answer.explanations
    return explanation.witnesses[witness].at[explanation.operators[operator]]


def row(answer: Answer, witness: int = 0) -> Mapping[str, Any]:
    """The row that would be in the result."""
    return answer.explanations[0].witnesses[witness].row


# --- as JSON ---


@pytest.mark.parametrize("name", sorted(set(CAUSES) - NOT_FOLLOWED))
def test_answers_as_json_are_as_documented(spark: SparkSession, name: str) -> None:
    data = ask(spark, importlib.import_module(f"examples.causes.{name}")).to_dict()
    assert list(problems(data)) == []
    assert json.loads(json.dumps(data, allow_nan=False)) == data


@pytest.mark.parametrize(
    ("example", "causes"),
    [
        (c01_null_comparison, ["condition_null"]),
        (c03_inner_join, ["no_join_partner"]),
        (c05_empty_array, ["empty_array", "null_array"]),
        (c12_not_in_subquery, ["has_join_partner"]),
        (c13_drop_duplicates, ["duplicate_of"]),
        (c19_limit, ["beyond_limit"]),
    ],
    ids=lambda each: each.__name__.rpartition(".")[2] if isinstance(each, ModuleType) else "",
)
def test_each_operator_has_its_causes(spark: SparkSession, example: ModuleType, causes: list[str]) -> None:
    (explanation,) = ask(spark, example).to_dict()["explanations"]
    assert sorted(explanation["operators"][0]["causes"]) == causes


# --- the definition ---


@pytest.mark.parametrize("name", sorted(set(CAUSES) - NOT_IN_DATA - NOT_FOLLOWED))
def test_the_row_appears_if_just_the_operators_of_the_explanation_change(spark: SparkSession, name: str) -> None:
    example = importlib.import_module(f"examples.causes.{name}")
    answer = ask(spark, example)
    (explanation,) = answer.explanations
    steps = [operator.id for operator in explanation.operators]
    for size in range(len(steps) + 1):
        for changed in combinations(steps, size):
            query = with_changes(answer.plan, explanation.plan, changed)
            assert appears(spark, answer, query) == (size == len(steps)), changed


def with_changes(plan: Plan, alternative: Plan, steps: tuple[int, ...]) -> Plan:
    """The query in which these steps let rows through, and read what the alternative says."""
    other = {node.id: node for node in walk(alternative) if node.id.step in steps}
    mixed = fold(plan, lambda node, inputs: with_inputs(other.get(node.id, node), inputs))
    droppers: set[Dropper] = {d for node in other.values() for d in droppers_of(node)}
    return relax(mixed, droppers)


def appears(spark: SparkSession, answer: Answer, query: Plan) -> bool:
    wanted = all_of(conditions(answer.question))
    return not run(spark, Filter(id=OpId(0), input=query, condition=wanted)).isEmpty()


# --- the cookbook ---


@pytest.mark.parametrize("name", CAUSES)
def test_the_code_and_the_answer_in_the_cookbook_are_those_of_today(spark: SparkSession, name: str) -> None:
    def told(example: ModuleType) -> str:
        try:
            return str(ask(spark, example))
        except SparkWhyError as error:
            return str(error)

    today = cookbook.part(name, told)
    assert today in cookbook.PAGE.read_text(encoding="utf-8"), f"run `make docs`:\n{today}"


# --- 1, 11, 15, 17: filters ---


def test_a_comparison_with_null_is_null_and_not_false(spark: SparkSession) -> None:
    answer = ask(spark, c01_null_comparison)
    place = line(c01_null_comparison, '!= "blocked"')
    assert operators(answer) == [("filter", "filter status <> 'blocked'", place)]
    assert observed(answer).values == {"status": None}
    assert observed(answer).verdicts == {"status <> 'blocked'": None}
    assert row(answer) == {"id": 2, "name": "Bob"}
    assert "status is null, so status <> 'blocked' is NULL, not true" in str(answer)


def test_not_in_a_list_is_null_for_null(spark: SparkSession) -> None:
    answer = ask(spark, c11_not_in_list)
    place = line(c11_not_in_list, "isin")
    assert operators(answer) == [("filter", "filter not (country in ('US', 'CA'))", place)]
    assert observed(answer).values == {"country": None}
    assert observed(answer).verdicts == {"not (country in ('US', 'CA'))": None}


def test_a_null_in_the_list_makes_not_in_null_for_every_other_value(spark: SparkSession) -> None:
    df = spark.createDataFrame([("Ann", "FR"), ("Bob", "US")], "name string, country string")
    answer = why_not(df.filter("country not in ('US', null)"), {"name": "Ann"})
    assert observed(answer).values["country"] == "FR"
    assert list(observed(answer).verdicts.values()) == [None]


def test_dropna_names_the_column_that_is_null(spark: SparkSession) -> None:
    answer = ask(spark, c15_dropna)
    ((kind, _, where),) = operators(answer)
    assert (kind, where) == ("filter", None)
    assert observed(answer).verdicts == {
        "name is not null": True,
        "mail is not null": True,
        "phone is not null": False,
    }
    assert observed(answer).values["phone"] is None
    assert "phone is null, so phone is not null is FALSE" in str(answer)
    assert "mail is not null is" not in str(answer)


def test_two_filters_that_both_fail_are_one_explanation(spark: SparkSession) -> None:
    answer = ask(spark, c17_several_conditions)
    assert operators(answer) == [
        ("filter", "filter (country = 'DE') and paid", line(c17_several_conditions, "domestic = ")),
        ("filter", "filter amount >= 100", line(c17_several_conditions, '"amount") >= 100')),
    ]
    assert observed(answer, 0).values == {"country": "FR", "paid": True}
    assert observed(answer, 0).verdicts == {"country = 'DE'": False, "paid": True}
    assert observed(answer, 1).values == {"amount": 80}
    assert observed(answer, 1).verdicts == {"amount >= 100": False}


def test_one_of_two_rows_may_fail_less(spark: SparkSession) -> None:
    """Order 3 is there in the data too, and for it the first filter fails by another conjunct."""
    answer = why_not(c17_several_conditions.query(spark), {"country": "DE", "amount": 90})
    assert observed(answer, 0).verdicts == {"country = 'DE'": True, "paid": False}
    assert observed(answer, 1).values == {"amount": 90}


# --- 2, 3, 4, 8: joins ---


def test_a_null_key_finds_no_partner(spark: SparkSession) -> None:
    answer = ask(spark, c02_null_key)
    assert operators(answer) == [("join", "join on buyer = id", line(c02_null_key, "orders.buyer =="))]
    assert observed(answer).values == {"buyer": None}
    assert observed(answer).no_partner == "right"
    assert observed(answer).nearest == ()
    assert observed(answer).hints == ("null equals nothing, not even null",)  # no customer has a null id
    assert row(answer) == {"order_id": 103, "name": None, "amount": 50}


@pytest.mark.parametrize(("how", "fixed"), [("inner", "right"), ("left", "full"), ("right", "full"), ("full", "full")])
@pytest.mark.parametrize("type", ["int", "bigint"])
def test_a_join_on_names_has_the_key_of_the_side_that_has_a_row(
    spark: SparkSession, how: str, fixed: str, type: str
) -> None:
    left = spark.createDataFrame([(1, "x"), (2, "y")], "k int, u string")
    right = spark.createDataFrame([(1, "p"), (3, "q")], f"k {type}, v string")
    missing = {"u": "y"} if how == "right" else {"v": "q"}
    answer = why_not(left.join(right, "k", how), missing)
    (name, value) = next(iter(missing.items()))
    (returned,) = left.join(right, "k", fixed).filter(F.col(name) == value).collect()
    shown = answer.matching[0] if how == "full" else row(answer)
    assert shown == returned.asDict()
    assert how == "full" or answer.explanations[0].returned == returned.asDict()


def test_a_merged_key_can_be_asked_for_and_is_looked_for_on_both_sides(spark: SparkSession) -> None:
    left = spark.createDataFrame([(1, "x"), (2, "y")], "k int, u string")
    right = spark.createDataFrame([(1, "p"), (3, "q")], "k int, v string")
    answer = why_not(left.join(right, "k"), {"k": 3})
    assert row(answer) == {"k": 3, "u": None, "v": "q"}
    assert answer.explanations[0].fixes[0].after == "right join on k"
    nowhere = why_not(left.join(right, "k"), {"k": 4})
    assert [gap.conditions for gap in nowhere.gaps] == [("k = 4",), ("k = 4",)]


@pytest.mark.parametrize("how", ["inner", "right", "semi"])
@pytest.mark.parametrize(
    ("region", "would_match"), [("EU", True), ("US", False)], ids=["the other key equal", "the other key different"]
)
def test_a_null_safe_comparison_is_named_only_if_it_finds_a_partner(
    spark: SparkSession, how: str, region: str, would_match: bool
) -> None:
    orders = spark.createDataFrame([(1, ("EU", None))], "id int, of struct<region string, buyer int>")
    buyers = spark.createDataFrame([(region, None, 5)], "region string, buyer int, n int")
    same = (F.col("of.region") == buyers.region) & (F.col("of.buyer") == buyers.buyer) & (orders.id < buyers.n)
    answer = why_not(orders.join(buyers, same, how).select("id"), {"id": 1})
    hint = "only <=> (eqNullSafe) would find it a partner"
    assert (hint in observed(answer).hints) == would_match


def test_an_inner_join_shows_the_key_and_the_nearest_on_the_other_side(spark: SparkSession) -> None:
    answer = ask(spark, c03_inner_join)
    assert operators(answer) == [("join", "join on customer", None)]
    assert observed(answer).values == {"left.customer": "C-17"}
    assert observed(answer).no_partner == "right"
    # One edit away are C-10, C-18 and C-27, two are needed for C-99; equals come in their own order.
    assert observed(answer).nearest == ({"customer": "C-10"}, {"customer": "C-18"}, {"customer": "C-27"})
    assert observed(answer).hints == ()


def test_the_side_without_a_partner_may_be_the_left(spark: SparkSession) -> None:
    answer = why_not(c03_inner_join.query(spark), {"name": "Cid"})
    assert observed(answer).values == {"right.customer": "C-27"}
    assert observed(answer).no_partner == "left"
    assert observed(answer).nearest == ({"customer": "C-17"}, {"customer": "C-10"})


def test_a_non_breaking_space_is_made_visible(spark: SparkSession) -> None:
    answer = ask(spark, c04_stray_characters)
    assert operators(answer) == [("join", "join on city = place", line(c04_stray_characters, "sales.city =="))]
    assert observed(answer).values == {"city": "Lyon", "place": "Lyon\u00a0"}
    hint = "'Lyon' and 'Lyon<U+00A0>' are equal after replacing non-breaking spaces and trim"
    assert observed(answer).hints == (hint,)
    assert hint in str(answer)


def test_a_constant_that_differs_by_case_and_blanks(spark: SparkSession) -> None:
    answer = ask(spark, c04_case_of_a_constant)
    place = line(c04_case_of_a_constant, '== "Germany"')
    assert operators(answer) == [("filter", "filter country = 'Germany'", place)]
    assert observed(answer).values == {"country": "germany "}
    assert observed(answer).verdicts == {"country = 'Germany'": False}
    assert observed(answer).hints == ("'germany ' and 'Germany' are equal after trim and lower",)
    assert [fix.after for fix in answer.explanations[0].fixes] == ["filter lower(trim(country)) = 'germany'"]


def test_zeros_before_a_key(spark: SparkSession) -> None:
    answer = ask(spark, c08_key_format)
    assert operators(answer) == [("join", "join on sku = number", line(c08_key_format, "sales.sku =="))]
    assert observed(answer).values == {"sku": "00042", "number": "42"}
    assert observed(answer).hints == ("'00042' and '42' are equal after removing leading zeros",)


def test_a_cast_of_a_key_shows_what_was_cast(spark: SparkSession) -> None:
    answer = ask(spark, c08_key_type)
    place = line(c08_key_type, "invoices.tax ==")
    assert operators(answer) == [("join", "join on cast(tax as double) = rate", place)]
    # A float has about seven digits: what it holds for 0.19 is not what a double holds.
    assert observed(answer).values["tax"] == 0.19
    assert str(observed(answer).values["cast(tax as double)"]).startswith("0.18999999")
    assert observed(answer).nearest[0] == {"rate": 0.19}
    (hint,) = observed(answer).hints
    assert hint == "both sides read '0.19', but as float and as double they are not equal: cast both to one type"


def test_a_key_that_is_there_but_fails_the_rest_of_the_condition(spark: SparkSession) -> None:
    orders = spark.createDataFrame([(1, "A", 5)], "id int, sku string, pieces int")
    offers = spark.createDataFrame([("A", 10), ("B", 1)], "article string, least int")
    joined = orders.join(offers, (orders.sku == offers.article) & (orders.pieces >= offers.least))
    answer = why_not(joined, {"id": 1})
    assert observed(answer).values == {"sku": "A", "pieces": 5}
    assert observed(answer).hints == ("the key is there, but no row with it meets pieces >= least",)


def test_a_time_beside_a_date_as_keys(spark: SparkSession) -> None:
    events = spark.sql("select 1 as id, timestamp '2024-03-01 10:00:00' as at")
    days = spark.sql("select * from values (date '2024-03-01'), (date '2024-03-02') as days(day)")
    answer = why_not(events.join(days, events.at == days.day), {"id": 1})
    assert observed(answer).hints == ("'2024-03-01 10:00:00' and '2024-03-01 00:00:00' are equal after cast to a date",)
    assert [fix.after for fix in answer.explanations[0].fixes] == ["join on cast(at as date) = day"]


def test_keys_of_two_columns_are_compared_together(spark: SparkSession) -> None:
    left = spark.createDataFrame([(1, "DE", "Ulm"), (2, "FR", "Nice")], "id int, country string, city string")
    right = spark.createDataFrame([("DE", "ULM"), ("AT", "Ulm"), ("DE", "Bonn")], "land string, town string")
    joined = left.join(right, (left.country == right.land) & (left.city == right.town))
    answer = why_not(joined, {"id": 1})
    assert observed(answer).values == {"country": "DE", "land": "DE", "city": "Ulm", "town": "ULM"}
    assert observed(answer).hints == ("'Ulm' and 'ULM' are equal after lower",)


def test_one_column_may_be_the_key_of_two(spark: SparkSession) -> None:
    left = spark.createDataFrame([(1, "A", "B")], "id int, x string, y string")
    right = spark.createDataFrame([("A",), ("C",)], "k string")
    answer = why_not(left.join(right, (left.x == right.k) & (left.y == right.k)), {"id": 1})
    assert observed(answer).nearest == ({"k": "A", "k#2": "A"}, {"k": "C", "k#2": "C"})


def test_types_that_differ_are_not_the_reason_where_the_rest_of_the_condition_is(spark: SparkSession) -> None:
    left = spark.createDataFrame([(1, 5)], "k int, n int")
    right = spark.createDataFrame([(1, 9)], "j long, least int")
    answer = why_not(left.join(right, (left.k == right.j) & (left.n >= right.least)), {"k": 1})
    assert observed(answer).hints == ("the key is there, but no row with it meets n >= least",)


def test_a_semi_join_shows_the_nearest_keys_too(spark: SparkSession) -> None:
    left = spark.createDataFrame([(7, "Ann"), (8, "Bob")], "id int, name string")
    right = spark.createDataFrame([(8,), (90,)], "buyer int")
    answer = why_not(left.join(right, left.id == right.buyer, "left_semi"), {"name": "Ann"})
    assert observed(answer).no_partner == "right"
    assert observed(answer).nearest == ({"buyer": 8}, {"buyer": 90})


# --- 5: flatten ---


def test_null_and_empty_collections_are_told_apart(spark: SparkSession) -> None:
    answer = ask(spark, c05_empty_array)
    assert operators(answer) == [("flatten", "explode orders as item", None)]
    states = {row(answer, i)["name"]: observed(answer, witness=i).collections for i in range(2)}
    assert {name: [(show_expr(expr), state) for expr, state in found] for name, found in states.items()} == {
        "Bob": [("orders", "empty")],
        "Cid": [("orders", "null")],
    }


# --- 6: a left join made inner ---


def test_the_filter_alone_is_to_blame_and_the_left_join_is_named_beside_it(spark: SparkSession) -> None:
    """The left join has kept the row: with the filter relaxed it is there. So the filter is the explanation; that
    its null comes from the join is told with the witness.
    """
    answer = ask(spark, c06_filtered_left_join)
    place = line(c06_filtered_left_join, '== "paid"')
    assert operators(answer) == [("filter", "filter status = 'paid'", place)]
    assert observed(answer).values == {"status": None}
    assert observed(answer).verdicts == {"status = 'paid'": None}
    (join,) = [node.id.step for node in walk(answer.plan) if node.kind == "join"]
    padded = answer.explanations[0].witnesses[0].at[join]
    assert padded.values == {"id": 3}
    assert padded.no_partner == "right"
    assert "the null comes from left join on id = buyer: id = 3 has no partner" in str(answer)


def test_a_partner_that_fails_the_filter_is_no_matter_of_the_join(spark: SparkSession) -> None:
    answer = why_not(c06_filtered_left_join.query(spark), {"name": "Bob"})
    assert observed(answer).verdicts == {"status = 'paid'": False}
    assert "the null comes from" not in str(answer)


def test_a_test_for_null_after_a_left_join_tells_of_the_join_as_well(spark: SparkSession) -> None:
    customers = spark.createDataFrame([(1, "Ann"), (3, "Cid")], "id int, name string")
    orders = spark.createDataFrame([(1, "paid")], "buyer int, status string")
    joined = customers.join(orders, customers.id == orders.buyer, "left").filter(F.col("status").isNotNull())
    answer = why_not(joined, {"name": "Cid"})
    assert observed(answer).verdicts == {"status is not null": False}
    assert "the null comes from left join on id = buyer: id = 3 has no partner" in str(answer)


ORDERED = "the null comes from try_cast(at as date): at = 03/04/2024"
UNKNOWN_STATUS = "the null comes from the source: status is null in table"


@pytest.mark.parametrize(
    ("columns", "condition", "origin"),
    [
        (["id", "lower(trim(status)) as s"], "s = 'paid'", UNKNOWN_STATUS),
        (["id", "try_cast(trim(status) as int) as n"], "n > 1", UNKNOWN_STATUS),
        (["id", "named_struct('of', upper(status)) as s"], "s.of = 'PAID'", UNKNOWN_STATUS),
        (["id", "try_cast(at as date) as at"], "at > date '2020-01-01'", ORDERED),
        (["id", "year(try_cast(at as date)) as y"], "y > 2020", "at = 03/04/2024"),
        (["id", "upper(case when id > 1 then 'big' end) as size"], "size = 'BIG'", "then 'big' end): id = 1"),
        (["id", "coalesce(status, ware.kind) as s"], "s = 'paid'", "status is null, ware.kind is null"),
        (["id", "upper(ware.kind) as kind"], "kind = 'PEN'", "the null comes from the source: ware.kind is null"),
    ],
)
def test_a_null_is_followed_to_where_it_was_made(
    spark: SparkSession, columns: list[str], condition: str, origin: str
) -> None:
    """Also where the column that was read is not there any more."""
    schema = "id int, status string, at string, ware struct<kind string>"
    orders = spark.createDataFrame([(1, None, "03/04/2024", (None,)), (2, "paid", "2024-01-01", ("pen",))], schema)
    answer = why_not(orders.selectExpr(*columns).filter(condition).select("id"), {"id": 1})
    (said,) = [line.strip() for line in str(answer).splitlines() if "the null comes from" in line]
    assert origin in said


# --- 7: fields that are elsewhere ---


def failing(*_args: object) -> None:
    raise PySparkException("no space left on device")


def test_a_field_that_moved_is_found_where_it_is(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    """No place is in Germany; two profiles are."""
    tweets = c07_moved_field.query(spark)
    plain = why_not(tweets, c07_moved_field.MISSING)
    assert plain.outcome == "not_in_data"
    assert [note for note in plain.warnings if 'alternatives="auto"' in note] == [
        'user.location contains what you ask of place.country, in 2 of 3 rows: alternatives="auto" tries it.'
    ]
    with monkeypatch.context() as patched:
        patched.setattr("sparkwhy.alternatives.find.evidence_plans", failing)
        assert "other_columns_left_out" in [note.code for note in why_not(tweets, c07_moved_field.MISSING).warnings]
    declared = ask(spark, c07_moved_field)
    found = why_not(tweets, c07_moved_field.MISSING, alternatives="auto")
    for answer in (declared, found):
        ((kind, text, where),) = operators(answer)
        assert (kind, where) == ("aggregate", line(c07_moved_field, "groupBy"))
        assert "place.country" in text
        assert answer.explanations[0].alternative == {"place.country": "user.location"}
        assert row(answer) == {"country": "Germany", "tweets": 2}
        assert "with user.location in place of place.country" in str(answer)
    assert declared.explanations[0].evidence == ()
    assert "2 of 3 rows contain the requested value there" in found.explanations[0].evidence


@pytest.mark.parametrize("alternatives", [None, "auto"])
def test_no_column_is_said_to_hold_a_value_that_it_does_not(spark: SparkSession, alternatives: Any) -> None:
    """With another column in the place of `parcel`, dropDuplicates leaves nothing to ask of a row of the table."""
    df = spark.createDataFrame([("A", "x"), ("B", "y"), ("C", "z")], "parcel string, lane string")
    for query in (df.dropDuplicates(["parcel"]), df.dropna().dropDuplicates(["parcel"]).filter("parcel != 'A'")):
        asked = {} if alternatives is None else {"alternatives": alternatives}
        answer = why_not(query.select("parcel"), {"parcel": "Q"}, **asked)
        assert "of 3 rows" not in str(answer)


def test_a_column_that_was_renamed_changes_all_that_read_it(spark: SparkSession) -> None:
    declared = ask(spark, c07_renamed_column)
    assert why_not(c07_renamed_column.query(spark), c07_renamed_column.MISSING).explanations == ()
    found = why_not(c07_renamed_column.query(spark), c07_renamed_column.MISSING, alternatives="auto")
    for answer in (declared, found):
        assert [kind for kind, _, _ in operators(answer)] == ["filter", "project"]
        assert answer.explanations[0].alternative == {"mail": "email"}
        assert row(answer) == {"name": "Eva", "contact": "eva@example.org"}
    assert "as filter email is not null" in str(declared)
    assert "their names are similar" in found.explanations[0].evidence


# --- values of the row that is shown ---


@pytest.mark.parametrize(
    ("aggregate", "asked"),
    [
        ("collect_list(color)", ["blue", ...]),
        ("collect_set(struct(color))", [{"color": "blue"}, ...]),
        ("min(color)", "blue"),
    ],
    ids=["list", "set of structs", "least"],
)
def test_a_group_tells_of_the_row_that_gives_it_what_is_asked(spark: SparkSession, aggregate: str, asked: Any) -> None:
    """The red pen is nearer to the price, but no blue one."""
    wares = spark.createDataFrame([("pen", "red", 5), ("pen", "blue", 3)], "ware string, color string, price int")
    groups = wares.filter("price > 6").groupBy("ware").agg(F.expr(aggregate).alias("colors"))
    answer = why_not(groups, {"ware": "pen", "colors": asked})
    assert observed(answer).values == {"price": 3}


def test_only_the_row_that_a_fix_returned_is_shown(spark: SparkSession) -> None:
    """The fix lets the red pen through, not the blue one."""
    wares = spark.createDataFrame([("pen", "red", 5), ("pen", "blue", 3)], "ware string, color string, price int")
    shown = str(why_not(wares.filter("price > 6"), {"ware": "pen"}))
    assert "would give ware = pen, color = red, price = 5" in shown
    assert "filter price > 4" in shown
    assert "price = 3" not in shown
    assert "more like that" not in shown


# --- 12: NOT IN ---


def test_not_in_shows_the_null_on_the_right(spark: SparkSession) -> None:
    answer = ask(spark, c12_not_in_subquery)
    ((kind, text, where),) = operators(answer)
    assert (kind, where) == ("join", "SQL line 1")
    assert text.startswith("anti join")
    assert observed(answer).values == {"id": 2}
    assert observed(answer).has_partner == "right"
    assert observed(answer).partner == ({"customer": None, "reason": "import error"},)
    assert any("NOT EXISTS" in hint for hint in observed(answer).hints)


def test_not_in_shows_an_equal_row_too(spark: SparkSession) -> None:
    answer = why_not(c12_not_in_subquery.query(spark), {"name": "Ann"})
    assert observed(answer).partner == (
        {"customer": None, "reason": "import error"},
        {"customer": 1, "reason": "fraud"},
    )


def test_an_anti_join_shows_the_partner_that_it_found(spark: SparkSession) -> None:
    left = spark.createDataFrame([(1, "Ann"), (2, "Bob")], "id int, name string")
    right = spark.createDataFrame([(1, None), (3, "x")], "customer int, note string")
    answer = why_not(left.join(right, left.id == right.customer, "left_anti"), {"name": "Ann"})
    assert observed(answer).partner == ({"customer": 1, "note": None},)
    assert observed(answer).hints == ()  # the null is in a column that the join does not read


# --- 13, 19: rivals and ranks ---


def test_drop_duplicates_shows_the_row_that_was_kept(spark: SparkSession) -> None:
    answer = ask(spark, c13_drop_duplicates)
    assert operators(answer) == [("distinct", "distinct by name", None)]
    assert observed(answer).rival == {"name": "Ann", "city": "Oslo"}


def test_row_number_shows_the_row_in_first_place(spark: SparkSession) -> None:
    answer = ask(spark, c13_row_number)
    assert operators(answer) == [("filter", "filter rn = 1", line(c13_row_number, '"rn") == 1'))]
    assert observed(answer).values == {"rn": 2, "name": "Ann"}
    assert observed(answer).verdicts == {"rn = 1": False}
    assert observed(answer).kept == ({"order_id": 12, "name": "Ann", "day": "2024-05-09", "rn": 1},)
    assert "kept instead: order_id = 12" in str(answer)


def test_a_ranking_without_partitions_shows_all_that_was_kept(spark: SparkSession) -> None:
    df = spark.createDataFrame([(5,), (9,), (3,)], "v int")
    ranked = df.withColumn("rank", F.rank().over(Window.orderBy("v"))).filter(F.col("rank") <= 2)
    answer = why_not(ranked, {"v": 9})
    assert observed(answer).kept == ({"v": 3, "rank": 1}, {"v": 5, "rank": 2})


def test_a_rival_is_shown_beside_another_filter_too(spark: SparkSession) -> None:
    """Row 7 would be second even if the first filter let it through: both must change."""
    df = spark.createDataFrame([(1, 9, True), (1, 7, False), (2, 3, True)], "k int, v int, ok boolean")
    latest = Window.partitionBy("k").orderBy(F.desc("v"))
    ranked = df.filter("ok").withColumn("rn", F.row_number().over(latest)).filter(F.col("rn") == 1)
    answer = why_not(ranked, {"v": 7})
    assert [operator[0] for operator in operators(answer)] == ["filter", "filter"]
    assert observed(answer, 1).kept == ({"k": 1, "v": 9, "ok": True, "rn": 1},)


def test_no_row_is_named_as_kept_that_only_the_relaxed_query_has(spark: SparkSession) -> None:
    """The two rows without a card come first, but the query drops them."""
    paid = [(1, None, 10), (1, "visa", 20), (2, "mc", 5), (1, None, 30)]
    df = spark.createDataFrame(paid, "id int, card string, n int").coalesce(1).filter("card is not null")
    answer = why_not(df.dropDuplicates(["id"]), {"n": 30})
    assert [operator[0] for operator in operators(answer)] == ["filter", "distinct"]
    assert observed(answer, 1).rival is None
    assert observed(answer, 1).kept == ({"id": 1, "card": "visa", "n": 20},)
    assert str(answer).count("kept instead") == 1
    cut = why_not(df.orderBy("n").limit(1), {"n": 30})
    assert observed(cut, 1).cut_off == ()
    without = why_not(df.filter("card = 'mc'").dropDuplicates(["id"]), {"n": 30})
    assert "kept instead" not in str(without)


def test_a_limit_tells_the_rank_and_where_it_cuts(spark: SparkSession) -> None:
    answer = ask(spark, c19_limit)
    assert operators(answer) == [("limit", "limit 3", line(c19_limit, ".limit(3)"))]
    assert observed(answer).values == {"amount": 60}
    assert (observed(answer).rank, observed(answer).last_rank) == (4, 3)
    assert [value for _, value in observed(answer).cut_off] == [70]  # 90, 80, 70


# --- 14: times ---


def test_a_time_past_a_date_tells_by_how_much(spark: SparkSession) -> None:
    answer = ask(spark, c14_date_boundary)
    ((kind, _, where),) = operators(answer)
    assert (kind, where) == ("filter", line(c14_date_boundary, "between"))
    late = "at <= '2024-01-31'"
    assert observed(answer).verdicts == {"at >= '2024-01-01'": True, late: False}
    assert observed(answer).values["at"] == datetime(2024, 1, 31, 10, 15, tzinfo=timezone.utc)
    assert observed(answer).values["'2024-01-31'"] == datetime(2024, 1, 31, tzinfo=timezone.utc)
    assert observed(answer).hints == ("2024-01-31 10:15:00 is 10 hours 15 minutes after 2024-01-31 00:00:00",)


def test_times_are_told_in_the_zone_of_the_session(spark: SparkSession) -> None:
    """10:15 in UTC is 11:15 in Berlin, in winter; and midnight is midnight there."""
    seconds = spark.createDataFrame([(3, 1706696100)], "event int, seconds long")
    spark.conf.set("spark.sql.session.timeZone", "Europe/Berlin")
    try:
        events = seconds.select("event", F.timestamp_seconds("seconds").alias("at"))
        answer = why_not(events.filter(F.col("at") <= "2024-01-31"), {"event": 3})
    finally:
        spark.conf.set("spark.sql.session.timeZone", "UTC")
    berlin = timezone(timedelta(hours=1))
    assert observed(answer).values == {
        "at": datetime(2024, 1, 31, 11, 15, tzinfo=berlin),
        "'2024-01-31'": datetime(2024, 1, 31, tzinfo=berlin),
    }
    assert "at = 2024-01-31 11:15:00" in str(answer)


# --- 18: groups ---


def test_a_count_of_nulls_tells_how_large_the_group_is(spark: SparkSession) -> None:
    answer = ask(spark, c18_count_of_nulls)
    assert operators(answer) == [("filter", "filter reviews >= 2", line(c18_count_of_nulls, ">= 2"))]
    assert observed(answer).values == {"reviews": 1, "product": "lamp"}
    assert observed(answer).group == ({"rows": 3, "rating": 1},)
    assert observed(answer).hints == ("the group has 3 rows, but rating is null in 2 of them",)


# --- 9, 20 to 23: a null that was made before the operator ---


def test_text_that_is_no_date_is_told_beside_the_null(spark: SparkSession) -> None:
    answer = ask(spark, c09_unparsed_date)
    assert operators(answer) == [("filter", "filter day >= '2024-01-01'", line(c09_unparsed_date, ">= "))]
    assert observed(answer).verdicts == {"day >= '2024-01-01'": None}
    assert row(answer) == {"order_id": 2, "written": "05.02.2024", "day": None}
    assert "the null comes from try_cast(written as date): written = 05.02.2024" in str(answer)
    assert "which has the format dd.MM.yyyy" in str(answer)


def test_a_function_that_returned_none_is_named_with_what_it_was_called_with(spark: SparkSession) -> None:
    assert "the null comes from <lambda>(tier): tier = bronze" in str(ask(spark, c23_udf_returns_none))


@pytest.mark.parametrize(
    ("example", "column", "verdict", "given"),
    [
        (c20_json_field_case, "userid", False, {"userid": None, "city": "Rome"}),
        (c21_schema_drift, "mail", False, {"name": "Eva", "mail": None, "year": 2024}),
        (c22_csv_newline, "amount", None, {"id": 2, "note": "first line", "amount": None}),
        (c23_udf_returns_none, "level", None, {"name": "Bob", "tier": "bronze", "level": None}),
    ],
    ids=lambda each: each.__name__.rpartition(".")[2] if isinstance(each, ModuleType) else "",
)
def test_the_null_that_a_reader_or_a_function_made_is_where_the_row_ends(
    spark: SparkSession, example: ModuleType, column: str, verdict: bool | None, given: dict[str, Any]
) -> None:
    answer = ask(spark, example)
    ((kind, _, where),) = operators(answer)
    assert (kind, where) == ("filter", line(example, ".filter("))
    assert observed(answer).values[column] is None
    assert list(observed(answer).verdicts.values()) == [verdict]
    assert row(answer) == given


# --- 10, 16, 24: rows that are in no source ---


def test_a_record_that_was_not_read_is_in_no_source(spark: SparkSession) -> None:
    answer = ask(spark, c10_malformed_record)
    assert answer.outcome == "not_in_data"
    (gap,) = answer.gaps
    assert gap.table.text == "table payments.jsonl (id, amount)"
    assert gap.nearest == {"id = 2": (1, 3)}


def test_a_union_by_position_asks_the_other_column(spark: SparkSession) -> None:
    answer = ask(spark, c16_union_by_position)
    assert answer.outcome == "not_in_data"
    assert [gap.conditions for gap in answer.gaps] == [("name = 'Eva'",), ("city = 'Eva'",)]
    (note,) = answer.warnings
    by_position = "union matches columns by position: city becomes name, name becomes city."
    assert note == f"{by_position} unionByName() matches them by name."


def test_a_union_by_name_goes_without_a_note(spark: SparkSession) -> None:
    staff = spark.createDataFrame([("Ann", "Oslo")], "name string, city string")
    guests = spark.createDataFrame([("Rome", "Eva")], "city string, name string")
    renamed = guests.toDF("town", "guest")  # other names altogether: nobody knows what was meant
    for both in (staff.unionByName(guests), staff.union(renamed)):
        assert why_not(both, {"name": "Zoe"}).warnings == ()
    assert "city becomes name" in why_not(staff.intersect(guests), {"name": "Zoe"}).warnings[0]


def test_what_was_read_instead_is_shown(spark: SparkSession) -> None:
    answer = ask(spark, c24_never_read)
    assert answer.outcome == "not_in_data"
    (gap,) = answer.gaps
    assert "year=2024" in gap.table.text
    assert gap.nearest == {"name = 'Ann'": ("Bob", "Eva")}


# --- 25: chance ---


def test_a_sample_is_refused_with_what_to_do(spark: SparkSession) -> None:
    with pytest.raises(UnsupportedOperator, match="which rows a sample draws") as refused:
        ask(spark, c25_sample)
    assert refused.value.operator == "sample"
