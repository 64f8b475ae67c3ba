"""Projections that follow each other become one, where no expression has to be put into another.

    project n, x, n + 2 as y          project n, n + 1 as x, n + 2 as y
      project n, n + 1 as x      ->     table (n)
        table (n)

A thousand columns that were added one by one are too deep for Spark's planner; what one of them computes from another
stays where it is, for nothing may be computed twice.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import replace
from itertools import islice
from math import inf

from sparkwhy.plan.build import all_of
from sparkwhy.plan.exprs import Attribute, Expr, FieldOf, MakeStruct, Opaque, Ref, conjuncts
from sparkwhy.plan.node_exprs import exprs_of
from sparkwhy.plan.nodes import Filter, Plan, Project
from sparkwhy.plan.walk import fold, walk, with_inputs
from sparkwhy.plan.walk_exprs import attributes_of, is_random, parts, rewrite
from sparkwhy.rewrite.never_fails import never_fails

MANY = 200
"""Of more projections than this a query is too deep; fewer are left as they are, so that Spark fails where it would."""


def has_many_projections(plan: Plan) -> bool:
    return sum(isinstance(node, Project) for node in walk(plan)) > MANY


def merged(plan: Plan, *, most: float = inf) -> Plan:
    """The same rows by fewer projections; none that is merged computes more than so many parts of expressions."""
    return fold(plan, lambda node, below: _merged(with_inputs(node, below), most))


def _merged(node: Plan, most: float) -> Plan:
    if not isinstance(node, Project) or not isinstance(node.input, Project):
        return node
    below = node.input
    computed = {column.attribute: column.expr for column in below.columns if not column.is_carried}
    read = {attribute for column in node.columns if not column.is_carried for attribute in attributes_of(column.expr)}
    if not read.isdisjoint(computed):
        return node
    columns = tuple(replace(c, expr=computed.get(c.attribute, c.expr)) if c.is_carried else c for c in node.columns)
    size = sum(1 for column in columns if not column.is_carried for _ in parts(column.expr))
    return replace(node, input=below.input, columns=columns) if size <= most else node


def inlined(node: Plan, attributes: Set[Attribute]) -> Plan:
    """A projection with what the one below it computes put into it, if that is nothing but these attributes.

    A field of a struct that is made below is what it was made of. Spark would copy the struct for each of its fields
    before it sees that: twice as much with each of many projections.
    """
    if not isinstance(node, Project) or not isinstance(node.input, Project):
        return node
    below = node.input
    made = {column.attribute: column.expr for column in below.columns if not column.is_carried}
    if not made.keys() <= attributes:
        return node
    columns = tuple(replace(column, expr=_with(made, column.expr)) for column in node.columns)
    return replace(node, input=below.input, columns=columns)


def sunk(plan: Plan) -> Plan:
    """The same rows, filtered before projections rather than after them, as far as conditions stay of a bearable size.

    Spark's planner does so anyway; here it can be said what is to be done before the projections.
    """
    return fold(plan, lambda node, below: _sunk(with_inputs(node, below)))


def _sunk(node: Plan) -> Plan:
    if not isinstance(node, Filter) or not isinstance(node.input, Project):
        return node
    below = node.input
    made = {column.attribute: column.expr for column in below.columns if not column.is_carried}
    read = [made[attribute] for attribute in attributes_of(node.condition) if attribute in made]
    if any(map(is_random, made.values())):
        return node
    if any(isinstance(part, Opaque) for expr in read for part in parts(expr)):  # it may be slow
        return node
    condition = _with(made, node.condition)
    if sum(1 for _ in islice(parts(condition), _BEARABLE + 1)) > _BEARABLE:
        return node
    return replace(below, input=_sunk(replace(node, input=below.input, condition=condition)))


def lowered(plan: Plan) -> Plan:
    """The same rows; what a filter asks of columns that projections and other filters only pass on is asked before
    these, if it never fails."""
    return fold(plan, lambda node, below: _lowered(with_inputs(node, below)))


def _lowered(node: Plan) -> Plan:
    if not isinstance(node, Filter) or not isinstance(node.input, Project | Filter):
        return node
    below = node.input
    if any(map(is_random, exprs_of(below))):  # on other rows chance would decide otherwise
        return node
    parts_of = conjuncts(node.condition)
    low = [part for part in parts_of if never_fails(part) and _only_passes(below, part)]
    high = [part for part in parts_of if part not in low]
    if not low:
        return node
    sunken = _lowered(Filter(id=node.id, where=node.where, input=below.input, condition=all_of(low)))
    kept = replace(below, input=sunken)
    return replace(node, input=kept, condition=all_of(high)) if high else kept


def _only_passes(node: Project | Filter, condition: Expr) -> bool:
    """Whether a step passes all columns on that a condition reads."""
    passed = {column.attribute for column in node.columns if column.is_carried} if isinstance(node, Project) else None
    return passed is None or all(attribute in passed for attribute in attributes_of(condition))


_BEARABLE = 10_000
"""Of more parts a condition is not repeated."""


def _with(made: Mapping[Attribute, Expr], expr: Expr) -> Expr:
    def change(part: Expr) -> Expr | None:
        match part:
            case FieldOf(Ref(attribute), ordinal) if isinstance(struct := made.get(attribute), MakeStruct):
                return struct.values[ordinal]
            case Ref(attribute):
                return made.get(attribute)
            case _:
                return None

    return rewrite(expr, change)
