"""A comparison of two columns: another comparison that holds. `a < b` becomes `a <= b` where both are 5."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from sparkwhy.fix.context import ValueOf
from sparkwhy.fix.proposals.conditions.form import Form, is_constant
from sparkwhy.plan.exprs import Compare, CompareOp, Expr

_HOLDS_FOR: dict[CompareOp, frozenset[str]] = {
    "=": frozenset("="), "<>": frozenset("<>"), "<": frozenset("<"), ">": frozenset(">"),
    "<=": frozenset("<="), ">=": frozenset("=>"),
}  # fmt: skip
"""The relations of two values for which a comparison holds."""


def propose(part: Expr, value_of: ValueOf) -> Iterator[Form]:
    """Propose other comparisons; one that keeps all rows that the old one kept comes first."""
    if not isinstance(part, Compare) or is_constant(part.right):
        return
    left, right = value_of(part.left), value_of(part.right)
    if left is None or right is None:
        return
    old, relation = _HOLDS_FOR.get(part.op, frozenset("=")), _relation(left, right)
    others = [op for op, holds in _HOLDS_FOR.items() if relation in holds and op != part.op]
    for op in sorted(others, key=lambda op: (not old <= _HOLDS_FOR[op], len(_HOLDS_FOR[op] - old))):
        yield Form(replace(part, op=op), "comparison")


def _relation(left: Any, right: Any) -> str:
    """Return how two values compare in Spark, where NaN is equal to itself and larger than all else."""
    if left == right or (left != left and right != right):
        return "="
    return "<" if right != right or left < right else ">"
