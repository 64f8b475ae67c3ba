"""Filters move below projections, and read what these compute."""

from __future__ import annotations

from sparkwhy.plan.build import call, carry
from sparkwhy.plan.exprs import Opaque, Ref
from sparkwhy.plan.nodes import Column, Filter, OpId, Plan, Project
from sparkwhy.plan.types import INTEGER
from sparkwhy.plan.walk import walk
from sparkwhy.rewrite.sink_filters import sink_filters
from tests.plan.test_nodes import table
from tests.rewrite.test_merge_projections import N, X, Y, keep_few, kinds, plus, with_x


def test_a_filter_sinks_below_what_is_computed() -> None:
    y = Project(id=OpId(3), input=with_x(), columns=(*carry((N, X)), Column(Y, plus(Ref(X), 2))))
    plan = sink_filters(keep_few(y, Ref(Y)))
    assert kinds(plan) == ["table", "filter", "project", "project"]
    (found,) = [node for node in walk(plan) if isinstance(node, Filter)]
    assert found.condition == keep_few(y, plus(plus(Ref(N), 1), 2)).condition


def test_a_filter_reads_what_a_column_was_before_another_took_its_place() -> None:
    below = Project(id=OpId(2), input=table(1, N), columns=(Column(N, plus(Ref(N), 1)),))
    (found,) = [node for node in walk(sink_filters(keep_few(below, Ref(N)))) if isinstance(node, Filter)]
    assert found.condition == keep_few(below, plus(Ref(N), 1)).condition


def test_a_filter_stays_above_what_only_spark_understands() -> None:
    for given in (Opaque("slow(n)", (Ref(N),), INTEGER), Opaque("rand()", (), INTEGER, deterministic=False)):
        above = Project(id=OpId(2), input=table(1, N), columns=(*carry((N,)), Column(X, given)))
        assert sink_filters(keep_few(above, Ref(X))) == keep_few(above, Ref(X))
    assert sink_filters(keep_few(above, Ref(N))) == keep_few(above, Ref(N))  # other rows would get other numbers


def test_a_condition_that_would_become_too_long_is_not_repeated() -> None:
    plan: Plan = table(1, N)
    for step in range(30):  # twice as long with each
        plan = Project(id=OpId(step + 2), input=plan, columns=(Column(N, call("+", Ref(N), Ref(N))),))
    depth = kinds(sink_filters(keep_few(plan, Ref(N)))).index("filter")
    assert 15 < depth < 25
