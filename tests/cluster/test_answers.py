"""On a real cluster the answers are those of local mode, however Spark joins, adapts and repeats its tasks."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
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

SETTINGS: Mapping[str, Mapping[str, str]] = {
    "as Spark is": {},
    "no broadcast": WITHOUT_BROADCAST,
    "not adaptive": NOT_ADAPTIVE,
    "no broadcast, not adaptive": {**WITHOUT_BROADCAST, **NOT_ADAPTIVE},
    "speculation": {**WITHOUT_BROADCAST, **SPECULATION},
}


@pytest.fixture(scope="module")
def two_workers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with cluster(tmp_path_factory.mktemp("cluster")) as started:
        yield started


def asked(place: Path, settings: Mapping[str, str], names: Iterable[str], python: Path) -> dict[str, Any]:
    """The answers of a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.cluster.answers", str(place), json.dumps(settings), *names],
        cwd=ROOT,
        env={**os.environ, "PYSPARK_PYTHON": str(python)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    found: dict[str, Any] = json.loads(place.read_text())
    return found


# --- in every run of the tests ---


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_cluster_answers_as_local_mode_does(spark: SparkSession, two_workers: Cluster, tmp_path: Path) -> None:
    names = [*SMOKE, "python_function"]
    settings = {**two_workers.settings(), **WITHOUT_BROADCAST}
    found = asked(tmp_path / "answers.json", settings, names, two_workers.python())
    (there_is_no_sparkwhy,) = found.pop("python_function")["explanations"]
    assert [operator["kind"] for operator in there_is_no_sparkwhy["operators"]] == ["filter"]
    assert found == {name: told(spark, name) for name in SMOKE}
    assert {answer["outcome"] for answer in found.values()} == {"explained"}


# --- make cluster-test ---


@pytest.fixture(scope="module")
def local(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return asked(tmp_path_factory.mktemp("local") / "answers.json", LOCAL, CASES, Path(sys.executable))


@pytest.fixture(scope="module", params=SETTINGS)
def remote(
    request: pytest.FixtureRequest, two_workers: Cluster, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Any]:
    settings = {**two_workers.settings(), **SETTINGS[request.param]}
    return asked(tmp_path_factory.mktemp("remote") / "answers.json", settings, CASES, two_workers.python())


@pytest.mark.cluster
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("name", CASES)
def test_the_answer_is_that_of_local_mode(local: dict[str, Any], remote: dict[str, Any], name: str) -> None:
    assert remote[name] == local[name]
    assert ("error" in local[name]) == (name in NOT_FOLLOWED)


@pytest.mark.cluster
def test_a_cluster_is_gone_after_a_failure(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), cluster(tmp_path, workers=1) as started:
        raise ZeroDivisionError
    assert {process.returncode for process in (started.master, *started.workers)} == {-signal.SIGKILL}
