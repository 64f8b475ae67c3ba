"""The plan as a drawing: a box for each step, sources at the top, data flowing down."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from textwrap import wrap
from typing import TypeAlias

from sparkwhy.plan.nodes import Plan
from sparkwhy.plan.show import inputs_of_step, main_nodes, show_step
from sparkwhy.plan.walk import walk
from sparkwhy.report.tags import Markup, element
from sparkwhy.report.values import seen

_CHARS = 34
_LINES = 3
_WIDTH = 272.0
_LINE = 16.0
_PAD = 10.0
_ASIDE = 24.0
_BELOW = 40.0
"""The gap between layers has room for a label beside an edge."""


@dataclass(frozen=True)
class Box:
    """A step of the plan: where it is drawn, and what is written in it."""

    step: int
    kind: str
    text: str
    where: str | None
    lines: tuple[str, ...]
    x: float
    y: float

    @property
    def height(self) -> float:
        return _height(self.lines, self.where)

    @property
    def top(self) -> tuple[float, float]:
        return self.x + _WIDTH / 2, self.y

    @property
    def bottom(self) -> tuple[float, float]:
        return self.x + _WIDTH / 2, self.y + self.height


@dataclass(frozen=True)
class Graph:
    """Boxes by step, and which step reads which."""

    boxes: Mapping[int, Box]
    edges: tuple[tuple[int, int], ...]

    @property
    def width(self) -> float:
        return max(box.x for box in self.boxes.values()) + _WIDTH

    @property
    def height(self) -> float:
        return max(box.bottom[1] for box in self.boxes.values())


# --- layout ---

Outline: TypeAlias = list[tuple[float, float]]
"""How far a subtree reaches to the left and to the right, layer by layer, from its lowest box up."""


def layout(plan: Plan) -> Graph:
    """A place for each step: one layer above the step that reads it, beside its siblings, as near as they fit."""
    nodes = main_nodes(plan)
    last = {node.id.step: node for node in walk(plan)}
    reads = {step: [below.id.step for below in inputs_of_step(node)] for step, node in nodes.items()}
    texts = {step: seen(show_step(node, last[step])) for step, node in nodes.items()}
    lines = {step: _wrapped(texts[step], node.kind) for step, node in nodes.items()}
    places = {step: None if node.where is None else str(node.where) for step, node in nodes.items()}
    layers = _layers(plan.id.step, reads)
    across = _across(plan.id.step, reads)
    down = _down(layers, {step: _height(lines[step], places[step]) for step in nodes})
    boxes = {
        step: Box(step, node.kind, texts[step], places[step], lines[step], across[step], down[layers[step]])
        for step, node in nodes.items()
    }
    return Graph(boxes, tuple((below, step) for step in nodes for below in reads[step]))


def _layers(root: int, reads: Mapping[int, Sequence[int]]) -> dict[int, int]:
    """How many steps lie between each step and the result."""
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
    """The left edge of each box: a step stands in the middle under what it reads."""
    order = list(_from_root(root, reads))
    outlines: dict[int, Outline] = {}
    aside: dict[int, float] = {root: 0.0}
    for step in reversed(order):
        shifts, outlines[step] = _beside([outlines.pop(below) for below in reads[step]])
        aside.update(zip(reads[step], shifts, strict=True))
    for step in order:
        aside.update((below, aside[below] + aside[step]) for below in reads[step])
    leftmost = min(aside.values())
    return {step: x - leftmost for step, x in aside.items()}


def _beside(outlines: Sequence[Outline]) -> tuple[list[float], Outline]:
    """How far each subtree is moved so that none overlaps and their reader stands at 0; and the outline of all."""
    shifts: list[float] = []
    whole: Outline = []
    for outline in outlines:
        shift = max((right + _ASIDE - left for (_, right), (left, _) in zip(whole, outline, strict=False)), default=0.0)
        shifts.append(shift)
        whole = _merged(whole, _moved(outline, shift))
    middle = (shifts[0] + shifts[-1]) / 2 if shifts else 0.0
    return [shift - middle for shift in shifts], [(0.0, _WIDTH), *_moved(whole, -middle)]


def _moved(outline: Outline, shift: float) -> Outline:
    return [(left + shift, right + shift) for left, right in outline]


def _merged(left: Outline, right: Outline) -> Outline:
    nothing = (float("inf"), float("-inf"))
    pairs = zip_longest(left, right, fillvalue=nothing)
    return [(min(one[0], other[0]), max(one[1], other[1])) for one, other in pairs]


def _down(layers: Mapping[int, int], heights: Mapping[int, float]) -> dict[int, float]:
    """The upper edge of each layer; the highest number is at the top."""
    tallest: dict[int, float] = {}
    for step, layer in layers.items():
        tallest[layer] = max(tallest.get(layer, 0.0), heights[step])
    found, y = {}, 0.0
    for layer in sorted(tallest, reverse=True):
        found[layer] = y
        y += tallest[layer] + _BELOW
    return found


def _wrapped(text: str, kind: str) -> tuple[str, ...]:
    """The text without the word that the box has as its title, in a few lines."""
    rest = text.removeprefix(f"{kind} ")
    lines = wrap(rest, _CHARS, break_on_hyphens=False) or [""]
    if len(lines) <= _LINES:
        return tuple(lines)
    return (*lines[: _LINES - 1], lines[_LINES - 1][: _CHARS - 1] + "…")


def _height(lines: Sequence[str], where: str | None) -> float:
    return 2 * _PAD + _LINE * (1 + len(lines) + (where is not None))


# --- drawing ---


def draw(graph: Graph, highlighted: Iterable[int] = ()) -> Markup:
    """The graph as SVG; each box carries its step as `data-step`."""
    marked = set(highlighted)
    edges = [_edge(graph.boxes[below], graph.boxes[step]) for below, step in graph.edges]
    boxes = [_box(box, box.step in marked) for box in graph.boxes.values()]
    size = f"-2 -2 {graph.width + 4:g} {graph.height + 4:g}"
    width, height = graph.width + 4, graph.height + 4
    label = f"The query in {len(boxes)} steps, from its sources at the top to its result at the bottom"
    return element("svg", *edges, *boxes, viewBox=size, width=width, height=height, role="img", aria_label=label)


def _edge(below: Box, step: Box) -> Markup:
    (x1, y1), (x2, y2) = below.bottom, step.top
    bend = (y2 - y1) / 2
    path = f"M{x1:g},{y1:g} C{x1:g},{y1 + bend:g} {x2:g},{y2 - bend:g} {x2:g},{y2 - 5:g}"
    head = f"M{x2 - 5:g},{y2 - 8:g} L{x2:g},{y2:g} L{x2 + 5:g},{y2 - 8:g} Z"
    parts = (element("path", d=path, class_="wire"), element("path", d=head, class_="head"))
    return element("g", *parts, class_="edge", data_from=below.step, data_to=step.step)


def _box(box: Box, marked: bool) -> Markup:
    rows = [("kind", box.kind), *(("text", line) for line in box.lines)]
    rows += [] if box.where is None else [("where", box.where)]
    texts = [
        element("text", text, class_=name, x=box.x + _PAD, y=box.y + _PAD + _LINE * (row + 0.75))
        for row, (name, text) in enumerate(rows)
    ]
    number = element("text", str(box.step), class_="number", x=box.x + _WIDTH - _PAD, y=box.y + _PAD + _LINE * 0.75)
    frame = element("rect", x=box.x, y=box.y, width=_WIDTH, height=box.height, rx=6.0)
    title = element("title", box.text if box.where is None else f"{box.text} ({box.where})")
    return element("g", title, frame, *texts, number, class_="step on" if marked else "step", data_step=box.step)
