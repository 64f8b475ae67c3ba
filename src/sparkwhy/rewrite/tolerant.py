"""Replace expressions that fail on some values by those that return null there, and the reverse.

Before:                      After:

    filter ansi(a / b) > 1       filter try(a / b) > 1
    table (a, b)                 table (a, b)

In ANSI mode Spark fails where a number is divided by zero, or a text is no number. A query may never come to such
values because a filter drops them; tracing follows the dropped rows too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from sparkwhy.plan.exprs import Call, Cast, Expr, ItemOf
from sparkwhy.plan.node_exprs import exprs_of, with_exprs
from sparkwhy.plan.nodes import Plan
from sparkwhy.plan.walk import fold, walk, with_inputs
from sparkwhy.plan.walk_exprs import fold_expr, parts, with_operands

_HAS_TRY_FORM = frozenset({"+", "-", "*", "/", "%", "element_at"})
"""Functions that have a form that returns null instead of failing."""


def make_tolerant(plan: Plan) -> Plan:
    """Replace expressions that may fail by their forms that return null, as far as there are such forms."""
    return _change_parts(plan, _as_tolerant)


def make_strict(plan: Plan, written: Plan) -> Plan:
    """Let a plan that was made of the tolerant form of a query fail again where the query as `written` fails."""
    own = {part for node in walk(written) for expr in exprs_of(node) for part in parts(expr)}

    def as_strict(expr: Expr) -> Expr:
        match expr:
            case Call(mode="try") | Cast(mode="try") | ItemOf(mode="legacy") if expr not in own:
                return replace(expr, mode="ansi")
            case _:
                return expr

    return _change_parts(plan, as_strict)


def _as_tolerant(expr: Expr) -> Expr:
    match expr:
        case Call(function, _, "ansi") if function in _HAS_TRY_FORM:
            return replace(expr, mode="try")
        case Cast(mode="ansi"):
            return replace(expr, mode="try", spared=True)
        case ItemOf(mode="ansi"):
            return replace(expr, mode="legacy")
        case _:
            return expr


def _change_parts(plan: Plan, change: Callable[[Expr], Expr]) -> Plan:
    """Change every part of a plan's expressions, innermost first."""

    def change_all(expr: Expr) -> Expr:
        return fold_expr(expr, lambda part, below: change(with_operands(part, below) if below else part))

    def combine(node: Plan, below: tuple[Plan, ...]) -> Plan:
        again = with_inputs(node, below)
        return with_exprs(again, [change_all(expr) for expr in exprs_of(again)])

    return fold(plan, combine)
