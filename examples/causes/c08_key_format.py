"""Keys in two formats: one system pads its product numbers with zeros, the other does not."""

from typing import Any

from pyspark.sql import DataFrame, SparkSession

from examples.session import local_spark
from sparkwhy import why_not

MISSING: dict[str, Any] = {"sale": 2}


def query(spark: SparkSession) -> DataFrame:
    sales = spark.createDataFrame([(1, "1200"), (2, "00042")], "sale int, sku string")
    products = spark.createDataFrame(
        [("1200", "chair"), ("42", "lamp"), ("43", "desk"), ("142", "sofa")], "number string, title string"
    )
    return sales.join(products, sales.sku == products.number).select("sale", "title")


def main() -> None:
    why_not(query(local_spark()), MISSING).show()


if __name__ == "__main__":
    main()
