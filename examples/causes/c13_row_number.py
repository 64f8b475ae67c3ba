"""The latest order of each customer: order 11 is not there, for Ann ordered again."""

from typing import Any

from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as F

from examples.session import local_spark
from sparkwhy import why_not

MISSING: dict[str, Any] = {"order_id": 11}


def query(spark: SparkSession) -> DataFrame:
    orders = spark.createDataFrame(
        [(11, "Ann", "2024-03-01"), (12, "Ann", "2024-05-09"), (13, "Bob", "2024-04-02")],
        "order_id int, name string, day string",
    )
    latest = Window.partitionBy("name").orderBy(F.col("day").desc())
    return orders.withColumn("rn", F.row_number().over(latest)).filter(F.col("rn") == 1).drop("rn")


def main() -> None:
    why_not(query(local_spark()), MISSING).show()


if __name__ == "__main__":
    main()
