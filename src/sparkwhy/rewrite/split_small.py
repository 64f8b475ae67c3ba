"""Split a plan in two where it has few rows: what an engine has to do, and what is left to do with these rows.

Before:

    filter n > 2
    aggregate count(*) as n by k
    table (k)

After, with few groups:

    upper                    lower

    filter n > 2             aggregate count(*) as n by k
    table (k, n)             table (k)
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from sparkwhy.errors import assert_never
from sparkwhy.plan.exprs import Expr, Opaque
from sparkwhy.plan.node_exprs import exprs_of
from sparkwhy.plan.nodes import (
    Aggregate,
    Distinct,
    Filter,
    Flatten,
    Join,
    Limit,
    OneRow,
    OpId,
    Plan,
    Project,
    Sample,
    SetOperation,
    Sort,
    Source,
    Table,
    Union,
    Window,
)
from sparkwhy.plan.types import BOOLEAN, DATE, DOUBLE, INTEGER, LONG, NULL, SHORT, STRING, Array, Decimal, Struct, Type
from sparkwhy.plan.walk import fold, inputs, with_inputs
from sparkwhy.plan.walk_exprs import parts


@dataclass(frozen=True)
class Split:
    """A plan in two halves: the rows of `lower` are those of the table `rows` in `upper`."""

    lower: Plan
    upper: Plan
    rows: OpId

    def with_source(self, source: Source) -> Plan:
        """Return the upper half, with the rows of the lower one in this source."""
        table = Table(id=self.rows, attributes=self.lower.output, source=source)
        return _replace_nodes(self.upper, lambda node: table if node.id == self.rows else None)


@dataclass(frozen=True)
class SmallAt:
    """Where a plan has few rows: at these groupings; and, with `last`, below its last operator."""

    groups: Callable[[Plan], bool]
    last: bool = False


def split_small(plan: Plan, small_at: SmallAt) -> Split | None:
    """Split a plan at the lowest grouping where it is small, or below its last operator.

    Return None if there is not just one such place.
    """
    found = _split_at(plan, small_at.groups)
    if found is None and small_at.last:
        return _split_at(plan, lambda node: any(node is below for below in inputs(plan)))
    return found


def _split_at(plan: Plan, is_small: Callable[[Plan], bool]) -> Split | None:
    found = fold(plan, lambda node, below: _places(node, below, is_small))
    if not found or len(found) > 1 or found[0] is plan:
        return None
    (lower,) = found
    rows = Table(id=OpId(-1), attributes=lower.output, source=Source("rows at hand"))
    return Split(lower, _replace_nodes(plan, lambda node: rows if node is lower else None), rows.id)


_Places: TypeAlias = tuple[Plan, ...] | None
"""Where a branch is split: nowhere if it has no table, None if it cannot be split."""


def _places(node: Plan, below: tuple[_Places, ...], is_small: Callable[[Plan], bool]) -> _Places:
    if isinstance(node, OneRow):
        return ()
    if below and all(places is not None for places in below) and _means_the_same(node):
        if isinstance(node, Project) and below[0] == (node.input,):
            return (node,) if _has_plain_output(node) else None  # columns are computed where the rows are
        return tuple(place for places in below for place in places or ())
    return (node,) if is_small(node) and _has_plain_output(node) else None


def _replace_nodes(plan: Plan, new: Callable[[Plan], Plan | None]) -> Plan:
    def combine(node: Plan, below: tuple[Plan, ...]) -> Plan:
        same = all(map(operator.is_, below, inputs(node)))
        return new(node) or (node if same else with_inputs(node, below))

    return fold(plan, combine)


def _has_plain_output(node: Plan) -> bool:
    return all(_is_plain(attribute.type) for attribute in node.output)


def _means_the_same(node: Plan) -> bool:
    """Return whether Spark and the interpreter give the same rows for an operator and all its expressions."""
    return _runs_in_memory(node) and all(_is_plain_expr(part) for expr in exprs_of(node) for part in parts(expr))


def _runs_in_memory(node: Plan) -> bool:
    """Return whether an operator is finished on the driver; a sort and a limit depend on an order that rows lose."""
    match node:
        case Project() | Filter() | Flatten() | Aggregate() | Window() | Distinct() | Union():
            return True
        case Table() | OneRow() | Join() | SetOperation() | Sort() | Limit() | Sample():
            return False
        case _:
            assert_never(node)


def _is_plain_expr(part: Expr) -> bool:
    return not isinstance(part, Opaque) and _is_plain(part.type)


_PLAIN = frozenset({NULL, BOOLEAN, SHORT, INTEGER, LONG, DOUBLE, STRING, DATE})


def _is_plain(type: Type) -> bool:
    """Return whether values are the same in Spark and in Python: times depend on time zones, and maps have no order."""
    match type:
        case Array(element):
            return _is_plain(element)
        case Struct(fields):
            return all(_is_plain(field.type) for field in fields)
        case _:
            return isinstance(type, Decimal) or type in _PLAIN
