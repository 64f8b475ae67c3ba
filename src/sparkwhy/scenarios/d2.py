"""D2: the number of articles of each author. An author of more than five articles has a count of 0."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from sparkwhy import gt
from sparkwhy.scenarios.scenario import Mark, Missing, PaperAnswers, Scenario, Tables, first_row, operator_sets


def query(tables: Tables) -> DataFrame:
    return (
        tables["article"]
        .withColumn("aauthor", F.explode("author"))
        .select(F.col("aauthor._VALUE").alias("author"), F.col("title._bibtex").alias("title"))
        .filter(~F.col("author").contains("Dey"))
        .groupBy("author")
        .agg(F.collect_list("title").alias("ctitle"))
        .select("author", F.size("ctitle").alias("cnt"))
    )


def elsewhere(tables: Tables) -> Missing:
    """Return the author with most articles among those without any title for BibTeX."""
    articles = tables["article"].selectExpr("explode(author._VALUE) as author", "title._bibtex as bibtex")
    counts = articles.groupBy("author").agg(F.count("*").alias("articles"), F.count("bibtex").alias("titled"))
    found = counts.filter("titled = 0 and not author like '%Dey%'").orderBy(F.desc("articles"), "author")
    return {"author": first_row(found)["author"], "cnt": gt(5)}


D2 = Scenario(
    name="D2",
    title='Number of articles for authors who do not have "Dey" in their name',
    dataset="dblp",
    query=query,
    missing={"author": "Greta Lindqvist", "cnt": gt(5)},
    alternatives=(frozenset({"title._bibtex", "title._VALUE"}),),
    errors=("the select takes the title for BibTeX, which nearly all articles lack",),
    operators={3: Mark("project", "as title")},
    paper=PaperAnswers(whynot=(), rp_no_alternatives=(), rp=operator_sets({3})),
    elsewhere=elsewhere,
)
