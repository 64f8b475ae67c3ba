"""A field that is elsewhere: most tweets have no place, and say where they come from in the profile of their author."""

from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from examples.session import local_spark
from sparkwhy import why_not

MISSING: dict[str, Any] = {"country": "Germany"}
ALTERNATIVES = [{"place.country", "user.location"}]


def query(spark: SparkSession) -> DataFrame:
    tweets = spark.createDataFrame(
        [
            (1, "Allez!", ("France", "Lyon"), ("bob", "Lyon")),
            (2, "Guten Morgen", None, ("eva", "Germany")),
            (3, "Moin", None, ("jan", "Germany")),
        ],
        "id int, text string, place struct<country: string, city: string>, user struct<name: string, location: string>",
    ).alias("tweets")
    return tweets.groupBy(F.col("place.country").alias("country")).agg(F.count("*").alias("tweets"))


def main() -> None:
    tweets = query(local_spark())
    why_not(tweets, MISSING, alternatives=ALTERNATIVES).show()
    why_not(tweets, MISSING, alternatives="auto").show()


if __name__ == "__main__":
    main()
