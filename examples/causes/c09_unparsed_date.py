"""Text that is no date for Spark: order 2 was written the German way, and the cast makes a null of it."""

from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from examples.session import local_spark
from sparkwhy import why_not

MISSING: dict[str, Any] = {"order_id": 2}


def query(spark: SparkSession) -> DataFrame:
    orders = spark.createDataFrame(
        [(1, "2024-01-05"), (2, "05.02.2024"), (3, "2023-12-30")], "order_id int, written string"
    )
    dated = orders.withColumn("day", F.col("written").try_cast("date"))
    return dated.filter(F.col("day") >= "2024-01-01")


def main() -> None:
    why_not(query(local_spark()), MISSING).show()


if __name__ == "__main__":
    main()
