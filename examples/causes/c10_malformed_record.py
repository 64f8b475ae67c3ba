"""A line that is no JSON: the reader drops it, and the row is in no source at all."""

from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from examples.session import local_spark
from sparkwhy import why_not

DATA = Path(__file__).parent / "data"

MISSING: dict[str, Any] = {"id": 2}


def query(spark: SparkSession) -> DataFrame:
    reader = spark.read.schema("id int, amount int").option("mode", "DROPMALFORMED")
    return reader.json(str(DATA / "payments.jsonl")).filter(F.col("amount") > 10)


def main() -> None:
    why_not(query(local_spark()), MISSING).show()


if __name__ == "__main__":
    main()
