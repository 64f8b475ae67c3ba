"""Keys that look alike: a non-breaking space came along when the list of cities was copied from a web page."""

from typing import Any

from pyspark.sql import DataFrame, SparkSession

from examples.session import local_spark
from sparkwhy import why_not

MISSING: dict[str, Any] = {"city": "Lyon"}


def query(spark: SparkSession) -> DataFrame:
    sales = spark.createDataFrame([("Paris", 10), ("Lyon", 20), ("Nice", 30)], "city string, amount int")
    regions = spark.createDataFrame(
        [("Paris", "north"), ("Lyon\u00a0", "east"), ("Nice", "south"), ("Lens", "north")],
        "place string, region string",
    )
    return sales.join(regions, sales.city == regions.place).select("city", "region", "amount")


def main() -> None:
    why_not(query(local_spark()), MISSING).show()


if __name__ == "__main__":
    main()
