"""The scenarios whose tables are small enough for the oracle: the running example with its declared group too."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from bench.quality_cases import MAX_STATES, Case, Group
from bench.quality_compare import Ours, explanations, is_sound, our_answer, steps_of
from examples.running_example import MISSING, MIXED_UP, cities
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
    """The running example, as written and with its group, and the crime scenarios as written."""
    yield _case(session, "running example", cities(), MISSING)
    groups = tuple(frozenset((name,) for name in group) for group in MIXED_UP)
    yield _case(session, "running example, with its group", cities(), MISSING, groups)
    tables = GeneratedTables(session)
    for name in SMALL:
        scenario = SCENARIOS[name]
        yield _case(session, name, scenario.query(tables), scenario.question(tables))


def _case(
    session: SparkSession, name: str, df: DataFrame, missing: Mapping[str, Any], groups: tuple[Group, ...] = ()
) -> Case:
    plan = with_join_conditions(read(df))
    tables = dict(tables_of(session, plan))
    question = bind(to_pattern(missing), plan.output, timezone="UTC")
    oracle = consult(plan, tables, question, groups=groups, max_states=MAX_STATES)
    return Case(name, plan, tables, groups, question, oracle)


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
