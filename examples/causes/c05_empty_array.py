"""An explode of nothing: Bob's list of orders is empty, Cid's is null, and explode makes no row of either."""

from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from examples.session import local_spark
from sparkwhy import one_of, why_not

MISSING: dict[str, Any] = {"name": one_of("Bob", "Cid")}


def query(spark: SparkSession) -> DataFrame:
    customers = spark.createDataFrame(
        [("Ann", ["book", "pen"]), ("Bob", []), ("Cid", None)], "name string, orders array<string>"
    )
    return customers.select("name", F.explode("orders").alias("item"))


def main() -> None:
    why_not(query(local_spark()), MISSING).show()


if __name__ == "__main__":
    main()
