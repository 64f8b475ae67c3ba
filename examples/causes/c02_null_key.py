"""A join on a key that is null: order 103 was made by a guest. Null equals nothing, and so it has no partner."""

from typing import Any

from pyspark.sql import DataFrame, SparkSession

from examples.session import local_spark
from sparkwhy import why_not

MISSING: dict[str, Any] = {"order_id": 103}


def query(spark: SparkSession) -> DataFrame:
    orders = spark.createDataFrame([(101, 1, 20), (102, 2, 35), (103, None, 50)], "order_id int, buyer int, amount int")
    customers = spark.createDataFrame([(1, "Ann"), (2, "Bob")], "id int, name string")
    return orders.join(customers, orders.buyer == customers.id).select("order_id", "name", "amount")


def main() -> None:
    why_not(query(local_spark()), MISSING).show()


if __name__ == "__main__":
    main()
