"""The law of tracing where what was written once is used twice: a set of operators relaxes all uses of each."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from sparkwhy.plan.nodes import Filter, Join, Plan, Union
from sparkwhy.plan.show import show_plan
from sparkwhy.plan.uses import are_uses_alike, change_all_uses, mark_uses
from sparkwhy.plan.walk import fold, walk, with_inputs
from sparkwhy.trace.blame import droppers_of
from tests.trace.plans import MEMBERSHIP, PAIRING, Generator
from tests.trace.test_evaluate import check_evaluation
from tests.trace.test_law import MOST_DROPPERS, check_law, droppers
from tests.trace.use_again import use_again


def draw_with_uses(generator: Generator, size: int) -> Plan:
    """Draw a query that uses one part twice, with further operators on each side and above."""
    random = generator.random
    first = generator.plan(size)
    uses = (first, use_again(generator, first))
    left, right = (generator.filter(use) if random.random() < 0.3 else use for use in uses)
    plan = combine(generator, left, right)
    for _ in range(random.randint(0, 1)):
        plan = random.choice([generator.filter, generator.aggregate, generator.distinct])(plan)
    return plan


def combine(generator: Generator, left: Plan, right: Plan) -> Plan:
    if generator.random.random() < 0.2 and [a.type for a in left.output] == [a.type for a in right.output]:
        attributes = tuple(generator.attribute(a.name, a.type) for a in left.output)
        return Union(id=generator.id(), branches=(left, right), attributes=attributes)
    how = generator.random.choice([*PAIRING, *MEMBERSHIP, *MEMBERSHIP])
    condition = generator.join_condition(left, right)
    return Join(id=generator.id(), left=left, right=right, how=how, condition=condition)


@pytest.mark.parametrize("size", [1, 2, 3])
@pytest.mark.parametrize("asked", [False, True])
def test_a_set_relaxes_all_uses_of_its_operators(size: int, asked: bool) -> None:
    checked = 0
    for seed in range(200):
        generator = Generator(Random(f"uses/{size}/{asked}/{seed}"))
        plan = draw_with_uses(generator, size)
        if len(droppers(plan)) <= MOST_DROPPERS:
            conditions = (generator.condition(plan),) if asked else ()
            check_law(plan, generator.tables, conditions)
            check_evaluation(generator, [plan, plan], conditions)
            checked += any(node.use_of is not None and droppers_of(node) for node in walk(plan))
    assert checked >= 50


def test_uses_are_found_by_what_operators_do() -> None:
    for seed in range(100):
        generator = Generator(Random(f"found/{seed}"))
        plan = draw_with_uses(generator, 1 + seed % 3)
        unmarked = fold(plan, lambda node, below: replace(with_inputs(node, below), use_of=None))
        marked = mark_uses(unmarked, lambda one, other: one.name == other.name)
        pairs = zip(walk(marked), walk(plan), strict=True)
        assert all(found.use_of == node.use_of for found, node in pairs if node.use_of is not None), show_plan(plan)
        assert are_uses_alike(marked)


def test_a_change_changes_all_uses() -> None:
    generator = Generator(Random("changes"))
    first = generator.filter(generator.table())
    plan = combine(generator, first, use_again(generator, first))
    assert isinstance(first, Filter)
    changed = change_all_uses(plan, {first.id: replace(first, condition=generator.condition(first))})
    assert are_uses_alike(changed)
    assert sum(isinstance(node, Filter) and node.condition != first.condition for node in walk(changed)) == 2
