"""NOT IN with a null in the subquery: one blocked entry has no customer, and no customer at all is left."""

from typing import Any

from pyspark.sql import DataFrame, SparkSession

from examples.session import local_spark
from sparkwhy import why_not

MISSING: dict[str, Any] = {"name": "Bob"}


def query(spark: SparkSession) -> DataFrame:
    customers = spark.createDataFrame([(1, "Ann"), (2, "Bob")], "id int, name string")
    blocked = spark.createDataFrame([(1, "fraud"), (None, "import error")], "customer int, reason string")
    return spark.sql(
        "select name from {customers} where id not in (select customer from {blocked})",
        customers=customers,
        blocked=blocked,
    )


def main() -> None:
    why_not(query(local_spark()), MISSING).show()


if __name__ == "__main__":
    main()
