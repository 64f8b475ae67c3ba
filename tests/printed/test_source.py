"""The printed diffs of the examples and of the paper's scenarios, done to their files: the row is there then."""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

import examples.causes
from sparkwhy import Answer, Explanation, why_not
from sparkwhy.scenarios import SCENARIOS
from sparkwhy.scenarios.data.tables import GeneratedTables
from sparkwhy.scenarios.scenario import Scenario, Tables
from tests.printed.check import Tally, find_problem, is_checked
from tests.sessions import uncompiled

CAUSES = sorted({path.stem for path in Path(examples.causes.__path__[0]).glob("c*.py")} - {"c25_sample"})


@pytest.fixture(scope="module")
def session(spark: SparkSession) -> SparkSession:
    return uncompiled(spark)


@pytest.fixture(scope="module")
def tables(session: SparkSession) -> Tables:
    return GeneratedTables(session)


@pytest.fixture(scope="module")
def tally() -> Tally:
    return Tally()


@pytest.mark.parametrize("name", CAUSES)
def test_the_diffs_of_an_example(session: SparkSession, tally: Tally, name: str) -> None:
    module = importlib.import_module(f"examples.causes.{name}")
    answer = why_not(module.query(session), module.MISSING)
    apply_all(answer, module.query, session, module.MISSING, tally)


@pytest.mark.parametrize("scenario", SCENARIOS.values(), ids=list(SCENARIOS))
def test_the_diffs_of_a_scenario(tables: Tables, tally: Tally, scenario: Scenario) -> None:
    missing = scenario.question(tables)
    answer = why_not(scenario.query(tables), missing, alternatives=list(scenario.alternatives))
    apply_all(answer, scenario.query, tables, missing, tally)


def test_enough_was_applied(tally: Tally) -> None:
    """This module alone would pass if nothing was printed any more."""
    print("\n".join(tally.lines()))
    assert tally.true >= 40


def apply_all(answer: Answer, query: Callable[[Any], DataFrame], data: Any, missing: Any, tally: Tally) -> None:
    """Apply the diffs of each explanation whose fixes all have one, and compare the results with what is said."""
    for explanation in filter(is_checked, answer.explanations):
        if all(fix.diff is not None for fix in explanation.fixes):
            fixed = patched(query, explanation)(data)
            tally.note(explanation, find_problem(query(data), fixed, missing, explanation))
    assert not tally.false


def patched(query: Callable[[Any], DataFrame], explanation: Explanation) -> Callable[[Any], DataFrame]:
    """Return the function of the query from its file with the diffs applied, as `patch` would."""
    file = inspect.getsourcefile(query)
    assert file is not None
    lines = Path(file).read_text(encoding="utf-8").splitlines()
    for fix in explanation.fixes:
        assert fix.diff is not None
        header, old, new = fix.diff.splitlines()[2:]
        place = re.fullmatch(r"@@ -(\d+) \+\1 @@", header)
        assert place is not None
        assert lines[int(place[1]) - 1] == old[1:]
        lines[int(place[1]) - 1] = new[1:]
    names: dict[str, Any] = {"__name__": "patched", "__file__": file}
    exec(compile("\n".join(lines), file, "exec"), names)  # the file as it would be
    made: Callable[[Any], DataFrame] = names[query.__name__]
    return made
