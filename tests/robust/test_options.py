"""The options of the command line that limit time and hide values."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession

from sparkwhy.cli.main import main
from sparkwhy.wording import MASK

QUERY = "select * from values ('Zelda', 1999), ('Quux', 2024) as people(name, year) where year > 2020"
ROW = '{"name": {"$startswith": "Ze"}}'


@pytest.fixture(autouse=True)
def _log_settings_stay(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPARK_SUBMIT_OPTS", "-Dlog4j2.level=error")


def test_redact_hides_all_values_or_those_of_columns(capsys: pytest.CaptureFixture[str]) -> None:
    explain = ["explain", "--sql", QUERY, "--missing", ROW, "--side-effects", "none"]
    assert main([*explain, "--redact"]) == 0
    printed = capsys.readouterr().out
    assert "Zelda" not in printed
    assert "1999" not in printed
    assert f"+ filter year > {MASK}" in printed or f"+ filter year >= {MASK}" in printed
    assert main([*explain, "--redact", "name", "--timeout", "300"]) == 0
    printed = capsys.readouterr().out
    assert "Zelda" not in printed
    assert "year = 1999" in printed


def test_a_timeout_is_told_in_few_words(capsys: pytest.CaptureFixture[str]) -> None:
    slow = "select count(*) as n from range(100000000000) where length(md5(md5(cast(id as string)))) > 3"
    assert main(["explain", "--sql", slow, "--missing", '{"n": 5}', "--timeout", "0.5"]) == 5
    printed = capsys.readouterr()
    assert printed.err.startswith("sparkwhy: timed out after 0.5 s")
    assert printed.out == ""
