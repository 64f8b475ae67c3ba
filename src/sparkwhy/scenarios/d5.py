"""D5: the homepages of each person. One is missing whose homepage stands in a note."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from sparkwhy.scenarios.scenario import Mark, Missing, PaperAnswers, Scenario, Tables, first_row, operator_sets


def query(tables: Tables) -> DataFrame:
    return (
        tables["www"]
        .select("author", "url")
        .withColumn("person", F.explode("author"))
        .withColumn("urls", F.explode("url"))
        .select(F.col("person._VALUE").alias("name"), F.col("urls._VALUE").alias("url"))
        .groupBy("name")
        .agg(F.collect_list("url").alias("lurl"))
    )


def elsewhere(tables: Tables) -> Missing:
    """Return the first person with a note and without a url on any page."""
    pages = tables["www"].selectExpr("explode(author._VALUE) as name", "url", "note")
    people = pages.groupBy("name").agg(F.count("url").alias("urls"), F.count("note").alias("notes"))
    found = people.filter("urls = 0 and notes > 0").agg(F.min("name"))
    return {"name": first_row(found)[0]}


D5 = Scenario(
    name="D5",
    title="List of (homepage) urls for each author",
    dataset="dblp",
    query=query,
    missing={"name": "Lena Marchetti"},
    alternatives=(frozenset({"url", "note"}),),
    errors=("the select takes the urls, and the missing homepage is in a note",),
    operators={8: Mark("project", "select author"), 9: Mark("flatten", "explode url")},
    paper=PaperAnswers(whynot=operator_sets({9}), rp_no_alternatives=operator_sets({9}), rp=operator_sets({9}, {8})),
    elsewhere=elsewhere,
)
