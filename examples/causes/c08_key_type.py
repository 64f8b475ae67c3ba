"""Keys of two types: a float and a double that read alike are not equal once Spark has cast the float."""

from typing import Any

from pyspark.sql import DataFrame, SparkSession

from examples.session import local_spark
from sparkwhy import why_not

MISSING: dict[str, Any] = {"invoice": 2}


def query(spark: SparkSession) -> DataFrame:
    invoices = spark.createDataFrame([(1, 0.5), (2, 0.19)], "invoice int, tax float")
    rates = spark.createDataFrame([(0.5, "luxury"), (0.19, "standard"), (0.07, "reduced")], "rate double, name string")
    return invoices.join(rates, invoices.tax == rates.rate).select("invoice", "name")


def main() -> None:
    why_not(query(local_spark()), MISSING).show()


if __name__ == "__main__":
    main()
