"""A union goes by position: the second table has its columns the other way round, and Eva became a city."""

from typing import Any

from pyspark.sql import DataFrame, SparkSession

from examples.session import local_spark
from sparkwhy import why_not

MISSING: dict[str, Any] = {"name": "Eva"}


def query(spark: SparkSession) -> DataFrame:
    staff = spark.createDataFrame([("Ann", "Oslo"), ("Bob", "Bern")], "name string, city string")
    guests = spark.createDataFrame([("Rome", "Eva")], "city string, name string")
    return staff.union(guests)


def main() -> None:
    why_not(query(local_spark()), MISSING).show()


if __name__ == "__main__":
    main()
