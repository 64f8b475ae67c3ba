"""Deciding many bounds by halving, beside golden files: the expressions, and their values for each row."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from sparkwhy.memory.interpreter import run
from sparkwhy.plan.exprs import And, Compare, CompareOp, Expr, Literal, Ref
from sparkwhy.plan.nodes import Column, OpId, Project
from sparkwhy.plan.show_nodes import show_exactly
from sparkwhy.plan.types import INTEGER, LONG
from sparkwhy.trace.bounds_by_halving import Part, blames, parts_of
from tests.golden_files import CheckGolden, Tables, check_no_other, show_rows
from tests.plan.test_nodes import attribute, table

X, Y = attribute(1, "x"), attribute(2, "y")
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
    parts = parts_of([Part(condition, 1 << i) for i, condition in enumerate(conditions)])
    found = blames(parts)
    made = [Column(attribute(10 + i, f"blame{i}", LONG), expr) for i, expr in enumerate(found)]
    columns = (Column(X, Ref(X)), Column(Y, Ref(Y)), *made)
    plan = Project(id=OpId(2), input=table(1, X, Y), columns=columns)
    for row, (x, y) in zip(run(plan, ROWS), ROWS[OpId(1)], strict=True):
        (verdicts,) = run(_test(conditions), {OpId(1): [(x, y)]})
        blamed = sum(1 << i for i, holds in enumerate(verdicts) if holds is not True)
        assert _union(row[2:]) == blamed, (x, y)
    shown = {
        "conditions": "\n".join(f"bit {i}: {show_exactly(each)}" for i, each in enumerate(conditions)),
        "blame": "\n".join(map(show_exactly, found)),
    }
    check_golden(f"bounds_by_halving/{name}.txt", shown | {"rows": show_rows(plan, ROWS)})


def _test(conditions: Sequence[Expr]) -> Project:
    columns = tuple(Column(attribute(20 + i, "c", c.type), c) for i, c in enumerate(conditions))
    return Project(id=OpId(2), input=table(1, X, Y), columns=columns)


def _union(sets: Sequence[int]) -> int:
    found = 0
    for each in sets:
        found |= each
    return found


def test_no_condition_blames_nothing() -> None:
    assert blames(parts_of([])) == []


def test_every_golden_file_has_a_test() -> None:
    check_no_other("bounds_by_halving", CASES)
