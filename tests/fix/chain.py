"""The whole way from a plan and a question to ranked explanations, in the interpreter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from random import Random
from typing import Any

from sparkwhy.alternatives.aggregates import with_other_functions
from sparkwhy.alternatives.variant import Alternatives, QueryVariant
from sparkwhy.backtrace.backtrace import Conditions
from sparkwhy.explain.candidates import Claim, candidate_plan, candidates_of, explain
from sparkwhy.explain.model import Explanation
from sparkwhy.explain.rank import rank, split_shown
from sparkwhy.explain.stricter_filters import propose_stricter_filters
from sparkwhy.fix.context import FixContext
from sparkwhy.fix.search.search import FixSearch
from sparkwhy.fix.tighten import drop_needless_changes, tighten_fixes
from sparkwhy.memory.interpreter import run
from sparkwhy.memory.values import Row
from sparkwhy.plan.nodes import OpId, Plan
from sparkwhy.plan.walk import inputs, walk
from sparkwhy.trace.trace import trace
from tests.memory_engine import MemoryEngine
from tests.trace.plans import Generator
from tests.trace.test_law import MOST_DROPPERS, droppers, meeting
from tests.trace.test_law_of_alternatives import alternatives, is_determined

Tables = dict[OpId, list[Row]]


@dataclass(frozen=True)
class Case:
    """A plan, what is in its tables, what is asked, and other readings."""

    plan: Plan
    tables: Tables
    conditions: Conditions
    alternatives: tuple[QueryVariant, ...]

    @classmethod
    def of(cls, plan: Plan, tables: Tables, conditions: Conditions, others: Sequence[Plan] = ()) -> Case:
        rewritten = (QueryVariant({f"a{i}": f"b{i}"}, each, changed(plan, each)) for i, each in enumerate(others))
        readings = Alternatives((QueryVariant({}, plan, ()), *rewritten), ())
        return cls(plan, tables, conditions, with_other_functions(readings, conditions).found)

    def rows(self, plan: Plan) -> list[Row]:
        return run(plan, self.tables)

    def matching(self, plan: Plan) -> list[Row]:
        return run(meeting(plan, self.conditions), self.tables)


def changed(plan: Plan, other: Plan) -> tuple[OpId, ...]:
    """The operators that are other ones, whatever is below them."""
    known = {node.id: parameters(node) for node in walk(plan)}
    return tuple(node.id for node in walk(other) if parameters(node) != known[node.id])


def parameters(node: Plan) -> tuple[Any, ...]:
    below = inputs(node)
    values = [getattr(node, field.name) for field in fields(node)]
    return tuple(value for value in values if not any(value is each for each in below) and value != below)


@dataclass(frozen=True)
class Tried:
    """What came out: the claims before, the verdicts with their repairs, and the explanations in order."""

    claims: tuple[Claim, ...]
    verdicts: tuple[Claim, ...]
    judged: tuple[Claim, ...]
    ranked: tuple[Explanation, ...]

    @property
    def verified(self) -> list[Claim]:
        return [each for each in self.judged if each.verified]


def claims_of(case: Case) -> tuple[tuple[Claim, ...], FixContext]:
    others = [each.plan for each in case.alternatives[1:]]
    traced = trace(case.plan, case.conditions, alternatives=others, records=True)
    candidates = candidates_of(traced, run(candidate_plan(traced), case.tables), "UTC")
    candidates += propose_stricter_filters(traced, candidates)
    return explain(case.alternatives, traced.bits, candidates), FixContext(case.alternatives, traced.bits, "UTC")


def tried(case: Case, *, bounded: bool = False) -> Tried:
    """What comes out; with `bounded` side effects are counted as if there was much data."""
    claims, query = claims_of(case)
    trial = FixSearch(MemoryEngine(case.tables), query, case.conditions, large=bounded)
    verdicts = trial.verdicts(claims)
    kept, _ = split_shown(verdicts)
    counted = trial.with_effects(drop_needless_changes(trial, kept), examples=not bounded)
    judged = tighten_fixes(trial, counted, examples=not bounded)
    return Tried(claims, verdicts, judged, rank(judged))


def generated(label: str, count: int, others: int, *, grouped: bool = False) -> list[Case]:
    """Questions about missing rows, with so many other readings; if `grouped`, of queries that end with groups."""
    found = []
    for seed in range(count):
        generator = Generator(Random(f"{label}/{seed}"))
        plan = generator.plan(1 + seed % 5)
        if grouped:
            plan = generator.aggregate(plan)
            above = generator.random.choice([generator.project, generator.narrow, None])
            plan = plan if above is None else above(plan)
        if len(droppers(plan)) <= MOST_DROPPERS and is_determined(plan):
            readings = alternatives(generator, plan, others)
            conditions = tuple(generator.condition(plan) for _ in range(generator.random.randint(1, 2)))
            case = Case.of(plan, generator.tables, conditions, readings)
            if not case.matching(plan):
                found.append(case)
    return found
