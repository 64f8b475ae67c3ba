"""What goes wrong on a cluster: executors, workers and tasks that are lost, slow or too large.

Run by `make cluster-test`. Faults that local mode has as well are those of `tests/robust/test_faults.py`, once more.
"""

from __future__ import annotations

import os
import re
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from pyspark import SparkContext, TaskContext
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from sparkwhy import why_not
from sparkwhy.errors import QueryFailed, TimedOut
from tests.cluster.answers import session
from tests.cluster.standalone import Cluster, cluster, wait_for
from tests.robust import test_faults as in_local_mode
from tests.robust.surroundings import Surroundings

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(1200)]

SETTINGS = {
    "spark.task.maxFailures": "3",
    "spark.speculation": "true",
    "spark.speculation.quantile": "0.5",
    "spark.speculation.minTaskRuntime": "5s",
}


@pytest.fixture(scope="module")
def workers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with cluster(tmp_path_factory.mktemp("cluster")) as started:
        yield started


@pytest.fixture(scope="module")
def spark(workers: Cluster) -> Iterator[SparkSession]:
    """In place of the local session, which must not be there: a process has one."""
    assert SparkContext._active_spark_context is None, "run by itself: make cluster-test"
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("PYSPARK_PYTHON", str(workers.python()))
        started = session({**workers.settings(), **SETTINGS})
        started.sparkContext.setLogLevel("OFF")
        yield started
        started.stop()


# --- as in local mode ---

unchanged = in_local_mode.unchanged
test_a_question_stops_at_its_timeout = in_local_mode.test_a_question_stops_at_its_timeout
test_ctrl_c_cancels_the_jobs_of_the_question = in_local_mode.test_ctrl_c_cancels_the_jobs_of_the_question
test_division_by_zero_names_stage_and_operator = in_local_mode.test_division_by_zero_names_stage_and_operator
test_a_function_that_raises_is_named_with_its_line = in_local_mode.test_a_function_that_raises_is_named_with_its_line
test_a_file_that_vanished_is_named = in_local_mode.test_a_file_that_vanished_is_named
test_a_python_worker_that_dies_is_reported = in_local_mode.test_a_python_worker_that_dies_is_reported


# --- what is lost is done again ---


def held(marker: Path, seconds: float = 4.0) -> Column:
    """`k > 3`, by a function that leaves a marker the first time it runs, and then sleeps."""

    def above(value: int) -> bool:
        if not os.path.exists(marker):
            Path(marker).touch()
            time.sleep(seconds)
        return value > 3

    return F.udf(above, "boolean", useArrow=False)("k")


def counts(spark: SparkSession, marker: Path) -> DataFrame:
    """The function runs above a shuffle: whoever is lost by then takes files along that others need."""
    numbers = spark.range(0, 1000, numPartitions=4).selectExpr("id % 10 as k")
    return numbers.groupBy("k").agg(F.count("*").alias("n")).filter(held(marker))


@contextmanager
def when_it_is_there(marker: Path, act: Callable[[], None]) -> Iterator[None]:
    """Acts on another thread, as soon as the marker is there."""

    def wait_and_act() -> None:
        wait_for(marker.exists)
        act()

    thread = threading.Thread(target=wait_and_act)
    thread.start()
    try:
        yield
    finally:
        thread.join()


def assert_it_is_right_in_spite_of(act: Callable[[], None], spark: SparkSession, marker: Path) -> None:
    query = counts(spark, marker)
    with when_it_is_there(marker, act):
        disturbed = why_not(query, {"k": 1})
    assert disturbed.explanations[0].witnesses[0].row == {"k": 1, "n": 100}
    assert disturbed.explanations[0].verified is not None
    assert disturbed.to_dict() == why_not(query, {"k": 1}).to_dict()  # now nothing is lost


def test_new_executors_take_over_when_all_are_lost(
    spark: SparkSession, workers: Cluster, unchanged: Surroundings, tmp_path: Path
) -> None:
    killed: list[int] = []

    def kill_all() -> None:
        killed.extend(workers.executors())
        for pid in killed:
            os.kill(pid, signal.SIGKILL)

    assert_it_is_right_in_spite_of(kill_all, spark, tmp_path / "runs")
    assert len(killed) == 2
    assert not set(killed) & set(workers.executors())


def test_the_other_worker_continues_when_one_is_lost(
    spark: SparkSession, workers: Cluster, unchanged: Surroundings, tmp_path: Path
) -> None:
    assert_it_is_right_in_spite_of(lambda: workers.kill_worker(-1), spark, tmp_path / "runs")
    workers.add_workers(1)


def test_a_task_that_fails_once_is_retried(spark: SparkSession, unchanged: Surroundings, tmp_path: Path) -> None:
    def flaky(value: int) -> bool:
        if TaskContext.get().attemptNumber() == 0:  # type: ignore[union-attr]
            raise RuntimeError("the first time")
        return value > 1

    numbers = spark.range(0, 4, numPartitions=2).filter(F.udf(flaky, "boolean", useArrow=False)("id"))
    answer = why_not(numbers, {"id": 0})
    assert [operator.kind for operator in answer.explanations[0].operators] == ["filter"]


def test_a_slow_task_is_run_twice_and_counts_once(spark: SparkSession, unchanged: Surroundings, tmp_path: Path) -> None:
    repeated = tmp_path / "repeated"

    def slow_at_first(value: int) -> bool:
        if TaskContext.get().attemptNumber() > 0:  # type: ignore[union-attr]
            Path(repeated).touch()
        elif value == 0:
            time.sleep(60)
        return value > 1

    numbers = spark.range(0, 4, numPartitions=2).filter(F.udf(slow_at_first, "boolean", useArrow=False)("id"))
    grouped = numbers.groupBy((F.col("id") * 0).alias("k")).agg(F.count("*").alias("n"))
    answer = why_not(grouped, {"n": 4}, verify=False)
    assert repeated.exists()
    assert answer.explanations[0].witnesses[0].row == {"k": 0, "n": 4}


# --- what cannot be done is told ---


def test_without_a_worker_the_question_times_out(
    spark: SparkSession, workers: Cluster, unchanged: Surroundings
) -> None:
    for number in range(len(workers.workers)):
        workers.kill_worker(number)
    began = time.monotonic()
    try:
        with pytest.raises(TimedOut) as raised:
            why_not(spark.range(3).filter("id > 1"), {"id": 0}, timeout=5)
        assert time.monotonic() - began < 30
        assert raised.value.stage == "tracing rows"
    finally:
        workers.add_workers(2)


def test_an_executor_without_memory_is_reported(spark: SparkSession, unchanged: Surroundings) -> None:
    """1.6 GB in one array. Spark does not tell which operator wanted them, so those at work are named. An executor that
    ends for want of memory cannot always say why: then its exit code does."""
    many = spark.range(1).withColumn("many", F.expr("sequence(0L, id + 200000000L)"))
    with pytest.raises(QueryFailed) as raised:
        why_not(many.filter(F.size("many") < 3), {"id": 0})
    assert raised.value.stage == "tracing rows"
    assert re.search("OutOfMemoryError|exited with code 52", raised.value.reason)
    assert "memory ran out" in str(raised.value.hint)
    assert "at work on filter size(many) < 3 at test_faults.py" in str(raised.value.hint)


def test_an_executor_that_dies_each_time_is_reported(spark: SparkSession, unchanged: Surroundings) -> None:
    def takes_it_along(value: int) -> bool:
        status = Path(f"/proc/{os.getppid()}/status").read_text()  # of the daemon, whose parent is the executor
        os.kill(int(status.split("PPid:")[1].split()[0]), signal.SIGKILL)
        return value > 1

    with pytest.raises(QueryFailed, match="ExecutorLostFailure") as raised:
        why_not(spark.range(3).filter(F.udf(takes_it_along, "boolean", useArrow=False)("id")), {"id": 0})
    assert raised.value.stage == "tracing rows"
    assert "more memory" in str(raised.value.hint)
    assert "takes_it_along" in str(raised.value.operator), "the only one that calls Python"
