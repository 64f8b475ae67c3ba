"""Asks the questions of `cases` in an application of its own and writes the answers as lines of JSON.

A session on a cluster cannot live beside the local one of the other tests, so this is a program:
`python -m tests.cluster.answers answers.jsonl '{"spark.master": "..."}' '{"Spark's defaults": {}}' case...`.
Settings that a running application can change have a session each: so its JVMs start, and get warm, once only.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from tests.cluster.cases import told

COMMON = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.session.timeZone": "UTC",
}


def session(settings: Mapping[str, str]) -> SparkSession:
    started = SparkSession.builder.config(map={**COMMON, **settings}).getOrCreate()
    started.sparkContext.setLogLevel("ERROR")
    return started


def answers(spark: SparkSession, settings: Mapping[str, str], names: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    """One for each question, in a session with these settings."""
    own = spark.newSession()
    for key, value in settings.items():
        own.conf.set(key, value)
    for name in names:
        began = time.monotonic()
        yield {"case": name, "told": told(own, name), "seconds": round(time.monotonic() - began, 1)}


def main(place: str, application: str, sessions: str, *names: str) -> None:
    spark = session(json.loads(application))
    with Path(place).open("w", encoding="utf-8", buffering=1) as out:
        for title, settings in json.loads(sessions).items():
            for answer in answers(spark, settings, names):
                print(json.dumps({"settings": title, **answer}), file=out)
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
