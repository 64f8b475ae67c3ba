"""Where a traced plan surely has few rows, or most likely: groups with keys that the question names."""

from __future__ import annotations

from collections.abc import Callable

from sparkwhy.plan.exprs import Call, Expr
from sparkwhy.plan.nodes import Aggregate, Plan
from sparkwhy.plan.walk import walk
from sparkwhy.plan.walk_exprs import parts
from sparkwhy.trace.wanted import Conditions, backtrace, pins, pushed

_TEXT_TESTS = frozenset({"contains", "startswith", "endswith", "like", "rlike"})


def few_groups(plan: Plan, asked: Conditions) -> Callable[[Plan], bool]:
    """What says of operators of the traced query whether they have few rows: one for each set of blame, or a few."""
    wanted = backtrace(plan, asked)
    steps = {
        node.id.step
        for node in walk(plan)
        if isinstance(node, Aggregate) and (not node.keys or any(map(_is_selective, pushed(node, wanted[node.id])[0])))
    }
    return lambda node: isinstance(node, Aggregate) and node.id.step in steps


def few_marks(node: Plan) -> bool:
    """Rows that are looked up by their marks, each different one once."""
    return isinstance(node, Aggregate)


def _is_selective(condition: Expr) -> bool:
    """Whether a condition asks for one value, for one of a few, or for a text that is like another."""
    return pins(condition) or any(isinstance(part, Call) and part.function in _TEXT_TESTS for part in parts(condition))
