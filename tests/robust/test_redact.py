"""What `redact` hides, wherever an answer shows values; what explains stays."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from sparkwhy import Answer, why_not
from sparkwhy.errors import QueryFailed
from sparkwhy.report.redact import Redaction, redact_answer
from sparkwhy.wording import MASK

SECRETS = ("Zelda", "zq17", "ZQ17", "Quux", "4711", "1999", "8152", "Wibble")
"""Values of the data that no pattern, name or constant of the queries says."""


@pytest.fixture(scope="module")
def people(spark: SparkSession) -> DataFrame:
    rows = [(4711, "Zelda", "zq17 ", 1999), (8152, "Quux", "other", 2024)]
    return spark.createDataFrame(rows, "id int, name string, code string, year int").alias("people")


@pytest.fixture(scope="module")
def codes(spark: SparkSession) -> DataFrame:
    return spark.createDataFrame([("ZQ17", "Wibble")], "code string, label string").alias("codes")


def everything(answer: Answer) -> str:
    """All that anybody sees of an answer."""
    shown = [str(answer), answer.to_json(), answer.to_html(), answer._repr_html_(), repr(answer.to_dict())]
    return "\n".join([*shown, repr(answer.explanations), repr(answer.tried), repr(answer.gaps), repr(answer.matching)])


def leaks(answer: Answer) -> set[str]:
    told = everything(answer)
    return {secret for secret in SECRETS if secret in told}


ZELDA = {"name": lambda column: column.startswith("Ze")}
QUUX = {"name": lambda column: column.startswith("Qu")}


def recent(people: DataFrame, _: DataFrame) -> DataFrame:
    return people.filter(F.col("year") >= 2020)


def joined(people: DataFrame, codes: DataFrame) -> DataFrame:
    return people.join(codes, people["code"] == codes["code"]).select("name", "label")


def grouped(people: DataFrame, codes: DataFrame) -> DataFrame:
    kept = recent(people, codes).groupBy("name")
    return kept.agg(F.collect_list("code").alias("codes"), F.max("year").alias("last"))


def first(people: DataFrame, _: DataFrame) -> DataFrame:
    return people.orderBy(F.desc("year")).limit(1)


QUESTIONS: Mapping[str, tuple[Callable[[DataFrame, DataFrame], DataFrame], dict[str, Any]]] = {
    "a filter": (recent, ZELDA),
    "a join": (joined, ZELDA),
    "a group": (grouped, ZELDA),
    "a limit": (first, ZELDA),
    "it is there": (recent, QUUX),
    "no source has it": (recent, {"name": "Zeldo"}),
}


def ask(people: DataFrame, codes: DataFrame, name: str, **more: Any) -> Answer:
    query, missing = QUESTIONS[name]
    return why_not(query(people, codes), missing, side_effects="exact", **more)


@pytest.mark.parametrize("name", QUESTIONS)
def test_no_value_of_the_data_is_shown(people: DataFrame, codes: DataFrame, name: str) -> None:
    answer = ask(people, codes, name)
    assert leaks(answer), "without it, values are shown: the test can fail"
    hidden = redact_answer(answer, Redaction())
    assert leaks(hidden) == set()
    assert MASK in everything(hidden)


def test_what_explains_stays(people: DataFrame, codes: DataFrame) -> None:
    open_, hidden = (ask(people, codes, "a filter", redact=redact) for redact in (False, True))
    assert [e.operators for e in hidden.explanations] == [e.operators for e in open_.explanations]
    assert hidden.explanations[0].verified
    lines = [line.strip() for line in str(hidden).splitlines()]
    assert f"year = {MASK}, so year >= 2020 is FALSE" in lines
    assert "- filter year >= 2020" in lines
    assert f"+ filter year >= {MASK}" in lines
    assert f"would give id = {MASK} int, name = {MASK} string, code = {MASK} string, year = {MASK} int" in lines


def test_near_misses_say_what_helps_and_not_what_was_read(people: DataFrame, codes: DataFrame) -> None:
    told = str(ask(people, codes, "a join", redact=True))
    assert "two values are equal after trim and lower" in told
    assert "is FALSE" in told


def test_only_the_named_columns_are_hidden(people: DataFrame, codes: DataFrame) -> None:
    told = everything(ask(people, codes, "a filter", redact=["NAME", "code"]))
    assert "Zelda" not in told
    assert "zq17" not in told
    assert "year = 1999" in told
    assert "filter year >= 1999" in told


def test_what_is_computed_from_a_hidden_column_is_hidden(people: DataFrame) -> None:
    df = people.select("id", F.upper("name").alias("shout"), "year").filter(F.col("year") > 2020)
    told = everything(why_not(df, {"id": 4711}, redact=["name"]))
    assert "ZELDA" not in told
    assert "1999" in told


def test_fields_of_structs_are_named_too(spark: SparkSession) -> None:
    df = spark.createDataFrame([((4711, "Zelda"), 1999)], "who struct<id: int, name: string>, year int")
    told = everything(why_not(df.filter(F.col("year") > 2020), {"year": 1999}, redact=["id"]))
    assert "4711" not in told
    assert "year = 1999" in told


def test_a_function_says_what_is_shown(people: DataFrame, codes: DataFrame) -> None:
    seen: list[tuple[str, str]] = []

    def first_letter(column: str, value: str) -> str:
        seen.append((column, value))
        return f"{value[0]}..."

    told = everything(ask(people, codes, "a filter", redact=first_letter))
    assert ("name", "Zelda") in seen
    assert "Z..." in told
    assert "Zelda" not in told
    assert f"filter year >= {MASK}" in told


def test_nulls_are_no_secret(spark: SparkSession) -> None:
    df = spark.createDataFrame([(4711, None)], "id int, year int").filter(F.col("year") > 2020)
    told = str(why_not(df, {"id": 4711}, redact=["year"]))
    assert "year is null" in told


def test_an_error_of_spark_is_told_without_its_values(spark: SparkSession) -> None:
    df = spark.createDataFrame([("Zelda",)], "name string").filter(F.col("name").cast("int") > 1)
    with pytest.raises(QueryFailed) as raised:
        why_not(df, ZELDA, redact=True)
    error: BaseException | None = raised.value
    assert "CAST_INVALID_INPUT" in str(error)
    while error is not None:
        assert "Zelda" not in str(error)
        error = error.__cause__ or error.__context__


def test_every_name_hides_however_many_there_are() -> None:
    many = Redaction.from_argument([f"c{i}" for i in range(5_000)])
    assert many is not None
    assert many.hides("c4999")


def test_names_hide_whole_words_only() -> None:
    named = Redaction(columns=frozenset({"id"}))
    assert [what for what in ("id", "upper(ID)", "t.id", "`id`", "idle", "grid") if named.hides(what)] == [
        "id",
        "upper(ID)",
        "t.id",
        "`id`",
    ]
