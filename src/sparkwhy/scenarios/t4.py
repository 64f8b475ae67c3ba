"""T4: the countries for each hashtag of tweets about UEFA. A club is missing: its tweets say no place.

The paper does not list {20}. But {18} says that a tweet about UEFA has the hashtag and no country, so that relaxing
the filter on the count is enough to see the hashtag, with a count of 0.
"""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from sparkwhy import contains
from sparkwhy.scenarios.scenario import Mark, PaperAnswers, Scenario, Tables, operator_sets


def query(tables: Tables) -> DataFrame:
    return (
        tables["tweets"]
        .select("text", F.col("place.country").alias("country"), F.col("entities.hashtags").alias("ht"))
        .withColumn("fht", F.explode("ht"))
        .withColumn("htText", F.col("fht.text"))
        .filter(F.col("text").contains("UEFA"))
        .select("country", "htText")
        .groupBy("htText")
        .agg(F.collect_list("country").alias("lcountry"))
        .withColumn("cnt", F.size("lcountry"))
        .filter(F.col("cnt") > 0)
    )


T4 = Scenario(
    name="T4",
    title='Nested list of countries for each hashtag, if tweet contains "UEFA"',
    dataset="twitter",
    query=query,
    missing={"htText": contains("Arsenal")},
    alternatives=(frozenset({"place.country", "user.location"}),),
    errors=("the select takes the country of the tweet's place, not the location of the user",),
    operators={18: Mark("project", "entities.hashtags as ht"), 19: Mark("filter", "UEFA"), 20: Mark("filter", "cnt")},
    paper=PaperAnswers(
        whynot=operator_sets({19}),
        rp_no_alternatives=operator_sets({19, 20}),
        rp=operator_sets({18}, {19, 20}, {18, 19, 20}),
    ),
)
