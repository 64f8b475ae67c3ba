"""The law of tracing: the rows alive in E are the rows of the query with exactly the operators of E relaxed."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from random import Random
from typing import Any

import pytest

from sparkwhy.lab.interpreter import run
from sparkwhy.lab.values import Row, unordered_bag
from sparkwhy.plan.build import all_of
from sparkwhy.plan.nodes import Filter, OpId, Plan
from sparkwhy.plan.show import show_plan
from sparkwhy.plan.walk import walk
from sparkwhy.trace.annotate import TracedQuery, trace
from sparkwhy.trace.bits import Dropper, droppers_of
from sparkwhy.trace.relax import relax
from sparkwhy.trace.wanted import Conditions
from tests.trace.plans import Generator

MOST_DROPPERS = 6


def subsets(items: tuple[Dropper, ...]) -> Iterator[frozenset[Dropper]]:
    for size in range(len(items) + 1):
        yield from map(frozenset, combinations(items, size))


def alive_rows(plan: Plan, traced: TracedQuery, rows: list[Row], relaxed: int) -> list[Row]:
    """The rows of the traced query that are alive, without their marks."""
    names = {a.id: i for i, a in enumerate(traced.rows.plan.output)}
    blame, unless = traced.rows.blame, traced.rows.unless
    kept = []
    for row in rows:
        needed = 0 if blame is None else row[names[blame.id]]
        sets = () if unless is None else row[names[unless.id]]
        assert needed is not None
        assert sets is not None
        if not needed & ~relaxed and all(s & ~relaxed for s in sets):
            kept.append(tuple(row[names[a.id]] for a in plan.output))
    return kept


def bag(rows: list[Row], plan: Plan) -> Any:
    return unordered_bag(rows, [a.type for a in plan.output])


def check_law(plan: Plan, tables: dict[OpId, list[Row]], conditions: Conditions = ()) -> None:
    traced = trace(plan, conditions, records=len(tables) % 2 == 0)
    rows = run(meeting(traced.rows.plan, conditions), tables)
    for relaxed in subsets(tuple(traced.bits.positions)):
        expected = bag(run(meeting(relax(plan, relaxed), conditions), tables), plan)
        found = bag(alive_rows(plan, traced, rows, traced.bits.of(relaxed)), plan)
        assert found == expected, f"{set(relaxed)}\n{show_plan(plan)}\n{tables}\n{conditions}"


def meeting(plan: Plan, conditions: Conditions) -> Plan:
    return Filter(id=OpId(0), input=plan, condition=all_of(conditions))


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("batch", range(4))
def test_the_rows_alive_in_a_set_are_those_of_the_relaxed_query(size: int, batch: int) -> None:
    checked = 0
    for seed in range(40):
        generator = Generator(Random(f"{size}/{batch}/{seed}"))
        plan = generator.plan(size)
        if sum(len(droppers_of(node)) for node in walk(plan)) <= MOST_DROPPERS:
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
        if sum(len(droppers_of(node)) for node in walk(plan)) <= MOST_DROPPERS:
            conditions = tuple(generator.condition(plan) for _ in range(generator.random.randint(1, 2)))
            check_law(plan, generator.tables, conditions)
            checked += 1
    assert checked >= 10
