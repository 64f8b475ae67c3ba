"""T_ASD: retweets as a flat relation, an example of adaptive schema databases. A retweet is missing.

The retweet occurs three times: before anybody quoted it, with a count of 0, and later.
"""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from sparkwhy.scenarios.scenario import Mark, PaperAnswers, Scenario, Tables, operator_sets


def query(tables: Tables) -> DataFrame:
    return (
        tables["tweets"]
        .select("quoted_status.*")
        .filter(F.col("quote_count") > 0)
        .select("id", "id_str", "created_at", "text", "lang", "source", "quote_count", "retweet_count")
    )


T_ASD = Scenario(
    name="T_ASD",
    title="ASD example: flatten, filter, project quoted tweets",
    dataset="twitter",
    query=query,
    missing={"id": 900_000_000_000_000_001},
    alternatives=(frozenset({"quoted_status", "retweeted_status"}),),
    errors=("the quoted tweet is exploded, not the retweeted one", "the filter is on the quotes, not on the retweets"),
    operators={21: Mark("project", "_status."), 22: Mark("filter", "quote_count")},
    paper=PaperAnswers(whynot=(), rp_no_alternatives=(), rp=operator_sets({21}, {21, 22})),
    gold=frozenset({21, 22}),
    gold_rank=2,
)
