"""A plan that is split where it has few rows gives the same rows in two steps."""

from __future__ import annotations

from random import Random

import pytest

from sparkwhy.explain.candidates import candidate_plan
from sparkwhy.memory.interpreter import run
from sparkwhy.plan.nodes import Aggregate, Filter, Join, Plan, Source, Table
from sparkwhy.plan.walk import inputs, walk
from sparkwhy.rewrite.split_small import SmallAt, split_small
from sparkwhy.trace.trace import trace
from tests.trace.plans import Generator
from tests.trace.test_law import bag


def is_group(node: Plan) -> bool:
    return isinstance(node, Aggregate)


def candidates(seed: int) -> tuple[Plan, Generator]:
    generator = Generator(Random(f"cut/{seed}"))
    plan = generator.plan(1 + seed % 5)
    return candidate_plan(trace(plan, records=True, references=seed % 2 == 0)), generator


@pytest.mark.parametrize("seed", range(60))
def test_two_steps_give_the_rows_of_one(seed: int) -> None:
    plan, generator = candidates(seed)
    found = split_small(plan, SmallAt(is_group))
    if found is not None:
        rows = run(found.lower, generator.tables)
        expected = bag(run(plan, generator.tables), plan)
        assert bag(run(found.upper, {found.rows: rows}), plan) == expected
        over = found.with_source(Source("other"))
        assert bag(run(over, {found.rows: rows}), plan) == expected
        assert [node.source for node in walk(over) if isinstance(node, Table)] == [Source("other")]


@pytest.mark.parametrize("seed", range(20))
def test_where_few_rows_come_to_the_last_operator_it_is_left_to_do(seed: int) -> None:
    plan, generator = candidates(seed)
    found = split_small(plan, SmallAt(lambda _: False, last=True))
    assert found is not None
    assert found.lower in inputs(plan)
    rows = run(found.lower, generator.tables)
    assert bag(run(found.upper, {found.rows: rows}), plan) == bag(run(plan, generator.tables), plan)


def test_plans_are_split_at_the_lowest_group_that_no_join_is_above() -> None:
    splits = [(plan, split_small(plan, SmallAt(is_group))) for plan, _ in map(candidates, range(60))]
    assert sum(found is not None for _, found in splits) >= 20
    for _, found in splits:
        if found is not None:
            assert not any(isinstance(node, Join) for node in walk(found.upper))
            tables = [node for node in walk(found.upper) if isinstance(node, Table)]
            assert [table.attributes for table in tables] == [found.lower.output]


def test_nothing_is_split_where_nothing_is_few() -> None:
    plan, _ = candidates(1)
    assert split_small(plan, SmallAt(lambda _: False)) is None
    assert split_small(plan, SmallAt(lambda node: node is plan)) is None, "nothing would be left to do"
    assert any(isinstance(node, Filter | Aggregate) for node in walk(plan))
