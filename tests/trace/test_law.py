"""The law of tracing: the rows alive in E are the rows of the query with exactly the operators of E relaxed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from random import Random
from typing import Any

import pytest

from sparkwhy.backtrace.backtrace import Conditions
from sparkwhy.memory.interpreter import run
from sparkwhy.memory.values import Row, unordered_bag
from sparkwhy.plan.build import all_of
from sparkwhy.plan.nodes import Filter, OpId, Plan, Source, Table
from sparkwhy.plan.show import show_plan
from sparkwhy.plan.walk import walk
from sparkwhy.trace.blame import Dropper, droppers_of
from sparkwhy.trace.relax import relax
from sparkwhy.trace.trace import TracedQuery, trace
from tests.trace.plans import Generator

MOST_DROPPERS = 6


def subsets(items: tuple[Dropper, ...]) -> Iterator[frozenset[Dropper]]:
    for size in range(len(items) + 1):
        yield from map(frozenset, combinations(items, size))


def droppers(plan: Plan) -> tuple[Dropper, ...]:
    return tuple(dict.fromkeys(dropper for node in walk(plan) for dropper in droppers_of(node)))


def alive_rows(traced: TracedQuery, rows: list[Row], droppers: frozenset[Dropper], alternative: int = 0) -> list[Row]:
    """The rows of the traced query that are alive in an alternative, without their marks."""
    names = {a.id: i for i, a in enumerate(traced.rows.plan.output)}
    blame, unless = traced.rows.blame, traced.rows.unless
    relaxed = ~(traced.bits.active(alternative) | traced.bits.variant_bits & 1 << alternative)
    relaxed |= traced.bits.of(droppers, alternative)
    output = traced.rows.variants
    held = [output[a][alternative] if a in output else a for a in traced.plans[alternative].output]
    kept = []
    for row in rows:
        needed = 0 if blame is None else row[names[blame.id]]
        sets = () if unless is None else row[names[unless.id]]
        assert needed is not None
        assert sets is not None
        if not needed & ~relaxed and all(s & ~relaxed for s in sets):
            kept.append(tuple(row[names[a.id]] for a in held))
    return kept


def bag(rows: list[Row], plan: Plan) -> Any:
    return unordered_bag(rows, [a.type for a in plan.output])


def check_law(
    plan: Plan, tables: dict[OpId, list[Row]], conditions: Conditions = (), alternatives: Sequence[Plan] = ()
) -> None:
    traced = trace(plan, conditions, alternatives=alternatives, records=len(tables) % 2 == 0)
    rows = run(traced.rows.plan, tables)
    for i, each in enumerate(traced.plans):
        for relaxed in subsets(droppers(each)):
            expected = bag(run(meeting(relax(each, relaxed), conditions), tables), each)
            alive = alive_rows(traced, rows, relaxed, i)
            found = bag(run_meeting(each, alive, conditions), each)
            assert found == expected, f"{i} {set(relaxed)}\n{show_plan(each)}\n{tables}\n{conditions}"


def run_meeting(plan: Plan, rows: list[Row], conditions: Conditions) -> list[Row]:
    """The rows, of those that a plan could give, that meet the conditions."""
    table = Table(id=OpId(1), attributes=plan.output, source=Source("rows"))
    return run(meeting(table, conditions), {OpId(1): rows})


def meeting(plan: Plan, conditions: Conditions) -> Plan:
    return Filter(id=OpId(0), input=plan, condition=all_of(conditions))


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("batch", range(4))
def test_the_rows_alive_in_a_set_are_those_of_the_relaxed_query(size: int, batch: int) -> None:
    checked = 0
    for seed in range(40):
        generator = Generator(Random(f"{size}/{batch}/{seed}"))
        plan = generator.plan(size)
        if len(droppers(plan)) <= MOST_DROPPERS:
            check_law(plan, generator.tables)
            checked += 1
    assert checked >= 10


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("batch", range(4))
def test_a_question_prunes_only_rows_that_do_not_meet_it(size: int, batch: int) -> None:
    checked = 0
    for seed in range(40):
        generator = Generator(Random(f"pruned/{size}/{batch}/{seed}"))
        plan = generator.plan(size)
        if len(droppers(plan)) <= MOST_DROPPERS:
            conditions = tuple(generator.condition(plan) for _ in range(generator.random.randint(1, 2)))
            check_law(plan, generator.tables, conditions)
            checked += 1
    assert checked >= 10
