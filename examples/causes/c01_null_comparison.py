"""A comparison with null: customers who are not blocked. Bob has no status at all, and so he is gone too."""

from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from examples.session import local_spark
from sparkwhy import why_not

MISSING: dict[str, Any] = {"name": "Bob"}


def query(spark: SparkSession) -> DataFrame:
    customers = spark.createDataFrame(
        [(1, "Ann", "active"), (2, "Bob", None), (3, "Cid", "blocked")], "id int, name string, status string"
    )
    return customers.filter(F.col("status") != "blocked").select("id", "name")


def main() -> None:
    why_not(query(local_spark()), MISSING).show()


if __name__ == "__main__":
    main()
