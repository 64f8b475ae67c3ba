"""The drawing of a plan: data flows down, and nothing lies over anything else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import combinations
from random import Random

import pytest

from sparkwhy.plan.exprs import Compare, Literal, Ref
from sparkwhy.plan.nodes import Filter, OpId, Plan, Union
from sparkwhy.plan.show import main_nodes
from sparkwhy.plan.types import INTEGER
from sparkwhy.report.graph import Box, Graph, draw, layout, stack
from tests.report.answers import CITY, ID, PLAN, YEAR
from tests.trace.plans import Generator


def plans() -> list[Plan]:
    return [Generator(Random(f"drawing/{seed}")).plan(seed % 12) for seed in range(120)]


def apart(one: Box, other: Box, graph: Graph) -> bool:
    width = graph.width - max(box.x for box in graph.boxes.values())
    beside = one.x + width <= other.x or other.x + width <= one.x
    return beside or one.bottom <= other.y or other.bottom <= one.y


def many_inputs() -> Plan:
    """A union of so many tables that their arrows must be drawn close together."""
    tables = [replace(PLAN.left, id=OpId(step)) for step in range(1, 41)]
    return Union(id=OpId(41), branches=tuple(tables), attributes=(ID, CITY))


@pytest.mark.parametrize("place", [layout, stack])
def test_every_step_has_a_box_and_none_lies_over_another(place: Callable[[Plan], Graph]) -> None:
    for plan in (*plans(), many_inputs()):
        graph = place(plan)
        assert list(graph.boxes) == list(main_nodes(plan))
        assert all(apart(one, other, graph) for one, other in combinations(graph.boxes.values(), 2))


@pytest.mark.parametrize("place", [layout, stack])
def test_data_flows_down(place: Callable[[Plan], Graph]) -> None:
    for plan in plans():
        graph = place(plan)
        assert all(graph.boxes[arrow.below].bottom < graph.boxes[arrow.step].y for arrow in graph.arrows)
        assert {arrow.below for arrow in graph.arrows} == set(graph.boxes) - {plan.id.step}


def test_in_one_column_arrows_go_straight_down_beside_all_boxes_between() -> None:
    for plan in (*plans(), many_inputs()):
        graph = stack(plan)
        width = graph.width - max(box.x for box in graph.boxes.values())
        for arrow in graph.arrows:
            below, step = graph.boxes[arrow.below], graph.boxes[arrow.step]
            between = [box for box in graph.boxes.values() if below.y < box.y < step.y]
            assert arrow.start == arrow.end
            assert all(not box.x <= arrow.start <= box.x + width for box in between)
            assert below.x < arrow.start < below.x + width
            assert step.x < arrow.end < step.x + width


def test_a_query_without_joins_looks_the_same_in_one_column() -> None:
    plan = PLAN.right
    assert stack(plan).boxes == layout(plan).boxes
    assert stack(PLAN).width < layout(PLAN).width


@pytest.mark.parametrize("place", [layout, stack])
def test_the_drawing_begins_at_the_corner(place: Callable[[Plan], Graph]) -> None:
    for plan in plans():
        boxes = place(plan).boxes.values()
        assert min(box.x for box in boxes) == min(box.y for box in boxes) == 0


def test_a_join_stands_in_the_middle_under_what_it_reads() -> None:
    boxes = layout(PLAN).boxes
    assert boxes[4].x == (boxes[1].x + boxes[3].x) / 2
    assert boxes[1].y == boxes[3].y
    assert boxes[2].x == boxes[3].x


def test_long_texts_are_cut_and_told_in_full_in_the_title() -> None:
    many = [Compare(">=", Ref(YEAR), Literal(n, INTEGER)) for n in range(60)]
    plan: Plan = PLAN
    for n, condition in enumerate(many):
        plan = Filter(id=OpId(5 + n), input=plan, condition=condition)
    name = "a_very_long_name_" * 20
    long = layout(Filter(id=OpId(99), input=plan, condition=Compare("=", Ref(YEAR), Literal(name, INTEGER))))
    box = long.boxes[99]
    assert len(box.lines) == 3
    assert box.lines[-1].endswith("…")
    assert name in draw(long).text


def test_a_deep_plan_is_no_problem() -> None:
    plan: Plan = PLAN
    for step in range(5, 1500):
        plan = Filter(id=OpId(step), input=plan, condition=Compare(">=", Ref(YEAR), Literal(step, INTEGER)))
    graph = layout(plan)
    assert len(graph.boxes) == 1499
    assert len(graph.arrows) == 1498
