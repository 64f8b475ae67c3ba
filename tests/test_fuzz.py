"""`make fuzz` tries every law, finds what is broken, and says how to see it again."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from bench.fuzz import Outcome, attempt, fuzz, main
from bench.fuzz_laws import LAWS, SPARK_LAWS, Attempt, Tables, quick
from sparkwhy.plan.nodes import OpId

LABELS = [f"smoke/{i}" for i in range(12)]


@pytest.mark.parametrize("name", LAWS)
def test_a_law_has_cases_and_holds(name: str) -> None:
    found = [attempt(LAWS[name], label) for label in LABELS]
    assert "" in found, "no label makes a case"
    assert not any(found), next(filter(None, found))


@pytest.mark.spark
@pytest.mark.parametrize("name", SPARK_LAWS)
def test_a_law_holds_on_spark(spark: SparkSession, name: str) -> None:
    with quick(spark) as session:
        assert attempt(partial(SPARK_LAWS[name], session), "smoke/0") == ""


FOUND = {"20261117/36316": "tracing alternatives", "20261117/76868": "evaluating"}
"""Labels on which a law was once seen broken, by long runs: what was wrong is mended, in the package or in the law."""


@pytest.mark.parametrize("label", FOUND)
def test_what_was_found_once_is_not_found_again(label: str) -> None:
    assert not attempt(LAWS[FOUND[label]], label)


# --- a law that is broken ---

TABLES: Tables = {OpId(1): [(1,), (2,), (3,)], OpId(2): [(4,)]}


def broken(label: str) -> Attempt | None:
    def check(tables: Tables) -> None:
        assert (2,) not in tables[OpId(1)], f"{tables}"

    return Attempt(TABLES, check) if label.endswith("3") else None


def raising(_: str) -> Attempt | None:
    raise KeyError("lost")


def ran(law: object, seconds: float = 0.2) -> Outcome:
    said: list[str] = []
    outcome = fuzz({"odd": law}, {}, seed="s", seconds=seconds, say=said.append)  # type: ignore[dict-item]
    assert len(said) == len(outcome.failures)
    return outcome


def test_a_broken_law_is_told_with_its_label_and_small_tables() -> None:
    outcome = ran(broken)
    tally = outcome.tallies["odd"]
    assert 0 < tally.failures == tally.cases
    assert "--law 'odd' --label 's/3'" in outcome.failures[0]
    assert str({OpId(1): [(2,)], OpId(2): []}) in outcome.failures[0]
    assert outcome.summary().splitlines()[1].split()[:2] == ["odd", f"{tally.cases:,}"]


def test_a_law_that_raises_is_broken() -> None:
    assert "KeyError: 'lost'" in ran(raising).failures[0]


@pytest.mark.parametrize(("law", "code"), [("matching", 0), ("broken", 1)])
def test_the_exit_code_says_whether_a_law_was_broken(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], law: str, code: int
) -> None:
    monkeypatch.setitem(LAWS, "broken", broken)
    assert main(["--law", law, "--minutes", "0.003"]) == code
    assert law in capsys.readouterr().out
    assert main(["--law", law, "--label", "s/3"]) == code


def test_the_counts_of_a_run_are_kept(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    place = tmp_path / "fuzz.json"
    assert main(["--law", "matching", "--minutes", "0.003", "--seed", "7", "--write", str(place)]) == 0
    record = json.loads(place.read_text(encoding="utf-8"))
    cases = record["laws"]["matching"]["cases"]
    assert cases > 0
    assert record == {
        "seed": "7",
        "minutes": 0.003,
        "laws": {"matching": {"cases": cases, "failures": 0, "seconds": 0}},
    }
    assert capsys.readouterr().out.splitlines()[-1].split()[:3] == ["matching", f"{cases:,}", "0"]
