"""Projections one after the other become one, and compute nothing twice."""

from __future__ import annotations

from sparkwhy.plan.build import call, carry
from sparkwhy.plan.exprs import And, Compare, Expr, Literal, Opaque, Ref
from sparkwhy.plan.nodes import Column, Filter, OpId, Plan, Project
from sparkwhy.plan.types import BOOLEAN, INTEGER
from sparkwhy.plan.walk import walk
from sparkwhy.rewrite.merge_projections import lowered, merged, sunk
from tests.plan.test_nodes import attribute, table

N, X, Y = attribute(1, "n"), attribute(2, "x"), attribute(3, "y")


def plus(value: Expr, number: int) -> Expr:
    return call("+", value, Literal(number, INTEGER))


def with_x() -> Project:
    return Project(id=OpId(2), input=table(1, N), columns=(*carry((N,)), Column(X, plus(Ref(N), 1))))


def kinds(plan: Plan) -> list[str]:
    return [node.kind for node in walk(plan)]


def test_columns_that_were_added_one_by_one_are_added_at_once() -> None:
    y = Column(Y, plus(Ref(N), 2))
    plan = merged(Project(id=OpId(3), input=with_x(), columns=(*carry((N, X)), y)))
    assert isinstance(plan, Project)
    assert kinds(plan) == ["table", "project"]
    assert plan.columns == (*carry((N,)), Column(X, plus(Ref(N), 1)), y)


def test_only_projections_that_compute_little_become_one() -> None:
    y = Column(Y, plus(Ref(N), 2))
    plan = Project(id=OpId(3), input=with_x(), columns=(*carry((N, X)), y))
    assert kinds(merged(plan, most=6)) == ["table", "project"]
    assert merged(plan, most=5) == plan


def test_what_is_dropped_again_is_not_computed() -> None:
    plan = merged(Project(id=OpId(3), input=with_x(), columns=carry((N,))))
    assert isinstance(plan, Project)
    assert plan.columns == carry((N,))


def test_a_column_that_reads_another_stays_above_it() -> None:
    plan = Project(id=OpId(3), input=with_x(), columns=(*carry((N, X)), Column(Y, plus(Ref(X), 2))))
    assert merged(plan) == plan


def test_a_column_that_takes_the_place_of_another_is_not_mixed_up_with_it() -> None:
    below = Project(id=OpId(2), input=table(1, N), columns=(Column(N, plus(Ref(N), 1)),))
    plan = Project(id=OpId(3), input=below, columns=(*carry((N,)), Column(Y, plus(Ref(N), 2))))
    assert merged(plan) == plan
    carried = merged(Project(id=OpId(3), input=below, columns=carry((N,))))
    assert isinstance(carried, Project)
    assert carried.columns == (Column(N, plus(Ref(N), 1)),)


def test_what_stands_between_stays_between() -> None:
    between = Filter(id=OpId(3), input=with_x(), condition=Literal(True, BOOLEAN))
    plan = Project(id=OpId(4), input=between, columns=(*carry((N, X)), Column(Y, plus(Ref(N), 2))))
    assert kinds(merged(plan)) == ["table", "project", "filter", "project"]


# --- filters below projections ---


def few(input: Plan, value: Expr) -> Filter:
    return Filter(id=OpId(9), input=input, condition=Compare("<", value, Literal(3, INTEGER)))


def test_a_filter_sinks_below_what_is_computed() -> None:
    y = Project(id=OpId(3), input=with_x(), columns=(*carry((N, X)), Column(Y, plus(Ref(X), 2))))
    plan = sunk(few(y, Ref(Y)))
    assert kinds(plan) == ["table", "filter", "project", "project"]
    (found,) = [node for node in walk(plan) if isinstance(node, Filter)]
    assert found.condition == few(y, plus(plus(Ref(N), 1), 2)).condition


def test_a_filter_reads_what_a_column_was_before_another_took_its_place() -> None:
    below = Project(id=OpId(2), input=table(1, N), columns=(Column(N, plus(Ref(N), 1)),))
    (found,) = [node for node in walk(sunk(few(below, Ref(N)))) if isinstance(node, Filter)]
    assert found.condition == few(below, plus(Ref(N), 1)).condition


def test_a_filter_stays_above_what_only_spark_understands() -> None:
    for given in (Opaque("slow(n)", (Ref(N),), INTEGER), Opaque("rand()", (), INTEGER, deterministic=False)):
        above = Project(id=OpId(2), input=table(1, N), columns=(*carry((N,)), Column(X, given)))
        assert sunk(few(above, Ref(X))) == few(above, Ref(X))
    assert sunk(few(above, Ref(N))) == few(above, Ref(N))  # other rows would get other numbers


def test_a_condition_that_would_become_too_long_is_not_repeated() -> None:
    plan: Plan = table(1, N)
    for step in range(30):  # twice as long with each
        plan = Project(id=OpId(step + 2), input=plan, columns=(Column(N, call("+", Ref(N), Ref(N))),))
    depth = kinds(sunk(few(plan, Ref(N)))).index("filter")
    assert 15 < depth < 25


# --- filters that Spark is not to move ---


def test_what_is_only_passed_on_is_asked_first() -> None:
    marked = few(with_x(), Ref(X))
    plan = lowered(few(marked, Ref(N)))
    assert kinds(plan) == ["table", "filter", "project", "filter"]
    first, second = (node for node in walk(plan) if isinstance(node, Filter))
    assert first.condition == few(marked, Ref(N)).condition
    assert second.condition == marked.condition, "what is computed is asked where it was"


def test_of_a_condition_only_the_part_that_is_passed_on_is_asked_first() -> None:
    both = And((few(with_x(), Ref(X)).condition, few(with_x(), Ref(N)).condition))
    plan = lowered(Filter(id=OpId(9), input=with_x(), condition=both))
    assert [node.condition for node in walk(plan) if isinstance(node, Filter)] == [both.operands[1], both.operands[0]]


def test_what_may_fail_stays_behind_the_filters_before_it() -> None:
    guarded = few(few(with_x(), Ref(X)), plus(Ref(N), 1))
    assert lowered(guarded) == guarded


def test_chance_decides_on_the_rows_that_it_decided_on() -> None:
    given = Opaque("rand()", (), INTEGER, deterministic=False)
    above = few(Project(id=OpId(2), input=table(1, N), columns=(*carry((N,)), Column(X, given))), Ref(N))
    assert lowered(above) == above
