"""NOT over null: customers from abroad. Of Bob the country is unknown, and so is whether it is in the list."""

from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from examples.session import local_spark
from sparkwhy import why_not

MISSING: dict[str, Any] = {"name": "Bob"}


def query(spark: SparkSession) -> DataFrame:
    customers = spark.createDataFrame([("Ann", "FR"), ("Bob", None), ("Cid", "US")], "name string, country string")
    return customers.filter(~F.col("country").isin("US", "CA"))


def main() -> None:
    why_not(query(local_spark()), MISSING).show()


if __name__ == "__main__":
    main()
