"""T2: users who tweeted about BTS in the US. A fan is missing whose tweets say no place, but whose profile does."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from sparkwhy.scenarios.scenario import Mark, PaperAnswers, Scenario, Tables, operator_sets


def query(tables: Tables) -> DataFrame:
    return (
        tables["tweets"]
        .select(
            "text",
            F.col("place.country").alias("country"),
            F.size("entities.hashtags").alias("sht"),
            F.col("user.lang").alias("uLang"),
            F.col("user.location").alias("uLoc"),
            F.col("user.name").alias("uName"),
            F.col("user.followers_count").alias("fCnt"),
        )
        .filter(F.col("text").contains("BTS"))
        .filter(F.col("country").contains("United States"))
    )


T2 = Scenario(
    name="T2",
    title="All users who tweeted about BTS in the US",
    dataset="twitter",
    query=query,
    missing={"uName": "Marie Duarte"},
    alternatives=(frozenset({"place.country", "user.location"}),),
    errors=("the select takes the country of the tweet's place, not the location of the user",),
    operators={
        13: Mark("project", "as uName"),
        14: Mark("filter", "BTS"),
        15: Mark("filter", "United States"),
    },
    paper=PaperAnswers(
        whynot=operator_sets({15}),
        rp_no_alternatives=operator_sets({15}, {14, 15}),
        rp=operator_sets({15}, {13}, {14, 15}, {13, 14, 15}),
    ),
)
