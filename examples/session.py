"""A small Spark session for the examples, and a folder for the files that they write."""

import tempfile
from functools import cache
from pathlib import Path

from pyspark.sql import SparkSession


def local_spark() -> SparkSession:
    return (
        SparkSession.builder.master("local[2]")
        .appName("sparkwhy examples")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.sql.session.timeZone", "UTC")
        .getOrCreate()
    )


@cache
def _made() -> "tempfile.TemporaryDirectory[str]":
    """Removed when Python ends."""
    return tempfile.TemporaryDirectory(prefix="sparkwhy-")


def scratch() -> Path:
    """An empty folder, the same one throughout a run."""
    return Path(_made().name)
