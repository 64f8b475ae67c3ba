"""D3: author-paper pairs by booktitle and year. A person is missing who edited that volume and wrote nothing in it."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from sparkwhy.scenarios.scenario import Mark, Missing, PaperAnswers, Scenario, Tables, first_row, operator_sets


def query(tables: Tables) -> DataFrame:
    return (
        tables["inproceedings"]
        .withColumn("authorPaper", F.struct("author", "title"))
        .select("booktitle", "year", "authorPaper")
        .groupBy("booktitle", "year")
        .agg(F.collect_list("authorPaper").alias("aplist"))
    )


def missing(booktitle: str, year: int, person: str) -> Missing:
    """Return a pair with the person is among those of the volume."""
    return {"booktitle": booktitle, "year": year, "aplist": [{"author": [{"_VALUE": person}, ...]}, ...]}


def elsewhere(tables: Tables) -> Missing:
    """Return the first editor, by volume and name, who is no author there."""
    papers = tables["inproceedings"].filter("booktitle is not null and year is not null")
    editors = papers.selectExpr("booktitle", "year", "explode(editor._VALUE) as person")
    authors = papers.selectExpr("booktitle", "year", "explode(author._VALUE) as person")
    found = editors.join(authors, ["booktitle", "year", "person"], "anti").agg(F.min(F.struct(*editors.columns)))
    return missing(*first_row(found)[0])


D3 = Scenario(
    name="D3",
    title="Lists all author-paper-pairs per booktitle and year",
    dataset="dblp",
    query=query,
    missing=missing("TaPP", 2014, "Nora Haug"),
    alternatives=(frozenset({"author", "editor"}),),
    errors=("the pairs are built from the authors, and the missing person is an editor",),
    operators={4: Mark("project", "as authorPaper")},
    paper=PaperAnswers(whynot=(), rp_no_alternatives=(), rp=operator_sets({4})),
    elsewhere=elsewhere,
)
