"""On a real cluster the answers are those of local mode, however Spark joins, adapts and repeats its tasks."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from tests.cluster.cases import CASES, told
from tests.cluster.standalone import Cluster, cluster
from tests.sessions import QUICK_START
from tests.test_causes import NOT_FOLLOWED

ROOT = Path(__file__).resolve().parent.parent.parent

SMOKE = ("running_example", "c03_inner_join", "c18_count_of_nulls", "c13_row_number")
"""Nested data with an alternative, a join, an aggregate, a window."""

Sessions = Mapping[str, Mapping[str, str]]
"""The settings of each, by a name."""

AS_IT_IS = "Spark's defaults"
LOCAL = {"spark.master": "local[2]", "spark.driver.extraJavaOptions": QUICK_START}
WITHOUT_BROADCAST = {"spark.sql.autoBroadcastJoinThreshold": "-1"}
NOT_ADAPTIVE = {"spark.sql.adaptive.enabled": "false"}
SPECULATION = {
    "spark.speculation": "true",
    "spark.speculation.interval": "10ms",
    "spark.speculation.multiplier": "1.1",
    "spark.speculation.quantile": "0.1",
}
"""Every task that is not among the first is repeated."""

SESSIONS: Sessions = {
    AS_IT_IS: {},
    "no broadcast": WITHOUT_BROADCAST,
    "not adaptive": NOT_ADAPTIVE,
    "no broadcast, not adaptive": {**WITHOUT_BROADCAST, **NOT_ADAPTIVE},
}
"""Settings that a session can change."""

SPECULATING: Sessions = {"speculation": WITHOUT_BROADCAST}
"""In an application with the settings of speculation, which hold from its start."""

SETTINGS = (*SESSIONS, *SPECULATING)


@dataclass(frozen=True)
class Answers:
    """Of a process, by settings and question; where it failed, those that it had by then."""

    found: Mapping[tuple[str, str], Any]
    failure: str

    def to(self, settings: str, question: str) -> Any:
        assert (settings, question) in self.found, f"not answered: {self.failure}"
        return self.found[settings, question]


@pytest.fixture(scope="module")
def two_workers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with cluster(tmp_path_factory.mktemp("cluster")) as started:
        yield started


def asked(
    place: Path, application: Mapping[str, str], sessions: Sessions, names: Iterable[str], python: Path
) -> Answers:
    """Each question in each session, by a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.cluster.answers", place, json.dumps(application), json.dumps(sessions), *names],
        cwd=ROOT,
        env={**os.environ, "PYSPARK_PYTHON": str(python)},
        capture_output=True,
        text=True,
        check=False,
    )
    lines = [json.loads(line) for line in place.read_text(encoding="utf-8").splitlines()] if place.exists() else []
    return Answers({(line["settings"], line["case"]): line["told"] for line in lines}, done.stderr[-3000:])


# --- in every run of the tests ---


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_cluster_answers_as_local_mode_does(spark: SparkSession, two_workers: Cluster, tmp_path: Path) -> None:
    names = [*SMOKE, "python_function"]
    sessions = {"no broadcast": SESSIONS["no broadcast"]}
    there = asked(tmp_path / "answers.jsonl", two_workers.settings(), sessions, names, two_workers.python())
    found = {name: there.to("no broadcast", name) for name in names}
    (there_is_no_sparkwhy,) = found.pop("python_function")["explanations"]
    assert [operator["kind"] for operator in there_is_no_sparkwhy["operators"]] == ["filter"]
    assert found == {name: told(spark, name) for name in SMOKE}
    assert {answer["outcome"] for answer in found.values()} == {"explained"}


# --- make cluster-test ---


@pytest.fixture(scope="module")
def local(tmp_path_factory: pytest.TempPathFactory) -> Answers:
    place = tmp_path_factory.mktemp("local") / "answers.jsonl"
    return asked(place, LOCAL, {AS_IT_IS: {}}, CASES, Path(sys.executable))


@pytest.fixture(scope="module")
def in_sessions(two_workers: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Answers:
    place = tmp_path_factory.mktemp("sessions") / "answers.jsonl"
    return asked(place, two_workers.settings(), SESSIONS, CASES, two_workers.python())


@pytest.fixture(scope="module")
def speculating(two_workers: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Answers:
    place = tmp_path_factory.mktemp("speculating") / "answers.jsonl"
    return asked(place, {**two_workers.settings(), **SPECULATION}, SPECULATING, CASES, two_workers.python())


@pytest.fixture(scope="module", params=SETTINGS)
def remote(request: pytest.FixtureRequest) -> Callable[[str], Any]:
    """The answer to a question under one set of settings."""
    application = "in_sessions" if request.param in SESSIONS else "speculating"
    return partial(request.getfixturevalue(application).to, request.param)


@pytest.mark.cluster
@pytest.mark.timeout(60, func_only=True)  # all questions are asked before the first of these tests
@pytest.mark.parametrize("name", CASES)
def test_the_answer_is_that_of_local_mode(local: Answers, remote: Callable[[str], Any], name: str) -> None:
    expected = local.to(AS_IT_IS, name)
    assert remote(name) == expected
    assert ("error" in expected) == (name in NOT_FOLLOWED)


@pytest.mark.cluster
def test_a_cluster_is_gone_after_a_failure(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), cluster(tmp_path, workers=1) as started:
        raise ZeroDivisionError
    assert {process.returncode for process in (started.master, *started.workers)} == {-signal.SIGKILL}
