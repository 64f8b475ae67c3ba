"""The command line: what it prints, its exit codes, and its errors, which are messages and no tracebacks."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from sparkwhy.cli import demo, failures
from sparkwhy.cli.main import COMMANDS, main
from sparkwhy.cli.quiet import quiet_spark
from sparkwhy.cli.sources import FORMATS
from sparkwhy.scenarios import SCENARIOS
from sparkwhy.spark.classic.jobs.failures import shorten_message

ETL = """
from dataclasses import dataclass
from pyspark.sql import SparkSession, functions as F
spark = SparkSession.builder.getOrCreate()
trips = spark.createDataFrame([("Sue", "NY", 2018), ("Bob", "LA", 2020)], "name string, city string, year int")
recent = trips.filter(F.col("year") >= 2019)
lines = ["no", "DataFrame"]


def totals():
    return recent.groupBy("city").agg(F.sum("year").alias("total"))


def numbers(session):
    return session.range(5).filter("id > 2")


def between(low, high):
    return spark.range(low, high)


def broken():
    return trips.select(F.col("nme"))


def failing():
    return trips.filter(F.raise_error(F.lit("boom")).isNull())


@dataclass
class Level:
    value: "int"


def marked():
    return trips.filter(F.udf(lambda year: Level(year).value > 2019, "boolean")("year"))


if __name__ == "__main__":
    raise AssertionError("this is not for us")
"""


@pytest.fixture(autouse=True)
def _the_process_stays_as_it_is(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setenv("SPARK_SUBMIT_OPTS", "-Dlog4j2.level=error")


@pytest.fixture(scope="module")
def etl(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("etl") / "etl.py"
    path.write_text(ETL)
    return str(path)


@pytest.fixture
def views(spark: SparkSession) -> Iterator[None]:
    yield
    for name in ("people", "places"):
        spark.catalog.dropTempView(name)


def ask(target: str, missing: str, *more: str) -> int:
    return main(["explain", target, "--missing", missing, "--no-verify", *more])


# --- answers and exit codes ---


def test_a_dataframe_of_a_script_is_explained(etl: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", f"{etl}:recent", "--missing", '{"city": "NY"}']) == 0
    printed = capsys.readouterr()
    assert " 1. filter year >= 2019   etl.py:6\n" in printed.out
    assert '+ recent = trips.filter(F.col("year") >= 2018)' in printed.out
    assert "\x1b" not in printed.out
    assert printed.err == ""


def test_the_outcome_is_the_exit_code(etl: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert ask(f"{etl}:recent", '{"city": "LA"}') == 0
    assert "It is there" in capsys.readouterr().out
    assert ask(f"{etl}:totals", '{"city": "LA", "total": 5}') == 3
    assert "The row is there, with total = 2020, not 5" in capsys.readouterr().out
    assert ask(f"{etl}:recent", '{"city": "Oslo"}') == 4
    assert "No source has such a row" in capsys.readouterr().out


def test_a_function_of_the_session_is_called_with_it(etl: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert ask(f"{etl}:numbers", '{"id": 1}') == 0
    assert "filter id > 2" in capsys.readouterr().out


def test_what_a_script_defines_works_in_the_workers_of_spark(etl: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert ask(f"{etl}:marked", '{"city": "NY"}') == 0
    assert "filter" in capsys.readouterr().out


def test_a_module_is_found_from_where_one_stands(
    etl: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(Path(etl).parent)
    try:
        assert ask("etl:numbers", '{"id": 1}') == 0
    finally:
        sys.modules.pop("etl", None)


def test_json_is_all_that_is_printed(etl: str, capsys: pytest.CaptureFixture[str]) -> None:
    alternatives = '[["name", "city"]]'
    assert ask(f"{etl}:recent", '{"city": "NY"}', "--json", "--alternatives", alternatives, "--mode", "each") == 0
    told = json.loads(capsys.readouterr().out)
    assert told["outcome"] == "explained"
    assert (told["question"], told["question_text"]) == ({"city": "NY"}, "{'city': 'NY'}")
    assert told["explanations"][0]["operators"][0]["text"] == "filter year >= 2019"


def test_a_page_is_written_and_said_so_unless_quiet(
    etl: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "why.html"
    assert ask(f"{etl}:recent", '{"city": "LA"}', "--html", str(page)) == 0
    assert capsys.readouterr().err == f"written to {page}\n"
    assert page.read_text("utf-8").startswith("<!DOCTYPE html>")
    assert ask(f"{etl}:recent", '{"city": "LA"}', "--html", str(page), "--quiet") == 0
    assert capsys.readouterr().err == ""


def test_the_demo_finds_new_york(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo", "--json"]) == 0
    first = json.loads(capsys.readouterr().out)["explanations"][0]
    assert first["operators"][0]["text"] == "filter address.year >= 2019"
    assert first["verified"] is True


def test_the_demo_shows_its_data_and_its_query_first(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo"]) == 0
    introduction, question, _ = capsys.readouterr().out.partition("Why is there no row like")
    assert question
    assert "Sue: address1 LA since 2019, NY since 2018; address2 LA since 2019, NY since 2018" in introduction
    assert '    .filter(F.col("address.year") >= 2019)\n' in introduction


# --- SQL ---


def test_sql_over_files(views: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    people, places = tmp_path / "people.csv", tmp_path / "places.json"
    people.write_text("name,place,age\nSue,1,30\nBob,2,20\n")
    places.write_text('{"id": 1, "city": "NY"}\n{"id": 2, "city": "LA"}\n')
    query = tmp_path / "my query.sql"
    query.write_text("SELECT name, city FROM people\nJOIN places ON place = id\nWHERE age > 25")
    tables = ["--table", f"people={people}", "--table", f"places={places}"]
    for sql, place in ((str(query), f"{query.name}:3"), (query.read_text(), "SQL line 3")):
        assert main(["explain", "--sql", sql, *tables, "--missing", '{"city": "LA"}', "--no-verify"]) == 0
        printed = capsys.readouterr().out
        assert f"filter age > 25   {place}" in printed
        assert "age = 20, so age > 25 is FALSE" in printed


def test_the_format_is_told_by_the_suffix(
    spark: SparkSession, views: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for kind in ("parquet", "orc"):
        folder = tmp_path / f"people_{kind}"  # told by the files inside
        spark.range(3).write.format(kind).save(str(folder))
        sql = ["--sql", "select * from people where id < 2", "--table", f"people={folder}"]
        assert main(["explain", *sql, "--missing", '{"id": 2}', "--no-verify"]) == 0
    assert {"parquet", "json", "csv", "orc"} == set(FORMATS.values())


# --- what goes wrong ---


def refused(capsys: pytest.CaptureFixture[str], code: int, *argv: str) -> str:
    """The message of a command that fails with a code."""
    assert main(list(argv)) == code
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("sparkwhy: ")
    assert "Traceback" not in printed.err
    return printed.err


def test_what_cannot_be_understood_is_a_usage_error(
    etl: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def explain(*argv: str) -> str:
        return refused(capsys, 2, "explain", *argv)

    row = ("--missing", '{"city": "NY"}')
    assert "there is no file nowhere.py" in explain("nowhere.py:cities", *row)
    assert "there is no module nowhere" in explain("nowhere:cities", *row)
    assert "write etl.py:NAME" in explain("cities", *row)
    assert "did you mean recent?" in explain(f"{etl}:recnt", *row)
    assert "did you mean trips or recent?" in explain(f"{etl}:zzzzz", *row)
    functions = tmp_path / "functions.py"
    functions.write_text("from os.path import join\n\n\ndef by_city(spark):\n    return spark.range(3)\n")
    assert "did you mean by_city?" in explain(f"{functions}:zzzzz", *row)
    assert "is not a DataFrame but a list" in explain(f"{etl}:lines", *row)
    assert "takes 2 arguments" in explain(f"{etl}:between", *row)
    assert "the pattern is not JSON" in explain(f"{etl}:recent", "--missing", "{city: NY}")
    assert "--alternatives is not JSON" in explain(f"{etl}:recent", *row, "--alternatives", "all")
    assert "a list of groups" in explain(f"{etl}:recent", *row, "--alternatives", '{"a": "b"}')
    assert "there is no folder" in explain(f"{etl}:recent", *row, "--html", str(tmp_path / "no" / "x.html"))
    assert "what is the query?" in explain(*row)
    assert "what is the query?" in explain(f"{etl}:recent", "--sql", "select 1", *row)
    assert "--table goes with --sql" in explain(f"{etl}:recent", "--table", "a=b.csv", *row)


def test_tables_that_cannot_be_read_are_usage_errors_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def explain(sql: str, table: str) -> str:
        return refused(capsys, 2, "explain", "--sql", sql, "--table", table, "--missing", '{"id": 1}')

    notes = tmp_path / "notes.txt"
    notes.write_text("id")
    assert "there is no file query.sql" in explain("query.sql", f"people={notes}")
    assert "write --table orders=orders.parquet" in explain("select 1", "people")
    assert "there is no file nowhere.csv" in explain("select 1", "people=nowhere.csv")
    assert ".parquet .json" in explain("select 1", f"people={notes}")


def test_what_cannot_be_answered_is_an_error_of_its_own(etl: str, capsys: pytest.CaptureFixture[str]) -> None:
    def explain(target: str, missing: str, *more: str) -> str:
        return refused(capsys, 5, "explain", f"{etl}:{target}", "--missing", missing, *more)

    assert "Hint: " in explain("recent", '{"citi": "NY"}')
    assert "did you mean `city`" in explain("recent", '{"city": "NY"}', "--alternatives", '[["cty", "name"]]')
    broken = explain("broken", '{"city": "NY"}')
    assert broken.startswith("sparkwhy: etl.py:23: AnalysisException: [UNRESOLVED_COLUMN")
    assert "'Project" not in broken
    assert "Spark says: [USER_RAISED_EXCEPTION] boom" in explain("failing", '{"city": "NY"}')


def test_an_error_in_sql_is_short(capsys: pytest.CaptureFixture[str]) -> None:
    told = refused(capsys, 5, "explain", "--sql", "selec 1 from nothing", "--missing", '{"a": 1}')
    assert "ParseException" in told
    assert len(told.splitlines()) < 4


def test_a_script_that_fails_is_named_with_its_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "wrong.py"
    path.write_text("a = 1\nb = a / 0\n")
    told = refused(capsys, 5, "explain", f"{path}:b", "--missing", "{}")
    assert told == "sparkwhy: wrong.py:2: ZeroDivisionError: division by zero\n"


def test_without_a_command_the_usage_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main([])
    assert stopped.value.code == 2
    assert "usage: sparkwhy" in capsys.readouterr().err


def test_messages_of_spark_lose_their_stacks() -> None:
    java = "An error occurred while calling o1.collect.\n: java.lang.Error: no\n\tat a.b(C.scala:1)\n\tat d"
    assert shorten_message(java) == "An error occurred while calling o1.collect.\n: java.lang.Error: no"
    stack = "Traceback (most recent call last):\n  File 'x'\nValueError: no"
    python = f"\n  From the Python worker:\n{stack}\n\nJVM stacktrace:\nx"
    assert shorten_message(python) == "From the Python worker:\nValueError: no"
    assert len(shorten_message("x" * 9000)) == 400


# --- the surroundings ---


def test_progress_is_for_terminals_only(
    etl: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert ask(f"{etl}:recent", '{"city": "LA"}') == 0
    assert "tracing rows ..." in capsys.readouterr().err
    assert ask(f"{etl}:recent", '{"city": "LA"}', "--quiet") == 0
    assert capsys.readouterr().err == ""


def test_spark_is_told_to_be_quiet_unless_the_user_set_its_log(monkeypatch: pytest.MonkeyPatch) -> None:
    quiet_spark()
    assert os.environ["SPARK_SUBMIT_OPTS"] == "-Dlog4j2.level=error"
    monkeypatch.setenv("SPARK_SUBMIT_OPTS", "-Xmx1g")
    quiet_spark()
    given, configuration, _ = os.environ["SPARK_SUBMIT_OPTS"].split()
    assert given == "-Xmx1g"
    assert Path(configuration.partition("file:")[2]).is_file()


def test_the_package_runs_as_a_module() -> None:
    told = subprocess.run([sys.executable, "-m", "sparkwhy", "--version"], capture_output=True, text=True, check=True)
    assert told.stdout.startswith("sparkwhy 0.")


# --- scenarios and benchmarks ---


def test_scenarios_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["scenarios", "--list"]) == 0
    names = [line.split()[0] for line in capsys.readouterr().out.splitlines()]
    assert names == list(SCENARIOS)
    assert main(["scenarios", "--list", "T_ASD"]) == 0
    assert capsys.readouterr().out == f"T_ASD  {SCENARIOS['T_ASD'].title}\n"


def test_a_scenario_is_asked_and_compared_with_the_paper(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["scenarios", "C3"]) == 0
    told = capsys.readouterr()
    title, *rest = told.out.splitlines()
    assert title.startswith(f"C3: {SCENARIOS['C3'].title} (")
    columns = [line[2:23].strip() for line in rest if line[2:4].strip()]
    assert columns[:4] == ["why-not", "why-not, joined", "conseil", "without alternatives"]
    assert sum("in the paper" in line for line in rest) >= 5
    assert told.err == ""


def test_a_benchmark_prints_two_times_and_their_ratio(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "C3", "--runs", "1", "--no-verify"]) == 0
    title, header, times = capsys.readouterr().out.splitlines()
    assert title == f"C3: {SCENARIOS['C3'].title}"
    assert header.split() == ["query", "question", "ratio"]
    query, question, ratio = (float(each.rstrip("s")) for each in times.split())
    assert ratio == pytest.approx(question / query, rel=0.2)


def test_a_scenario_that_is_not_there_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert "did you mean Q3" in refused(capsys, 2, "scenarios", "q3")
    assert "there is no scenario X" in refused(capsys, 2, "bench", "X")


@pytest.mark.parametrize(
    "wrong",
    [["scenarios", "--scale", "-1"], ["scenarios", "--rows", "0"], ["bench", "C3", "--runs", "0"], ["bench"]],
)
def test_numbers_that_make_no_sense_are_refused(wrong: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(wrong)
    assert stopped.value.code == failures.USAGE
    assert "usage: sparkwhy" in capsys.readouterr().err


def test_real_records_are_for_the_scenarios_of_dblp(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "article.jsonl.gz").touch()
    told = refused(capsys, 2, "scenarios", "--dblp", str(tmp_path))
    assert "has no inproceedings.jsonl.gz and no proceedings.jsonl.gz and no www.jsonl.gz" in told
    for name in ("inproceedings", "proceedings", "www"):
        (tmp_path / f"{name}.jsonl.gz").touch()
    assert main(["scenarios", "--dblp", str(tmp_path), "--list"]) == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == ["D1", "D2", "D3", "D4", "D5"]


def test_data_that_cannot_be_made_is_told_in_one_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SPARKWHY_CACHE", str(tmp_path))
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))  # there is no generator beside it
    told = refused(capsys, 5, "bench", "Q3F")
    assert told == "sparkwhy: tpchgen-cli makes the data of TPC-H: pip install tpchgen-cli\n"


# --- help, and ways to end ---


@pytest.mark.parametrize("command", [[], *([each.__name__.rpartition(".")[2]] for each in COMMANDS)], ids=str)
def test_help_has_examples(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main([*command, "--help"])
    assert stopped.value.code == 0
    assert f"examples:\n  sparkwhy {' '.join(command)}" in capsys.readouterr().out


def test_all_exit_codes_are_documented(capsys: pytest.CaptureFixture[str]) -> None:
    codes = {value for name, value in vars(failures).items() if name.isupper() and isinstance(value, int)}
    assert set(failures.EXIT_CODES.values()) < codes
    page = (Path(__file__).parent.parent / "docs" / "cli.md").read_text("utf-8")
    assert {int(code) for code in re.findall(r"^\| (\d+) \|", page, re.MULTILINE)} == codes
    with pytest.raises(SystemExit):
        main(["--help"])
    told = capsys.readouterr().out.partition("exit codes:")[2]
    assert {int(code) for code in re.findall(r"^  (\d+)  ", told, re.MULTILINE)} == codes


def test_an_interruption_ends_with_one_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(demo, "why_not", interrupted)
    assert refused(capsys, failures.INTERRUPTED, "demo") == "sparkwhy: stopped.\n"


def test_ctrl_c_while_a_script_runs(tmp_path: Path) -> None:
    path = tmp_path / "slow.py"
    path.write_text("import pathlib, time\npathlib.Path('started').touch()\ntime.sleep(60)\n")
    command = [sys.executable, "-m", "sparkwhy", "explain", "slow.py:df", "--missing", "{}"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        while not (tmp_path / "started").exists() and running.poll() is None:
            time.sleep(0.05)
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=60)
    assert (running.returncode, out, err) == (failures.INTERRUPTED, "", "sparkwhy: stopped.\n")


def test_a_closed_pipe_is_no_error() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "sparkwhy", "scenarios", "--list"]
    with subprocess.Popen(command, stdout=writing, stderr=subprocess.PIPE, text=True) as running:
        os.close(writing)
        _, err = running.communicate(timeout=60)
    assert (running.returncode, err) == (failures.PIPE_CLOSED, "")
