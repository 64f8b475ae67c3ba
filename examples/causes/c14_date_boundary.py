"""A time against a date: until the 31st of January means until its first moment, and 10:15 is later than that."""

from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from examples.session import local_spark
from sparkwhy import why_not

MISSING: dict[str, Any] = {"event": 3}


def query(spark: SparkSession) -> DataFrame:
    events = spark.sql(
        "select * from values (1, timestamp '2024-01-02 08:00:00'), (2, timestamp '2024-02-03 09:00:00'),"
        " (3, timestamp '2024-01-31 10:15:00') as events(event, at)"
    )
    return events.filter(F.col("at").between("2024-01-01", "2024-01-31"))


def main() -> None:
    why_not(query(local_spark()), MISSING).show()


if __name__ == "__main__":
    main()
