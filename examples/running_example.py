"""The running example: cities where somebody works since 2019, with the people who work there.

Where is New York? Somebody may have taken the wrong one of the two lists of addresses.
"""

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from sparkwhy import ANY, why_not
from sparkwhy.plan.show import show_plan

ADDRESSES = "array<struct<city: string, year: int>>"

PEOPLE = [
    ("Peter", [("NY", 2010), ("LA", 2019), ("LV", 2017)], [("LA", 2010), ("SF", 2018)]),
    ("Sue", [("LA", 2019), ("NY", 2018)], [("LA", 2019), ("NY", 2018)]),
]


def cities() -> DataFrame:
    spark = (
        SparkSession.builder.master("local[2]")
        .appName("sparkwhy running example")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .getOrCreate()
    )
    person = spark.createDataFrame(PEOPLE, f"name string, address1 {ADDRESSES}, address2 {ADDRESSES}").alias("person")

    return (
        person.withColumn("address", F.explode("address2"))
        .filter(F.col("address.year") >= 2019)
        .select("name", F.col("address.city").alias("city"))
        .groupBy("city")
        .agg(F.collect_list("name").alias("nList"))
    )


MISSING = {"city": "NY", "nList": [ANY, ...]}
MIXED_UP = [{"address1", "address2"}]


def main() -> None:
    query = cities()
    query.show()
    answer = why_not(query, MISSING, alternatives=MIXED_UP)
    print(show_plan(answer.plan))
    print()
    answer.show()


if __name__ == "__main__":
    main()
