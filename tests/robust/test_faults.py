"""What goes wrong while Spark runs: the error names our stage and the user's operator, and nothing is left behind."""

from __future__ import annotations

import _thread
import os
import re
import shutil
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from sparkwhy import why_not
from sparkwhy.errors import QueryFailed, SparkWhyError, TimedOut
from sparkwhy.spark.classic.jobs.failures import query_failed
from sparkwhy.spark.classic.read.operators import read
from tests.robust.surroundings import Surroundings, surroundings
from tests.sessions import SUBMIT_QUICKLY

THIS = Path(__file__).name


@pytest.fixture
def unchanged(spark: SparkSession) -> Iterator[Surroundings]:
    """What a question must leave as it was, job group and tags of the user included; and the next question works."""
    context = spark.sparkContext
    context.setJobGroup("mine", "my work")
    context.addJobTag("my-tag")
    before = surroundings(spark)
    try:
        yield before
        _wait_for(lambda: not context.statusTracker().getActiveJobsIds())
        assert surroundings(spark) == before
        assert why_not(spark.range(3).filter("id > 1"), {"id": 0}, verify=False).outcome == "explained"
    finally:
        context.clearJobTags()
        for name in ("spark.jobGroup.id", "spark.job.description", "spark.job.interruptOnCancel"):
            context.setLocalProperty(name, None)  # type: ignore[arg-type]


def _wait_for(done: Callable[[], bool], seconds: float = 20) -> None:
    deadline = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < deadline, "it never came"
        time.sleep(0.05)


def slow(spark: SparkSession) -> DataFrame:
    """Hours of hashing: one row for each number."""
    numbers = spark.range(0, 10**11, numPartitions=4)
    hashed = F.md5(F.md5(F.md5(F.col("id").cast("string"))))
    return numbers.groupBy((F.length(hashed) % 7).alias("k")).agg(F.count("*").alias("n")).filter(F.col("n") > 5)


# --- time ---


def test_a_question_stops_at_its_timeout(spark: SparkSession, unchanged: Surroundings) -> None:
    read(slow(spark))  # the first time, on a busy machine, to read it may take all the time
    began = time.monotonic()
    with pytest.raises(TimedOut) as raised:
        why_not(slow(spark), {"k": 3}, timeout=3)
    assert time.monotonic() - began < 30  # planning cannot be cancelled, and the machine may be busy
    assert (raised.value.stage, raised.value.seconds) == ("tracing rows", 3.0)
    assert "timed out after 3 s" in str(raised.value)
    assert "verify=False" in str(raised.value)


def test_a_question_within_its_timeout_has_an_answer(spark: SparkSession) -> None:
    assert why_not(spark.range(3).filter("id > 1"), {"id": 0}, timeout=300, verify=False).outcome == "explained"


# --- interrupted ---


def test_ctrl_c_cancels_the_jobs_of_the_question(spark: SparkSession, unchanged: Surroundings) -> None:
    """Not by Spark's own handler, which cancels all jobs and is there in the main thread only."""
    theirs = signal.signal(signal.SIGINT, signal.default_int_handler)
    tracker = spark.sparkContext.statusTracker()

    def interrupt() -> None:
        _wait_for(lambda: bool(tracker.getActiveJobsIds()), 60)
        _thread.interrupt_main()

    timer = threading.Thread(target=interrupt)
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            why_not(slow(spark), {"k": 3})
    finally:
        timer.join()
        signal.signal(signal.SIGINT, theirs)


def test_a_job_that_is_cancelled_from_outside_is_reported(spark: SparkSession, unchanged: Surroundings) -> None:
    """As by a click in the Spark UI."""
    tracker = spark.sparkContext.statusTracker()

    def cancel() -> None:
        _wait_for(lambda: bool(tracker.getActiveJobsIds()), 60)
        spark.sparkContext.cancelAllJobs()

    other = threading.Thread(target=cancel)
    other.start()
    try:
        with pytest.raises(QueryFailed, match="cancelled") as raised:
            why_not(slow(spark), {"k": 3})
    finally:
        other.join()
    assert raised.value.stage == "tracing rows"
    assert "ask again" in str(raised.value.hint)


def test_an_exception_in_the_progress_callback_stops_the_question(spark: SparkSession, unchanged: Surroundings) -> None:
    def stop(stage: str) -> None:
        if stage == "tracing rows":
            raise ZeroDivisionError(stage)

    with pytest.raises(ZeroDivisionError, match="tracing rows"):
        why_not(slow(spark), {"k": 3}, progress=stop)


def test_progress_is_reported_on_the_thread_of_the_caller(spark: SparkSession) -> None:
    threads = []
    why_not(spark.range(3).filter("id > 1"), {"id": 0}, progress=lambda _: threads.append(threading.current_thread()))
    assert len(threads) > 3
    assert set(threads) == {threading.current_thread()}


def test_jobs_carry_the_group_and_tags_of_the_user(spark: SparkSession, unchanged: Surroundings) -> None:
    tracker = spark.sparkContext.statusTracker()
    before = set(tracker.getJobIdsForGroup("mine"))
    why_not(spark.range(3).filter("id > 1"), {"id": 0}, verify=False)
    assert set(tracker.getJobIdsForGroup("mine")) > before


# --- the query fails ---


def divided(spark: SparkSession) -> DataFrame:
    return spark.createDataFrame([(1, 0)], "a int, b int").filter(F.col("a") / F.col("b") > 1)


def test_division_by_zero_names_stage_and_operator(spark: SparkSession, unchanged: Surroundings) -> None:
    with pytest.raises(QueryFailed) as raised:
        why_not(divided(spark), {"a": 1})
    error = raised.value
    line = (
        1 + Path(__file__).read_text("utf-8").splitlines().index("def divided(spark: SparkSession) -> DataFrame:") + 1
    )
    assert error.stage == "tracing rows"
    assert error.operator is not None
    assert error.operator.startswith("filter ")
    assert error.where == f"{THIS}:{line}"
    assert "[DIVIDE_BY_ZERO]" in error.reason
    assert "try_divide" in str(error.hint)
    assert isinstance(error.__cause__, PySparkException)


def test_a_cast_that_fails_in_sql_names_its_line(spark: SparkSession, unchanged: Surroundings) -> None:
    df = spark.sql("select v from values ('1'), ('x') as t(v)\nwhere cast(v as int) > 3")
    with pytest.raises(QueryFailed, match="CAST_INVALID_INPUT") as raised:
        why_not(df, {"v": "1"})
    assert raised.value.operator is not None
    assert "cast" in raised.value.operator.lower()


def test_a_function_that_raises_is_named_with_its_line(spark: SparkSession, unchanged: Surroundings) -> None:
    def broken(value: Any) -> bool:
        raise RuntimeError(f"no {value}")

    df = spark.range(2).filter(F.udf(broken, "boolean", useArrow=False)("id"))  # a bare Python has no Arrow
    with pytest.raises(QueryFailed) as raised:
        why_not(df, {"id": 1})
    assert "RuntimeError: no " in raised.value.reason
    assert raised.value.operator == "filter broken(id)"
    assert str(raised.value.where).startswith(THIS)
    assert isinstance(raised.value.__cause__, PySparkException)


def test_a_python_worker_that_dies_is_reported(spark: SparkSession, unchanged: Surroundings) -> None:
    def dies(value: int) -> bool:
        os.kill(os.getpid(), signal.SIGKILL)
        return value > 1

    with pytest.raises(QueryFailed, match="Python worker exited unexpectedly") as raised:
        why_not(spark.range(3).filter(F.udf(dies, "boolean", useArrow=False)("id")), {"id": 0})
    assert raised.value.stage == "tracing rows"
    assert raised.value.operator == "filter dies(id)"
    assert "Python function" in str(raised.value.hint)


def test_a_file_that_vanished_is_named(spark: SparkSession, unchanged: Surroundings, tmp_path: Path) -> None:
    folder = tmp_path / "trips"
    spark.range(5).write.parquet(str(folder))
    df = spark.read.parquet(str(folder)).filter("id > 3")
    shutil.rmtree(folder)
    with pytest.raises(QueryFailed, match="FAILED_READ_FILE") as raised:
        why_not(df, {"id": 1})
    assert "table trips" in str(raised.value.operator)
    assert "build it again" in str(raised.value.hint)
    assert isinstance(raised.value.__cause__, Py4JJavaError)


def test_a_failure_while_fixes_are_tried_names_that_stage(
    spark: SparkSession, unchanged: Surroundings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The stage is the one that was told last, whatever fails in it."""

    def failing(*_: object, **__: object) -> object:
        return spark.sql("select raise_error('boom')").collect()

    monkeypatch.setattr("sparkwhy.fix.search.search.FixSearch.verdicts", failing)
    with pytest.raises(QueryFailed, match="boom") as raised:
        why_not(spark.range(3).filter("id > 1"), {"id": 0})
    assert raised.value.stage == "trying fixes"


def test_an_unknown_failure_has_a_hint(spark: SparkSession) -> None:
    made = query_failed(PySparkException("what?"), "tracing rows", read(spark.range(1)))
    assert isinstance(made, SparkWhyError)
    assert (made.operator, made.where, made.reason) == (None, None, "what?")
    assert "df.count()" in str(made.hint)


@pytest.mark.parametrize(
    ("said", "hint"),
    [
        ("Lost task 1.2 in stage 80.0: java.lang.OutOfMemoryError: Java heap space", "memory ran out"),
        ("ExecutorLostFailure (executor 6 exited ...) Reason: Command exited with code 52", "memory ran out"),
        ("ExecutorLostFailure (executor 6 exited ...) Reason: Command exited with code 137", "memory ran out"),
        ("ExecutorLostFailure (executor 5 exited caused by one of the running tasks)", "more memory"),
        ("SparkException: Python worker exited unexpectedly (crashed).", "Python function"),
        ("[FAILED_TO_PARSE_TOO_COMPLEX] The statement was too complex to parse.", "put .localCheckpoint()"),
    ],
)
def test_known_failures_of_spark_have_hints(spark: SparkSession, said: str, hint: str) -> None:
    """As Spark says it on a cluster, where `tests/cluster/test_faults.py` makes it happen."""
    assert hint in str(query_failed(PySparkException(said), "tracing rows", read(spark.range(1))).hint)


def test_operators_that_may_have_used_the_memory_are_named(spark: SparkSession) -> None:
    """Spark does not tell which it was. If only one brings rows together, it is named; of several, all are."""
    lost = PySparkException("Job aborted: java.lang.OutOfMemoryError: Java heap space")
    counted = spark.range(9).filter("id > 1").groupBy((F.col("id") % 2).alias("k")).count()
    alone = query_failed(lost, "tracing rows", read(counted))
    assert "count" in str(alone.operator)
    assert str(alone.where).startswith("test_faults.py:")
    several = query_failed(lost, "tracing rows", read(counted.join(counted.withColumnRenamed("count", "n"), "k")))
    assert several.operator is None
    assert re.search(r"at work on join .*; aggregate .* at test_faults.py:\d+", str(several.hint))


def test_without_such_operators_those_that_compute_are_named(spark: SparkSession) -> None:
    lost = PySparkException("ExecutorLostFailure (executor 6 exited ...) Reason: Command exited with code 52")
    many = spark.range(1).withColumn("many", F.sequence(F.lit(0), F.col("id"))).filter(F.size("many") < 3)
    assert re.search(r"at work on filter .*; select .*many", str(query_failed(lost, "tracing rows", read(many)).hint))


# --- in a process of their own: a task that fails once, a session that was stopped ---

RETRIED = """
    import os, sys
    from pyspark.sql import SparkSession, functions as F
    from sparkwhy import SparkWhyError, why_not

    spark = (SparkSession.builder.master("local[2,3]").config("spark.ui.enabled", "false")
             .config("spark.sql.shuffle.partitions", "2").getOrCreate())
    spark.sparkContext.setLogLevel("OFF")
    marker = sys.argv[1]

    def flaky(value):
        if not os.path.exists(marker):
            open(marker, "w").close()
            raise RuntimeError("the first time")
        return value > 1

    numbers = spark.range(4).filter(F.udf(flaky, "boolean")("id"))
    answer = why_not(numbers, {"id": 0}, side_effects="none")
    print(answer.outcome, [operator.kind for operator in answer.explanations[0].operators], os.path.exists(marker))
    spark.stop()
    try:
        why_not(numbers, {"id": 0})
    except SparkWhyError as error:
        print(type(error).__name__, error.message)
"""


@pytest.mark.slow
def test_a_task_that_fails_once_is_retried_and_a_stopped_session_is_reported(tmp_path: Path) -> None:
    script = tmp_path / "retried.py"
    script.write_text(textwrap.dedent(RETRIED))
    marker = tmp_path / "failed once"
    command, env = [sys.executable, str(script), str(marker)], {**os.environ, "PYSPARK_SUBMIT_ARGS": SUBMIT_QUICKLY}
    told = subprocess.run(command, env=env, capture_output=True, text=True, timeout=200)
    answered, stopped, _ = told.stdout.split("\n")
    assert answered == "explained ['filter'] True", told.stderr[-2000:]
    assert stopped == "NotADataFrame the session of this DataFrame was stopped."
