"""Names of JSON fields have a case: one event says userId, the schema says userid, and the field is null."""

from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from examples.session import local_spark
from sparkwhy import why_not

DATA = Path(__file__).parent / "data"

MISSING: dict[str, Any] = {"city": "Rome"}


def query(spark: SparkSession) -> DataFrame:
    events = spark.read.schema("userid int, city string").json(str(DATA / "events.jsonl"))
    return events.filter(F.col("userid").isNotNull())


def main() -> None:
    why_not(query(local_spark()), MISSING).show()


if __name__ == "__main__":
    main()
