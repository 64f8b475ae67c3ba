"""D1: all authors and titles of papers at SIGMOD. A paper is missing whose volume spells the conference out."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from sparkwhy.scenarios.scenario import Mark, Missing, PaperAnswers, Scenario, Tables, first_row, operator_sets


def query(tables: Tables) -> DataFrame:
    papers = (
        tables["inproceedings"]
        .withColumn("crf", F.explode("crossref"))
        .withColumn("iauthor", F.explode("author"))
        .select("crf", F.col("iauthor._VALUE").alias("author"), F.col("title._VALUE").alias("ititle"))
    )
    volumes = tables["proceedings"].select("_key", F.col("title._VALUE").alias("ptitle"))
    return papers.join(volumes, F.col("_key") == F.col("crf")).filter(F.col("ptitle").contains("SIGMOD"))


def elsewhere(tables: Tables) -> Missing:
    """Return the first paper of a volume with SIGMOD in its short title only, if no other paper is called like it."""
    volumes = tables["proceedings"].filter("booktitle like '%SIGMOD%' and not title._VALUE like '%SIGMOD%'")
    papers = tables["inproceedings"].selectExpr("title._VALUE as ititle", "explode(crossref) as crf")
    unique = papers.groupBy("ititle").agg(F.count("*").alias("copies"), F.first("crf").alias("crf"))
    found = unique.filter("copies = 1").join(volumes, F.col("crf") == F.col("_key")).agg(F.min("ititle"))
    return {"ititle": first_row(found)[0]}


D1 = Scenario(
    name="D1",
    title="All authors and titles of papers that are published at SIGMOD",
    dataset="dblp",
    query=query,
    missing={"ititle": "Why Rows Go Missing."},
    alternatives=(frozenset({"proceedings.title._VALUE", "proceedings.booktitle"}),),
    errors=("the select takes the long title of a volume, not the short one, which says SIGMOD",),
    operators={1: Mark("project", "as ptitle"), 2: Mark("filter", "ptitle")},
    paper=PaperAnswers(whynot=operator_sets({2}), rp_no_alternatives=operator_sets({2}), rp=operator_sets({2}, {1})),
    elsewhere=elsewhere,
)
