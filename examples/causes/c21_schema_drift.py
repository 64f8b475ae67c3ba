"""Parquet files of two schemas: Spark takes the columns of one file, and in the newer ones `mail` is null."""

from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from examples.session import local_spark, scratch
from sparkwhy import why_not

MISSING: dict[str, Any] = {"name": "Eva"}


def query(spark: SparkSession) -> DataFrame:
    folder = scratch() / "users"
    old = spark.createDataFrame([("Ann", "ann@example.org")], "name string, mail string")
    new = spark.createDataFrame([("Eva", "eva@example.org")], "name string, email string")
    old.write.mode("ignore").parquet(f"{folder}/year=2023")
    new.write.mode("ignore").parquet(f"{folder}/year=2024")
    users = spark.read.parquet(str(folder))
    return users.filter(F.col("mail").isNotNull())


def main() -> None:
    why_not(query(local_spark()), MISSING).show()


if __name__ == "__main__":
    main()
