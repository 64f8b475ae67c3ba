"""D4: the papers of each author that ACM published in a year. An author is missing who is known to have some.

The paper lists neither {5} nor {5, 6}. But {6} says that the author has a paper of 2015 whose publisher is not ACM; if
the series of that volume is of ACM then {5} is an explanation too, and otherwise {5, 6} is. Here it is {5, 6}.
"""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from sparkwhy.scenarios.scenario import Mark, Missing, PaperAnswers, Scenario, Tables, first_row, operator_sets


def query(tables: Tables) -> DataFrame:
    volumes = (
        tables["proceedings"]
        .select("_key", "year", F.col("publisher._VALUE").alias("ppublisher"))
        .filter(F.col("ppublisher").contains("ACM"))
        .filter(F.col("year") == 2015)
    )
    papers = (
        tables["inproceedings"]
        .withColumn("crf", F.explode("crossref"))
        .withColumn("iauthor", F.explode("author"))
        .select("crf", F.col("iauthor._VALUE").alias("author"), F.col("title._VALUE").alias("title"))
    )
    return (
        volumes.join(papers, F.col("_key") == F.col("crf"))
        .groupBy("author")
        .agg(F.collect_list("title").alias("tlist"))
        .withColumn("cnt", F.size("tlist"))
    )


def elsewhere(tables: Tables) -> Missing:
    """Return an author with papers of 2015 and of other years, never with ACM; if there is one, with a series of
    ACM.
    """
    papers = tables["inproceedings"].selectExpr("explode(author._VALUE) as author", "crossref")
    volumes = tables["proceedings"].selectExpr(
        "_key",
        "year = 2015 as then",
        "coalesce(publisher._VALUE like '%ACM%', false) as by_acm",
        "coalesce(series._VALUE like '%ACM%', false) as in_acm",
    )
    authors = (
        papers.withColumn("_key", F.explode("crossref"))
        .join(volumes, "_key")
        .groupBy("author")
        .agg(
            F.expr("bool_or(by_acm)").alias("by_acm"),
            F.expr("bool_or(then and not in_acm)").alias("then"),
            F.expr("bool_or(not then)").alias("at_other_times"),
            F.expr("bool_or(in_acm and not then)").alias("in_acm"),
        )
    )
    found = authors.filter("not by_acm and then and at_other_times").orderBy(F.desc("in_acm"), "author")
    return {"author": first_row(found)["author"]}


D4 = Scenario(
    name="D4",
    title="Collection of papers per author having published through ACM after 2010",
    dataset="dblp",
    query=query,
    missing={"author": "Jonas Weidmann"},
    alternatives=(frozenset({"proceedings.publisher", "proceedings.series"}),),
    errors=("the select takes the publisher, not the series", "the year is 2015, not 2010"),
    operators={
        5: Mark("project", "as ppublisher"),
        6: Mark("filter", "ppublisher"),
        7: Mark("filter", "year"),
    },
    paper=PaperAnswers(
        whynot=operator_sets({6}),
        rp_no_alternatives=operator_sets({6}, {6, 7}),
        rp=operator_sets({6}, {6, 7}, {5, 7}, {5, 6, 7}),
    ),
    elsewhere=elsewhere,
)
