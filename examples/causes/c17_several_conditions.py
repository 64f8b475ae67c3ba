"""Two filters that both drop the row: to change one of them is not enough."""

from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from examples.session import local_spark
from sparkwhy import why_not

MISSING: dict[str, Any] = {"order_id": 2}


def query(spark: SparkSession) -> DataFrame:
    orders = spark.createDataFrame(
        [(1, "DE", 250, True), (2, "FR", 80, True), (3, "DE", 90, False)],
        "order_id int, country string, amount int, paid boolean",
    )
    domestic = orders.filter((F.col("country") == "DE") & F.col("paid"))
    return domestic.filter(F.col("amount") >= 100)


def main() -> None:
    why_not(query(local_spark()), MISSING).show()


if __name__ == "__main__":
    main()
