"""How the sessions of the tests spend less time in compilers."""

from __future__ import annotations

from pyspark.sql import SparkSession

QUICK_START = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""For a JVM that lives for minutes: to compile little is quicker, and one thread to collect garbage is enough."""

SUBMIT_QUICKLY = f"--driver-java-options '{QUICK_START}' pyspark-shell"
"""The same as `PYSPARK_SUBMIT_ARGS`, for programs that make a session of their own."""


def uncompiled(spark: SparkSession) -> SparkSession:
    """A session that compiles no query: on little data that takes longer than to run it.

    For tests that ask what is read, traced or answered. Those of causes, fixes and of the front door run compiled.
    """
    own = spark.newSession()
    own.conf.set("spark.sql.codegen.wholeStage", "false")
    own.conf.set("spark.sql.codegen.factoryMode", "NO_CODEGEN")
    return own
