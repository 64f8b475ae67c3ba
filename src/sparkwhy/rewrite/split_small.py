"""A plan cut in two where it has few rows: what an engine has to do, and what is left to do with these rows."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from sparkwhy.plan.exprs import Expr, Opaque
from sparkwhy.plan.node_exprs import exprs_of
from sparkwhy.plan.nodes import (
    Aggregate,
    Distinct,
    Filter,
    Flatten,
    OneRow,
    OpId,
    Plan,
    Project,
    Source,
    Table,
    Union,
    Window,
)
from sparkwhy.plan.types import BOOLEAN, DATE, DOUBLE, INTEGER, LONG, NULL, SHORT, STRING, Array, Decimal, Struct, Type
from sparkwhy.plan.walk import fold, inputs, with_inputs
from sparkwhy.plan.walk_exprs import parts


@dataclass(frozen=True)
class Cut:
    """`below` has few rows, which are those of the table `rows` in `above`: together they are the plan."""

    below: Plan
    above: Plan
    rows: OpId

    def over(self, source: Source) -> Plan:
        """What is left to do, with the rows of `below` in this source."""
        table = Table(id=self.rows, attributes=self.below.output, source=source)
        return _replaced(self.above, lambda node: table if node.id == self.rows else None)


@dataclass(frozen=True)
class SmallAt:
    """Where a plan has few rows: at these groupings; and, with `last`, below its last operator."""

    groups: Callable[[Plan], bool]
    last: bool = False


def cut(plan: Plan, few: SmallAt) -> Cut | None:
    """The plan, cut at the lowest grouping that is said to have few rows, or below its last operator.

    None if there is not just one such place.
    """
    found = _cut(plan, few.groups)
    if found is None and few.last:
        return _cut(plan, lambda node: any(node is below for below in inputs(plan)))
    return found


def _cut(plan: Plan, few: Callable[[Plan], bool]) -> Cut | None:
    found = fold(plan, lambda node, below: _places(node, below, few))
    if not found or len(found) > 1 or found[0] is plan:
        return None
    (below,) = found
    rows = Table(id=OpId(-1), attributes=below.output, source=Source("rows at hand"))
    return Cut(below, _replaced(plan, lambda node: rows if node is below else None), rows.id)


_Places: TypeAlias = tuple[Plan, ...] | None
"""Where a branch is cut: nowhere if it has no table, None if it cannot be."""


def _places(node: Plan, below: tuple[_Places, ...], few: Callable[[Plan], bool]) -> _Places:
    if isinstance(node, OneRow):
        return ()
    if below and all(places is not None for places in below) and _is_alike(node):
        if isinstance(node, Project) and below[0] == (node.input,):
            return (node,) if _is_told(node) else None  # what is computed of each row is computed where the rows are
        return tuple(place for places in below for place in places or ())
    return (node,) if few(node) and _is_told(node) else None


def _replaced(plan: Plan, new: Callable[[Plan], Plan | None]) -> Plan:
    def combine(node: Plan, below: tuple[Plan, ...]) -> Plan:
        same = all(map(operator.is_, below, inputs(node)))
        return new(node) or (node if same else with_inputs(node, below))

    return fold(plan, combine)


def _is_told(node: Plan) -> bool:
    return all(_is_plain(attribute.type) for attribute in node.output)


def _is_alike(node: Plan) -> bool:
    """Whether an operator means the same wherever it runs, for all that is known."""
    kinds = Project | Filter | Flatten | Aggregate | Window | Distinct | Union
    return isinstance(node, kinds) and all(_is_plain_expr(part) for expr in exprs_of(node) for part in parts(expr))


def _is_plain_expr(part: Expr) -> bool:
    return not isinstance(part, Opaque) and _is_plain(part.type)


_PLAIN = frozenset({NULL, BOOLEAN, SHORT, INTEGER, LONG, DOUBLE, STRING, DATE})


def _is_plain(type: Type) -> bool:
    """Whether values are the same in Spark and in Python: times depend on time zones, and maps have no order."""
    match type:
        case Array(element):
            return _is_plain(element)
        case Struct(fields):
            return all(_is_plain(field.type) for field in fields)
        case _:
            return isinstance(type, Decimal) or type in _PLAIN
