"""More operators that drop rows than there are bits: the same candidates, found in several rounds."""

from __future__ import annotations

from random import Random

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import sparkwhy
from sparkwhy import Limits
from sparkwhy.backtrace.backtrace import Conditions
from sparkwhy.explain.candidates import Candidate, candidate_plan, candidates_of, smallest
from sparkwhy.explain.coarse_bits import Coarse, find_coarse_bits, select_single
from sparkwhy.memory.interpreter import run
from sparkwhy.plan.nodes import Plan
from sparkwhy.plan.traits import query_reacts
from sparkwhy.trace import blame as bits
from sparkwhy.trace.blame import Dropper
from sparkwhy.trace.trace import TracedQuery, trace
from tests.fix.chain import Tables
from tests.trace.plans import Generator

FEW = 6
Sets = set[frozenset[Dropper]]


def find(tables: Tables, traced: TracedQuery) -> tuple[Candidate, ...]:
    return candidates_of(traced, run(candidate_plan(traced), tables), "UTC")


def least(traced: TracedQuery, found: tuple[Candidate, ...]) -> Sets:
    """The sets of which no part is enough."""
    sets = {frozenset(traced.bits.droppers(each.blame)) for each in smallest(found)}
    return {each for each in sets if not any(other < each for other in sets)}


def in_rounds(plan: Plan, conditions: Conditions, tables: Tables) -> tuple[Sets, int]:
    rounds = 0

    def traced_with(coarse: Coarse) -> TracedQuery:
        nonlocal rounds
        rounds += 1
        return trace(plan, conditions, coarse=coarse)

    coarse = find_coarse_bits(traced_with, lambda traced: find(tables, traced), plan, 2)
    traced = trace(plan, conditions, coarse=coarse)
    return least(traced, select_single(traced.bits, find(tables, traced))), rounds


def test_what_is_found_in_rounds_is_what_is_found_at_once() -> None:
    several = checked = 0
    for seed in range(600):
        generator = Generator(Random(f"bundles/{seed}"))
        plan = generator.plan(3 + seed % 4)
        if any(query_reacts(plan).values()):
            continue
        conditions = (generator.condition(plan),)
        at_once = trace(plan, conditions)
        expected = least(at_once, find(generator.tables, at_once))
        found, rounds = in_rounds(plan, conditions, generator.tables)
        assert found == expected
        checked, several = checked + bool(expected), several + (rounds > 1)
    assert checked >= 10
    assert several >= 10


@pytest.mark.spark
def test_a_query_with_more_filters_than_bits_is_explained(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bits, "MAX_BITS", FEW)
    df = spark.createDataFrame([(1, 5), (2, 5)], "k int, v int")
    for bound in (10, 20, 30, 4, 40, 50, 3, 60, 70):
        df = df.filter(F.col("v") < bound)
    answer = sparkwhy.why_not(df, {"k": 1}, limits=Limits(coarse_bits=4))
    (found,) = answer.explanations
    assert [operator.text for operator in found.operators] == ["filter v < 4", "filter v < 3"]
    assert found.verified
    assert any("more conditions that drop rows" in warning for warning in answer.warnings)
