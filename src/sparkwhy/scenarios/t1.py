"""T1: tweets with media about a basketball player. A tweet is missing that is about another, and has only links.

The projection takes the addresses of the media, so that media and links can stand for each other: their structs differ.
"""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from sparkwhy.scenarios.scenario import Mark, PaperAnswers, Scenario, Tables, operator_sets


def query(tables: Tables) -> DataFrame:
    return (
        tables["tweets"]
        .select("text", "id", F.col("entities.media.expanded_url").alias("media"))
        .withColumn("medias", F.explode("media"))
        .filter(F.col("text").contains("Michael Jordan"))
    )


T1 = Scenario(
    name="T1",
    title="List of tweets providing media urls about a basketball player",
    dataset="twitter",
    query=query,
    missing={"id": 901},
    alternatives=(frozenset({"entities.media", "entities.urls"}),),
    errors=("the select takes the media, not the links", "the filter is for another player"),
    operators={
        10: Mark("project", "expanded_url as media"),
        11: Mark("flatten", "explode media"),
        12: Mark("filter", "Michael Jordan"),
    },
    paper=PaperAnswers(
        whynot=operator_sets({11}), rp_no_alternatives=operator_sets({11, 12}), rp=operator_sets({11, 12}, {10, 12})
    ),
)
