"""A line break inside of quotes: without multiLine the record ends there, and its amount is null."""

from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from examples.session import local_spark
from sparkwhy import why_not

DATA = Path(__file__).parent / "data"

MISSING: dict[str, Any] = {"id": 2}


def query(spark: SparkSession) -> DataFrame:
    notes = spark.read.schema("id int, note string, amount int").option("header", True).csv(str(DATA / "notes.csv"))
    return notes.filter(F.col("amount") > 10)


def main() -> None:
    why_not(query(local_spark()), MISSING).show()


if __name__ == "__main__":
    main()
