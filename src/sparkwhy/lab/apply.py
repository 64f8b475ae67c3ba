"""One operator applied to bags in hand, many times: the reference engine, without the operators below."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from sparkwhy.memory.evaluate import evaluator
from sparkwhy.memory.interpreter import run
from sparkwhy.memory.settings import Settings
from sparkwhy.memory.values import Row
from sparkwhy.plan.nodes import Filter, OpId, Plan, Source, Table
from sparkwhy.plan.walk import inputs, with_inputs

Rows: TypeAlias = Sequence[Row]

Operation: TypeAlias = Callable[[Sequence[Rows]], Rows]
"""What an operator makes of its inputs."""


def as_function(node: Plan, settings: Settings) -> Operation:
    """Return the operator as a function of its inputs."""
    if isinstance(node, Filter):  # what there is most of: its condition is made into a function once
        holds = evaluator(node.condition, node.input.output, settings)
        return lambda bags: [row for row in bags[0] if holds(row) is True]
    leaves = [
        Table(id=OpId(-1 - i), attributes=below.output, source=Source("input")) for i, below in enumerate(inputs(node))
    ]
    alone = with_inputs(node, tuple(leaves))
    return lambda bags: run(alone, {leaf.id: rows for leaf, rows in zip(leaves, bags, strict=True)}, settings=settings)
