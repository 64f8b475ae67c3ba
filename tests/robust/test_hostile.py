"""Names, values and patterns are data: never run, never part of SQL text, and shown so that they do no harm."""

from __future__ import annotations

import ast
import json
import re
import socket
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import StructType

import sparkwhy
from sparkwhy import Answer, contains, like, startswith, why_not
from sparkwhy.plan.exprs import FieldOf, Literal, MakeStruct
from sparkwhy.plan.types import STRING
from sparkwhy.report.report import Report
from sparkwhy.report.text import render_coloured
from sparkwhy.spark.classic.run.sql_text import sql_of

HOSTILE = (
    "'); DROP TABLE t; --",
    "' OR 1=1",
    "`",
    "a``b`",
    '"',
    "\\",
    "\\'",
    "\\u0041",
    "${spark.app.name}",
    "${env:HOME}",
    "%s %d",
    "{0} {x}",
    "\x1b[31mred\x1b[0m",
    "\x9b31m",
    "a\r\nb",
    "\u202egnp.exe",
    "<script>alert(1)</script>",
    "&lt;img src=x onerror=alert(1)&gt;",
    "</style></code>",
    "a.b[0]",
    "*",
    "\U0001d54f",
)

SETTINGS: dict[str, dict[str, str]] = {
    "as they are": {},
    "escaped literals": {"spark.sql.parser.escapedStringLiterals": "true"},
    "no substitution": {"spark.sql.variable.substitute": "false"},
    "quoted identifiers": {"spark.sql.ansi.doubleQuotedIdentifiers": "true"},
}


@pytest.fixture(params=SETTINGS)
def session(spark: SparkSession, request: pytest.FixtureRequest) -> Iterator[SparkSession]:
    """The session under each of the settings that change how SQL text is read."""
    before = {name: spark.conf.get(name) for name in SETTINGS[request.param]}
    for name, value in SETTINGS[request.param].items():
        spark.conf.set(name, value)
    yield spark
    for name, old in before.items():
        assert old is not None
        spark.conf.set(name, old)


def col(name: str) -> Column:
    return F.col("`" + name.replace("`", "``") + "`")


# --- into Spark ---


def test_hostile_values_are_compared_as_they_are(session: SparkSession) -> None:
    """One row with all of them: if one were read as anything else, the row would not be found."""
    columns = [f"c{i}" for i in range(len(HOSTILE))]
    schema = ", ".join([*(f"{name} string" for name in columns), "n int"])
    df = session.createDataFrame([(*HOSTILE, 1)], schema)
    kept = df.filter(F.col("c0").isin(*HOSTILE) & (F.col("c5") == HOSTILE[5])).filter(F.col("n") > 5)
    answer = why_not(kept, dict(zip(columns, HOSTILE, strict=True)), verify=False)
    assert answer.outcome == "explained"
    assert [[op.text for op in e.operators] for e in answer.explanations] == [["filter n > 5"]]


def test_hostile_names_are_only_names(spark: SparkSession) -> None:
    """Columns, fields of structs and keys of maps."""
    wide = spark.createDataFrame([(*range(len(HOSTILE)), 7)], ", ".join(f"c{i} int" for i in range(len(HOSTILE) + 1)))
    named = wide.toDF(*HOSTILE, "n").alias("'; DROP VIEW x; --")
    structs = [F.struct(*(col(name).alias(name) for name in HOSTILE)).alias("s")]
    maps = [F.create_map(*(part for name in HOSTILE for part in (F.lit(name), col(name)))).alias("m")]
    kept = named.select("*", *structs, *maps).filter(col(HOSTILE[0]) > 5)
    inside = {name: i for i, name in enumerate(HOSTILE)}
    answer = why_not(kept, {**inside, "s": inside, "m": inside})
    assert answer.outcome == "explained"
    assert answer.explanations[0].verified
    harmless(answer)


def test_hostile_names_in_groups_lists_and_alternatives(spark: SparkSession) -> None:
    key, value, other = HOSTILE[0], HOSTILE[3], HOSTILE[12]
    schema = StructType().add(key, "string").add(value, "integer").add(other, "integer")
    rows = spark.createDataFrame([("a", 1, 9)], schema)
    item = F.struct(col(value).alias(value), col(other).alias(other))
    df = rows.filter(col(value) > 5).groupBy(col(key)).agg(F.collect_list(item).alias(HOSTILE[2]))
    group = [{f"`{name.replace('`', '``')}`" for name in (value, other)}]
    answer = why_not(df, {key: "a", HOSTILE[2]: [{value: 1}, ...]}, alternatives=group)
    assert answer.outcome == "explained"
    harmless(answer)


@pytest.mark.parametrize("test", [contains, startswith, like])
def test_tests_of_text_take_hostile_text(spark: SparkSession, test: Any) -> None:
    text = "'); ${spark.app.name} `\" \x1b"
    df = spark.createDataFrame([(text, 1)], "v string, n int").filter("n > 5")
    assert why_not(df, {"v": test(text)}, verify=False).outcome == "explained"


@pytest.mark.parametrize("text", HOSTILE)
def test_strings_are_hexadecimal_in_sql_text(spark: SparkSession, text: str) -> None:
    sql = sql_of(Literal(text, STRING))
    assert sql is not None
    assert set(sql) <= set("CAST(X'0123456789abcdef' AS STRING)")
    assert text not in sql or len(text) < 2


@pytest.mark.parametrize("name", HOSTILE)
def test_names_of_fields_are_no_sql_text_unless_they_are_plain(name: str) -> None:
    value = Literal("x", STRING)
    built = MakeStruct((name,), (value,))
    assert sql_of(built) is None
    assert sql_of(FieldOf(built, 0)) is None
    assert sql_of(MakeStruct(("plain_1",), (value,))) is not None


# --- out to the user ---


class Tags(HTMLParser):
    """The tags of a page, and all attributes that run or load something."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.bad: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.bad += [name for name, _ in attrs if name.startswith("on") or name in ("src", "href", "action")]


def harmless(answer: Answer) -> None:
    """Text steers no terminal, JSON is valid and steers none either, and the page has only our own tags."""
    for text in (str(answer), answer.to_json()):
        assert all(c.isprintable() or c == "\n" for c in text)
    assert re.sub(r"\x1b\[[0-9;]*m", "", render_coloured(Report.of(answer))) == str(answer)  # colours are all it adds
    assert json.loads(answer.to_json()) == json.loads(json.dumps(answer.to_dict()))
    page = answer.to_html()
    found = Tags()
    found.feed(page)
    assert found.bad == []
    assert found.tags.count("script") == 1
    assert "img" not in found.tags
    assert not {"\x1b", "\x9b", "\u202e"} & set(page)


def test_hostile_values_are_shown_harmlessly(spark: SparkSession) -> None:
    df = spark.createDataFrame([(text, i) for i, text in enumerate(HOSTILE)], "v string, n int").filter("n > 50")
    for missing in ({"n": 12}, {"n": 13}, {"n": 16}, {"v": HOSTILE[12]}):
        harmless(why_not(df, missing, side_effects="exact"))
    told = str(why_not(df, {"n": 12}))
    assert "<U+001B>[31mred" in told


def test_nearest_values_and_matching_rows_are_shown_harmlessly(spark: SparkSession) -> None:
    df = spark.createDataFrame([(text,) for text in HOSTILE], "v string")
    answer = why_not(df, {"v": "\x1b[31mrad\x1b[0m"})
    assert answer.outcome == "not_in_data"
    harmless(answer)
    harmless(why_not(df, {"v": startswith("\x1b")}))


# --- the surroundings ---


def test_nothing_is_written_and_no_other_machine_is_called(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    called: list[str] = []
    connect = socket.socket.connect

    def watched(self: socket.socket, address: Any) -> None:
        called.append(str(address[0]) if isinstance(address, tuple) else str(address))
        connect(self, address)

    df: DataFrame = spark.createDataFrame([("Sue", 2018)], "name string, year int").filter("year > 2019")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(socket.socket, "connect", watched)
    answer = why_not(df, {"name": "Sue"}, side_effects="exact")
    (str(answer), answer.to_json(), answer.to_html(), answer._repr_html_())
    assert list(tmp_path.iterdir()) == []
    assert called, "the thread of the question talks to Spark"
    assert set(called) <= {"127.0.0.1", "localhost", "::1"}


FORBIDDEN = {"eval()", "exec()", "compile()", "__import__()", "open()"}
MODULES = {"subprocess", "pickle", "marshal", "urllib", "http", "requests", "socket", "tempfile", "shelve"}
ALLOWED = {"scenarios", "lab"}
"""The paper's scenarios generate their data, and the lab is for our own tests: neither is part of a question."""


def calls_and_imports(*left_out: str) -> Iterator[tuple[str, str]]:
    """Where the package calls or imports what, by name."""
    root = Path(sparkwhy.__file__).parent
    for path in sorted(root.rglob("*.py")):
        where = path.relative_to(root)
        if where.parts[0] in left_out:
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            match node:
                case ast.Call(func=ast.Name(id=name)):
                    yield str(where), f"{name}()"
                case ast.Import(names=names):
                    yield from ((str(where), each.name.partition(".")[0]) for each in names)
                case ast.ImportFrom(module=str(module)):
                    yield str(where), module.partition(".")[0]
                case _:
                    continue


def test_the_package_runs_no_text_and_opens_no_connection() -> None:
    found = set(calls_and_imports(*ALLOWED))
    assert ("api.py", "pyspark") in found
    assert not {(where, what) for where, what in found if what in FORBIDDEN | MODULES}


def test_a_question_logs_and_prints_nothing() -> None:
    """An answer is printed where somebody says so: by `show`, or on the command line."""
    silent = {"logging", "warnings", "print()"}
    found = {(where, what) for where, what in calls_and_imports(*ALLOWED, "cli") if what in silent}
    assert found == {("report/answer.py", "print()")}
