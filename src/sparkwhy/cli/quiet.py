"""Spark without its log: the settings of a JVM that is about to start."""

from __future__ import annotations

import logging
import os
from importlib.resources import files
from pathlib import Path

from pyspark.logger import PySparkLogger
from pyspark.sql import SparkSession

_OPTIONS = "SPARK_SUBMIT_OPTS"
_LOGGERS = ("DataFrameQueryContextLogger", "SQLQueryContextLogger")
"""Through these PySpark writes each of its errors to stderr, besides raising it."""


def quiet_spark() -> None:
    """Turns off the log and the progress bars of the Spark that this process will start; what a user set stays."""
    given = os.environ.get(_OPTIONS, "")
    if "log4j" not in given:
        settings = Path(str(files("sparkwhy.cli").joinpath("log4j2.properties"))).as_uri()
        wanted = f"-Dlog4j2.configurationFile={settings} -Dspark.ui.showConsoleProgress=false"
        os.environ[_OPTIONS] = f"{given} {wanted}".strip()
    for name in _LOGGERS:
        PySparkLogger.getLogger(name).setLevel(logging.CRITICAL + 1)


def session() -> SparkSession:
    """Return the session that the user's code made, or else a small local one."""
    active = SparkSession.getActiveSession()
    if active is not None:
        return active
    builder = SparkSession.builder.appName("sparkwhy").config("spark.ui.enabled", "false")
    return builder.config("spark.sql.shuffle.partitions", "8").getOrCreate()
