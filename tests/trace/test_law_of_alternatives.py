"""The law of tracing, for several alternatives at once: each is traced as if it were the only one."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from pyspark.sql import SparkSession

from sparkwhy.lab.tables import rows_of
from sparkwhy.memory.interpreter import run
from sparkwhy.plan.exprs import AggCall, Expr, Ref
from sparkwhy.plan.node_exprs import exprs_of, with_exprs
from sparkwhy.plan.nodes import Aggregate, Distinct, Join, Limit, Plan
from sparkwhy.plan.walk import fold, inputs, walk, with_inputs
from sparkwhy.plan.walk_exprs import rewrite
from sparkwhy.spark.classic.run import operators as spark_run
from sparkwhy.trace.trace import trace
from tests.sessions import uncompiled
from tests.trace.plans import Generator
from tests.trace.test_law import MOST_DROPPERS, bag, check_law, droppers
from tests.trace.test_law_on_spark import with_data


@pytest.fixture(scope="module")
def spark(spark: SparkSession) -> SparkSession:
    return uncompiled(spark)


def with_other_functions(node: Plan, random: Random, share: float) -> Plan:
    """An aggregate with some of its functions replaced by others that give the same type."""
    if not isinstance(node, Aggregate):
        return node

    def other(expr: Expr) -> Expr:
        if not isinstance(expr, AggCall) or len(expr.args) != 1 or random.random() > share:
            return expr
        calls = [replace(expr, function=name, distinct=distinct) for name, distinct in FUNCTIONS]
        return random.choice([call for call in calls if call.type == expr.type] or [expr])

    return replace(node, aggregates=tuple(replace(each, expr=other(each.expr)) for each in node.aggregates))


FUNCTIONS = (("count", False), ("count", True), ("min", False), ("max", False))


def reread(plan: Plan, random: Random, share: float) -> Plan:
    """The plan with some of its references to other attributes of the same type, and some other functions."""

    def combine(node: Plan, below: tuple[Plan, ...]) -> Plan:
        again = with_inputs(node, below)
        offered = [attribute for each in inputs(again) for attribute in each.output]

        def other(part: Expr) -> Expr | None:
            if not isinstance(part, Ref) or random.random() > share:
                return None
            side = next(each.output for each in inputs(again) if part.attribute in each.output)
            return Ref(random.choice([a for a in side if a.type == part.type]))

        read = with_exprs(again, [rewrite(expr, other) for expr in exprs_of(again)]) if offered else again
        return with_other_functions(read, random, share / 2)

    return fold(plan, combine)


def alternatives(generator: Generator, plan: Plan, count: int) -> list[Plan]:
    return [reread(plan, generator.random, generator.random.choice([0.1, 0.3, 0.6])) for _ in range(count)]


def cases(label: str, count: int) -> list[tuple[Generator, Plan, list[Plan]]]:
    found = []
    for seed in range(count):
        generator = Generator(Random(f"{label}/{seed}"))
        plan = generator.plan(1 + seed % 5)
        if len(droppers(plan)) <= MOST_DROPPERS - 2 and is_determined(plan):
            found.append((generator, plan, alternatives(generator, plan, 1 + seed % 3)))
    assert len(found) > count / 4
    return found


@pytest.mark.parametrize("batch", range(4))
def test_each_alternative_is_traced_as_if_alone(batch: int) -> None:
    for generator, plan, others in cases(f"alternatives/{batch}", 60):
        check_law(plan, generator.tables, alternatives=others)


@pytest.mark.parametrize("batch", range(4))
def test_a_question_prunes_only_rows_that_meet_it_in_no_alternative(batch: int) -> None:
    for generator, plan, others in cases(f"asked/{batch}", 60):
        conditions = tuple(generator.condition(plan) for _ in range(generator.random.randint(1, 2)))
        check_law(plan, generator.tables, conditions, others)


@pytest.mark.parametrize("seed", range(10))
def test_both_engines_trace_alternatives_alike(spark: SparkSession, seed: int) -> None:
    generator = Generator(Random(f"alternatives on spark/{seed}"))
    plan = with_data(spark, generator.plan(2 + seed % 3), generator.tables)
    traced = trace(plan, alternatives=alternatives(generator, plan, 3), records=seed % 2 == 0).rows.plan
    found = rows_of(spark_run.run(spark, traced), traced)
    assert bag(found, traced) == bag(run(traced, generator.tables), traced)


def is_determined(plan: Plan) -> bool:
    """Whether no operator keeps any of several rows: after a join their order is nobody's promise."""
    choosing = [node for node in walk(plan) if isinstance(node, Limit) or (isinstance(node, Distinct) and node.keys)]
    return not any(isinstance(below, Join) for node in choosing for below in walk(node))
