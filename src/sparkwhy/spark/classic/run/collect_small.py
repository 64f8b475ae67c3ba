"""Plans that Spark begins and that are finished on the driver, where only few rows are left.

Each shuffle is a stage that Spark plans, compiles and starts, which takes as long for three rows as for a million. A
handful of rows is finished in memory. Some more are handed to Spark again, in one partition, where nothing has to be
shuffled. If there are many after all, Spark does everything.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import Row as SparkRow

from sparkwhy.errors import EvaluationError, NotInterpretable
from sparkwhy.memory.interpreter import run as run_in_memory
from sparkwhy.plan.build import Fresh, call, carry, integer
from sparkwhy.plan.exprs import Attribute, Ref
from sparkwhy.plan.nodes import Aggregate, Column, Plan, Project, Source
from sparkwhy.plan.types import Array
from sparkwhy.rewrite.prune_columns import lean
from sparkwhy.rewrite.split_small import Cut, SmallAt, cut
from sparkwhy.spark.classic import jvm
from sparkwhy.spark.classic.run.operators import Part, compiled_apart, run
from sparkwhy.spark.classic.run.rows import from_spark

IN_MEMORY = 200
"""So many rows are finished in memory: with more, the worlds of a group take longer there than in Spark."""

MOST_ROWS = 5000
"""So many come to the driver at all."""

MOST_ELEMENTS = 1000
"""So long may their lists be."""


def finished(
    session: SparkSession,
    plan: Plan,
    few: SmallAt,
    *,
    apart: bool = False,
    pieces: bool = False,
    some: Part | None = None,
) -> Sequence[Sequence[Any]]:
    """The rows of a plan. Where it is said to have few rows it is finished on the driver, if they are few indeed."""
    plan = lean(plan)
    found = cut(plan, few)
    if found is not None:
        below = run(session, _with_short_lists(found.below), apart=apart, pieces=pieces, some=some)
        rows = _rows(below, found.below)
        if rows is not None and not any(map(_is_long, rows)):
            return _finished(session, found, below, rows)
    return run(session, plan, apart=apart, pieces=pieces, some=some).collect()


def _rows(below: DataFrame, plan: Plan) -> Sequence[SparkRow] | None:
    """The rows at hand; None if they are more than was thought.

    Groups are in a few partitions, other rows in all those of the data: these are read side by side, for Spark would
    go through them one after the other to find so many rows and no more. Each time, Spark counts them in a variable of
    another name: what is compiled together with that is compiled anew.
    """
    while isinstance(plan, Project):
        plan = plan.input
    most = MOST_ROWS if isinstance(plan, Aggregate) else IN_MEMORY
    some = below.limit if isinstance(plan, Aggregate) else partial(jvm.at_most, compiled_apart(below))
    rows = some(most + 1).collect()
    return rows if len(rows) <= most else None


def _finished(session: SparkSession, found: Cut, below: DataFrame, rows: Sequence[SparkRow]) -> Sequence[Sequence[Any]]:
    if len(rows) <= IN_MEMORY:
        types = [attribute.type for attribute in found.below.output]
        try:
            return run_in_memory(found.above, {found.rows: [tuple(map(from_spark, row, types)) for row in rows]})
        except (NotInterpretable, EvaluationError):
            pass  # Spark knows how, or says in its own words what fails
    table = session.createDataFrame(rows, below.schema, verifySchema=False).coalesce(1)
    return run(session, found.over(Source("rows at hand", jvm.analyzed(table))), alone=True).collect()


def _with_short_lists(plan: Plan) -> Plan:
    """The plan with at most one element more in each list than is of use."""
    lists = [attribute for attribute in plan.output if isinstance(attribute.type, Array)]
    if not lists:
        return plan
    fresh, most = Fresh(plan), integer(MOST_ELEMENTS + 1)

    def shortened(attribute: Attribute) -> Column:
        some = call("slice", Ref(attribute), integer(1), most)
        return Column(fresh.attribute(attribute.name, attribute.type, nullable=True), some)

    columns = [shortened(each) if each in lists else carry((each,))[0] for each in plan.output]
    return Project(id=fresh.part(plan), input=plan, columns=tuple(columns))


def _is_long(row: SparkRow) -> bool:
    return any(isinstance(value, list) and len(value) > MOST_ELEMENTS for value in row)
