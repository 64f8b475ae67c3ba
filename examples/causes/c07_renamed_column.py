"""A column that got another name: newer files have `email` where older ones have `mail`, and the query reads `mail`."""

from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from examples.session import local_spark
from sparkwhy import why_not

MISSING: dict[str, Any] = {"name": "Eva", "contact": "eva@example.org"}
ALTERNATIVES = [{"mail", "email"}]


def query(spark: SparkSession) -> DataFrame:
    users = spark.createDataFrame(
        [("Ann", "ann@example.org", None), ("Eva", None, "eva@example.org")], "name string, mail string, email string"
    ).alias("users")
    return users.filter(F.col("mail").isNotNull()).select("name", F.lower("mail").alias("contact"))


def main() -> None:
    users = query(local_spark())
    why_not(users, MISSING, alternatives=ALTERNATIVES).show()
    why_not(users, MISSING, alternatives="auto").show()


if __name__ == "__main__":
    main()
