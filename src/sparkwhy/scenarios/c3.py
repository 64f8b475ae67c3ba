"""C3: witnesses and how they describe whom they saw. A description is missing."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from sparkwhy.scenarios.scenario import Mark, PaperAnswers, Scenario, Tables, operator_sets


def query(tables: Tables) -> DataFrame:
    near = tables["witness"].join(tables["crime"], "sector")
    return (
        tables["saw_person"]
        .join(near, F.col("witness.name") == F.col("saw_person.witness"))
        .select("name", F.col("hair").alias("desc"))
    )


C3 = Scenario(
    name="C3",
    title="Witnesses, and how they describe whom they saw",
    dataset="crime",
    query=query,
    missing={"name": "Ashishbakshi", "desc": "snow"},
    alternatives=(frozenset({"saw_person.hair", "saw_person.clothes"}),),
    errors=("the select takes the hair, not the clothes",),
    operators={5: Mark("join", "witness"), 6: Mark("project", "as desc")},
    paper=PaperAnswers(
        whynot=operator_sets({5}), conseil=operator_sets({5}), rp_no_alternatives=(), rp=operator_sets({6})
    ),
)
