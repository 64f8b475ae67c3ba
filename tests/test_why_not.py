"""The front door: the outcomes of a question, its errors, and what it leaves behind in the session (nothing)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as F

from sparkwhy import ANY, Answer, gt, why_not
from sparkwhy.errors import PatternTypeError, UnknownField, UnsupportedOperator
from sparkwhy.limits import Limits

ADDRESSES = "array<struct<city: string, year: int>>"
PEOPLE = [
    ("Peter", [("NY", 2010), ("LA", 2019), ("LV", 2017)], [("LA", 2010), ("SF", 2018)]),
    ("Sue", [("LA", 2019), ("NY", 2018)], [("LA", 2019), ("NY", 2018)]),
]
THIS = Path(__file__).name


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
    return why_not(cities, {"city": "NY", "nList": [ANY, ...]})


# --- outcomes ---


def test_the_running_example_blames_the_filter(new_york: Answer) -> None:
    assert new_york.outcome == "explained"
    (explanation,) = new_york.explanations
    (operator,) = explanation.operators
    filter_line = next(n for n, text in enumerate(Path(__file__).read_text().splitlines(), 1) if ">= 2019" in text)
    assert (operator.kind, operator.text, operator.where) == (
        "filter",
        "filter address.year >= 2019",
        f"{THIS}:{filter_line}",
    )
    (witness,) = explanation.witnesses
    assert witness.row == {"city": "NY", "nList": ("Sue",)}
    assert witness.at[operator].values == {"address.year": 2018}
    assert witness.at[operator].verdicts == {"address.year >= 2019": False}
    assert (explanation.rank, explanation.certain, explanation.verified) == (1, True, True)


def test_the_running_example_as_text(new_york: Answer) -> None:
    head, blank, blamed, *details = str(new_york).splitlines()
    assert head == "Why is there no row like {'city': 'NY', 'nList': [ANY, ...]}?"
    assert blank == ""
    assert blamed.startswith(f" 1. filter address.year >= 2019   {THIS}:")
    place = blamed.rpartition(" ")[2]
    assert [line.strip() for line in details] == [
        "address.year = 2018, so address.year >= 2019 is FALSE",
        "would give city = NY, nList = [Sue]",
        "fix, run and seen to work:",
        "- filter address.year >= 2019",
        "+ filter address.year >= 2018",
        f"in {place}:",
        '- .filter(F.col("address.year") >= 2019)',
        '+ .filter(F.col("address.year") >= 2018)',
        "1 other row enters the result",
    ]


def test_a_row_that_is_there_is_shown(cities: DataFrame) -> None:
    answer = why_not(cities, {"city": "LA"})
    assert answer.outcome == "not_missing"
    assert answer.matching == ({"city": "LA", "nList": ("Sue",)},)
    assert answer.explanations == ()
    assert "It is there:\n  city = LA, nList = [Sue]" in str(answer)


def test_what_no_source_has_is_named_with_the_nearest_values(spark: SparkSession) -> None:
    towns = spark.createDataFrame([("Rome", 1), ("Oslo", 2), ("Bern", 3)], "town string, size int").alias("towns")
    answer = why_not(towns.filter(F.col("size") > 1), {"town": "Roma"})
    assert answer.outcome == "not_in_data"
    (gap,) = answer.gaps
    assert gap.table.kind == "table"
    assert "towns" in gap.table.text
    (values,) = gap.nearest.values()
    assert values[0] == "Rome"
    assert "nearest to" in str(answer)


def numbered(df: DataFrame) -> DataFrame:
    return df.withColumn("n", F.row_number().over(Window.partitionBy("size").orderBy("town")))


@pytest.mark.parametrize(
    "kept",
    [lambda df: df.orderBy("size").limit(2), lambda df: df.dropDuplicates(["size"]), numbered],
    ids=["limit", "dropDuplicates", "window"],
)
def test_what_no_source_has_is_in_none_below_a_limit_either(
    spark: SparkSession, kept: Callable[[DataFrame], DataFrame]
) -> None:
    """Which rows are kept there depends on the others, but none of them becomes another."""
    towns = spark.createDataFrame([("Rome", 1), ("Oslo", 2), ("Bern", 3)], "town string, size int").alias("towns")
    answer = why_not(kept(towns.filter("size > 1")), {"town": "Roma"})
    assert answer.outcome == "not_in_data"
    assert "nearest to town = 'Roma': Rome" in str(answer)


def test_of_a_union_every_branch_must_lack_the_row(spark: SparkSession) -> None:
    """Nobody has size 5; but the town is in one branch, so it is not the data that lacks it."""
    south = spark.createDataFrame([("Rome", 1)], "town string, size int").alias("south")
    north = spark.createDataFrame([("Oslo", 2)], "town string, size int").alias("north")
    totals = south.union(north).groupBy("town").agg(F.sum("size").alias("total"))
    assert why_not(totals, {"town": "Oslo", "total": 5}).outcome == "other_value"
    assert why_not(totals, {"town": "Bern", "total": 5}).outcome == "not_in_data"


def test_what_no_element_of_nested_data_has_is_named_too(cities: DataFrame) -> None:
    answer = why_not(cities, {"city": "NYC"})
    assert answer.outcome == "not_in_data"
    (gap,) = answer.gaps
    assert "person" in gap.table.text
    (values,) = gap.nearest.values()
    assert values[0] == "NY"


def test_a_value_within_reach_is_no_certain_explanation(spark: SparkSession) -> None:
    """The sum of what is below 10 is 5; 25 needs a bound that lets some rows in, for 26 there is none."""
    rows = spark.createDataFrame([(1, 5), (1, 20), (1, 40)], "k int, v int")
    df = rows.filter(F.col("v") < 10).groupBy("k").agg(F.sum("v").alias("total"))
    answer = why_not(df, {"k": 1, "total": 25})
    assert (answer.outcome, answer.is_explained) == ("other_value", True)
    (explanation,) = answer.explanations
    assert (explanation.certain, explanation.verified) == (False, True)
    assert explanation.returned == {"k": 1, "total": 25}
    assert "would give k = 1, total = 25" in str(answer)  # not 65, as without the filter
    unseen = why_not(df, {"k": 1, "total": 25}, verify=False)
    assert (unseen.outcome, unseen.is_explained) == ("other_value", False)
    assert [op.text for op in unseen.explanations[0].operators] == ["filter v < 10"]
    assert "filter v < 10" in str(unseen)
    vain = why_not(df, {"k": 1, "total": 26})
    assert (vain.outcome, vain.explanations) == ("other_value", ())
    assert [each.verified for each in vain.tried] == [False]
    assert "Tried without success:\n    filter v < 10: " in str(vain)


def test_what_the_data_has_but_no_operator_lets_through_is_unexplained(spark: SparkSession) -> None:
    """The sum has only one group, and no part of its rows is 5."""
    df = spark.createDataFrame([("a", 1), ("b", 2)], "k string, v int").groupBy("k").agg(F.sum("v").alias("s"))
    answer = why_not(df, {"s": 5})
    assert answer.outcome == "unexplained"
    assert answer.gaps == ()
    assert "No set of operators" in str(answer)
    assert [note.code for note in answer.warnings] == ["none_drops"]


def test_showing_an_answer_prints_it(new_york: Answer, capsys: pytest.CaptureFixture[str]) -> None:
    new_york.show()
    assert capsys.readouterr().out == f"{new_york}\n"
    assert repr(new_york) == str(new_york)


# --- errors, before any job ---


def jobs(spark: SparkSession, action: Callable[[], object]) -> list[str | None]:
    """The descriptions of the jobs that an action starts."""
    listener = _jobs_seen(spark)
    before = set(listener())
    action()
    return [description for job, description in listener().items() if job not in before]


def _jobs_seen(spark: SparkSession) -> Callable[[], dict[int, str | None]]:
    store = spark.sparkContext._jsc.sc().statusStore()

    def seen() -> dict[int, str | None]:
        spark.sparkContext._jsc.sc().listenerBus().waitUntilEmpty()
        listed = store.jobsList(None)
        found = [listed.apply(i) for i in range(listed.size())]
        described = ((job.jobId(), job.description()) for job in found)
        return {number: text.get() if text.isDefined() else None for number, text in described}

    return seen


def test_an_unknown_field_is_an_error_before_any_job(spark: SparkSession, cities: DataFrame) -> None:
    def ask() -> None:
        with pytest.raises(UnknownField) as caught:
            why_not(cities, {"town": "NY"})
        assert set(caught.value.known) == {"city", "nList"}

    assert jobs(spark, ask) == []


def test_the_nearest_name_is_in_the_hint(cities: DataFrame) -> None:
    with pytest.raises(UnknownField, match="city"):
        why_not(cities, {"citi": "NY"})


def test_a_value_of_another_type_is_an_error(cities: DataFrame) -> None:
    with pytest.raises(PatternTypeError):
        why_not(cities, {"city": gt([1])})


def test_what_cannot_be_followed_is_an_error_before_any_job(spark: SparkSession) -> None:
    def ask() -> None:
        with pytest.raises(UnsupportedOperator):
            why_not(spark.range(9).sample(fraction=0.5, seed=1), {"id": 3})

    assert jobs(spark, ask) == []


def test_what_cannot_be_followed_is_refused_before_keys_and_alternatives_are_looked_up(spark: SparkSession) -> None:
    """On large data, with alternatives to look for, and with the sample deep in the query."""
    orders = spark.range(9).select("id", (F.col("id") * 2).alias("other")).sample(fraction=0.5, seed=1)
    items = spark.range(9).withColumnRenamed("id", "item")
    sold = orders.join(items, orders.id == items.item).groupBy("other").count()

    def ask() -> None:
        with pytest.raises(UnsupportedOperator, match="sample"):
            why_not(sold, {"other": 4}, alternatives="auto", limits=Limits(large_bytes=-1, large_side_bytes=-1))

    assert jobs(spark, ask) == []


# --- the session is as it was ---


def everything(spark: SparkSession) -> dict[str, Any]:
    """What a careless library would leave behind."""
    return {
        "settings": dict(spark.conf.getAll),
        "views": sorted(table.name for table in spark.catalog.listTables()),
        "cached": spark.sparkContext._jsc.getPersistentRDDs().size(),
        "description": spark.sparkContext.getLocalProperty("spark.job.description"),
        "functions": len(spark.catalog.listFunctions()),
    }


@pytest.fixture
def described(spark: SparkSession) -> Iterator[str]:
    """A session in which the user has named the jobs."""
    spark.sparkContext.setJobDescription("the user's own")
    yield "the user's own"
    spark.sparkContext.setLocalProperty("spark.job.description", None)  # type: ignore[arg-type]


def test_the_session_is_left_as_it_was(spark: SparkSession, cities: DataFrame, described: str) -> None:
    before = everything(spark)
    why_not(cities, {"city": "NY"})
    why_not(cities, {"city": "Rome"})
    assert everything(spark) == before
    assert before["description"] == described


def test_the_jobs_have_names(spark: SparkSession, cities: DataFrame) -> None:
    found = jobs(spark, lambda: why_not(cities, {"city": "NY"}))
    assert found
    assert all(description is not None and description.startswith("sparkwhy") for description in found)


def test_looking_for_near_misses_has_a_name_too(spark: SparkSession) -> None:
    left = spark.createDataFrame([("A",)], "a string")
    right = spark.createDataFrame([("a",)], "b string")
    joined = left.join(right, left.a == right.b)
    found = jobs(spark, lambda: why_not(joined, {"a": "A"}))
    assert {description for description in found if description} == {
        "sparkwhy: tracing rows",
        "sparkwhy: looking at near misses",
        "sparkwhy: trying fixes",
    }


def test_evidence_is_collected_before_fixes_are_proposed(spark: SparkSession) -> None:
    left = spark.createDataFrame([("A",)], "a string")
    right = spark.createDataFrame([("a",)], "b string")
    stages: list[str] = []
    why_not(left.join(right, left.a == right.b), {"a": "A"}, progress=stages.append)
    assert stages.index("looking at near misses") < stages.index("trying fixes")


# --- progress and plain data ---


def test_progress_is_told(cities: DataFrame) -> None:
    stages: list[str] = []
    why_not(cities, {"city": "NY"}, progress=stages.append)
    assert stages[0] == "reading the query"
    assert "tracing rows" in stages
    assert stages[-1] == "done"


def test_an_answer_is_plain_data(new_york: Answer) -> None:
    told = new_york.to_dict()
    assert json.loads(new_york.to_json()) == told
    assert told["schema"] == 1
    assert told["outcome"] == "explained"
    (explanation,) = told["explanations"]
    assert explanation["operators"][0]["text"] == "filter address.year >= 2019"
    assert all(is_plain(value) for value in told.values())


def is_plain(value: Any) -> bool:
    match value:
        case dict():
            return all(isinstance(key, str) and is_plain(inner) for key, inner in value.items())
        case list():
            return all(map(is_plain, value))
        case _:
            return value is None or type(value) in (str, int, float, bool)


def test_other_outcomes_are_plain_data_too(cities: DataFrame) -> None:
    for missing in ({"city": "LA"}, {"city": "Rome"}):
        answer = why_not(cities, missing)
        assert json.loads(answer.to_json())["outcome"] == answer.outcome
        assert all(is_plain(value) for value in answer.to_dict().values())


def test_a_guard_with_exists_is_explained(spark: SparkSession) -> None:
    spark.createDataFrame([(1, 5)], "id int, n int").createOrReplaceTempView("guarded")
    answer = why_not(spark.sql("select id from guarded\nwhere exists (select 1 from guarded where n > 9)"), {"id": 1})
    assert [[str(o.where) for o in e.operators] for e in answer.explanations] == [["SQL line 2"], ["SQL line 2"]]
    assert "there is no row on the right" in str(answer)
    assert "+ filter n > 4" in str(answer)


def test_not_in_names_the_null_and_its_row(spark: SparkSession) -> None:
    spark.createDataFrame([(1, "u"), (2, "v")], "id int, name string").createOrReplaceTempView("asked")
    spark.createDataFrame([(1, None), (None, "x"), (7, "x")], "id int, k string").createOrReplaceTempView("listed")
    text = str(
        why_not(
            spark.sql("select name from asked where id not in (select id from listed where k = 'x')"), {"name": "v"}
        )
    )
    assert "id = 2: not known to differ from a null on the right" in text
    assert "the row with the null: id = null, k = x" in text
    assert "has a partner" not in text
    text = str(
        why_not(
            spark.sql("select name from asked where id not in (select id from listed where k is null)"), {"name": "u"}
        )
    )
    assert "id = 1: has a partner on the right" in text
    assert "NOT IN keeps no row" not in text
