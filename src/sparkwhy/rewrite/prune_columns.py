"""Columns that nobody reads are not computed: projections and aggregates of a plan without them.

The result of the plan stays. A grouping of which only the keys are read becomes one without aggregates.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace

from sparkwhy.plan.build import Fresh, carry
from sparkwhy.plan.exprs import Attribute
from sparkwhy.plan.node_exprs import exprs_of
from sparkwhy.plan.nodes import Aggregate, Column, Distinct, Plan, Project, SetOperation, Union
from sparkwhy.plan.walk import fold, inputs, walk, with_inputs
from sparkwhy.plan.walk_exprs import attributes_of


def pruned(plans: Sequence[Plan]) -> tuple[Plan, ...]:
    """These readings of one query, all without the columns that none of them reads.

    Columns with a name that the query has twice stay: without one of them the other would be called differently. And so
    do all columns of a union, where they have their place among others.
    """
    needed = _needed(plans, _namesakes(plans[0]), _read_by)
    return tuple(fold(plan, lambda node, below: with_inputs(_narrow(node, needed), below)) for plan in plans)


def lean(plan: Plan) -> Plan:
    """A plan of our own without the columns that nobody reads, those of unions too; nobody sees its names."""
    needed, fresh = _needed((plan,), set(), _read_by_position), Fresh(plan)

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
"""The attributes that an operator reads to make what is needed of it."""


def _needed(plans: Sequence[Plan], always: set[Attribute], reading: _Reading) -> set[Attribute]:
    needed = {attribute for plan in plans for attribute in plan.output} | always
    while True:
        before = len(needed)
        for plan in plans:
            for node in reversed(tuple(walk(plan))):  # what reads a column comes before what makes it
                needed.update(reading(node, needed))
        if len(needed) == before:
            return needed


def _namesakes(plan: Plan) -> set[Attribute]:
    made = {attribute for node in walk(plan) for attribute in node.output}
    count = Counter(attribute.name for attribute in made)
    return {attribute for attribute in made if count[attribute.name] > 1}


def _read_by_position(node: Plan, needed: set[Attribute]) -> list[Attribute]:
    if not isinstance(node, Union):
        return _read_by(node, needed)
    kept = [i for i, attribute in enumerate(node.attributes) if attribute in needed]
    return [branch.output[i] for branch in node.branches for i in kept]


def _read_by(node: Plan, needed: set[Attribute]) -> list[Attribute]:
    match node:
        case Project():
            exprs = [column.expr for column in node.columns if column.attribute in needed]
        case Aggregate():
            exprs = [c.expr for c in (*node.keys, *_kept(node, needed))]
        case Union() | SetOperation() | Distinct():  # all columns tell rows apart, or have their place among others
            return [attribute for below in inputs(node) for attribute in below.output]
        case _:
            exprs = list(exprs_of(node))
    return [attribute for expr in exprs for attribute in attributes_of(expr)]


def _kept(node: Aggregate, needed: set[Attribute]) -> tuple[Column, ...]:
    """The aggregates that are needed; without keys at least one, which makes the row."""
    kept = tuple(column for column in node.aggregates if column.attribute in needed)
    return kept if kept or node.keys else node.aggregates[:1]


def _narrow(node: Plan, needed: set[Attribute]) -> Plan:
    match node:
        case Project():
            return replace(node, columns=tuple(column for column in node.columns if column.attribute in needed))
        case Aggregate():
            return replace(node, aggregates=_kept(node, needed))
        case _:
            return node
