"""count(rating) does not count nulls: the lamp has three reviews, but only one with a rating."""

from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from examples.session import local_spark
from sparkwhy import why_not

MISSING: dict[str, Any] = {"product": "lamp"}


def query(spark: SparkSession) -> DataFrame:
    reviews = spark.createDataFrame(
        [("desk", 4), ("desk", 5), ("lamp", 5), ("lamp", None), ("lamp", None)], "product string, rating int"
    )
    return reviews.groupBy("product").agg(F.count("rating").alias("reviews")).filter(F.col("reviews") >= 2)


def main() -> None:
    why_not(query(local_spark()), MISSING).show()


if __name__ == "__main__":
    main()
