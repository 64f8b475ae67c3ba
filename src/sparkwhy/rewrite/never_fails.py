"""Expressions that cannot fail, so that they may be evaluated on rows that the query keeps from them."""

from __future__ import annotations

from sparkwhy.plan.exprs import And, Cast, Compare, Expr, FieldOf, In, IsNotNull, IsNull, Literal, Not, Or, Ref
from sparkwhy.plan.types import DOUBLE, Decimal, is_numeric
from sparkwhy.plan.walk_exprs import attributes_of, parts


def never_fails(expr: Expr) -> bool:
    """Whether an expression has a value whatever it reads, in ANSI mode too."""
    return all(isinstance(part, _SAFE) or _is_widening(part) for part in parts(expr))


_SAFE = (Ref, FieldOf, Literal, Compare, In, IsNull, IsNotNull, Not, And, Or)


def _is_widening(part: Expr) -> bool:
    """Whether it is a cast that every value survives; of a constant the query has seen that it does."""
    if not isinstance(part, Cast):
        return False
    if not any(attributes_of(part.input)):
        return True
    match part.input.type, part.type:
        case Decimal(before, digits), Decimal(after, more):
            return more >= digits and after - more >= before - digits
        case given, wider:
            return wider == DOUBLE and is_numeric(given)
