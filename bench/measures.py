"""What a piece of work costs Spark: seconds, jobs, stages, scans, bytes, memory, as its own REST interface tells."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from statistics import median
from time import perf_counter, sleep
from typing import Any
from urllib.request import urlopen

from pyspark.sql import SparkSession


@dataclass(frozen=True)
class Measured:
    """One run. `read` and `shuffled` are bytes, `peak` the most execution memory of one stage."""

    seconds: float
    jobs: int = 0
    stages: int = 0
    scans: int = 0
    read: int = 0
    shuffled: int = 0
    peak: int = 0

    def to_dict(self) -> dict[str, float]:
        return asdict(self)


Costs = Mapping[str, Measured]
"""What each kind of work costs."""


def ratio(found: Costs, kind: str) -> float:
    return found[kind].seconds / found["query"].seconds


def measured(session: SparkSession, work: Callable[[], object]) -> Measured:
    """What the work costs, by the jobs, stages and queries that came while it ran."""
    known = {what: {_id(each) for each in _told(session, what)} for what in _LISTS}
    start = perf_counter()
    work()
    seconds = perf_counter() - start
    sleep(0.3)  # the interface is behind by a moment
    new = {what: [each for each in _told(session, what) if _id(each) not in known[what]] for what in _LISTS}
    stages = [each for each in new["stages"] if each["status"] == "COMPLETE"]
    return Measured(
        seconds,
        len(new["jobs"]),
        len(stages),
        sum(node["nodeName"].startswith(("Scan ", "BatchScan")) for each in new["sql"] for node in each["nodes"]),
        sum(each["inputBytes"] for each in stages),
        sum(each["shuffleWriteBytes"] for each in stages),
        max((each["peakExecutionMemory"] for each in stages), default=0),
    )


_LISTS = {"jobs": "jobs", "stages": "stages", "sql": "sql?details=true&planDescription=false&offset=0&length=100000"}


def _told(session: SparkSession, what: str) -> list[dict[str, Any]]:
    context = session.sparkContext
    with urlopen(f"{context.uiWebUrl}/api/v1/applications/{context.applicationId}/{_LISTS[what]}") as answer:
        told: list[dict[str, Any]] = json.load(answer)
    return told


def _id(each: dict[str, Any]) -> tuple[Any, Any]:
    return each.get("jobId", each.get("stageId", each.get("id"))), each.get("attemptId")


def typical(runs: Sequence[Measured]) -> Measured:
    """The median time; the other figures are the same in all runs, or nearly so."""
    middle = median(run.seconds for run in runs)
    nearest = min(runs, key=lambda run: abs(run.seconds - middle))
    return replace(nearest, seconds=middle)
