"""Drop the columns of projections and the aggregates that no operator above reads.

Before:

    project k, total
    aggregate count(*) as n, sum(v) as total by k
    table (k, v)

After:

    project k, total
    aggregate sum(v) as total by k
    table (k, v)

The output of the plan stays. A grouping of which only the keys are read becomes one without aggregates.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace

from sparkwhy.plan.build import Fresh, carry
from sparkwhy.plan.exprs import Attribute
from sparkwhy.plan.node_exprs import exprs_of
from sparkwhy.plan.nodes import Aggregate, Column, Plan, Project, Union
from sparkwhy.plan.traits import reads_whole_rows
from sparkwhy.plan.walk import fold, inputs, walk, with_inputs
from sparkwhy.plan.walk_exprs import attributes_of


def prune_columns(variants: Sequence[Plan]) -> tuple[Plan, ...]:
    """Drop from all variants of one query the columns that none of them reads.

    Columns with a name that the query has twice stay: without one of them the other would be called differently. So do
    all columns of a union, where they have their place among others.
    """
    needed = _find_needed(variants, _namesakes(variants[0]), _attributes_read)
    return tuple(fold(plan, lambda node, below: with_inputs(_narrow(node, needed), below)) for plan in variants)


def prune_own_plan(plan: Plan) -> Plan:
    """Drop unread columns of a plan that sparkwhy wrote, those of unions too: its inner names are not shown to users.

    Before: `project b` over `union as a, b`. After: `project b` over `union as b`, whose branches project one column.
    """
    needed, fresh = _find_needed((plan,), set(), _attributes_read_by_position), Fresh(plan)

    def combine(node: Plan, below: tuple[Plan, ...]) -> Plan:
        if not isinstance(node, Union):
            return with_inputs(_narrow(node, needed), below)
        kept = [i for i, attribute in enumerate(node.attributes) if attribute in needed]
        branches = [
            Project(id=fresh.part(node), input=new, columns=carry(old.output[i] for i in kept))
            for old, new in zip(node.branches, below, strict=True)
        ]
        return replace(node, branches=tuple(branches), attributes=tuple(node.attributes[i] for i in kept))

    return fold(plan, combine)


_Reading = Callable[[Plan, set[Attribute]], list[Attribute]]
"""Return the attributes that an operator reads to make those that are needed of it."""


def _find_needed(plans: Sequence[Plan], always: set[Attribute], reading: _Reading) -> set[Attribute]:
    needed = {attribute for plan in plans for attribute in plan.output} | always
    while True:
        before = len(needed)
        for plan in plans:
            for node in reversed(tuple(walk(plan))):  # what reads a column comes before what makes it
                needed.update(reading(node, needed))
        if len(needed) == before:
            return needed


def _namesakes(plan: Plan) -> set[Attribute]:
    """Return the attributes whose name another attribute has as well."""
    made = {attribute for node in walk(plan) for attribute in node.output}
    count = Counter(attribute.name for attribute in made)
    return {attribute for attribute in made if count[attribute.name] > 1}


def _attributes_read_by_position(node: Plan, needed: set[Attribute]) -> list[Attribute]:
    if not isinstance(node, Union):
        return _attributes_read(node, needed)
    kept = [i for i, attribute in enumerate(node.attributes) if attribute in needed]
    return [branch.output[i] for branch in node.branches for i in kept]


def _attributes_read(node: Plan, needed: set[Attribute]) -> list[Attribute]:
    if reads_whole_rows(node):
        return [attribute for below in inputs(node) for attribute in below.output]
    match node:
        case Project():
            exprs = [column.expr for column in node.columns if column.attribute in needed]
        case Aggregate():
            exprs = [c.expr for c in (*node.keys, *_needed_aggregates(node, needed))]
        case _:
            exprs = list(exprs_of(node))
    return [attribute for expr in exprs for attribute in attributes_of(expr)]


def _needed_aggregates(node: Aggregate, needed: set[Attribute]) -> tuple[Column, ...]:
    """Return the aggregates that are needed; without keys at least one, which makes the row."""
    found = tuple(column for column in node.aggregates if column.attribute in needed)
    return found if found or node.keys else node.aggregates[:1]


def _narrow(node: Plan, needed: set[Attribute]) -> Plan:
    match node:
        case Project():
            return replace(node, columns=tuple(column for column in node.columns if column.attribute in needed))
        case Aggregate():
            return replace(node, aggregates=_needed_aggregates(node, needed))
        case _:
            return node
