"""Change the conjuncts of a filter that failed, and no others: `year >= 2019` becomes `year >= 2018`.

What a conjunct can become is proposed by the files in `proposals/conditions`; here their forms are put together.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from sparkwhy.explain.repair import Change
from sparkwhy.fix.context import Blamed, FixContext, has_failed_at, values_at
from sparkwhy.fix.proposals.condition_forms import Forms, change_failed
from sparkwhy.plan.nodes import Filter


def propose(context: FixContext, blamed: Blamed) -> Iterator[Change]:
    """Propose filters whose condition holds for the witness, the cheapest first."""
    node = blamed.node
    if isinstance(node, Filter):
        for form in forms_for(context, blamed).found:
            if form.condition != node.condition:
                yield Change(node.id, form.kind, replace(node, condition=form.condition))


def forms_for(context: FixContext, blamed: Blamed) -> Forms:
    """Return the conditions that a filter can have instead, or why there are none; nothing if nothing was recorded."""
    node, observation = blamed.node, blamed.observation
    if not isinstance(node, Filter) or observation is None:
        return Forms()
    failed, value_of = has_failed_at(observation), values_at(context, observation)
    return change_failed(node.condition, failed, value_of, context.limits.changed_conditions)
