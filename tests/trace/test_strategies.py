"""The law of strategies: every strategy that applies to a join or a grouping makes the rows that `general` makes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import pytest

from sparkwhy.backtrace.backtrace import Conditions
from sparkwhy.memory.interpreter import run
from sparkwhy.plan.nodes import Aggregate, Plan
from sparkwhy.plan.show import show_plan
from sparkwhy.trace.trace import TracedQuery, trace
from tests.trace.force_strategies import GROUPINGS, JOINS, force_aggregate_strategy, force_join_strategy
from tests.trace.plans import Generator
from tests.trace.test_law import MOST_DROPPERS, alive_rows, bag, droppers, run_meeting, subsets
from tests.trace.test_law_of_alternatives import alternatives, is_determined

CASES = 150
Case = tuple[Generator, Plan, list[Plan], Conditions]


def cases(label: str, make: Callable[[Generator], Plan]) -> Iterator[Case]:
    """Draw queries that end in an operator of one kind, with up to two variants, half of them with a question."""
    for seed in range(CASES):
        generator = Generator(Random(f"{label}/{seed}"))
        plan = make(generator)
        if len(droppers(plan)) <= MOST_DROPPERS - 1 and is_determined(plan):
            conditions = (generator.condition(plan),) if seed % 2 else ()
            yield generator, plan, alternatives(generator, plan, seed % 3), conditions


def joins(generator: Generator) -> Plan:
    return generator.join(generator.plan(generator.random.randint(0, 2)))


def groupings(generator: Generator) -> Plan:
    below = generator.plan(generator.random.randint(0, 2))
    return generator.aggregate(generator.filter(below))


def keys(generator: Generator) -> Plan:
    """Draw a grouping of which only the keys are read."""
    found = groupings(generator)
    assert isinstance(found, Aggregate)
    return Aggregate(id=found.id, input=found.input, keys=found.keys, aggregates=()) if found.keys else found


def liveness(traced: TracedQuery, case: Case) -> list[Any]:
    """Return the rows that are alive in each set of droppers, in each variant."""
    generator, _, _, conditions = case
    rows = run(traced.rows.plan, generator.tables)
    return [
        bag(run_meeting(plan, alive_rows(traced, rows, relaxed, i), conditions), plan)
        for i, plan in enumerate(traced.plans)
        for relaxed in subsets(droppers(plan))
    ]


def trace_case(case: Case) -> TracedQuery:
    _, plan, others, conditions = case
    return trace(plan, conditions, alternatives=others, records=len(others) == 1)


@pytest.mark.parametrize("name", JOINS)
def test_a_join_strategy_makes_the_rows_of_the_general_one(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    applied = 0
    for case in cases("joins", joins):
        with monkeypatch.context() as patch:
            force_join_strategy(patch, "general")
            expected = liveness(trace_case(case), case)
        with monkeypatch.context() as patch:
            used = force_join_strategy(patch, name)
            found = liveness(trace_case(case), case)
        applied += name in used
        assert found == expected, show_plan(case[1])
    assert applied > 40


@pytest.mark.parametrize("name", GROUPINGS)
@pytest.mark.parametrize("make", [groupings, keys])
def test_an_aggregate_strategy_makes_the_rows_of_the_general_one(
    make: Callable[[Generator], Plan], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    applied = 0
    for case in cases(make.__name__, make):
        with monkeypatch.context() as patch:
            force_aggregate_strategy(patch, "general")
            expected = liveness(trace_case(case), case)
        with monkeypatch.context() as patch:
            used = force_aggregate_strategy(patch, name)
            found = liveness(trace_case(case), case)
        applied += name in used
        assert found == expected, show_plan(case[1])
    assert applied > 10 or (make is groupings and name in ("one_set_per_key", "keys_only"))


def test_the_general_strategy_comes_last() -> None:
    assert JOINS[-1] == GROUPINGS[-1] == "general"
