"""A function that knows some values and returns None for the others: Bob is of a tier that it never heard of."""

from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from examples.session import local_spark
from sparkwhy import why_not

LEVELS = {"gold": 1, "silver": 2}
MISSING: dict[str, Any] = {"name": "Bob"}


def query(spark: SparkSession) -> DataFrame:
    customers = spark.createDataFrame([("Ann", "gold"), ("Bob", "bronze")], "name string, tier string")
    level = F.udf(lambda tier: LEVELS.get(tier), "int", useArrow=False)
    return customers.withColumn("level", level(F.col("tier"))).filter(F.col("level") <= 2)


def main() -> None:
    why_not(query(local_spark()), MISSING).show()


if __name__ == "__main__":
    main()
