"""Every bad input is refused with an error of ours, before any job, and changes nothing."""

from __future__ import annotations

import argparse
import inspect
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import sparkwhy
from sparkwhy import Answer, SparkWhyError, why_not
from sparkwhy.cli.main import _parser, main
from sparkwhy.errors import BadArgument
from tests.robust.bad_inputs import BAD_INPUTS, Bad, Frames
from tests.robust.surroundings import jobs_begun, surroundings


@pytest.fixture(scope="module")
def frames(spark: SparkSession) -> Iterator[Frames]:
    """The DataFrames; after all tests settings, views and caches are as they were."""
    made = Frames.of(spark)
    before = surroundings(spark)
    yield made
    assert surroundings(spark) == before


def test_the_table_is_large_and_has_no_row_twice() -> None:
    assert len(BAD_INPUTS) >= 150
    assert len({bad.id for bad in BAD_INPUTS}) == len(BAD_INPUTS)


def test_every_argument_has_bad_inputs() -> None:
    assert set(inspect.signature(why_not).parameters) <= {bad.group for bad in BAD_INPUTS}
    functions = [name for name in sparkwhy.__all__ if inspect.isfunction(getattr(sparkwhy, name))]
    taking = [name for name in functions if inspect.signature(getattr(sparkwhy, name)).parameters]
    tried = {bad.name.split(" of ")[0] for bad in BAD_INPUTS if bad.group == "predicates"}
    assert set(taking) - {"why_not"} <= tried


@pytest.mark.parametrize("bad", BAD_INPUTS, ids=lambda bad: bad.id)
def test_a_bad_input_is_refused(frames: Frames, bad: Bad) -> None:
    before = jobs_begun(frames.spark)
    with pytest.raises(SparkWhyError) as raised:
        bad.ask(frames)
    assert type(raised.value) is bad.error, repr(raised.value)
    assert bad.says in str(raised.value)
    assert jobs_begun(frames.spark) == before


def test_a_job_would_be_seen(spark: SparkSession) -> None:
    """The check above can fail."""
    before = jobs_begun(spark)
    spark.range(1).collect()
    assert jobs_begun(spark) > before


# --- what is no bad input ---


@pytest.mark.parametrize("rows", [0, 1])
def test_an_empty_dataframe_has_an_answer(spark: SparkSession, rows: int) -> None:
    empty = spark.createDataFrame([("a", 1)] * rows, "k string, v int").filter(F.lit(False))
    assert why_not(empty, {"k": "a"}).outcome == ("explained" if rows else "not_in_data")


def test_a_dataframe_without_columns_has_an_answer(spark: SparkSession) -> None:
    assert why_not(spark.range(2).select(), {}).outcome == "not_missing"
    assert why_not(spark.range(0).select(), {}).outcome == "unexplained"


def test_names_with_dots_and_backticks_and_in_other_case(frames: Frames) -> None:
    assert why_not(frames.odd, {"a.b": 1, "c`d": 2, "s": {"x.y": 3}}).outcome == "not_missing"
    assert why_not(frames.odd, {"A.B": 1}).outcome == "not_missing"
    assert why_not(frames.twice, {"Other": 3, "other": 2}).outcome == "not_missing"


# --- answers ---


@pytest.fixture(scope="module")
def answer(frames: Frames) -> Answer:
    return why_not(frames.plain, {"city": "NY"}, verify=False)


@pytest.mark.parametrize("path", [1, 0.5, True, [], object(), b"why.html", "why\0.html"])
def test_a_page_goes_to_a_path(answer: Answer, path: object) -> None:
    with pytest.raises(BadArgument, match="path"):
        answer.to_html(path)  # type: ignore[arg-type]


def test_where_nothing_can_be_written_the_system_says_so(answer: Answer, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        answer.to_html(tmp_path / "no" / "why.html")
    with pytest.raises(IsADirectoryError):
        answer.to_html(tmp_path)
    assert list(tmp_path.iterdir()) == []


# --- the command line ---

ROW = ("--missing", '{"year": 2018}')
QUERY = ("--sql", "select 'NY' as city, 2018 as year where false")

COMMANDS: dict[str, tuple[int, tuple[str, ...], str]] = {
    "no pattern": (2, ("--missing", "", *QUERY), "not JSON"),
    "half a pattern": (2, ("--missing", '{"year"', *QUERY), "not JSON"),
    "NaN": (5, ("--missing", '{"year": NaN}', *QUERY), "nan is not a value of this type"),
    "a list": (5, ("--missing", "[]", *QUERY), "must be a dict"),
    "a name twice": (5, ("--missing", '{"year": 1, "year": 2}', *QUERY), "occurs twice"),
    "an unknown column": (5, ("--missing", '{"yaer": 1}', *QUERY), "did you mean `year`"),
    "the wrong type": (5, ("--missing", '{"year": "x"}', *QUERY), "is of type int"),
    "steers the terminal": (5, ("--missing", '{"\\u001b[31m": 1}', *QUERY), "<U+001B>[31m"),
    "no seconds": (2, (*ROW, *QUERY, "--timeout", "soon"), "--timeout is a number"),
    "no time": (2, (*ROW, *QUERY, "--timeout", "0"), "--timeout is a number"),
    "negative time": (2, (*ROW, *QUERY, "--timeout=-1"), "--timeout is a number"),
    "endless time": (2, (*ROW, *QUERY, "--timeout", "inf"), "--timeout is a number"),
    "time that is no number": (2, (*ROW, *QUERY, "--timeout", "nan"), "--timeout is a number"),
    "hides nothing": (5, (*ROW, *QUERY, "--redact", "town"), "names town"),
    "hides a name without letters": (5, (*ROW, *QUERY, "--redact", ","), "redact"),
    "alternatives that are no JSON": (2, (*ROW, *QUERY, "--alternatives", "[["), "not JSON"),
    "alternatives that are a number": (2, (*ROW, *QUERY, "--alternatives", "1"), "a list of groups"),
    "alternatives that are numbers": (2, (*ROW, *QUERY, "--alternatives", "[[1, 2]]"), "a list of groups"),
    "a group of one": (5, (*ROW, *QUERY, "--alternatives", '[["year"]]'), "fewer than two attributes"),
    "no target": (2, ROW, "what is the query"),
    "a target without a name": (2, ("etl.py", *ROW), "does not name a DataFrame"),
    "a target that is a folder": (2, ("/tmp:df", *ROW), "there is no file"),
    "a file that is not there": (2, ("nowhere.py:df", *ROW), "there is no file"),
    "a table without a path": (2, (*ROW, *QUERY, "--table", "t"), "--table needs a name and a path"),
    "a table with a name that is none": (2, (*ROW, *QUERY, "--table", "a-b=x.csv"), "--table needs a name and a path"),
    "SQL that is empty": (2, (*ROW, "--sql", ""), "there is no file"),
    "SQL that is none": (5, (*ROW, "--sql", "selec 1 from t"), "PARSE_SYNTAX_ERROR"),
    "SQL that changes something": (5, (*ROW, "--sql", "drop view if exists nothing"), "has no column `year`"),
    "a page in no folder": (2, (*ROW, *QUERY, "--html", "/nowhere/why.html"), "there is no folder"),
    "a page that is a folder": (2, (*ROW, *QUERY, "--html", "/tmp"), "--html needs the name of a file"),
    "a page without a name": (2, (*ROW, *QUERY, "--html", ""), "--html needs the name of a file"),
    "a page with a long name": (2, (*ROW, *QUERY, "--html", "x" * 300), "too long"),
    "a pattern that is too deep": (5, ("--missing", "[" * 100_000, *QUERY), "too large"),
    "alternatives that are too deep": (2, (*ROW, *QUERY, "--alternatives", "[" * 100_000), "not JSON"),
    "two queries": (2, ("etl.py:df", *ROW, *QUERY), "what is the query"),
    "a table for a script": (2, ("etl.py:df", *ROW, "--table", "t=x.csv"), "--table goes with --sql"),
    "a module that is not there": (2, ("nowhere:df", *ROW), "there is no module"),
    "a file with a long name": (2, (f"{'x' * 300}.py:df", *ROW), "there is no file"),
    "a function that ends the program": (5, ("sys:exit", *ROW), "SystemExit"),
    "a function that does not say what it takes": (5, ("builtins:iter", *ROW), "TypeError"),
    "SQL that is one long word": (2, (*ROW, "--sql", "x" * 5000), "there is no file"),
    "SQL that is no text": (2, (*ROW, "--sql", sys.executable), "UTF-8"),
    "a table that is not there": (2, (*ROW, *QUERY, "--table", "t=nowhere.csv"), "there is no file"),
    "a table with a long name": (2, (*ROW, *QUERY, "--table", f"t={'x' * 300}.csv"), "there is no file"),
    "a table of no format": (2, (*ROW, *QUERY, "--table", f"t={__file__}"), "format"),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_bad_command_is_refused(
    frames: Frames, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    code, arguments, says = COMMANDS[name]
    monkeypatch.setattr(sys, "path", list(sys.path))
    before = jobs_begun(frames.spark)
    assert main(["explain", *arguments]) == code
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("sparkwhy: ")
    assert says in printed.err
    assert "Traceback" not in printed.err
    assert "\x1b" not in printed.err
    assert jobs_begun(frames.spark) == before


BAD_USAGE: tuple[tuple[str, ...], ...] = (
    *(
        ("explain", *ROW, *QUERY, *option)
        for option in (
            ("--mode", "swop"),
            ("--side-effects", "all"),
            ("--no-such-option",),
            ("--missing",),
            ("--html",),
            ("--table",),
            ("--sql",),
            ("--alternatives",),
            ("--timeout",),
            ("--json", "x", "y"),
        )
    ),
    ("explain", *QUERY),
    ("demo", "etl.py"),
    ("demo", "--html"),
    ("demo", "--missing", "{}"),
    ("scenarios", "--scale", "large"),
    ("scenarios", "--scale", "nan"),
    ("scenarios", "--scale", "-1"),
    ("scenarios", "--rows", "0"),
    ("scenarios", "--rows", "1.5"),
    ("scenarios", "--dblp"),
    ("bench",),
    ("bench", "C3", "C2"),
    ("bench", "C3", "--runs", "0"),
    ("bench", "C3", "--runs", "many"),
    ("bench", "C3", "--scale", "0"),
    ("bench", "C3", "--rows", "-3"),
    ("no-such-command",),
    (),
)


@pytest.mark.parametrize("command", BAD_USAGE, ids=lambda command: " ".join(command[-3:]) or "nothing")
def test_what_the_options_do_not_have_is_a_usage_error(
    frames: Frames, capsys: pytest.CaptureFixture[str], command: tuple[str, ...]
) -> None:
    before = jobs_begun(frames.spark)
    with pytest.raises(SystemExit) as stopped:
        main(command)
    assert stopped.value.code == 2
    assert "usage: sparkwhy" in capsys.readouterr().err
    assert jobs_begun(frames.spark) == before


ELSEWHERE: dict[tuple[str, ...], str] = {
    ("demo", "--html", "/nowhere/why.html"): "there is no folder",
    ("demo", "--html", "/tmp"): "--html needs the name of a file",
    ("scenarios", "q3"): "did you mean Q3",
    ("scenarios", "D1", "X"): "there is no scenario X",
    ("scenarios", "--dblp", "/nowhere"): "has no article.jsonl.gz",
    ("scenarios", "--dblp", __file__): "has no article.jsonl.gz",
    ("bench", "X"): "there is no scenario X",
}
"""Commands that do not explain, and what is said of them."""


@pytest.mark.parametrize("command", ELSEWHERE, ids=" ".join)
def test_other_commands_are_refused_before_they_begin(
    frames: Frames, capsys: pytest.CaptureFixture[str], command: tuple[str, ...]
) -> None:
    before = jobs_begun(frames.spark)
    assert main(command) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert ELSEWHERE[command] in printed.err
    assert "Traceback" not in printed.err
    assert jobs_begun(frames.spark) == before


def test_every_option_has_bad_commands() -> None:
    """Each that takes a value; whoever adds one adds a row above."""
    tried = [("explain", *arguments) for _, arguments, _ in COMMANDS.values()] + [*BAD_USAGE, *ELSEWHERE]
    given = {(command[0], part.split("=")[0]) for command in tried if command for part in command[1:]}
    (commands,) = (each for each in _parser()._actions if isinstance(each, argparse._SubParsersAction))
    options = {
        (name, action.option_strings[0])
        for name, parser in commands.choices.items()
        for action in parser._actions
        if action.option_strings and action.nargs != 0
    }
    assert len(options) >= 15
    assert options <= given
