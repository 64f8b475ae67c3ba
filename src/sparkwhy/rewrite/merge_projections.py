"""Merge projections that follow each other, where no expression has to be put into another.

Before:

    project n, x, n + 2 as y
    project n, n + 1 as x
    table (n)

After:

    project n, n + 1 as x, n + 2 as y
    table (n)

A thousand columns that were added one by one are too deep for Spark's planner. What one column computes from another
stays where it is, because nothing may be computed twice.
"""

from __future__ import annotations

from dataclasses import replace
from math import inf

from sparkwhy.plan.nodes import Plan, Project
from sparkwhy.plan.walk import fold, walk, with_inputs
from sparkwhy.plan.walk_exprs import attributes_of, parts
from sparkwhy.rewrite.codegen import PIECE_PARTS

MANY_PROJECTIONS = 200
"""More projections are too deep for Spark. Plans with fewer are left alone, so that Spark fails where it would."""

SMALL_PARTS = PIECE_PARTS // 2
"""Projections with no more parts than this are merged in plans that are compiled in pieces."""


def merge_projections(plan: Plan, *, most: float = inf) -> Plan:
    """Merge each projection into the one above it, unless both together compute more than `most` parts."""
    return fold(plan, lambda node, below: _merge_with_input(with_inputs(node, below), most))


def merge_many_projections(plan: Plan) -> Plan:
    """Merge the projections of a plan that has more than `MANY_PROJECTIONS`."""
    many = sum(isinstance(node, Project) for node in walk(plan)) > MANY_PROJECTIONS
    return merge_projections(plan) if many else plan


def merge_small_projections(plan: Plan) -> Plan:
    """Merge projections as long as they compute no more than `SMALL_PARTS`: each step takes Spark time to plan."""
    return merge_projections(plan, most=SMALL_PARTS)


def _merge_with_input(node: Plan, most: float) -> Plan:
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
