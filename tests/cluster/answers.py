"""Asks the questions of `cases` in a session of its own and writes the answers as JSON.

A session on a cluster cannot live beside the local one of the other tests, so this is a program:
`python -m tests.cluster.answers answers.json '{"spark.master": "..."}' case...`.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path

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


def main(place: str, settings: str, *names: str) -> None:
    spark = session(json.loads(settings))
    Path(place).write_text(json.dumps({name: told(spark, name) for name in names}))
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
