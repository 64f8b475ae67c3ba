"""A left join made inner by a later filter: Cid has no orders, and the status of no order is not 'paid'."""

from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from examples.session import local_spark
from sparkwhy import why_not

MISSING: dict[str, Any] = {"name": "Cid"}


def query(spark: SparkSession) -> DataFrame:
    customers = spark.createDataFrame([(1, "Ann"), (2, "Bob"), (3, "Cid")], "id int, name string")
    orders = spark.createDataFrame([(1, "paid"), (2, "open")], "buyer int, status string")
    joined = customers.join(orders, customers.id == orders.buyer, "left")
    return joined.filter(F.col("status") == "paid").select("name", "status")


def main() -> None:
    why_not(query(local_spark()), MISSING).show()


if __name__ == "__main__":
    main()
