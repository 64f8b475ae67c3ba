"""One row for each customer, but which? Ann's first address was kept, and her second was not."""

from typing import Any

from pyspark.sql import DataFrame, SparkSession

from examples.session import local_spark
from sparkwhy import why_not

MISSING: dict[str, Any] = {"name": "Ann", "city": "Rome"}


def query(spark: SparkSession) -> DataFrame:
    addresses = spark.createDataFrame([("Ann", "Oslo"), ("Ann", "Rome"), ("Bob", "Bern")], "name string, city string")
    return addresses.coalesce(1).dropDuplicates(["name"])


def main() -> None:
    why_not(query(local_spark()), MISSING).show()


if __name__ == "__main__":
    main()
