"""The order of explanations, as docs/ranking.md tells it."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations

from sparkwhy.explain.candidates import Claim
from sparkwhy.explain.model import Explanation, Fix, FixKind, Operator, SideEffects
from sparkwhy.explain.rank import rank, split_shown
from sparkwhy.explain.repair import Repair
from sparkwhy.fix.judge import with_effects
from sparkwhy.fix.kinds import total_cost
from sparkwhy.messages import Message
from sparkwhy.plan.nodes import OpId
from sparkwhy.trace.blame import Dropper
from tests.plan.test_nodes import attribute, table

PLAN = table(1, attribute(1, "k"))


def judged(*steps: int, kind: FixKind = "constant", effects: int | None = 0, certain: bool = True) -> Claim:
    """A verified explanation with fixes of one kind."""
    operators = tuple(Operator(step, "filter", f"filter {step}") for step in steps)
    fixes = tuple(Fix(operator, "before", "after", kind) for operator in operators)
    counted = None if effects is None else SideEffects(effects, effects)
    told = Explanation(operators, 1, certain, fixes=fixes, verified=True, side_effects=counted, plan=PLAN)
    repair = Repair(PLAN, frozenset(), fixes, cost=total_cost(fix.kind for fix in fixes))
    return Claim(tuple(map(OpId, steps)), told, repair=repair)


def possible(*steps: int) -> Claim:
    found = judged(*steps, effects=None)
    untried = replace(found.explanation, fixes=(), verified=False, reason=Message("no_constant_known"))
    return Claim(found.ops, untried)


def order(*found: Claim) -> list[tuple[int, ...]]:
    """The operators of explanations in their order, whatever the order in which they come."""
    orders = {tuple(steps(each) for each in rank(given)) for given in permutations(found)}
    assert len(orders) == 1
    return list(orders.pop())


def steps(explanation: Explanation) -> tuple[int, ...]:
    return tuple(operator.id for operator in explanation.operators)


def minimal(*found: Claim) -> dict[tuple[int, ...], bool | None]:
    return {steps(each): each.minimal for each in rank(found)}


def test_of_as_many_operators_what_was_verified_comes_before_what_is_only_possible() -> None:
    assert order(judged(1, 2, kind="other", effects=9), possible(3, 4)) == [(1, 2), (3, 4)]
    assert order(judged(1, 2, kind="other", effects=9), possible(3)) == [(3,), (1, 2)]


def test_what_is_certain_comes_before_a_value_within_reach_that_happens_to_work() -> None:
    assert order(possible(1, 2), judged(3, certain=False)) == [(1, 2), (3,)]


def test_a_row_of_real_data_comes_before_one_that_is_padded() -> None:
    padded = judged(1, kind="join type", effects=0)
    assert padded.repair is not None
    padded = replace(padded, repair=replace(padded.repair, relaxed=frozenset({Dropper(OpId(1))})))
    assert order(padded, judged(2, 3, effects=9)) == [(2, 3), (1,)]


def test_what_is_possible_comes_before_what_changes_more_than_is_needed() -> None:
    """An explanation that is dominated has a fix, but a better one is told already."""
    found = (judged(1), judged(1, 2), possible(3))
    assert minimal(*found) == {(1,): True, (1, 2): False, (3,): False}
    assert order(*found) == [(1,), (3,), (1, 2)]


def test_certain_comes_before_attainable() -> None:
    assert order(judged(1, 2), judged(3, certain=False)) == [(1, 2), (3,)]


def test_fewer_operators_come_first() -> None:
    assert order(judged(1, 2, kind="attribute"), judged(3, kind="other", effects=9)) == [(3,), (1, 2)]


def test_of_as_many_side_effects_what_invents_less_comes_first() -> None:
    kinds: list[FixKind] = ["attribute", "join type", "comparison", "constant", "other"]
    found = [judged(step, kind=kind, effects=3) for step, kind in enumerate(kinds, 1)]
    assert order(*reversed(found)) == [(1,), (2,), (3,), (4,), (5,)]


def test_what_invents_nothing_comes_first_then_fewer_side_effects() -> None:
    kinds: list[FixKind] = ["attribute", "constant", "comparison", "join type"]
    found = [judged(step, kind=kind, effects=9 if step == 1 else step) for step, kind in enumerate(kinds, 1)]
    assert order(*reversed(found)) == [(1,), (2,), (3,), (4,)]


def test_fewer_side_effects_come_first() -> None:
    assert order(judged(1, effects=3), judged(2, effects=1), judged(3, effects=2)) == [(2,), (3,), (1,)]


def test_ranks_are_numbers_from_one() -> None:
    assert [each.rank for each in rank([possible(1), judged(2), judged(3)])] == [1, 2, 3]


# --- minimal ---


def test_a_part_of_the_operators_with_no_more_side_effects_dominates() -> None:
    assert minimal(judged(1, effects=2), judged(1, 2, effects=2)) == {(1,): True, (1, 2): False}
    assert minimal(judged(1, effects=2), judged(1, 2, effects=5)) == {(1,): True, (1, 2): False}


def test_fewer_side_effects_are_worth_another_operator() -> None:
    """The paper's example: another filter lets a whole new city in; another list of addresses only a name more."""
    assert minimal(judged(1, effects=2), judged(1, 2, effects=1)) == {(1,): True, (1, 2): True}


def test_other_operators_are_not_comparable() -> None:
    assert minimal(judged(1, effects=2), judged(2, 3, effects=9)) == {(1,): True, (2, 3): True}


def test_only_what_was_verified_is_minimal_or_dominates() -> None:
    assert minimal(possible(1), judged(1, 2)) == {(1,): False, (1, 2): True}


def test_where_nothing_was_counted_operators_decide() -> None:
    assert minimal(judged(1, effects=None), judged(1, 2, effects=None)) == {(1,): True, (1, 2): False}


def test_what_was_not_tried_is_neither() -> None:
    untried = Claim((OpId(1),), replace(judged(1).explanation, verified=None, fixes=()))
    assert minimal(untried) == {(1,): None}


# --- cores and extensions ---


def folded(*found: Claim) -> dict[tuple[int, ...], tuple[int | None, bool]]:
    """The core that each explanation extends, and whether it is told under it in one line."""
    return {steps(each): (each.extends, each.is_folded) for each in rank(found)}


def test_a_core_has_no_part_that_does_it() -> None:
    found = folded(judged(1, effects=2), judged(1, 2, effects=2), judged(2, 3), judged(1, 2, 3, effects=9))
    assert found == {(1,): (None, False), (2, 3): (None, False), (1, 2): (1, True), (1, 2, 3): (1, True)}


def test_what_has_strictly_fewer_side_effects_is_told_in_full() -> None:
    assert folded(judged(1, effects=2), judged(1, 2, effects=1)) == {(1,): (None, False), (1, 2): (1, False)}


def test_what_has_no_fix_is_told_under_a_part_of_it() -> None:
    assert folded(possible(1), possible(1, 2)) == {(1,): (None, False), (1, 2): (1, True)}
    assert folded(judged(1, certain=False), possible(1, 2)) == {(1,): (None, False), (1, 2): (1, True)}


def test_a_fix_is_told_in_full_beside_a_part_that_has_none() -> None:
    assert folded(possible(1), judged(1, 2)) == {(1,): (None, False), (1, 2): (1, False)}


def test_the_order_extends_that_of_the_paper() -> None:
    """Of what is told in short, certain ones came first, even before a part of them with no more side effects."""
    found = [judged(3), judged(2, 3, certain=False), judged(1, 2, 3), judged(1, 3), judged(2, certain=False)]
    placed = order(*found)
    for one, other in permutations(placed, 2):
        if set(one) < set(other):
            assert placed.index(one) < placed.index(other)


# --- what is shown ---


def test_what_is_only_attainable_and_does_not_work_is_only_tried() -> None:
    attainable = possible(2)
    attainable = replace(attainable, explanation=replace(attainable.explanation, certain=False))
    works = judged(3, certain=False)
    assert split_shown([possible(1), attainable, works]) == ((possible(1), works), (attainable,))


def test_effects_are_given_to_those_that_have_a_repair() -> None:
    counted: dict[tuple[OpId, ...], SideEffects] = {
        (OpId(2),): SideEffects(3, 3, 1, 2, ({"k": "1"},)),
        (OpId(3),): SideEffects(0, 0, 0, 0),
    }
    first, second = counted.values()
    found = [possible(1), judged(2, effects=None), judged(3, effects=None)]
    exact = with_effects(found, counted, examples=True)
    assert [each.explanation.side_effects for each in exact] == [None, first, second]
    bounds = with_effects(found, counted, examples=False)
    assert [each.explanation.side_effects for each in bounds] == [None, SideEffects(3, 3, 1, 2), second]
