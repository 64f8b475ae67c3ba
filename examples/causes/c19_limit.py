"""A limit: the three largest orders. Dan's is the fourth."""

from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from examples.session import local_spark
from sparkwhy import why_not

MISSING: dict[str, Any] = {"name": "Dan"}


def query(spark: SparkSession) -> DataFrame:
    orders = spark.createDataFrame(
        [("Ann", 90), ("Bob", 70), ("Cid", 80), ("Dan", 60), ("Eva", 50)], "name string, amount int"
    )
    return orders.orderBy(F.col("amount").desc()).limit(3)


def main() -> None:
    why_not(query(local_spark()), MISSING).show()


if __name__ == "__main__":
    main()
