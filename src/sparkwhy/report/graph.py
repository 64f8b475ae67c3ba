"""The plan as a drawing: a box for each step, sources at the top, data flowing down.

There are two: inputs of a join side by side, or, where there is no room for that, all boxes in one column.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, zip_longest
from textwrap import wrap
from typing import TypeAlias

from sparkwhy.plan.nodes import Plan
from sparkwhy.plan.show import inputs_of_step, main_nodes, show_step, title_of
from sparkwhy.plan.walk import walk
from sparkwhy.report.flow import Flow
from sparkwhy.report.tags import Markup, element
from sparkwhy.report.values import show_controls

_CHARS = 34
_LINES = 3
_WIDTH = 272.0
_LINE = 16.0
_PAD = 10.0
_CHAR = 7.0
_ASIDE = 24.0
_BELOW = 44.0
"""The gap between layers has room for a label beside an edge."""

_LANE = 18.0
"""In one column, the room for the arrow of an input that waits for the others."""


_SMALLEST = 0.8
"""A drawing that is a little too wide is made smaller, down to this; one that is wider is scrolled."""


@dataclass(frozen=True)
class Box:
    """A step of the plan: where it is drawn, and what is written in it."""

    step: int
    title: str
    text: str
    where: str | None
    lines: tuple[str, ...]
    x: float
    y: float

    @property
    def height(self) -> float:
        return _height(self.lines, self.where)

    @property
    def bottom(self) -> float:
        return self.y + self.height

    @property
    def middle(self) -> float:
        return self.x + _WIDTH / 2


@dataclass(frozen=True)
class Arrow:
    """From a step to the one that reads it, with how far to the right it leaves the one and meets the other."""

    below: int
    step: int
    start: float
    end: float


@dataclass(frozen=True)
class Graph:
    """Boxes by step, the last one for the result, and arrows between them."""

    boxes: Mapping[int, Box]
    arrows: tuple[Arrow, ...]

    @property
    def width(self) -> float:
        return max(box.x for box in self.boxes.values()) + _WIDTH

    @property
    def height(self) -> float:
        return max(box.bottom for box in self.boxes.values())


# --- layout ---

Outline: TypeAlias = list[tuple[float, float]]
"""How far a subtree reaches to the left and to the right, layer by layer, from its lowest box up."""


def layout(plan: Plan) -> Graph:
    """Return a place for each step: one layer above the step that reads it, beside its siblings, as near as they
    fit.
    """
    reads, boxes = _reads(plan), _boxes(plan)
    layers = _layers(plan.id.step, reads)
    across = _across(plan.id.step, reads)
    down = _down(layers, {step: box.height for step, box in boxes.items()})
    placed = {step: replace(box, x=across[step], y=down[layers[step]]) for step, box in boxes.items()}
    pairs = [(placed[below], placed[step]) for step in reads for below in reads[step]]
    return Graph(placed, tuple(Arrow(below.step, box.step, below.middle, box.middle) for below, box in pairs))


def stack(plan: Plan) -> Graph:
    """Place each step under the one before it; an input stands aside of the arrows of the inputs before it.

    So each arrow goes straight down to the step that reads it, past the boxes of the inputs after it.
    """
    reads, boxes = _reads(plan), _boxes(plan)
    across, arrows = {plan.id.step: 0.0}, dict[int, Arrow]()
    for step in _from_root(plan.id.step, reads):
        lane = min(_LANE, _WIDTH / max(len(reads[step]), 1))
        for place, below in enumerate(reads[step]):
            across[below] = across[step] + place * lane
            arrows[below] = Arrow(below, step, across[below] + lane / 2, across[below] + lane / 2)
    tops = accumulate((box.height + _BELOW for box in boxes.values()), initial=0.0)
    placed = {step: replace(box, x=across[step], y=y) for (step, box), y in zip(boxes.items(), tops, strict=False)}
    return Graph(placed, tuple(arrows[below] for step in reads for below in reads[step]))


def _reads(plan: Plan) -> dict[int, list[int]]:
    return {step: [below.id.step for below in inputs_of_step(node)] for step, node in main_nodes(plan).items()}


def _boxes(plan: Plan) -> dict[int, Box]:
    """Return the boxes in reading order, not yet placed."""
    last = {node.id.step: node for node in walk(plan)}
    return {
        step: _box_without_place(node, show_controls(show_step(node, last[step])))
        for step, node in main_nodes(plan).items()
    }


def _box_without_place(node: Plan, text: str) -> Box:
    where = None if node.where is None else str(node.where)
    title = title_of(node)
    return Box(node.id.step, title, text, where, _wrap(text, title), 0.0, 0.0)


def _layers(root: int, reads: Mapping[int, Sequence[int]]) -> dict[int, int]:
    """Return how many steps lie between each step and the result."""
    found = {root: 0}
    for step in _from_root(root, reads):
        found.update((below, found[step] + 1) for below in reads[step])
    return found


def _from_root(root: int, reads: Mapping[int, Sequence[int]]) -> Iterator[int]:
    todo = [root]
    while todo:
        step = todo.pop()
        yield step
        todo.extend(reversed(reads[step]))


def _across(root: int, reads: Mapping[int, Sequence[int]]) -> dict[int, float]:
    """Return the left edge of each box: a step stands in the middle under what it reads."""
    order = list(_from_root(root, reads))
    outlines: dict[int, Outline] = {}
    aside: dict[int, float] = {root: 0.0}
    for step in reversed(order):
        shifts, outlines[step] = _place_side_by_side([outlines.pop(below) for below in reads[step]])
        aside.update(zip(reads[step], shifts, strict=True))
    for step in order:
        aside.update((below, aside[below] + aside[step]) for below in reads[step])
    leftmost = min(aside.values())
    return {step: x - leftmost for step, x in aside.items()}


def _place_side_by_side(outlines: Sequence[Outline]) -> tuple[list[float], Outline]:
    """Return how far each subtree is moved so that none overlaps and their reader stands at 0; and the outline of
    all.
    """
    shifts: list[float] = []
    whole: Outline = []
    for outline in outlines:
        shift = max((right + _ASIDE - left for (_, right), (left, _) in zip(whole, outline, strict=False)), default=0.0)
        shifts.append(shift)
        whole = _merge_outlines(whole, _shift(outline, shift))
    middle = (shifts[0] + shifts[-1]) / 2 if shifts else 0.0
    return [shift - middle for shift in shifts], [(0.0, _WIDTH), *_shift(whole, -middle)]


def _shift(outline: Outline, shift: float) -> Outline:
    return [(left + shift, right + shift) for left, right in outline]


def _merge_outlines(left: Outline, right: Outline) -> Outline:
    nothing = (float("inf"), float("-inf"))
    pairs = zip_longest(left, right, fillvalue=nothing)
    return [(min(one[0], other[0]), max(one[1], other[1])) for one, other in pairs]


def _down(layers: Mapping[int, int], heights: Mapping[int, float]) -> dict[int, float]:
    """Return the upper edge of each layer; the highest number is at the top."""
    tallest: dict[int, float] = {}
    for step, layer in layers.items():
        tallest[layer] = max(tallest.get(layer, 0.0), heights[step])
    found, y = {}, 0.0
    for layer in sorted(tallest, reverse=True):
        found[layer] = y
        y += tallest[layer] + _BELOW
    return found


def _wrap(text: str, title: str) -> tuple[str, ...]:
    """Return the text in a few lines, without the word that the box has as its title."""
    rest = text.removeprefix(f"{title} ")
    lines = wrap(rest, _CHARS, break_on_hyphens=False) or [""]
    if len(lines) <= _LINES:
        return tuple(lines)
    return (*lines[: _LINES - 1], lines[_LINES - 1][: _CHARS - 1] + "…")


def _height(lines: Sequence[str], where: str | None) -> float:
    return 2 * _PAD + _LINE * (1 + len(lines) + (where is not None))


# --- drawing ---


def draw(graph: Graph, flow: Flow | None = None, highlighted: Iterable[int] = ()) -> Markup:
    """Return the graph as SVG; each box carries its step as `data-step`, and with a flow each arrow says how many come
    by.
    """
    marked = set(highlighted)
    arrows = [_arrow(graph, arrow, flow) for arrow in graph.arrows]
    boxes = [_box(box, flow, box.step in marked) for box in graph.boxes.values()]
    result = [] if flow is None else [_result(list(graph.boxes.values())[-1], flow)]
    width, height = graph.width + 4, graph.height + 4 + (_BELOW if result else 0)
    label = f"The query in {len(boxes)} steps, from its sources at the top to its result at the bottom"
    box, least = f"-2 -2 {width:g} {height:g}", f"min-width: {_SMALLEST * width:g}px"
    parts = (*arrows, *result, *boxes)
    return element("svg", *parts, viewBox=box, width=width, height=height, style=least, role="list", aria_label=label)


def _arrow(graph: Graph, arrow: Arrow, flow: Flow | None) -> Markup:
    below, step = graph.boxes[arrow.below], graph.boxes[arrow.step]
    ends = {"data_from": below.step, "data_to": step.step}
    return _wire(below, (arrow.start, below.bottom), (arrow.end, step.y), flow, **ends)


def _result(last: Box, flow: Flow) -> Markup:
    """Return the arrow out of the last step."""
    return _wire(last, (last.middle, last.bottom), (last.middle, last.bottom + _BELOW), flow, data_from=last.step)


def _wire(below: Box, start: tuple[float, float], end: tuple[float, float], flow: Flow | None, **ends: int) -> Markup:
    (x1, y1), (x2, y2) = start, end
    bend = (y2 - y1) / 2
    path = f"M{x1:g},{y1:g} C{x1:g},{y1 + bend:g} {x2:g},{y2 - bend:g} {x2:g},{y2 - 5:g}"
    head = f"M{x2 - 5:g},{y2 - 8:g} L{x2:g},{y2:g} L{x2 + 5:g},{y2 - 8:g} Z"
    parts = [element("path", d=path, class_="wire"), element("path", d=head, class_="head")]
    left = None if flow is None else flow.left.get(below.step)
    if flow is not None and left is not None:
        parts.append(_label(f"{left} of {flow.total}", x1, y1 + 0.4 * _BELOW, before=x2 > x1))
    kind = "edge" if left is None else "edge some" if left else "edge none"
    return element("g", *parts, class_=kind, aria_hidden="true", **ends)


def _label(text: str, x: float, y: float, *, before: bool) -> Markup:
    """Return a text beside an arrow, on the side to which it does not turn."""
    aside, anchor = (-9, "end") if before else (9, "start")
    return element("text", text, class_="count", x=x + aside, y=y, text_anchor=anchor)


def _box(box: Box, flow: Flow | None, marked: bool) -> Markup:
    rows = [("kind", box.title), *(("text", line) for line in box.lines)]
    rows += [] if box.where is None else [("where", box.where)]
    texts = [
        element("text", text, class_=name, x=box.x + _PAD, y=box.y + _PAD + _LINE * (row + 0.75))
        for row, (name, text) in enumerate(rows)
    ]
    number = element("text", str(box.step), class_="number", x=box.x + _WIDTH - _PAD, y=box.y + _PAD + _LINE * 0.75)
    frame = element("rect", x=box.x, y=box.y, width=_WIDTH, height=box.height, rx=6.0)
    title = element("title", box.text if box.where is None else f"{box.text} ({box.where})")
    return element(
        "g",
        *(title, frame, *texts, number, *_loss(box, flow)),
        class_="step on" if marked else "step",
        data_step=box.step,
        role="listitem",
        aria_label=_spoken(box, flow),
        aria_current="true" if marked else None,
    )


def _loss(box: Box, flow: Flow | None) -> Iterator[Markup]:
    """Yield how many possible answers the step drops, on its lower edge, beside the arrow."""
    lost = 0 if flow is None else flow.lost.get(box.step, 0)
    if lost:
        text = f"{lost} lost"
        width = _CHAR * len(text) + 14
        x, y = box.x + _WIDTH - _PAD - width, box.bottom
        frame = element("rect", x=x, y=y - 10, width=width, height=20.0, rx=10.0)
        yield element("g", frame, element("text", text, x=x + width / 2, y=y + 4, text_anchor="middle"), class_="loss")


def _spoken(box: Box, flow: Flow | None) -> str:
    """Return the step in words, for those who cannot see where it stands."""
    words = [f"Step {box.step}", box.text, *([] if box.where is None else [box.where])]
    if flow is not None and box.step in flow.left:
        words.append(f"{flow.left[box.step]} of {flow.total} possible answers come out of it")
    if flow is not None and box.step in flow.lost:
        words.append(f"{flow.lost[box.step]} lost here")
    return ", ".join(words)
