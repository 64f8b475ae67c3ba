"""Move the parts of a filter that cannot fail below projections and filters that only pass on what they read.

Before:

    filter n < 3 and x < 5
    project n, n + 1 as x
    table (n)

After:

    filter x < 5
    project n, n + 1 as x
    filter n < 3
    table (n)

Rows that the question rules out are dropped before anything is computed from them. What may fail stays behind the
filters before it, which may keep the failing rows away.
"""

from __future__ import annotations

from dataclasses import replace

from sparkwhy.plan.build import all_of
from sparkwhy.plan.exprs import Expr, conjuncts
from sparkwhy.plan.node_exprs import exprs_of
from sparkwhy.plan.nodes import Filter, Plan, Project
from sparkwhy.plan.walk import fold, with_inputs
from sparkwhy.plan.walk_exprs import attributes_of, is_random
from sparkwhy.rewrite.never_fails import never_fails


def lower_filters(plan: Plan) -> Plan:
    """Test what projections and other filters pass on before these, where the test cannot fail."""
    return fold(plan, lambda node, below: _lower(with_inputs(node, below)))


def _lower(node: Plan) -> Plan:
    if not isinstance(node, Filter) or not isinstance(node.input, Project | Filter):
        return node
    below = node.input
    if any(map(is_random, exprs_of(below))):  # for other rows it would draw other values
        return node
    parts_of = conjuncts(node.condition)
    low = [part for part in parts_of if never_fails(part) and _passes_on(below, part)]
    high = [part for part in parts_of if part not in low]
    if not low:
        return node
    lowered = _lower(Filter(id=node.id, where=node.where, input=below.input, condition=all_of(low)))
    kept = replace(below, input=lowered)
    return replace(node, input=kept, condition=all_of(high)) if high else kept


def _passes_on(node: Project | Filter, condition: Expr) -> bool:
    """Return whether an operator passes on all columns that a condition reads."""
    passed = {column.attribute for column in node.columns if column.is_carried} if isinstance(node, Project) else None
    return passed is None or all(attribute in passed for attribute in attributes_of(condition))
