"""T3: hashtags and media for users who are mentioned in other tweets. One is missing, whose tweet has only links.

The projection takes the addresses of the media, so that media and links can stand for each other: their structs differ.
"""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from sparkwhy.scenarios.scenario import Mark, PaperAnswers, Scenario, Tables, operator_sets


def query(tables: Tables) -> DataFrame:
    users = tables["tweets"].select(F.col("user.id").alias("uid"), F.col("user.name").alias("uName"))
    mentions = (
        tables["tweets"]
        .withColumn("muser", F.explode("entities.user_mentions"))
        .select(
            F.col("muser.id").alias("mid"),
            F.col("muser.name").alias("mName"),
            F.col("entities.hashtags").alias("ht"),
            F.col("entities.media.expanded_url").alias("media"),
        )
        .withColumn("medias", F.explode("media"))
    )
    return users.join(mentions, F.col("uid") == F.col("mid")).select("uName", "ht", "medias")


T3 = Scenario(
    name="T3",
    title="Hashtags and medias for users that are mentioned in other tweets",
    dataset="twitter",
    query=query,
    missing={"uName": "Theo Achterberg", "ht": [{"text": "SparkDay"}, ...]},
    alternatives=(frozenset({"entities.media", "entities.urls"}),),
    errors=("the select takes the media, not the links",),
    operators={16: Mark("project", "expanded_url as media"), 17: Mark("flatten", "explode media")},
    paper=PaperAnswers(
        whynot=operator_sets({17}), rp_no_alternatives=operator_sets({17}), rp=operator_sets({17}, {16})
    ),
)
