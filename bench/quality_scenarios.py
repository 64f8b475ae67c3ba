"""The scenarios whose tables are small enough for the oracle, asked as written: without declared groups."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from bench.quality_cases import MAX_STATES, Case
from bench.quality_compare import Ours, explanations, is_sound, our_answer, steps_of
from examples.running_example import MISSING, cities
from sparkwhy.lab.oracle import consult
from sparkwhy.lab.tables import tables_of
from sparkwhy.question.bind import bind
from sparkwhy.question.pattern import to_pattern
from sparkwhy.scenarios import SCENARIOS
from sparkwhy.scenarios.data.tables import GeneratedTables
from sparkwhy.spark.classic.read.operators import read
from sparkwhy.spark.comma_joins import with_join_conditions

SMALL = ("C1", "C2", "C3")


def cases(session: SparkSession) -> Iterator[Case]:
    """The running example, and the crime scenarios."""
    yield _case(session, "running example", cities(), MISSING)
    tables = GeneratedTables(session)
    for name in SMALL:
        scenario = SCENARIOS[name]
        yield _case(session, name, scenario.query(tables), scenario.question(tables))


def _case(session: SparkSession, name: str, df: DataFrame, missing: Mapping[str, Any]) -> Case:
    plan = with_join_conditions(read(df))
    tables = dict(tables_of(session, plan))
    question = bind(to_pattern(missing), plan.output, timezone="UTC")
    return Case(name, plan, tables, (), question, consult(plan, tables, question, max_states=MAX_STATES))


def scenarios(session: SparkSession) -> str:
    """Our explanations of each beside the oracle's."""
    lines = [
        "| scenario | verified | sound | minimal (sparkwhy) | minimal (oracle) | of these found | oracle |",
        "|---|--:|--:|--:|--:|--:|---|",
    ]
    lines.extend(_line(case, our_answer(case)) for case in cases(session))
    return "\n".join(lines)


def _line(case: Case, ours: Ours) -> str:
    minimal = {steps_of(each) for each in ours.ranked if each.minimal}
    told = {steps_of(each) for each in ours.ranked}
    wanted = explanations(case.oracle)
    sound = sum(is_sound(case, each) for each in ours.verified)
    cut = f"cut off at {MAX_STATES} outputs" if case.oracle.cut else "complete"
    found = len(told & wanted)
    return f"| {case.seed} | {len(ours.verified)} | {sound} | {len(minimal)} | {len(wanted)} | {found} | {cut} |"
