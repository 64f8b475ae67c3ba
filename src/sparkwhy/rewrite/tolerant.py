"""Plans in which a value on which an expression fails gives null instead, and back again.

In ANSI mode Spark fails where a number is divided by zero, or a text is no number. A query may never meet such values
because a filter drops them; whoever follows dropped rows meets them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from sparkwhy.plan.exprs import Call, Cast, Expr, ItemOf
from sparkwhy.plan.node_exprs import exprs_of, with_exprs
from sparkwhy.plan.nodes import Plan
from sparkwhy.plan.walk import fold, walk, with_inputs
from sparkwhy.plan.walk_exprs import fold_expr, parts, with_operands

_FORGIVING = frozenset({"+", "-", "*", "/", "%", "element_at"})
"""The functions that have a form that gives null."""


def tolerant(plan: Plan) -> Plan:
    """The plan with null where an expression would fail, as far as there is a form for that."""
    return _changed(plan, _tolerant)


def strict(plan: Plan, written: Plan) -> Plan:
    """What was made of the tolerant form of a query, failing again; only what the query itself forgives stays so."""
    own = {part for node in walk(written) for expr in exprs_of(node) for part in parts(expr)}

    def restored(expr: Expr) -> Expr:
        match expr:
            case Call(mode="try") | Cast(mode="try") | ItemOf(mode="legacy") if expr not in own:
                return replace(expr, mode="ansi")
            case _:
                return expr

    return _changed(plan, restored)


def _tolerant(expr: Expr) -> Expr:
    match expr:
        case Call(function, _, "ansi") if function in _FORGIVING:
            return replace(expr, mode="try")
        case Cast(mode="ansi"):
            return replace(expr, mode="try", spared=True)
        case ItemOf(mode="ansi"):
            return replace(expr, mode="legacy")
        case _:
            return expr


def _changed(plan: Plan, change: Callable[[Expr], Expr]) -> Plan:
    """The plan with every part of its expressions changed, innermost first."""

    def changed(expr: Expr) -> Expr:
        return fold_expr(expr, lambda part, below: change(with_operands(part, below) if below else part))

    def combine(node: Plan, below: tuple[Plan, ...]) -> Plan:
        again = with_inputs(node, below)
        return with_exprs(again, [changed(expr) for expr in exprs_of(again)])

    return fold(plan, combine)
