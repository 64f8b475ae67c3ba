"""Draw the packages and the direction of their imports (docs/img/architecture.svg) from the import contract.

The order of the boxes is the order of the layers in `pyproject.toml`, so the drawing cannot contradict the contract
that `make lint` checks. Only the words beside the boxes are written here.
"""

from __future__ import annotations

import re
from html import escape
from pathlib import Path
from typing import NamedTuple

PYPROJECT = Path(__file__).resolve().parent.parent / "pyproject.toml"
CONTRACT = 'name = "A module imports only from the layers below it"'


class Package(NamedTuple):
    """What the drawing says about a package: the group that colours it, and its task."""

    group: str
    task: str


PACKAGES = {
    "cli": Package("front", "the command line"),
    "scenarios": Package("lab", "the questions of the paper, with their data"),
    "lab": Package("lab", "the exact oracle and the baselines: judges, not part of an answer"),
    "api": Package("front", "why_not: check the arguments, run the pipeline, redact"),
    "pipeline": Package("front", "the stages of a question, one function each"),
    "options": Package("front", "the options of a call"),
    "report": Package("stage", "the answer as object, text, HTML and JSON"),
    "fix": Package("stage", "propose changes, run them, count their side effects"),
    "evidence": Package("stage", "nearest keys, near misses, origins of values"),
    "explain": Package("stage", "blame to candidates, witnesses and explanations"),
    "trace": Package("stage", "plan to traced plan: which operators drop which rows"),
    "alternatives": Package("stage", "variants of the query that read other attributes"),
    "backtrace": Package("stage", "the question, pushed down to the sources"),
    "question": Package("stage", "patterns, checked against the schema"),
    "spark": Package("engine", "DataFrame to plan, plan to rows; the only door to the JVM"),
    "memory": Package("engine", "the interpreter: runs a plan over Python rows"),
    "rewrite": Package("base", "plan to equal plan, for speed"),
    "plan": Package("base", "types, expressions, operators, traversal, printing"),
    "messages": Package("base", "every sentence an answer can carry"),
    "wording": Package("base", "words shared by all renderings"),
    "limits": Package("base", "every number that bounds an answer"),
    "errors": Package("base", "exceptions with fields and hints"),
}

COLOURS = {
    "front": ("#e8eefc", "#3f5fb5"),
    "stage": ("#e6f4ea", "#2f7d4a"),
    "engine": ("#fdf0e0", "#b06a10"),
    "base": ("#f0f0f0", "#666666"),
    "lab": ("#f6eafa", "#8a4fa0"),
}
"""Fill and border of each group."""

LEGEND = {
    "front": "entry points",
    "stage": "stages",
    "engine": "engines",
    "base": "foundations",
    "lab": "judges and scenarios",
}

LEFT, TOP, WIDTH, HEIGHT, GAP, TOTAL = 64, 48, 132, 28, 6, 750


def layers(config: str) -> list[list[str]]:
    """Return the layers of the import contract from top to bottom, each as a list of package names.

    >>> layers(CONTRACT + 'layers = ["(sparkwhy.a)", "sparkwhy.b : sparkwhy.c"]')
    [['a'], ['b', 'c']]
    """
    _, found, rest = config.partition(CONTRACT)
    assert found, "the contract on layers has another name"
    listed = rest.partition("layers = [")[2].partition("]")[0]
    return [re.findall(r"sparkwhy\.(\w+)", line) for line in re.findall(r'"([^"]+)"', listed)]


def draw() -> str:
    """Return the drawing as SVG: one row for each layer, and an arrow along which imports point."""
    rows = layers(PYPROJECT.read_text(encoding="utf-8"))
    bottom = TOP + len(rows) * (HEIGHT + GAP)
    parts = [_legend(), _arrow(bottom - GAP)]
    parts += [_row(names, TOP + i * (HEIGHT + GAP)) for i, names in enumerate(rows)]
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {TOTAL} {bottom + 10}" '
        'font-family="system-ui, sans-serif" font-size="13" role="img">'
        "<title>The packages of sparkwhy; each imports only from the packages below it</title>"
        f'<rect width="{TOTAL}" height="{bottom + 10}" fill="#ffffff"/>'
    )
    return "\n".join([head, *parts, "</svg>", ""])


def _row(names: list[str], top: int) -> str:
    boxes = [_box(name, LEFT + i * (WIDTH + GAP), top) for i, name in enumerate(names)]
    task = "; ".join(_package(name).task for name in names)
    return "\n".join([*boxes, _text(task, LEFT + len(names) * (WIDTH + GAP) + 8, top + 19)])


def _package(name: str) -> Package:
    return PACKAGES.get(name, Package("base", ""))


def _box(name: str, left: int, top: int) -> str:
    fill, border = COLOURS[_package(name).group]
    box = f'<rect x="{left}" y="{top}" width="{WIDTH}" height="{HEIGHT}" rx="4" fill="{fill}" stroke="{border}"/>'
    return box + _text(name, left + 10, top + 19, weight="600")


def _legend() -> str:
    parts = []
    for i, (group, label) in enumerate(LEGEND.items()):
        fill, border = COLOURS[group]
        left = LEFT + i * 124
        parts.append(f'<rect x="{left}" y="14" width="14" height="14" rx="3" fill="{fill}" stroke="{border}"/>')
        parts.append(_text(label, left + 20, 26))
    return "\n".join(parts)


def _arrow(bottom: int) -> str:
    middle = (TOP + bottom) // 2
    return "\n".join(
        [
            f'<path d="M 40 {TOP} V {bottom - 8}" stroke="#666666" stroke-width="1.5" fill="none"/>',
            f'<path d="M 35 {bottom - 9} L 40 {bottom} L 45 {bottom - 9} Z" fill="#666666"/>',
            f'<text x="28" y="{middle}" fill="#444444" text-anchor="middle" '
            f'transform="rotate(-90 28 {middle})">imports only downwards</text>',
        ]
    )


def _text(text: str, left: int, baseline: int, *, weight: str = "400") -> str:
    return f'<text x="{left}" y="{baseline}" fill="#222222" font-weight="{weight}">{escape(text)}</text>'
