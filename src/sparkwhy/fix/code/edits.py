"""Write fixes as edits of the user's file: for the explanations of an answer only, because each reads the file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from sparkwhy.explain.candidates import Claim
from sparkwhy.explain.model import Fix
from sparkwhy.fix.code.line_diff import line_diff
from sparkwhy.fix.propose import changed_node
from sparkwhy.plan.nodes import OpId, Plan
from sparkwhy.plan.show import show_op
from sparkwhy.plan.walk import walk


def with_code_edits(before: Plan, each: Claim) -> Claim:
    """Add to each fix of an explanation the changed line of the file, where that needs no guess.

    A fix `filter year >= 2019` to `filter year >= 2018` at etl.py:13 gets the diff
    `-trips.filter(F.col("year") >= 2019)`, `+trips.filter(F.col("year") >= 2018)`.
    """
    repair = each.repair or each.failed
    if repair is None:
        return each
    new = {node.id: node for node in walk(repair.fixed_plan)}
    edited: dict[str, list[str]] = {}
    fixes = tuple(replace(fix, diff=_diff(before, new, fix, edited)) for fix in each.explanation.fixes)
    return replace(each, explanation=replace(each.explanation, fixes=tuple(_drop_partial_lines(fixes))))


def _drop_partial_lines(fixes: Sequence[Fix]) -> Iterator[Fix]:
    """Yield the fixes without changed lines in which another fix may have to change something too."""
    unwritten = {fix.operator.where for fix in fixes if fix.diff is None}
    for fix in fixes:
        is_partial = None in unwritten or fix.operator.where in unwritten
        yield replace(fix, diff=None) if is_partial else fix


def _diff(before: Plan, new: Mapping[OpId, Plan], fix: Fix, edited: dict[str, list[str]]) -> str | None:
    node = next(node for node in walk(before) if node.id == OpId(fix.operator.id))
    if _is_line_of_others(before, node):
        return None
    changed = changed_node(before, new, node)
    return line_diff(changed, new[changed.id], edited) if changed.id in new else None


def _is_line_of_others(plan: Plan, node: Plan) -> bool:
    """Return whether the line of an operator is that of others too: a function that is called for several inputs.

    An edit of the line would change all of them, but only one was changed when the fix was run.
    """
    others = (each for each in walk(plan) if each.first_use != node.first_use)
    return node.where is not None and any(
        each.where == node.where and show_op(each) == show_op(node) for each in others
    )
