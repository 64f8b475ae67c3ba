"""Asking with alternatives, end to end: rows that only another attribute would bring, at every kind of operator."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as F

from sparkwhy import ANY, Alternative, Answer, not_null, why_not
from sparkwhy.errors import AlternativeError, SparkWhyError, TooManyAlternatives, UnknownAttribute
from sparkwhy.spark.classic.run import collect_small as finish
from tests.sessions import uncompiled
from tests.test_why_not import jobs

Told = list[tuple[dict[str, str], list[str]]]

ADDRESSES = "array<struct<city: string, year: int>>"
PEOPLE = [
    ("Peter", [("NY", 2010), ("LA", 2019), ("LV", 2017)], [("LA", 2010), ("SF", 2018)]),
    ("Sue", [("LA", 2019), ("NY", 2018)], [("LA", 2019), ("NY", 2018)]),
]
NEW_YORK = {"city": "NY", "nList": [ANY, ...]}
BOTH = [{"address1", "address2"}]


def told(answer: Answer) -> Told:
    """What each explanation reads instead of what, and the kinds of its operators, in order."""
    return [(dict(each.alternative), [op.kind for op in each.operators]) for each in answer.explanations]


def ask(df: DataFrame, missing: dict[str, Any], **how: Any) -> Answer:
    """The answer as tracing gives it; fixes are tried elsewhere."""
    return why_not(df, missing, verify=False, side_effects="none", **how)


def operator_sets(answer: Answer) -> set[tuple[int, ...]]:
    return {tuple(operator.id for operator in each.operators) for each in answer.explanations}


@pytest.fixture(scope="module")
def spark(spark: SparkSession) -> SparkSession:
    return uncompiled(spark)


@pytest.fixture(scope="module")
def person(spark: SparkSession) -> DataFrame:
    return spark.createDataFrame(PEOPLE, f"name string, address1 {ADDRESSES}, address2 {ADDRESSES}").alias("person")


@pytest.fixture(scope="module")
def cities(person: DataFrame) -> DataFrame:
    """Where somebody works since 2019, with the people who work there."""
    return (
        person.withColumn("address", F.explode("address2"))
        .filter(F.col("address.year") >= 2019)
        .select("name", F.col("address.city").alias("city"))
        .groupBy("city")
        .agg(F.collect_list("name").alias("nList"))
    )


@pytest.fixture(scope="module")
def new_york(cities: DataFrame) -> Answer:
    return why_not(cities, NEW_YORK, alternatives=BOTH)


# --- the running example ---


def test_new_york_is_missing_for_the_filter_or_for_flatten_and_filter(new_york: Answer) -> None:
    """Sue's (NY, 2018) is in both lists and fails the filter; Peter's (NY, 2010), in the other one only, fails too."""
    assert new_york.outcome == "explained"
    assert told(new_york) == [({}, ["filter"]), ({"address2": "address1"}, ["flatten", "filter"])]
    assert [each.rank for each in new_york.explanations] == [1, 2]
    assert all(each.certain for each in new_york.explanations)
    assert [each.evidence for each in new_york.explanations] == [(), ()]


def test_each_explanation_has_the_row_that_it_would_give(new_york: Answer) -> None:
    filtered, flattened = new_york.explanations
    assert [witness.row for witness in filtered.witnesses] == [{"city": "NY", "nList": ("Sue",)}]
    (witness,) = flattened.witnesses
    assert witness.row["city"] == "NY"
    assert sorted(witness.row["nList"]) == ["Peter", "Sue"]
    assert witness.at[3].verdicts == {"address.year >= 2019": False}


def test_the_text_says_what_is_read_instead(new_york: Answer) -> None:
    first, second = str(new_york).split("\n 2. ")
    assert "in place of" not in first
    assert second.startswith("explode address2 as address\n      as explode address1 as address\nand filter")
    assert "      with address1 in place of address2\n" in second


def test_plain_data_carries_the_alternative(new_york: Answer) -> None:
    read = json.loads(new_york.to_json())
    assert [each["changes"] for each in read["alternatives"]] == [{}, {"address2": "address1"}]
    assert [each["alternative"] for each in read["explanations"]] == [{}, {"address2": "address1"}]
    assert [each["evidence"] for each in read["explanations"]] == [[], []]


def test_a_row_that_is_there_needs_no_alternative(cities: DataFrame) -> None:
    answer = ask(cities, {"city": "LA"}, alternatives=BOTH)
    assert answer.outcome == "not_missing"
    assert answer.matching == ({"city": "LA", "nList": ("Sue",)},)
    assert answer.explanations == ()


def test_data_lacks_a_row_only_if_it_does_in_all_alternatives(cities: DataFrame) -> None:
    """Las Vegas is in the other list only; Rome is in none."""
    assert told(ask(cities, {"city": "LV"}, alternatives=BOTH)) == [({"address2": "address1"}, ["flatten", "filter"])]
    answer = ask(cities, {"city": "Rome"}, alternatives=BOTH)
    assert answer.outcome == "not_in_data"
    assert "person" in answer.gaps[0].table.text


# --- groups in whatever order, and more of them ---


@pytest.fixture(scope="module")
def sales(spark: SparkSession) -> DataFrame:
    """What the customers of each region paid, by priority: a flatten, a join and an aggregation."""
    orders = spark.createDataFrame(
        [
            (1, 7, 1, 7, "low", "high", [5], [9, 1]),
            (2, 1, 7, 7, "low", "low", [2], []),
            (3, 8, 8, 7, "mid", "high", [], [4]),
        ],
        "id int, buyer int, payer int, agent int, old string, new string, paid array<int>, owed array<int>",
    ).alias("orders")
    customers = spark.createDataFrame([(1, "north"), (8, "south")], "customer int, region string").alias("customers")
    return (
        orders.withColumn("amount", F.explode("paid"))
        .join(customers, F.col("buyer") == F.col("customer"))
        .groupBy("region", "old")
        .agg(F.sum("amount").alias("total"))
    )


SALES = [{"paid", "owed"}, {"buyer", "payer", "agent"}, {"old", "new"}]
HIGH_IN_THE_NORTH = {"region": "north", "old": "high", "total": 10}


def test_a_row_may_need_changes_of_several_operators(sales: DataFrame) -> None:
    """Order 1 has the payer 1, the new priority high, and owes 9 + 1."""
    answer = ask(sales, HIGH_IN_THE_NORTH, alternatives=SALES)
    assert len(answer.alternatives) == 2 * 3 * 2
    assert told(answer) == [
        ({"paid": "owed", "buyer": "payer", "old": "new"}, ["flatten", "join", "aggregate"]),
    ]


def test_the_order_of_groups_and_members_means_nothing(sales: DataFrame) -> None:
    asked = {"region": "north", "old": "low"}
    forth = [sorted(group) for group in SALES]
    back = [sorted(group, reverse=True) for group in reversed(SALES)]
    assert ask(sales, asked, alternatives=forth).to_dict() == ask(sales, asked, alternatives=back).to_dict()


def test_another_group_takes_no_explanation_away(sales: DataFrame) -> None:
    """Order 3 has an empty list of what was paid; its payer is of the south as well."""
    asked = {"region": "south", "old": "mid"}
    found = [operator_sets(ask(sales, asked, alternatives=SALES[:count])) for count in (0, 1, 3)]
    assert found[0]
    assert found[0] <= found[1] <= found[2]
    assert len(found[0]) < len(found[2])


@pytest.fixture
def one_job_for_a_query(spark: SparkSession) -> Iterator[None]:
    """Adaptive execution starts a job for each shuffle; without it a query is one job."""
    spark.conf.set("spark.sql.adaptive.enabled", "false")
    yield
    spark.conf.unset("spark.sql.adaptive.enabled")


@pytest.mark.usefixtures("one_job_for_a_query")
def test_twelve_alternatives_are_traced_by_one_job(
    spark: SparkSession, sales: DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(finish, "split_small", lambda *_: None)  # what is left of the data may be a job of its own
    answers: list[Answer] = []
    found = jobs(spark, lambda: answers.append(ask(sales, HIGH_IN_THE_NORTH, alternatives=SALES)))
    assert len(answers[0].alternatives) == 12
    assert found.count("sparkwhy: tracing rows") == 1


# --- every kind of operator ---


def explode(df: DataFrame, column: str) -> DataFrame:
    return df.select("name", F.explode(column).alias("x"))


def lists(spark: SparkSession, xs: list[int] | None, ys: list[int] | None) -> DataFrame:
    return spark.createDataFrame([("a", xs, ys)], "name string, xs array<int>, ys array<int>")


@pytest.mark.parametrize("xs", [[1], [], None], ids=str)
def test_flatten_of_another_array(spark: SparkSession, xs: list[int] | None) -> None:
    query = explode(lists(spark, xs, [2, 3]), "xs")
    assert told(ask(query, {"x": 3}, alternatives=[{"xs", "ys"}])) == [({"xs": "ys"}, ["flatten"])]


def test_outer_flatten_of_another_array(spark: SparkSession) -> None:
    query = lists(spark, None, [2, 3]).select("name", F.explode_outer("xs").alias("x"))
    assert told(ask(query, {"x": 3}, alternatives=[{"xs", "ys"}])) == [({"xs": "ys"}, ["flatten"])]


def test_a_field_beside_an_explode_is_the_fault_of_the_select(spark: SparkSession) -> None:
    """They stand in one select, and Spark has them in two steps: the explode passes the row."""
    rows = [("a", [1], ("Rome", "Oslo")), ("b", [], ("Oslo", "Rome"))]
    people = spark.createDataFrame(rows, "name string, xs array<int>, addr struct<home: string, work: string>")
    city = F.col("addr.home").alias("city")
    answer = ask(
        people.select(F.explode("xs").alias("x"), city), {"city": "Oslo"}, alternatives=[["addr.home", "addr.work"]]
    )
    blamed = {tuple(op.text for op in each.operators): dict(each.alternative) for each in answer.explanations}
    assert blamed == {
        ("select x, addr.home as city",): {"addr.home": "addr.work"},
        ("explode xs as x",): {},
    }
    places = {op.text: op.where for each in answer.explanations for op in each.operators}
    assert str(places["select x, addr.home as city"]).startswith("test_alternatives.py:")


def test_flatten_of_nothing_in_one_array_and_in_the_other(spark: SparkSession) -> None:
    """Where the name alone is asked for, letting empty arrays through is enough; the value needs the other array."""
    query = explode(lists(spark, [], [7]), "xs")
    assert told(ask(query, {"name": "a"}, alternatives=[{"xs", "ys"}])) == [({}, ["flatten"])]
    with_value = ask(query, {"name": "a", "x": not_null()}, alternatives=[{"xs", "ys"}])
    assert told(with_value) == [({"xs": "ys"}, ["flatten"])]
    neither = explode(lists(spark, [], None), "xs")
    assert told(ask(neither, {"name": "a"}, alternatives=[{"xs", "ys"}])) == [({}, ["flatten"])]


def test_flatten_keeps_as_many_rows_as_the_other_array_has(spark: SparkSession) -> None:
    counts = explode(lists(spark, [1, 2, 3], [4]), "xs").groupBy("name").agg(F.count("*").alias("n"))
    assert told(ask(counts, {"n": 1}, alternatives=[{"xs", "ys"}])) == [({"xs": "ys"}, ["flatten"])]


def test_field_of_another_struct(spark: SparkSession) -> None:
    rows = [(1, (None, "Bonn"), ("DE",))]
    df = spark.createDataFrame(
        rows, "id int, place struct<country: string, city: string>, user struct<location: string>"
    )
    query = df.select("id", F.col("place.country").alias("country"))
    answer = ask(query, {"country": "DE"}, alternatives=[{"place.country", "user.location"}])
    assert told(answer) == [({"place.country": "user.location"}, ["project"])]


@pytest.fixture(scope="module")
def numbers(spark: SparkSession) -> DataFrame:
    """Two columns of everything: `a` as the queries read it, `b` as they should."""
    rows = [(1, "k", 2, 10, "p", "x"), (2, "k", 1, 20, "p", "y"), (3, "k", None, 30, "p", "y")]
    return spark.createDataFrame(rows, "id int, k string, a int, b int, g string, h string").alias("numbers")


AB = [{"a", "b"}]
GH = [{"g", "h"}]


def test_computed_column(numbers: DataFrame) -> None:
    query = numbers.withColumn("net", 100 - F.col("a"))
    assert told(ask(query, {"id": 1, "net": 90}, alternatives=AB)) == [({"a": "b"}, ["project"])]


def test_struct_that_is_built(numbers: DataFrame) -> None:
    query = numbers.select("id", F.struct("a", "k").alias("s"))
    assert told(ask(query, {"id": 1, "s": {"a": 10}}, alternatives=AB)) == [({"a": "b"}, ["project"])]


def test_filter(numbers: DataFrame) -> None:
    """Without the filter there are three rows; that 2 of them are left takes the other column: 20 and 30."""
    query = numbers.filter(F.col("a") > 15).groupBy("k").agg(F.count("*").alias("n"))
    answer = ask(query, {"n": 2}, alternatives=AB)
    assert answer.outcome == "explained"
    assert told(answer) == [({"a": "b"}, ["filter"])]


def test_a_filter_that_may_simply_let_the_row_through_needs_no_alternative(numbers: DataFrame) -> None:
    answer = ask(numbers.filter(F.col("a") > 15), {"id": 2}, alternatives=AB)
    assert told(answer) == [({}, ["filter"])]


@pytest.fixture(scope="module")
def orders(spark: SparkSession) -> DataFrame:
    return spark.createDataFrame([(1, 90, 7)], "id int, buyer int, payer int").alias("orders")


@pytest.fixture(scope="module")
def customers(spark: SparkSession) -> DataFrame:
    rows = [(7, 5, "Ann"), (6, 90, "Bob"), (4, 7, "Cid")]
    return spark.createDataFrame(rows, "number int, former int, name string").alias("customers")


@pytest.mark.parametrize(
    ("name", "alternative"),
    [
        ("Ann", {"buyer": "payer"}),
        ("Bob", {"number": "former"}),
        ("Cid", {"buyer": "payer", "number": "former"}),
    ],
)
def test_key_of_a_join(orders: DataFrame, customers: DataFrame, name: str, alternative: dict[str, str]) -> None:
    query = orders.join(customers, F.col("buyer") == F.col("number")).select("id", "name")
    answer = ask(query, {"id": 1, "name": name}, alternatives=[{"buyer", "payer"}, {"number", "former"}])
    assert told(answer) == [(alternative, ["join"])]


def test_key_of_a_left_join(orders: DataFrame, customers: DataFrame) -> None:
    query = orders.join(customers, F.col("buyer") == F.col("number"), "left").select("id", "name")
    answer = ask(query, {"id": 1, "name": "Ann"}, alternatives=[{"buyer", "payer"}])
    assert told(answer) == [({"buyer": "payer"}, ["join"])]


def test_key_of_an_anti_join(orders: DataFrame, customers: DataFrame) -> None:
    """The buyer is no customer, the payer is: only then is nothing left. Relaxed, the join would keep all."""
    strangers = orders.join(customers, F.col("buyer") == F.col("number"), "left_anti")
    answer = ask(strangers.agg(F.count("*").alias("n")), {"n": 0}, alternatives=[{"buyer", "payer"}])
    assert told(answer) == [({"buyer": "payer"}, ["join"])]


def test_key_of_a_grouping(numbers: DataFrame) -> None:
    query = numbers.groupBy("g").agg(F.count("*").alias("n"))
    assert told(ask(query, {"g": "y", "n": 2}, alternatives=GH)) == [({"g": "h"}, ["aggregate"])]


def test_aggregated_attribute(numbers: DataFrame) -> None:
    query = numbers.groupBy("k").agg(F.sum("a").alias("sum"), F.avg("a").alias("mean"), F.count("a").alias("n"))
    answer = ask(query, {"sum": 60, "mean": 20.0, "n": 3}, alternatives=AB)
    assert told(answer) == [({"a": "b"}, ["aggregate"])]


def test_collected_attribute(numbers: DataFrame) -> None:
    query = numbers.groupBy("k").agg(F.collect_list("g").alias("all"), F.collect_set("g").alias("each"))
    answer = ask(query, {"all": ["x", "y", "y"], "each": ["x", "y"]}, alternatives=GH)
    assert told(answer) == [({"g": "h"}, ["nest"])]


def test_key_of_a_window(numbers: DataFrame) -> None:
    query = numbers.withColumn("total", F.sum("b").over(Window.partitionBy("g")))
    assert told(ask(query, {"id": 2, "total": 50}, alternatives=GH)) == [({"g": "h"}, ["window"])]


def test_order_of_a_window(numbers: DataFrame) -> None:
    """By `b`, descending, row 3 comes first; by `a` its null comes last, and the filter may let it through as well."""
    place = F.row_number().over(Window.partitionBy("k").orderBy(F.desc("a")))
    query = numbers.withColumn("place", place).filter(F.col("place") == 1)
    assert told(ask(query, {"id": 3}, alternatives=AB)) == [({}, ["filter"]), ({"a": "b"}, ["window"])]


def test_order_of_a_limit(numbers: DataFrame) -> None:
    query = numbers.orderBy(F.desc("a")).limit(1)
    assert told(ask(query, {"id": 3}, alternatives=AB)) == [({}, ["limit"]), ({"a": "b"}, ["sort"])]


def test_keys_of_duplicates(numbers: DataFrame) -> None:
    """By `g` one row is left, by `h` two; without the operator there are three."""
    query = numbers.dropDuplicates(["g"]).agg(F.count("*").alias("n"))
    answer = ask(query, {"n": 2}, alternatives=GH)
    assert answer.outcome == "explained"
    assert told(answer) == [({"g": "h"}, ["distinct"])]


def test_one_branch_of_a_union(spark: SparkSession) -> None:
    """The branch has dropped the other attribute: it is the projection there that changes."""
    north = spark.createDataFrame([(1, 5, 7)], "id int, a int, b int").alias("north")
    south = spark.createDataFrame([(2, 8, 9)], "id int, c int, d int").alias("south")
    query = north.select("id", "a").union(south.select("id", "c")).select("id", (F.col("a") + 0).alias("v"))
    answer = ask(query, {"id": 1, "v": 7}, alternatives=[{"a", "b"}])
    assert told(answer) == [({"a": "b"}, ["project"])]
    assert answer.explanations[0].operators[0].text == "select id, a"
    answer = ask(query, {"id": 2, "v": 9}, alternatives=[{"a", "b"}, {"c", "d"}])
    assert told(answer)[0] == ({"c": "d"}, ["project"])


def test_a_source_that_is_read_twice_is_two_sources(spark: SparkSession) -> None:
    """Two who share a boss: the boss of 2 is the mentor of 1, and nothing else is alike."""
    people = spark.createDataFrame([(1, 10, 20), (2, 20, 30)], "id int, boss int, mentor int")
    left, right = people.alias("l"), people.alias("r")
    pairs = left.join(right, F.col("l.boss") == F.col("r.boss"))
    query = pairs.select(F.col("l.id").alias("one"), F.col("r.id").alias("other"))
    answer = ask(query, {"one": 1, "other": 2}, alternatives=[{"boss", "mentor"}])
    assert len(answer.alternatives) == 4
    assert told(answer) == [({"l.boss": "l.mentor"}, ["join"])]
    only_right = ask(query, {"one": 1, "other": 2}, alternatives=[{"r.boss", "r.mentor"}])
    assert len(only_right.alternatives) == 2
    assert told(only_right) == [({}, ["join"])]  # no alternative helps; both are there, and the join keeps them apart


# --- types ---


def stays(spark: SparkSession, other: str, rows: list[Any]) -> DataFrame:
    """Cities and years of a list, beside another list with elements of another type."""
    df = spark.createDataFrame(
        [("a", [("LA", 2020, "x")], rows)],
        f"name string, xs array<struct<city: string, year: int, note: string>>, ys array<struct<{other}>>",
    )
    return df.select("name", F.explode("xs").alias("x")).select("name", "x.city", "x.year")


def test_what_is_mapped_between_types_is_told(spark: SparkSession) -> None:
    query = stays(spark, "year: smallint, city: string", [(2021, "NY")])
    answer = ask(query, {"city": "NY", "year": 2021}, alternatives=[{"xs", "ys"}])
    assert told(answer) == [({"xs": "ys"}, ["flatten"])]
    assert answer.explanations[0].evidence == ("ys has no field note: null", "ys.year is smallint: cast to int")
    assert "ys.year is smallint: cast to int" in str(answer)
    evidence = answer.to_dict()["explanations"][0]["evidence"]
    assert [each["text"] for each in evidence] == list(answer.explanations[0].evidence)
    assert [each["code"] for each in evidence] == ["field_is_null", "cast_needed"]
    assert answer.warnings == ()


@pytest.mark.parametrize(
    ("other", "rows", "reason"),
    [
        ("city: string", [("NY",)], "ys has no field year, which the query reads"),
        ("city: string, year: bigint", [("NY", 2021)], "ys.year is bigint, not int"),
    ],
)
def test_what_cannot_be_tried_is_a_warning(spark: SparkSession, other: str, rows: list[Any], reason: str) -> None:
    answer = ask(stays(spark, other, rows), {"city": "NY"}, alternatives=[{"xs", "ys"}])
    assert answer.explanations == ()
    assert answer.warnings == (f"ys in place of xs was not tried: {reason}: the schema would change",)
    assert answer.warnings[0] in str(answer)


# --- modes, and explicit alternatives ---


def test_each_reference_may_choose_by_itself(spark: SparkSession) -> None:
    """`v` is 7 if it reads `b`. Swapped, the filter reads `b` as well and drops it; by itself it may go on as it is."""
    df = spark.createDataFrame([(1, 5, 7)], "id int, a int, b int")
    query = df.filter(F.col("a") < 6).select("id", F.col("a").alias("v"))
    asked = {"v": 7}
    assert told(ask(query, asked, alternatives=AB)) == [({"a": "b"}, ["filter", "project"])]
    assert told(ask(query, asked, alternatives=AB, mode="each")) == [
        ({"a (step 3)": "b"}, ["project"]),
        ({"a": "b"}, ["filter", "project"]),
    ]


def test_an_explicit_alternative_replaces_and_does_not_swap(spark: SparkSession) -> None:
    df = spark.createDataFrame([(1, 2)], "a int, b int").alias("t")
    query = df.select(F.col("a").alias("x"), F.col("b").alias("y"))
    both = [Alternative({"a": "b"}), {"a", "b"}]
    replaced = ask(query, {"x": 2, "y": 2}, alternatives=both)
    assert len(replaced.alternatives) == 3
    assert told(replaced) == [({"a": "b"}, ["project"])]
    assert told(ask(query, {"x": 2, "y": 1}, alternatives=both)) == [({"a": "b", "b": "a"}, ["project"])]


# --- errors, before any job ---


def wide(spark: SparkSession) -> DataFrame:
    columns = ", ".join(f"c{i} int" for i in range(40))
    df = spark.createDataFrame([tuple(range(40))], columns)
    return df.select((F.col("c0") + 1).alias("v"))


def failing(spark: SparkSession, query: DataFrame, missing: dict[str, Any], **how: Any) -> SparkWhyError:
    """The error of a question; no job was started for it."""
    caught: list[SparkWhyError] = []

    def fail() -> None:
        with pytest.raises(AlternativeError) as info:
            why_not(query, missing, **how)
        caught.append(info.value)

    assert jobs(spark, fail) == []
    return caught[0]


def test_an_unknown_attribute_has_the_nearest_names(spark: SparkSession, cities: DataFrame) -> None:
    error = failing(spark, cities, NEW_YORK, alternatives=[{"adress1", "address2"}])
    assert isinstance(error, UnknownAttribute)
    assert error.name == "adress1"
    assert error.nearest[0] == "address1"
    assert "did you mean `address1`" in str(error)


def test_too_many_alternatives_are_counted(spark: SparkSession) -> None:
    error = failing(spark, wide(spark), {"v": 2}, alternatives=[{f"c{i}" for i in range(40)}])
    assert isinstance(error, TooManyAlternatives)
    assert (error.count, error.limit) == (40, 32)
    assert "Alternative(" in str(error)


def test_a_group_lies_in_one_source(spark: SparkSession, orders: DataFrame, customers: DataFrame) -> None:
    query = orders.join(customers, F.col("buyer") == F.col("number"))
    error = failing(spark, query, {"id": 1}, alternatives=[{"buyer", "number"}])
    assert "not attributes of one source" in str(error)


@pytest.mark.parametrize(
    "how",
    [
        {"alternatives": "address1"},
        {"alternatives": ["address1"]},
        {"alternatives": [{"address1"}]},
        {"alternatives": {"address1": "address2"}},
        {"alternatives": [{"address1": "address2"}]},
        {"alternatives": [Alternative({})]},
        {"alternatives": BOTH, "mode": "swop"},
    ],
    ids=lambda how: str(how.get("mode", how["alternatives"])),  # a set of two has no order that all processes share
)
def test_what_is_no_group_is_an_error_with_a_hint(spark: SparkSession, cities: DataFrame, how: dict[str, Any]) -> None:
    error = failing(spark, cities, NEW_YORK, **how)
    assert error.hint


# --- alternatives that are looked for ---


@pytest.fixture(scope="module")
def tweets(spark: SparkSession) -> DataFrame:
    rows = [(1, "hi", (None, "Bonn"), ("eva", "DE"), 49), (2, "ho", ("FR", "Lyon"), ("bob", "Lyon"), 33)]
    schema = (
        "id int, text string, place struct<country: string, city: string>, "
        "user struct<name: string, location: string>, code int"
    )
    return spark.createDataFrame(rows, schema).alias("tweets")


def test_a_field_that_moved_is_found_by_its_value(tweets: DataFrame) -> None:
    query = tweets.select("id", F.col("place.country").alias("country"))
    answer = ask(query, {"country": "DE"}, alternatives="auto")
    assert told(answer) == [({"place.country": "user.location"}, ["project"])]
    (explanation,) = answer.explanations
    assert explanation.evidence[:2] == (
        "1 of 2 rows contain the requested value there",
        "user.location has the type of place.country",
    )
    assert all(line in str(answer) for line in explanation.evidence)
    evidence = json.loads(answer.to_json())["explanations"][0]["evidence"]
    assert [each["text"] for each in evidence] == list(explanation.evidence)
    assert len(answer.alternatives) == 2  # nothing else holds it


def test_another_type_is_never_proposed(spark: SparkSession) -> None:
    df = spark.createDataFrame([(1, 5, 6, "6", 6.0)], "id int, a int, b long, c string, d double")
    answer = ask(df.select("id", (F.col("a") * 1).alias("v")), {"id": 1, "v": 6}, alternatives="auto")
    assert all(set(each.changes.values()) <= {"id", "a"} for each in answer.alternatives)
    assert answer.explanations == ()


def test_at_most_twelve_are_tried(spark: SparkSession) -> None:
    columns = ", ".join(f"c{i} int" for i in range(20))
    df = spark.createDataFrame([(1, *range(20))], f"id int, {columns}")
    answer = ask(df.filter(F.col("c0") > 5).select("id"), {"id": 1}, alternatives="auto")
    assert len(answer.alternatives) == 1 + 12


def test_where_nothing_is_found_the_answer_is_the_plain_one(spark: SparkSession) -> None:
    df = spark.createDataFrame([("a", 1)], "k string, v int")
    query = df.filter(F.col("v") > 1)
    found = ask(query, {"k": "a"}, alternatives="auto")
    assert found.to_dict() == ask(query, {"k": "a"}).to_dict()
    assert told(found) == [({}, ["filter"])]


def test_looking_for_alternatives_is_a_stage_of_its_own(spark: SparkSession, tweets: DataFrame) -> None:
    query = tweets.select("id", F.col("place.country").alias("country"))
    stages: list[str] = []
    found = jobs(spark, lambda: ask(query, {"country": "DE"}, alternatives="auto", progress=stages.append))
    assert "looking for alternatives" in stages
    assert "sparkwhy: looking for alternatives" in found


def test_an_array_whose_elements_are_transformed_is_a_use_of_the_array(spark: SparkSession) -> None:
    lists = spark.createDataFrame([(1, [1], [2])], "id int, xs array<int>, ys array<int>")
    df = lists.select("id", F.transform("xs", lambda x: x + 1).alias("zs"))
    answer = why_not(df, {"zs": [3]}, alternatives=[{"xs", "ys"}], verify=False)
    assert [dict(each.alternative) for each in answer.explanations] == [{"xs": "ys"}]


def test_a_found_alternative_that_fails_does_not_fail_the_question(spark: SparkSession) -> None:
    before = spark.conf.get("spark.sql.ansi.enabled") or "true"
    spark.conf.set("spark.sql.ansi.enabled", "true")  # a cast of 'x' to a number fails
    try:
        rows = spark.createDataFrame([(1, "7", "x")], "id int, s string, r string")
        df = rows.select("id", F.col("s").cast("int").alias("n")).filter("n > 50")
        answer = why_not(df, {"id": 1}, alternatives="auto", verify=False)
    finally:
        spark.conf.set("spark.sql.ansi.enabled", before)
    assert [[op.kind for op in each.operators] for each in answer.explanations] == [["filter"]]
    assert any("r in place of s was not tried" in warning for warning in answer.warnings)


@pytest.mark.parametrize("alternatives", [[{"office", "home"}], [Alternative({"office": "home"})], "auto"])
def test_a_column_that_is_only_selected_may_be_the_wrong_one(spark: SparkSession, alternatives: Any) -> None:
    people = spark.createDataFrame([(1, "LA", "NY"), (2, "SF", "LV")], "id int, office string, home string")
    answer = why_not(people.filter("id > 0").select("office"), {"office": "NY"}, alternatives=alternatives)
    (explanation,) = answer.explanations
    assert answer.outcome == "explained"
    assert [(fix.before, fix.after) for fix in explanation.fixes] == [("select office", "select home as office")]
    assert explanation.verified
