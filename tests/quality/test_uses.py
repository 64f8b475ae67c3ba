"""What is written once and used twice: explanations are those of the oracle, which changes all uses at once."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from random import Random

from bench.quality_cases import MAX_STATES, Case, Maker, draw_question, is_determined, operators
from bench.quality_compare import Ours, in_steps, our_answer, steps_of
from sparkwhy.lab.changes import Changer
from sparkwhy.lab.oracle import is_relaxing, is_successful, judge_outcomes
from sparkwhy.lab.outcomes import possible_bags
from sparkwhy.lab.swaps import Swaps
from sparkwhy.memory.interpreter import DEFAULTS, run
from sparkwhy.plan.nodes import Plan
from sparkwhy.plan.uses import are_uses_alike
from tests.trace.test_law_of_uses import combine
from tests.trace.use_again import use_again

SEEDS = 250
MOST = 8


def draw(maker: Maker) -> Plan:
    random = maker.random
    first = maker.plan(random.randint(1, 2))
    uses = (first, use_again(maker, first))
    left, right = (maker.filter(use) if random.random() < 0.3 else use for use in uses)
    return combine(maker, left, right)


def case_with_uses(seed: str) -> Case | None:
    maker = Maker(Random(seed))
    plan = draw(maker)
    if operators(plan) > MOST or not is_determined(plan):
        return None
    found = possible_bags(plan, maker.tables, Changer(Swaps.of(plan, ()), MAX_STATES, DEFAULTS))
    question = draw_question(maker.random, plan, maker.tables, found)
    if question is None:
        return None
    oracle = judge_outcomes(plan, run(plan, maker.tables), found, question)
    return Case(seed, plan, maker.tables, (), question, oracle)


@cache
def cases() -> tuple[tuple[Case, Ours], ...]:
    made = (case_with_uses(f"uses/{i}") for i in range(SEEDS))
    return tuple((each, our_answer(each)) for each in made if each is not None)


def verified_plans() -> Iterator[tuple[Case, Plan]]:
    for case, ours in cases():
        for claim in ours.verified:
            assert claim.repair is not None
            yield case, claim.repair.fixed_plan


def test_there_are_enough_cases() -> None:
    assert len(cases()) >= 40
    assert len(list(verified_plans())) >= 40


def test_every_verified_fix_changes_all_uses_and_returns_the_row() -> None:
    for case, plan in verified_plans():
        assert are_uses_alike(plan), case.seed
        assert is_successful(plan, case.tables, case.question), case.seed


def test_what_relaxing_explains_is_found() -> None:
    """A fix that lets some rows through at both uses can work where none works that lets all through."""
    wanted = missed = 0
    for case, ours in cases():
        found = {steps_of(each) for each in (*ours.ranked, *ours.tried)}
        relaxing = {in_steps(each.changed_ops) for each in case.oracle.minimal if is_relaxing(each)}
        if not case.oracle.cut:
            wanted, missed = wanted + len(relaxing), missed + len(relaxing - found)
    assert wanted >= 40
    assert missed <= 0.03 * wanted
