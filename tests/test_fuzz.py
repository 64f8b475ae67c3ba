"""`make fuzz` tries every law, finds what is broken, and says how to see it again."""

from __future__ import annotations

from functools import partial

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
