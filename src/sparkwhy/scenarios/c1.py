"""C1: people with blue hair and the crimes near which they were seen. Roger is missing."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from sparkwhy.scenarios.scenario import Mark, PaperAnswers, Scenario, Tables, operator_sets


def query(tables: Tables) -> DataFrame:
    people = tables["person"].filter(F.col("hair") == "blue")
    seen = tables["saw_person"].join(people, ["hair", "clothes"])
    witnessed = tables["witness"].join(seen, F.col("witness.name") == F.col("saw_person.witness"))
    return tables["crime"].join(witnessed, "sector").select("person.name", "type")


C1 = Scenario(
    name="C1",
    title="People with blue hair, and the crimes near which they were seen",
    dataset="crime",
    query=query,
    missing={"name": "Roger"},
    alternatives=(),
    errors=("Roger's hair is black", "the person who saw him is not a registered witness"),
    operators={1: Mark("filter", "hair"), 2: Mark("join", "witness")},
    paper=PaperAnswers(
        whynot=operator_sets({1}),
        conseil=operator_sets({1, 2}),
        rp_no_alternatives=operator_sets({1, 2}),
        rp=operator_sets({1, 2}),
    ),
)
