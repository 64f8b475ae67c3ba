"""The laws of evaluation: many queries at once are each of them alone, and one query is what tracing says of it."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import replace
from random import Random

import pytest

from sparkwhy.backtrace.backtrace import Conditions
from sparkwhy.memory.interpreter import run
from sparkwhy.memory.values import Row
from sparkwhy.plan.exprs import Compare, CompareOp, Expr
from sparkwhy.plan.node_exprs import exprs_of, with_exprs
from sparkwhy.plan.nodes import Join, Plan
from sparkwhy.plan.show import show_plan
from sparkwhy.plan.walk import fold, with_inputs
from sparkwhy.plan.walk_exprs import rewrite
from sparkwhy.trace.blame import Dropper
from sparkwhy.trace.evaluate import EvaluatedQueries, evaluate
from sparkwhy.trace.relax import relax
from sparkwhy.trace.trace import trace
from tests.trace.plans import Generator
from tests.trace.test_law import MOST_DROPPERS, alive_rows, bag, droppers, meeting, run_meeting, subsets
from tests.trace.test_law_of_alternatives import alternatives, is_determined


def present_rows(evaluated: EvaluatedQueries, rows: list[Row], query: int) -> list[Row]:
    """Return the rows that one of the queries has, without their marks."""
    places = {a.id: i for i, a in enumerate(evaluated.rows.plan.output)}
    present, holders = evaluated.rows.present, evaluated.rows.variants
    held = [holders[a][query] if a in holders else a for a in evaluated.plans[query].output]
    found = [row for row in rows if present is None or row[places[present.id]] >> query & 1]
    return [tuple(row[places[a.id]] for a in held) for row in found]


def check_evaluation(generator: Generator, plans: list[Plan], conditions: Conditions = ()) -> None:
    """Check that what is evaluated at once is what each plan returns with its own droppers relaxed."""
    random = generator.random
    relaxed = [frozenset(d for d in droppers(each) if random.random() < 0.3) for each in plans]
    check_queries(generator, plans, relaxed, conditions)


def check_queries(
    generator: Generator, plans: Sequence[Plan], relaxed: Sequence[Set[Dropper]], conditions: Conditions
) -> None:
    evaluated = evaluate(plans, relaxed, conditions)
    rows = run(evaluated.rows.plan, generator.tables)
    for i, (each, known) in enumerate(zip(plans, relaxed, strict=True)):
        expected = bag(run(meeting(relax(each, known), conditions), generator.tables), each)
        found = run_meeting(each, present_rows(evaluated, rows, i), conditions)
        assert bag(found, each) == expected, f"{i} {known}\n{show_plan(each)}\n{generator.tables}"


@pytest.mark.parametrize("count", [1, 2, 5])
def test_queries_evaluated_at_once_are_each_query_alone(count: int) -> None:
    for seed in range(120):
        generator = Generator(Random(f"evaluated/{count}/{seed}"))
        plan = generator.plan(1 + seed % 5)
        conditions = (generator.condition(plan),) if seed % 2 else ()
        if is_determined(plan):
            check_evaluation(generator, [plan, *alternatives(generator, plan, count - 1)], conditions)


COMPARISONS: tuple[CompareOp, ...] = ("=", "<=>", "<", "<=", "<>")


def compare_otherwise(plan: Plan, random: Random) -> Plan:
    """Return the plan with other comparisons in the conditions of its joins."""

    def change(expr: Expr) -> Expr | None:
        return replace(expr, op=random.choice(COMPARISONS)) if isinstance(expr, Compare) else None

    def combine(node: Plan, below: tuple[Plan, ...]) -> Plan:
        node = with_inputs(node, below)
        return with_exprs(node, [rewrite(each, change) for each in exprs_of(node)]) if isinstance(node, Join) else node

    return fold(plan, combine)


def test_joins_that_compare_differently_are_evaluated_at_once() -> None:
    checked = 0
    for seed in range(300):
        generator = Generator(Random(f"compared/{seed}"))
        plan = generator.plan(1 + seed % 5)
        others = [compare_otherwise(plan, generator.random) for _ in range(3)]
        if is_determined(plan) and any(each != plan for each in others):
            check_evaluation(generator, [plan, *others], (generator.condition(plan),) if seed % 2 else ())
            checked += 1
    assert checked > 50


@pytest.mark.parametrize("batch", range(3))
def test_every_way_to_relax_a_query_is_evaluated_at_once(batch: int) -> None:
    for seed in range(40):
        generator = Generator(Random(f"ways/{batch}/{seed}"))
        plan = generator.plan(1 + seed % 5)
        ways = list(subsets(droppers(plan)))[:60]
        conditions = (generator.condition(plan),) if seed % 2 else ()
        if is_determined(plan):
            check_queries(generator, [plan] * len(ways), ways, conditions)


@pytest.mark.parametrize("batch", range(3))
def test_evaluation_has_the_rows_of_tracing_that_are_alive(batch: int) -> None:
    checked = 0
    for seed in range(40):
        generator = Generator(Random(f"both/{batch}/{seed}"))
        plan = generator.plan(1 + seed % 5)
        if len(droppers(plan)) > MOST_DROPPERS or not is_determined(plan):
            continue
        traced = trace(plan)
        rows = run(traced.rows.plan, generator.tables)
        for relaxed in subsets(droppers(plan)):
            evaluated = evaluate([plan], [relaxed])
            found = present_rows(evaluated, run(evaluated.rows.plan, generator.tables), 0)
            assert bag(found, plan) == bag(alive_rows(traced, rows, relaxed), plan), f"{relaxed}\n{show_plan(plan)}"
            checked += 1
    assert checked > 100
