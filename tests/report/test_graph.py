"""The drawing of a plan: data flows down, and nothing lies over anything else."""

from __future__ import annotations

from itertools import combinations
from random import Random

from sparkwhy.plan.exprs import Compare, Literal, Ref
from sparkwhy.plan.nodes import Filter, OpId, Plan
from sparkwhy.plan.show import main_nodes
from sparkwhy.plan.types import INTEGER
from sparkwhy.report.graph import Box, Graph, draw, layout
from tests.report.answers import PLAN, YEAR
from tests.trace.plans import Generator


def plans() -> list[Plan]:
    return [Generator(Random(f"drawing/{seed}")).plan(seed % 12) for seed in range(120)]


def apart(one: Box, other: Box, graph: Graph) -> bool:
    width = graph.width - max(box.x for box in graph.boxes.values())
    beside = one.x + width <= other.x or other.x + width <= one.x
    return beside or one.bottom[1] <= other.y or other.bottom[1] <= one.y


def test_every_step_has_a_box_and_none_lies_over_another() -> None:
    for plan in plans():
        graph = layout(plan)
        assert list(graph.boxes) == list(main_nodes(plan))
        assert all(apart(one, other, graph) for one, other in combinations(graph.boxes.values(), 2))


def test_data_flows_down() -> None:
    for plan in plans():
        graph = layout(plan)
        assert all(graph.boxes[below].bottom[1] < graph.boxes[step].y for below, step in graph.edges)
        assert {below for below, _ in graph.edges} == set(graph.boxes) - {plan.id.step}


def test_the_drawing_begins_at_the_corner() -> None:
    for plan in plans():
        boxes = layout(plan).boxes.values()
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
    assert len(graph.edges) == 1498
