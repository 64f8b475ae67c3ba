"""A constant that is written otherwise in the data: 'Germany' is 'germany ' in the row that Eva typed in."""

from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from examples.session import local_spark
from sparkwhy import why_not

MISSING: dict[str, Any] = {"name": "Eva"}


def query(spark: SparkSession) -> DataFrame:
    customers = spark.createDataFrame(
        [("Ann", "Germany"), ("Eva", "germany "), ("Fay", "France")], "name string, country string"
    )
    return customers.filter(F.col("country") == "Germany")


def main() -> None:
    why_not(query(local_spark()), MISSING).show()


if __name__ == "__main__":
    main()
