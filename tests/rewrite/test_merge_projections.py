"""Projections one after the other become one, and compute nothing twice."""

from __future__ import annotations

from sparkwhy.plan.build import call, carry
from sparkwhy.plan.exprs import Compare, Expr, Literal, Ref
from sparkwhy.plan.nodes import Column, Filter, OpId, Plan, Project
from sparkwhy.plan.types import BOOLEAN, INTEGER
from sparkwhy.plan.walk import walk
from sparkwhy.rewrite.merge_projections import merge_projections
from tests.plan.test_nodes import attribute, table

N, X, Y = attribute(1, "n"), attribute(2, "x"), attribute(3, "y")


def plus(value: Expr, number: int) -> Expr:
    return call("+", value, Literal(number, INTEGER))


def with_x() -> Project:
    return Project(id=OpId(2), input=table(1, N), columns=(*carry((N,)), Column(X, plus(Ref(N), 1))))


def kinds(plan: Plan) -> list[str]:
    return [node.kind for node in walk(plan)]


def keep_few(input: Plan, value: Expr) -> Filter:
    return Filter(id=OpId(9), input=input, condition=Compare("<", value, Literal(3, INTEGER)))


def test_columns_that_were_added_one_by_one_are_added_at_once() -> None:
    y = Column(Y, plus(Ref(N), 2))
    plan = merge_projections(Project(id=OpId(3), input=with_x(), columns=(*carry((N, X)), y)))
    assert isinstance(plan, Project)
    assert kinds(plan) == ["table", "project"]
    assert plan.columns == (*carry((N,)), Column(X, plus(Ref(N), 1)), y)


def test_only_projections_that_compute_little_become_one() -> None:
    y = Column(Y, plus(Ref(N), 2))
    plan = Project(id=OpId(3), input=with_x(), columns=(*carry((N, X)), y))
    assert kinds(merge_projections(plan, most=6)) == ["table", "project"]
    assert merge_projections(plan, most=5) == plan


def test_what_is_dropped_again_is_not_computed() -> None:
    plan = merge_projections(Project(id=OpId(3), input=with_x(), columns=carry((N,))))
    assert isinstance(plan, Project)
    assert plan.columns == carry((N,))


def test_a_column_that_reads_another_stays_above_it() -> None:
    plan = Project(id=OpId(3), input=with_x(), columns=(*carry((N, X)), Column(Y, plus(Ref(X), 2))))
    assert merge_projections(plan) == plan


def test_a_column_that_takes_the_place_of_another_is_not_mixed_up_with_it() -> None:
    below = Project(id=OpId(2), input=table(1, N), columns=(Column(N, plus(Ref(N), 1)),))
    plan = Project(id=OpId(3), input=below, columns=(*carry((N,)), Column(Y, plus(Ref(N), 2))))
    assert merge_projections(plan) == plan
    carried = merge_projections(Project(id=OpId(3), input=below, columns=carry((N,))))
    assert isinstance(carried, Project)
    assert carried.columns == (Column(N, plus(Ref(N), 1)),)


def test_what_stands_between_stays_between() -> None:
    between = Filter(id=OpId(3), input=with_x(), condition=Literal(True, BOOLEAN))
    plan = Project(id=OpId(4), input=between, columns=(*carry((N, X)), Column(Y, plus(Ref(N), 2))))
    assert kinds(merge_projections(plan)) == ["table", "project", "filter", "project"]
