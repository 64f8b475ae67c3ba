"""Rows that were never there: sources without a row that fits what the question says of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from sparkwhy.explain.explanation import Operator
from sparkwhy.plan.build import Fresh, all_of
from sparkwhy.plan.exprs import Compare, Expr, Literal
from sparkwhy.plan.nodes import Column, Filter, OpId, Plan, Project, Table
from sparkwhy.plan.show import show_expr
from sparkwhy.plan.walk import walk
from sparkwhy.trace.wanted import Conditions


@dataclass(frozen=True)
class SourceGap:
    """A source where no row meets the conditions, and for conditions on a value the values that come nearest."""

    table: Operator
    conditions: tuple[str, ...]
    nearest: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class PossibleGap:
    """A source that the question speaks of: a plan of its fitting rows, and one of the values of each condition."""

    table: Operator
    conditions: tuple[str, ...]
    fitting: Plan
    probes: Mapping[str, tuple[Plan, Any]]


def gaps(plan: Plan, wanted: Mapping[OpId, Conditions]) -> Iterator[PossibleGap]:
    """The sources that the question speaks of."""
    fresh = Fresh(plan)
    for node in walk(plan):
        if isinstance(node, Table) and wanted[node.id]:
            conditions = wanted[node.id]
            fitting = Filter(id=fresh.part(node), input=node, condition=all_of(conditions))
            texts = tuple(show_expr(condition) for condition in conditions)
            yield PossibleGap(Operator.of(node), texts, fitting, dict(_probes(fresh, node, conditions)))


def _probes(fresh: Fresh, table: Table, conditions: Conditions) -> Iterator[tuple[str, tuple[Plan, Any]]]:
    for condition in conditions:
        found = _equated(condition)
        if found is not None:
            expr, value = found
            column = Column(fresh.attribute("value", expr.type, nullable=True), expr)
            yield show_expr(condition), (Project(id=fresh.part(table), input=table, columns=(column,)), value)


def _equated(condition: Expr) -> tuple[Expr, Any] | None:
    """The expression and the constant of a condition that asks for one value."""
    match condition:
        case Compare("=" | "<=>", expr, Literal(value)) | Compare("=" | "<=>", Literal(value), expr) if (
            value is not None
        ):
            return expr, value
        case _:
            return None
