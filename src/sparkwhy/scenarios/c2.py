"""C2: people whom Susan saw near a crime. Conedera is missing."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from sparkwhy.scenarios.scenario import Mark, PaperAnswers, Scenario, Tables, operator_sets


def query(tables: Tables) -> DataFrame:
    witnesses = tables["witness"].filter(F.col("sector") > 90).filter(F.col("name") == "Susan")
    near = tables["crime"].join(witnesses, "sector")
    seen = tables["saw_person"].join(near, F.col("witness.name") == F.col("saw_person.witness"))
    return tables["person"].join(seen, ["hair", "clothes"]).select("person.name")


C2 = Scenario(
    name="C2",
    title="People whom Susan saw near a crime",
    dataset="crime",
    query=query,
    missing={"name": "Conedera"},
    alternatives=(),
    errors=("other people than Susan saw Conedera",),
    operators={3: Mark("filter", "sector"), 4: Mark("filter", "name")},
    paper=PaperAnswers(
        whynot=operator_sets({4}),
        conseil=operator_sets({4}),
        rp_no_alternatives=operator_sets({4}, {3, 4}),
        rp=operator_sets({4}, {3, 4}),
    ),
)
