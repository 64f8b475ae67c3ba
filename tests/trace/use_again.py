"""A further use of a plan, as Spark makes one: the same operators with other ids and attributes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sparkwhy.plan.exprs import Attribute, AttrId
from sparkwhy.plan.node_exprs import exprs_of
from sparkwhy.plan.nodes import (
    Aggregate,
    Column,
    Distinct,
    Filter,
    Flatten,
    Join,
    Limit,
    Plan,
    Project,
    SetOperation,
    Sort,
    Table,
    Union,
    Window,
)
from sparkwhy.plan.uses import rename_attributes
from sparkwhy.plan.walk import fold, with_inputs
from tests.trace.plans import Generator


def use_again(generator: Generator, plan: Plan) -> Plan:
    """Return a further use of a plan, over the same rows of its tables."""
    names: dict[AttrId, Attribute] = {}

    def rename(attribute: Attribute) -> Attribute:
        if attribute.id not in names:
            names[attribute.id] = generator.attribute(attribute.name, attribute.type)
        return replace(names[attribute.id], nullable=attribute.nullable)

    def columns(given: tuple[Column, ...]) -> tuple[Column, ...]:
        return tuple(Column(rename(c.attribute), rename_attributes(c.expr, names)) for c in given)

    def combine(node: Plan, below: tuple[Plan, ...]) -> Plan:
        again: dict[str, Any] = {"id": generator.id(), "use_of": node.id}
        match node:
            case Table():
                made = replace(node, **again, attributes=tuple(map(rename, node.attributes)))
                generator.tables[made.id] = generator.tables[node.id]
                return made
            case Project():
                return replace(node, **again, input=below[0], columns=columns(node.columns))
            case Aggregate():
                keys, aggregates = columns(node.keys), columns(node.aggregates)
                return replace(node, **again, input=below[0], keys=keys, aggregates=aggregates)
            case Window():
                exprs = [rename_attributes(expr, names) for expr in exprs_of(node)]
                first, second = len(node.partition), len(node.partition) + len(node.order)
                order = tuple(replace(k, expr=e) for k, e in zip(node.order, exprs[first:second], strict=True))
                partition, made_columns = tuple(exprs[:first]), columns(node.columns)
                return replace(node, **again, input=below[0], partition=partition, order=order, columns=made_columns)
            case Flatten():
                collection = rename_attributes(node.collection, names)
                elements = tuple(map(rename, node.elements))
                return replace(node, **again, input=below[0], collection=collection, elements=elements)
            case Union():
                return replace(node, **again, branches=below, attributes=tuple(map(rename, node.attributes)))
            case Join():
                meets = None if node.condition is None else rename_attributes(node.condition, names)
                return replace(node, **again, left=below[0], right=below[1], condition=meets)
            case Distinct():
                kept = None if node.keys is None else tuple(map(rename, node.keys))
                return replace(node, **again, input=below[0], keys=kept)
            case Filter():
                condition = rename_attributes(node.condition, names)
                return replace(node, **again, input=below[0], condition=condition)
            case Sort():
                order = tuple(replace(k, expr=rename_attributes(k.expr, names)) for k in node.order)
                return replace(node, **again, input=below[0], order=order)
            case Limit() | SetOperation():
                return replace(with_inputs(node, below), **again)
            case _:
                raise AssertionError(node)

    return fold(plan, combine)
