"""What is said of fixes is true: by the definitions, on generated plans, in the interpreter."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator
from functools import cache
from typing import Any

import pytest

from sparkwhy.explain.candidates import Claim
from sparkwhy.explain.model import Explanation, SideEffects
from sparkwhy.lab.distance import ResultDifference, result_difference
from sparkwhy.memory.values import Row, unordered_bag
from sparkwhy.plan.nodes import Plan
from sparkwhy.plan.show import show_plan
from sparkwhy.plan.traits import is_grouping
from sparkwhy.plan.types import Array, Map, Type
from sparkwhy.plan.walk import walk
from tests.fix.chain import Case, Tried, changed, generated, tried
from tests.trace.test_law import bag, run_meeting

READINGS = [0, 2]
"""How many other readings of the query there are."""


@cache
def answers(others: int) -> list[tuple[Case, Tried]]:
    return [(case, tried(case)) for case in generated(f"fixes/{others}", 900 // (1 + others), others)]


def fixes(others: int) -> list[tuple[Case, Claim, Plan]]:
    """The verified explanations of all cases, each with its fixed query."""
    found = [(case, each) for case, answer in answers(others) for each in answer.verified]
    return [(case, each, each.repair.fixed_plan) for case, each in found if each.repair is not None]


def told(case: Case, each: Claim) -> str:
    fixed = "" if each.repair is None else show_plan(each.repair.fixed_plan)
    return f"{show_plan(case.plan)}\nfixed:\n{fixed}\n{case.tables}\n{case.conditions}\n{each.explanation}"


@pytest.mark.parametrize("others", READINGS)
def test_there_are_enough_cases(others: int) -> None:
    assert len(fixes(others)) >= 75


# --- what holds of each verified fix ---


def check_it_returns_a_row(case: Case, each: Claim, fixed: Plan) -> None:
    assert case.matching(fixed), told(case, each)


def check_it_changes_its_operators_only(case: Case, each: Claim, fixed: Plan) -> None:
    steps = {operator.id for operator in each.explanation.operators}
    assert {id.step for id in changed(case.plan, fixed)} == steps, told(case, each)
    assert {fix.operator.id for fix in each.explanation.fixes} == steps, told(case, each)


def check_its_alternative(case: Case, each: Claim, fixed: Plan) -> None:
    assert each.repair is not None
    (reading,) = [known for known in case.alternatives if known.plan is each.explanation.plan]
    assert each.explanation.alternative == reading.changes
    steps = {step.op for step in each.repair.changes}
    assert set(changed(reading.plan, fixed)) <= steps, told(case, each)


def check_its_side_effects(case: Case, each: Claim, fixed: Plan) -> None:
    types = [attribute.type for attribute in case.plan.output]
    expected = result_difference(other_rows(case, case.plan), other_rows(case, fixed), types)
    found = each.explanation.side_effects
    assert found is not None
    assert (found.added, found.removed) == (len(expected.entered), len(expected.left)), told(case, each)
    assert found.lower <= len(expected.entered) + len(expected.left) <= found.upper
    assert bool(found.added_rows) == bool(found.added)
    assert bool(found.removed_rows) == bool(found.removed)
    if any(isinstance(type, Array | Map) for type in types):
        assert (found.changed, found.distance) == by_elements(expected, types), told(case, each)


def by_elements(found: ResultDifference, types: list[Type]) -> tuple[int, int]:
    """How many rows that enter and leave have equal columns but for lists, and how many of their parts differ."""
    entering, leaving = ([take_apart(row, types) for row in rows] for rows in (found.entered, found.left))
    staying = Counter(others for others, _ in entering) & Counter(others for others, _ in leaving)
    entered, left = (Counter(part for row in rows for part in parts_of(*row)) for rows in (entering, leaving))
    return staying.total(), ((entered - left) + (left - entered)).total()


def take_apart(row: Row, types: list[Type]) -> tuple[Hashable, list[Hashable]]:
    """The columns of a row that are no lists, and the elements of those that are."""
    (values,) = unordered_bag([row], types)
    assert isinstance(values, tuple)
    lists = [at for at, type in enumerate(types) if isinstance(type, Array | Map)]
    elements: list[Hashable] = [(at, each) for at in lists for each in elements_of(values[at], types[at])]
    return tuple(value for at, value in enumerate(values) if at not in lists), elements


def elements_of(value: Any, type: Type) -> list[Hashable]:
    """The elements of a list as `unordered_bag` has it; a list that is null has one that no other list has."""
    if value is None:
        return ["null"]
    return list(Counter(dict(value)).elements() if isinstance(type, Array) else value)


def parts_of(others: Hashable, elements: list[Hashable]) -> list[Hashable]:
    return [(others,), *((others, each) for each in elements)]


def other_rows(case: Case, plan: Plan) -> list[Row]:
    """The rows of a plan that nobody asked for."""
    rows = case.rows(plan)
    asked = bag(run_meeting(plan, rows, case.conditions), plan)
    return [row for row in rows if not asked[next(iter(bag([row], plan)))]]


CHECKS = (check_it_returns_a_row, check_it_changes_its_operators_only, check_its_alternative, check_its_side_effects)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("others", READINGS)
def test_what_is_said_of_a_verified_fix_is_true(others: int, check: Callable[[Case, Claim, Plan], None]) -> None:
    for case, each, fixed in fixes(others):
        check(case, each, fixed)


def operators(explanation: Explanation) -> frozenset[int]:
    return frozenset(operator.id for operator in explanation.operators)


def is_below(one: Explanation, other: Explanation) -> bool:
    """The paper's order of two fixes: a part of the operators, and no more side effects."""
    return operators(one) <= operators(other) and distance(one) <= distance(other)


def distance(explanation: Explanation) -> int:
    known = explanation.side_effects
    assert known is not None
    assert known.lower == known.upper
    return known.upper if known.distance is None else known.distance


def test_bounds_hold_and_say_the_same_of_what_is_minimal() -> None:
    cases = generated("bounds", 500, 2)
    found = [known for case in cases if not any(map(is_grouping, walk(case.plan))) for known in bounds_of(case)]
    assert any(bounds.lower < bounds.upper for _, bounds in found)


@pytest.mark.parametrize("others", READINGS)
def test_bounds_on_groups_hold_and_say_the_same_of_what_is_minimal(others: int) -> None:
    cases = generated("bounds on groups", 250, others, grouped=True)
    found = [known for case in cases for known in bounds_of(case)]
    assert any(bounds.lower < bounds.upper for _, bounds in found)
    assert any(bounds.upper == bounds.lower > 0 for _, bounds in found)
    for exact, bounds in found:
        assert bounds.added is None or (bounds.added, bounds.removed) == (exact.added, exact.removed)


def bounds_of(case: Case) -> Iterator[tuple[SideEffects, SideEffects]]:
    """The exact side effects of each explanation, and the bounds on them, which hold."""
    exact, bounded = tried(case), tried(case, bounded=True)
    assert {e.operators: e.minimal for e in bounded.ranked} == {e.operators: e.minimal for e in exact.ranked}
    for one, other in zip(exact.judged, bounded.judged, strict=True):
        known, bounds = one.explanation.side_effects, other.explanation.side_effects
        assert (known is None) == (bounds is None)
        if known is not None and bounds is not None:
            assert bounds.lower <= known.lower <= bounds.upper, told(case, one)
            yield known, bounds


@pytest.mark.parametrize("others", READINGS)
def test_minimal_fixes_are_those_that_nothing_is_below(others: int) -> None:
    dominated = 0
    for _, answer in answers(others):
        verified = [each for each in answer.ranked if each.verified]
        for each in verified:
            below = [one for one in verified if one is not each and is_below(one, each)]
            assert each.minimal == (not below)
            assert each.minimal or any(one.minimal for one in below)
            dominated += not each.minimal
    assert dominated > 5


@pytest.mark.parametrize("others", READINGS)
def test_trying_fixes_loses_no_certain_explanation(others: int) -> None:
    for _, answer in answers(others):
        certain = {operators(claim.explanation) for claim in answer.claims if claim.explanation.certain}
        assert certain <= {operators(each) for each in answer.ranked}
        assert [each.rank for each in answer.ranked] == list(range(1, len(answer.ranked) + 1))


@pytest.mark.parametrize("others", READINGS)
def test_what_was_not_verified_says_why(others: int) -> None:
    for case, answer in answers(others):
        for each in answer.verdicts:
            assert (each.explanation.reason is None) == each.verified, told(case, each)
            assert (each.repair is not None) == each.verified
            assert each.explanation.verified is not None
