"""Move equalities of a filter into the joins below it: `from a, b where a.x = b.y` means a join on a.x = b.y.

Before:

    filter a.x = b.y and a.n > 2
    cross join
      table a
      table b

After:

    filter a.n > 2
    inner join on a.x = b.y
      table a
      table b

Tracing cannot follow all pairs of two tables; and it is the join that loses the row. Only equalities between the two
sides of an inner join that has no key yet are moved. What remains in the filter stays there.
"""

from __future__ import annotations

from dataclasses import replace

from sparkwhy.plan.build import all_of, boolean
from sparkwhy.plan.exprs import Expr, conjuncts
from sparkwhy.plan.join_keys import as_key, equal_keys
from sparkwhy.plan.nodes import Filter, Join, OpId, Plan
from sparkwhy.plan.walk import fold, walk, with_inputs
from sparkwhy.plan.walk_exprs import reads_only


def with_join_conditions(plan: Plan) -> Plan:
    """Give joins without keys the keys that a filter above them names."""

    def combine(node: Plan, inputs: tuple[Plan, ...]) -> Plan:
        again = with_inputs(node, inputs)
        return _move_equalities(again) if isinstance(again, Filter) else again

    return fold(plan, combine)


def _move_equalities(filter: Filter) -> Plan:
    parts = list(conjuncts(filter.condition))
    below = filter.input
    keyless = frozenset(node.id for node in walk(below) if isinstance(node, Join) and not equal_keys(node))
    for part in tuple(parts):
        taken = _add_key(below, part, filter, keyless)
        if taken is not None:
            below = taken
            parts.remove(part)
    if below is filter.input:
        return filter
    return replace(filter, input=below, condition=all_of(parts) if parts else boolean(True))


def _add_key(plan: Plan, part: Expr, filter: Filter, keyless: frozenset[OpId]) -> Plan | None:
    """Return the plan with this equality as a key of the join whose sides it compares, if there is one without keys."""
    path: list[tuple[Join, str]] = []
    while isinstance(plan, Join) and plan.traits.is_inner:
        if as_key(plan, part) is not None:
            return _rebuild(path, _with_key(plan, part, filter)) if plan.id in keyless else None
        side = _side_of(plan, part)
        if side is None:
            return None
        path.append((plan, side))
        plan = plan.left if side == "left" else plan.right
    return None


def _with_key(join: Join, part: Expr, filter: Filter) -> Join:
    old = () if join.condition is None else conjuncts(join.condition)
    return replace(join, how="inner", condition=all_of((*old, part)), where=filter.where or join.where)


def _side_of(join: Join, part: Expr) -> str | None:
    if reads_only(part, join.left.output):
        return "left"
    return "right" if reads_only(part, join.right.output) else None


def _rebuild(path: list[tuple[Join, str]], plan: Plan) -> Plan:
    for join, side in reversed(path):
        plan = replace(join, left=plan) if side == "left" else replace(join, right=plan)
    return plan
