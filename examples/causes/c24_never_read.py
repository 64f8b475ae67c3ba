"""A folder that was not read: Ann visited in 2023, and the query reads 2024."""

from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from examples.session import local_spark
from sparkwhy import why_not

DATA = Path(__file__).parent / "data"

MISSING: dict[str, Any] = {"name": "Ann"}


def query(spark: SparkSession) -> DataFrame:
    visits = spark.read.json(str(DATA / "visits" / "year=2024"))
    return visits.filter(F.col("city") == "Oslo").select("name")


def main() -> None:
    why_not(query(local_spark()), MISSING).show()


if __name__ == "__main__":
    main()
