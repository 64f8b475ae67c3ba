"""The rewrites that run on every plan before Spark does, in order.

They only make plans quicker. Give an engine `rewrites=()` to run plans as they were written.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

from sparkwhy.plan.nodes import Plan
from sparkwhy.rewrite.codegen import Codegen
from sparkwhy.rewrite.lower_filters import lower_filters
from sparkwhy.rewrite.merge_projections import merge_many_projections, merge_small_projections
from sparkwhy.rewrite.prune_columns import prune_own_plan
from sparkwhy.rewrite.sink_filters import sink_filters

Rule: TypeAlias = Callable[[Plan], Plan]
"""Return a plan with the same rows and the same output."""


class Rewrite(NamedTuple):
    """A rule, and when to apply it.

    A rule with `before_split` needs the whole plan: it runs before `split_small` divides the plan, all others after.
    """

    rule: Rule
    codegens: frozenset[Codegen] = frozenset(Codegen)
    before_split: bool = False


RULES: tuple[Rewrite, ...] = (
    Rewrite(prune_own_plan, before_split=True),
    Rewrite(lower_filters, frozenset({Codegen.PIECES})),
    Rewrite(merge_many_projections),
    Rewrite(merge_small_projections, frozenset({Codegen.PIECES})),
    Rewrite(sink_filters, frozenset({Codegen.APART})),
)


def rewrite_whole(plan: Plan, rewrites: Sequence[Rewrite] = RULES) -> Plan:
    """Apply the rules that need the whole plan."""
    for each in rewrites:
        plan = each.rule(plan) if each.before_split else plan
    return plan


def rewrite_plan(plan: Plan, codegen: Codegen, rewrites: Sequence[Rewrite] = RULES) -> Plan:
    """Apply the rules for plans that are compiled in this way."""
    for each in rewrites:
        plan = each.rule(plan) if codegen in each.codegens and not each.before_split else plan
    return plan
