"""Rows that were never there: sources without a row that meets the conditions of the question on them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from sparkwhy.backtrace.backtrace import Conditions
from sparkwhy.explain.model import Operator
from sparkwhy.plan.build import Fresh, all_of, carry
from sparkwhy.plan.exprs import Call, Compare, Expr, Lambda, Literal
from sparkwhy.plan.nodes import Column, Filter, Flatten, OpId, Plan, Project, Table
from sparkwhy.plan.show import show_expr
from sparkwhy.plan.traits import row_origins
from sparkwhy.plan.walk import fold, walk
from sparkwhy.plan.walk_exprs import attributes_of
from sparkwhy.trace.encode import Typed


@dataclass(frozen=True)
class SourceGap:
    """A source where no row meets the conditions, and for conditions on a value the values that come nearest."""

    table: Operator
    conditions: tuple[str, ...]
    nearest: Mapping[str, tuple[Typed, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class PossibleGap:
    """A source that the question has conditions on: a plan of fitting rows, and one of values for each condition."""

    table: Operator
    conditions: tuple[str, ...]
    fitting: Plan
    probes: Mapping[str, tuple[Plan, Any]]


def gaps(plan: Plan, wanted: Mapping[OpId, Conditions]) -> Iterator[PossibleGap]:
    """Yield the sources that the question has conditions on."""
    fresh = Fresh(plan)
    for node in walk(plan):
        if isinstance(node, Table) and wanted[node.id]:
            conditions = wanted[node.id]
            fitting = Filter(id=fresh.part(node), input=node, condition=all_of(conditions))
            texts = tuple(show_expr(condition) for condition in conditions)
            yield PossibleGap(Operator.of(node), texts, fitting, dict(_probes(fresh, node, conditions)))


def decides(plan: Plan, found: Iterable[SourceGap]) -> bool:
    """Return whether the gaps alone keep the row out: one source is enough, but of a union every branch must lack
    it.
    """
    empty = {gap.table.id for gap in found}

    def lacks(node: Plan, below: tuple[bool, ...]) -> bool:
        if isinstance(node, Table):
            return node.id.step in empty
        return all(any(below[place] for place in origins) for origins in row_origins(node))

    return fold(plan, lacks)


def _probes(fresh: Fresh, table: Table, conditions: Conditions) -> Iterator[tuple[str, tuple[Plan, Any]]]:
    for condition in conditions:
        probe = _probe(fresh, table, condition)
        if probe is not None:
            yield show_expr(condition), probe


def _probe(fresh: Fresh, table: Table, condition: Expr) -> tuple[Plan, Any] | None:
    """Return the values that a condition compares with a constant: of a column, or of the elements of a collection."""
    match condition:
        case Call("exists", (collection, Lambda((element,), body))):
            found = _equality_of(body.left if isinstance(body, Compare) and body.op == "<=>" else body)
            if found is None or any(True for _ in attributes_of(found[0])):
                return None
            path, value = found
            made = fresh.attribute("value", path.type, nullable=True)
            values = Call("transform", (collection, Lambda((element,), path)))
            flat = Flatten(id=fresh.part(table), input=table, collection=values, elements=(made,))
            return Project(id=fresh.part(table), input=flat, columns=carry((made,))), value
        case _:
            found = _equality_of(condition)
            if found is None:
                return None
            column = Column(fresh.attribute("value", found[0].type, nullable=True), found[0])
            return Project(id=fresh.part(table), input=table, columns=(column,)), found[1]


def _equality_of(condition: Expr) -> tuple[Expr, Any] | None:
    """Return the expression and the constant of a condition that asks for one value."""
    match condition:
        case Compare("=" | "<=>", expr, Literal(value)) | Compare("=" | "<=>", Literal(value), expr) if (
            value is not None
        ):
            return expr, value
        case _:
            return None
