"""Change the conjuncts of a filter that failed, and no others: `year >= 2019` becomes `year >= 2018`.

What a conjunct can become is proposed by the files in `proposals/conditions`; here their forms are put together.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from sparkwhy.explain.repair import Change
from sparkwhy.fix.context import Blamed, FixContext, has_failed_at, values_at
from sparkwhy.fix.proposals.condition_forms import Forms, change_failed
from sparkwhy.plan.exprs import Compare, Expr, conjuncts
from sparkwhy.plan.nodes import Filter


def propose(context: FixContext, blamed: Blamed) -> Iterator[Change]:
    """Propose filters whose condition holds for the witness, the cheapest first."""
    node = blamed.node
    if isinstance(node, Filter):
        for form in forms_for(context, blamed).found:
            if form.condition != node.condition and not _orders_keys(context, node, form.condition):
                yield Change(node.id, form.kind, replace(node, condition=form.condition))


def _orders_keys(context: FixContext, node: Filter, condition: Expr) -> bool:
    """Return whether the filter is a join, and a key that it equates would be compared in another way.

    Two rows belong together if their keys are equal: `left.id <= right.id` lets this pair through, and means nothing.
    """
    if node.id not in context.shown_as:
        return False
    pairs = zip(conjuncts(node.condition), conjuncts(condition), strict=False)
    return any(is_equality(old) and isinstance(new, Compare) and not is_equality(new) for old, new in pairs)


def is_equality(part: Expr) -> bool:
    return isinstance(part, Compare) and part.op in ("=", "<=>")


def forms_for(context: FixContext, blamed: Blamed) -> Forms:
    """Return the conditions that a filter can have instead, or why there are none; nothing if nothing was recorded."""
    node, observation = blamed.node, blamed.observation
    if not isinstance(node, Filter) or observation is None:
        return Forms()
    failed, value_of = has_failed_at(observation), values_at(context, observation)
    return change_failed(node.condition, failed, value_of, context.limits.changed_conditions)
