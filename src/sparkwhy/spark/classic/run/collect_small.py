"""Collect the rows of plans that Spark begins and the driver finishes, where only few rows are left.

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
from sparkwhy.limits import DEFAULT_LIMITS, Limits
from sparkwhy.memory.interpreter import run as run_in_memory
from sparkwhy.plan.build import Fresh, call, carry, integer
from sparkwhy.plan.exprs import Attribute, Ref
from sparkwhy.plan.nodes import Aggregate, Column, Plan, Project, Source
from sparkwhy.plan.types import Array
from sparkwhy.rewrite.codegen import Codegen
from sparkwhy.rewrite.rules import RULES, Rewrite, rewrite_whole
from sparkwhy.rewrite.split_small import SmallAt, Split, split_small
from sparkwhy.spark.classic import jvm
from sparkwhy.spark.classic.run.operators import Part, compile_apart, run
from sparkwhy.spark.classic.run.rows import from_spark


def collect_small(
    session: SparkSession,
    plan: Plan,
    small_at: SmallAt,
    limits: Limits = DEFAULT_LIMITS,
    *,
    codegen: Codegen = Codegen.WHOLE,
    some: Part | None = None,
    rewrites: Sequence[Rewrite] = RULES,
) -> Sequence[Sequence[Any]]:
    """Collect the rows of a plan; finish it on the driver where it is `small_at`, if it has few rows there indeed."""
    plan = rewrite_whole(plan, rewrites)
    split = split_small(plan, small_at)
    if split is not None:
        short = _with_short_lists(split.lower, limits)
        lower = run(session, short, codegen=codegen, some=some, rewrites=rewrites)
        rows = _lower_rows(lower, split.lower, limits)
        if rows is not None and not any(_is_long(row, limits) for row in rows):
            return _finish(session, split, lower, rows, limits)
    return run(session, plan, codegen=codegen, some=some, rewrites=rewrites).collect()


def _lower_rows(below: DataFrame, plan: Plan, limits: Limits) -> Sequence[SparkRow] | None:
    """Collect the rows of the lower half, or return None if there are more than `limits` allows.

    Groups are in a few partitions, other rows in all those of the data: these are read side by side, because Spark
    would go through them one after the other to find a number of rows and no more. Each time, Spark counts them in a
    variable of another name, so what is compiled together with that is compiled anew: hence `compile_apart`.
    """
    while isinstance(plan, Project):
        plan = plan.input
    most = limits.driver_rows if isinstance(plan, Aggregate) else limits.memory_rows
    some = below.limit if isinstance(plan, Aggregate) else partial(jvm.take_per_partition, compile_apart(below))
    rows = some(most + 1).collect()
    return rows if len(rows) <= most else None


def _finish(
    session: SparkSession, split: Split, lower: DataFrame, rows: Sequence[SparkRow], limits: Limits
) -> Sequence[Sequence[Any]]:
    """Run the upper half over the rows of the lower one: in Python, or in one partition of Spark."""
    if len(rows) <= limits.memory_rows:
        types = [attribute.type for attribute in split.lower.output]
        try:
            return run_in_memory(split.upper, {split.rows: [tuple(map(from_spark, row, types)) for row in rows]})
        except (NotInterpretable, EvaluationError):
            pass  # Spark knows how, or says in its own words what fails
    table = session.createDataFrame(rows, lower.schema, verifySchema=False).coalesce(1)
    upper = split.with_source(Source("rows at hand", jvm.analyzed_plan(table)))
    return run(session, upper, one_partition=True).collect()


def _with_short_lists(plan: Plan, limits: Limits) -> Plan:
    """Cut each list after one element more than `limits` allows, so that long ones are noticed but not collected."""
    lists = [attribute for attribute in plan.output if isinstance(attribute.type, Array)]
    if not lists:
        return plan
    fresh, most = Fresh(plan), integer(limits.driver_elements + 1)

    def shorten(attribute: Attribute) -> Column:
        some = call("slice", Ref(attribute), integer(1), most)
        return Column(fresh.attribute(attribute.name, attribute.type, nullable=True), some)

    columns = [shorten(each) if each in lists else carry((each,))[0] for each in plan.output]
    return Project(id=fresh.part(plan), input=plan, columns=tuple(columns))


def _is_long(row: SparkRow, limits: Limits) -> bool:
    return any(isinstance(value, list) and len(value) > limits.driver_elements for value in row)
