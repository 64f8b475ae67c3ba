"""A join is an inner join unless one says otherwise: the customer of order 102 is not in the table of customers."""

from typing import Any

from pyspark.sql import DataFrame, SparkSession

from examples.session import local_spark
from sparkwhy import why_not

MISSING: dict[str, Any] = {"order_id": 102}


def query(spark: SparkSession) -> DataFrame:
    orders = spark.createDataFrame([(101, "C-10"), (102, "C-17")], "order_id int, customer string")
    customers = spark.createDataFrame(
        [("C-10", "Ann"), ("C-18", "Bob"), ("C-27", "Cid"), ("C-99", "Dan")], "customer string, name string"
    )
    return orders.join(customers, "customer")


def main() -> None:
    why_not(query(local_spark()), MISSING).show()


if __name__ == "__main__":
    main()
