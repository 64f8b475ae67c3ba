"""Rewrites change the speed, never the rows: each rule alone, all of them, and none of them give one answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from sparkwhy import api, gt, why_not
from sparkwhy.explain.candidates import candidate_plan
from sparkwhy.limits import Limits
from sparkwhy.memory.interpreter import run
from sparkwhy.plan.nodes import Plan
from sparkwhy.rewrite.codegen import Codegen
from sparkwhy.rewrite.rules import RULES, Rewrite, rewrite_plan, rewrite_whole
from sparkwhy.spark.classic.engine import ClassicEngine
from sparkwhy.trace.trace import trace
from tests.trace.plans import Generator
from tests.trace.test_law import bag

# --- in the interpreter ---


def plans(seed: int) -> tuple[Generator, Sequence[Plan]]:
    """Return a generated query, and the plan that finds candidates for a question about it."""
    generator = Generator(Random(f"rules/{seed}"))
    query = generator.plan(2 + seed % 6)
    return generator, (query, candidate_plan(trace(query, records=True)))


@pytest.mark.parametrize("rule", RULES, ids=lambda each: each.rule.__name__)
@pytest.mark.parametrize("batch", range(5))
def test_each_rule_keeps_the_rows(batch: int, rule: Rewrite) -> None:
    for seed in range(8 * batch, 8 * batch + 8):
        generator, found = plans(seed)
        for plan in found:
            check_same(rule.rule(plan), plan, generator)


@pytest.mark.parametrize("codegen", Codegen, ids=lambda each: each.value)
@pytest.mark.parametrize("batch", range(5))
def test_all_rules_together_keep_the_rows(batch: int, codegen: Codegen) -> None:
    for seed in range(8 * batch, 8 * batch + 8):
        generator, found = plans(seed)
        for plan in found:
            check_same(rewrite_plan(rewrite_whole(plan), codegen), plan, generator)


def check_same(after: Plan, plan: Plan, generator: Generator) -> None:
    assert after.output == plan.output
    assert bag(run(after, generator.tables), plan) == bag(run(plan, generator.tables), plan)


def test_rules_are_used() -> None:
    changed = {
        each.rule.__name__ for seed in range(40) for plan in plans(seed)[1] for each in RULES if each.rule(plan) != plan
    }
    assert {each.rule.__name__ for each in RULES} - changed == {"merge_many_projections"}  # for 200 and more


def test_without_rules_a_plan_stays_as_it_is() -> None:
    _, (plan, candidates) = plans(3)
    for each in (plan, candidates):
        assert rewrite_whole(each, ()) is each
        assert all(rewrite_plan(each, codegen, ()) is each for codegen in Codegen)


# --- on Spark ---

ITEMS = [(1, "a", 5), (1, "b", 20), (2, "a", None), (3, "c", 7), (3, "c", 7)]
PARTS = [("a", "red"), ("b", "blue"), (None, "green")]


def filtered(items: DataFrame, parts: DataFrame) -> DataFrame:
    priced = items.withColumn("twice", F.col("n") * 2).withColumn("more", F.col("n") + 1)
    return priced.join(parts, "part").filter("twice > 30").filter("color <> 'blue'")


def grouped(items: DataFrame, parts: DataFrame) -> DataFrame:
    kept = items.filter("n < 10").join(parts.filter("color <> 'red'"), "part", "left_anti")
    return kept.groupBy("id").agg(F.sum("n").alias("total"), F.count("*").alias("rows")).filter("total > 100")


def united(items: DataFrame, parts: DataFrame) -> DataFrame:
    return items.select("id", "n").union(items.filter("n > 6").select("id", "n")).orderBy("n", "id").limit(1)


QUESTIONS: dict[str, tuple[Callable[[DataFrame, DataFrame], DataFrame], dict[str, Any]]] = {
    "filtered": (filtered, {"id": 1}),
    "grouped": (grouped, {"id": 1, "total": gt(0)}),
    "united": (united, {"id": 3}),
}


def rewritten_by(rewrites: Sequence[Rewrite]) -> Callable[[DataFrame, Limits], ClassicEngine]:
    return lambda df, limits: ClassicEngine(df, limits, rewrites)


@pytest.mark.spark
@pytest.mark.parametrize("name", QUESTIONS)
def test_the_answer_does_not_depend_on_rewrites(
    name: str, spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    query, missing = QUESTIONS[name]
    items = spark.createDataFrame(ITEMS, "id int, part string, n int")
    df = query(items, spark.createDataFrame(PARTS, "part string, color string"))
    answers = []
    for rewrites in ((), RULES):
        monkeypatch.setattr(api, "engine_for", rewritten_by(rewrites))
        answers.append(why_not(df, missing))
    without, with_all = answers
    assert without.outcome == "explained"
    assert str(without) == str(with_all)
    assert without.to_dict() == with_all.to_dict()
