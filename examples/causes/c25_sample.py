"""Chance: a sample draws other rows when its input changes, so nobody can say which operator lost one."""

from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from examples.session import local_spark
from sparkwhy import SparkWhyError, why_not

MISSING: dict[str, Any] = {"order_id": 2}


def query(spark: SparkSession) -> DataFrame:
    orders = spark.createDataFrame([(1, 20), (2, 35), (3, 50)], "order_id int, amount int")
    return orders.sample(fraction=0.5, seed=3).filter(F.col("amount") > 10)


def main() -> None:
    try:
        why_not(query(local_spark()), MISSING).show()
    except SparkWhyError as error:
        print(error)


if __name__ == "__main__":
    main()
