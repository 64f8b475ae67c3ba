"""Deciding many bounds by halving, beside golden files: the expressions, and their values for each row."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from sparkwhy.memory.interpreter import run
from sparkwhy.plan.exprs import And, Compare, CompareOp, Expr, Literal, Ref
from sparkwhy.plan.nodes import Column, OpId, Project
from sparkwhy.plan.show_nodes import show_exactly
from sparkwhy.plan.types import INTEGER, LONG
from sparkwhy.trace.evaluation.bounds_by_halving import QueryCondition, queries_kept, split_conjuncts
from tests.golden_files import CheckGolden, Tables, check_no_other, show_rows
from tests.plan.test_nodes import attribute, table

X, Y = attribute(1, "x"), attribute(2, "y")
ALL = 0b11111
ROWS: Tables = {OpId(1): [(x, y) for x in (None, 0, 1, 2, 3, 9) for y in (0, 1)]}


def bound(op: CompareOp, value: int) -> Expr:
    return Compare(op, Ref(X), Literal(value, INTEGER))


def few_bounds() -> Sequence[Expr]:
    return bound("<", 1), bound("<", 2)


def many_bounds() -> Sequence[Expr]:
    return bound("<", 1), bound("<=", 2), bound(">", 2), bound("=", 3), bound(">=", 9)


def a_shared_condition() -> Sequence[Expr]:
    shared = Compare("=", Ref(Y), Literal(1, INTEGER))
    return And((shared, bound("<", 1))), And((shared, bound("<", 3)))


CASES: dict[str, Callable[[], Sequence[Expr]]] = {
    case.__name__: case for case in (few_bounds, many_bounds, a_shared_condition)
}


@pytest.mark.parametrize("name", CASES)
def test_bounds(name: str, check_golden: CheckGolden) -> None:
    conditions = CASES[name]()
    parts = split_conjuncts([QueryCondition(condition, 1 << i) for i, condition in enumerate(conditions)])
    found = queries_kept(parts, ALL)
    made = [Column(attribute(10 + i, f"present{i}", LONG), expr) for i, expr in enumerate(found)]
    columns = (Column(X, Ref(X)), Column(Y, Ref(Y)), *made)
    plan = Project(id=OpId(2), input=table(1, X, Y), columns=columns)
    for row, (x, y) in zip(run(plan, ROWS), ROWS[OpId(1)], strict=True):
        (verdicts,) = run(_test(conditions), {OpId(1): [(x, y)]})
        kept = sum(1 << i for i, holds in enumerate(verdicts) if holds is True)
        assert _intersect(row[2:]) & (1 << len(conditions)) - 1 == kept, (x, y)
    shown = {
        "conditions": "\n".join(f"query {i}: {show_exactly(each)}" for i, each in enumerate(conditions)),
        "queries that keep the row": "\n".join(map(show_exactly, found)),
    }
    check_golden(f"bounds_by_halving/{name}.txt", shown | {"rows": show_rows(plan, ROWS)})


def _test(conditions: Sequence[Expr]) -> Project:
    columns = tuple(Column(attribute(20 + i, "c", c.type), c) for i, c in enumerate(conditions))
    return Project(id=OpId(2), input=table(1, X, Y), columns=columns)


def _intersect(sets: Sequence[int]) -> int:
    found = ALL
    for each in sets:
        found &= each
    return found


def test_without_conditions_there_is_nothing_to_decide() -> None:
    assert queries_kept(split_conjuncts([]), ALL) == []


def test_every_golden_file_has_a_test() -> None:
    check_no_other("bounds_by_halving", CASES)
