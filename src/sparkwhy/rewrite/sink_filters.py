"""Move filters below projections, with what these compute put into the condition.

Before:

    filter x < 3
    project n, n + 1 as x
    table (n)

After:

    project n, n + 1 as x
    filter n + 1 < 3
    table (n)

Spark's planner does so anyway. Done here, what comes before the projections can be compiled apart from them.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

from sparkwhy.plan.exprs import Opaque
from sparkwhy.plan.nodes import Filter, Plan, Project
from sparkwhy.plan.walk import fold, with_inputs
from sparkwhy.plan.walk_exprs import attributes_of, is_random, parts
from sparkwhy.rewrite.inline_structs import inline_definitions

LONGEST_CONDITION = 10_000
"""Parts of a condition; one that would become longer is left above the projection."""


def sink_filters(plan: Plan) -> Plan:
    """Move each filter below the projections under it, as long as its condition does not become too long."""
    return fold(plan, lambda node, below: _sink(with_inputs(node, below)))


def _sink(node: Plan) -> Plan:
    if not isinstance(node, Filter) or not isinstance(node.input, Project):
        return node
    below = node.input
    made = {column.attribute: column.expr for column in below.columns if not column.is_carried}
    read = [made[attribute] for attribute in attributes_of(node.condition) if attribute in made]
    if any(map(is_random, made.values())):
        return node
    if any(isinstance(part, Opaque) for expr in read for part in parts(expr)):  # it may be slow
        return node
    condition = inline_definitions(node.condition, made)
    if sum(1 for _ in islice(parts(condition), LONGEST_CONDITION + 1)) > LONGEST_CONDITION:
        return node
    return replace(below, input=_sink(replace(node, input=below.input, condition=condition)))
