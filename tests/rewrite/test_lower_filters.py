"""What projections pass on is tested before them, where the test cannot fail."""

from __future__ import annotations

from sparkwhy.plan.build import carry
from sparkwhy.plan.exprs import And, Opaque, Ref
from sparkwhy.plan.nodes import Column, Filter, OpId, Project
from sparkwhy.plan.types import INTEGER
from sparkwhy.plan.walk import walk
from sparkwhy.rewrite.lower_filters import lower_filters
from tests.plan.test_nodes import table
from tests.rewrite.test_merge_projections import N, X, keep_few, kinds, plus, with_x


def test_what_is_only_passed_on_is_asked_first() -> None:
    marked = keep_few(with_x(), Ref(X))
    plan = lower_filters(keep_few(marked, Ref(N)))
    assert kinds(plan) == ["table", "filter", "project", "filter"]
    first, second = (node for node in walk(plan) if isinstance(node, Filter))
    assert first.condition == keep_few(marked, Ref(N)).condition
    assert second.condition == marked.condition, "what is computed is asked where it was"


def test_of_a_condition_only_the_part_that_is_passed_on_is_asked_first() -> None:
    both = And((keep_few(with_x(), Ref(X)).condition, keep_few(with_x(), Ref(N)).condition))
    plan = lower_filters(Filter(id=OpId(9), input=with_x(), condition=both))
    assert [node.condition for node in walk(plan) if isinstance(node, Filter)] == [both.operands[1], both.operands[0]]


def test_what_may_fail_stays_behind_the_filters_before_it() -> None:
    guarded = keep_few(keep_few(with_x(), Ref(X)), plus(Ref(N), 1))
    assert lower_filters(guarded) == guarded


def test_chance_decides_on_the_rows_that_it_decided_on() -> None:
    given = Opaque("rand()", (), INTEGER, deterministic=False)
    above = keep_few(Project(id=OpId(2), input=table(1, N), columns=(*carry((N,)), Column(X, given))), Ref(N))
    assert lower_filters(above) == above
