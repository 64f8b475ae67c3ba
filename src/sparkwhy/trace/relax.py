"""The query with some of its operators relaxed: what tracing is a shorthand for."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import replace

from sparkwhy.errors import assert_never
from sparkwhy.plan.join_types import SIDES, relax_join_type
from sparkwhy.plan.nodes import (
    Aggregate,
    Distinct,
    Filter,
    Flatten,
    Join,
    Limit,
    OneRow,
    Plan,
    Project,
    Sample,
    SetOperation,
    Sort,
    Table,
    Union,
    Window,
)
from sparkwhy.plan.walk import fold, with_inputs
from sparkwhy.trace.blame import Dropper


def relax(plan: Plan, droppers: Set[Dropper]) -> Plan:
    """Return the plan with exactly these droppers letting every row through."""

    def combine(node: Plan, inputs: tuple[Plan, ...]) -> Plan:
        return _relax_node(with_inputs(node, inputs), droppers)

    return fold(plan, combine)


def _relax_node(node: Plan, droppers: Set[Dropper]) -> Plan:
    if isinstance(node, Join) and node.traits.pairs:
        return _relaxed_join(node, droppers)
    if Dropper(node.first_use) not in droppers:
        return node
    match node:
        case Filter() | Limit() | Distinct():
            return node.input
        case Flatten():
            return replace(node, outer=True)
        case Join():
            return node.left
        case SetOperation():
            return node.left if node.all else Distinct(id=node.id, where=node.where, input=node.left)
        case Table() | OneRow() | Project() | Aggregate() | Window() | Union() | Sort() | Sample():
            raise AssertionError(f"{node!r} drops no rows")
        case _:
            assert_never(node)


def _relaxed_join(node: Join, droppers: Set[Dropper]) -> Join:
    sides = frozenset(side for side in SIDES if Dropper(node.first_use, side) in droppers)
    return replace(node, how=relax_join_type(node.how, sides))
