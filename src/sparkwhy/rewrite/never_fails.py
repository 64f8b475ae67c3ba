"""Expressions that cannot fail: they may be evaluated on rows that the query keeps away from them."""

from __future__ import annotations

from sparkwhy.plan.exprs import And, Cast, Compare, Expr, FieldOf, In, IsNotNull, IsNull, Literal, Not, Or, Ref
from sparkwhy.plan.types import DOUBLE, Decimal, is_numeric
from sparkwhy.plan.walk_exprs import attributes_of, parts


def never_fails(expr: Expr) -> bool:
    """Return whether an expression has a value whatever it reads, in ANSI mode too."""
    return all(isinstance(part, _SAFE) or _is_widening(part) for part in parts(expr))


_SAFE = (Ref, FieldOf, Literal, Compare, In, IsNull, IsNotNull, Not, And, Or)


def _is_widening(part: Expr) -> bool:
    """Return whether an expression is a cast that succeeds for every value.

    A cast of a constant counts: the query itself evaluates it, for any row.
    """
    if not isinstance(part, Cast):
        return False
    if not any(attributes_of(part.input)):
        return True
    match part.input.type, part.type:
        case Decimal(before, digits), Decimal(after, more):
            return more >= digits and after - more >= before - digits
        case given, wider:
            return wider == DOUBLE and is_numeric(given)
