"""What the tests against Spark share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

SETTINGS = ("spark.sql.ansi.enabled", "spark.sql.session.timeZone")


@pytest.fixture
def quiet(spark: SparkSession) -> Iterator[None]:
    """Puts the session's settings back; keeps what must fail out of the log."""
    before = {name: spark.conf.get(name) for name in SETTINGS}
    spark.sparkContext.setLogLevel("OFF")
    yield
    spark.sparkContext.setLogLevel("ERROR")
    for name, value in before.items():
        assert value is not None
        spark.conf.set(name, value)
