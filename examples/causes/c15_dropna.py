"""dropna drops a row for a null in any column: Bob has no phone, which nobody reads."""

from typing import Any

from pyspark.sql import DataFrame, SparkSession

from examples.session import local_spark
from sparkwhy import why_not

MISSING: dict[str, Any] = {"name": "Bob"}


def query(spark: SparkSession) -> DataFrame:
    customers = spark.createDataFrame(
        [("Ann", "ann@example.org", "555-1"), ("Bob", "bob@example.org", None)],
        "name string, mail string, phone string",
    )
    return customers.dropna().select("name", "mail")


def main() -> None:
    why_not(query(local_spark()), MISSING).show()


if __name__ == "__main__":
    main()
