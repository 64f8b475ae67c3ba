"""Another form of a conjunct, and what its proposers ask of constants."""

from __future__ import annotations

from typing import NamedTuple

from sparkwhy.explain.model import FixKind
from sparkwhy.plan.exprs import Cast, Expr, Literal
from sparkwhy.plan.walk_exprs import attributes_of


class Form(NamedTuple):
    """Another condition in the place of one, and what kind of change that is."""

    condition: Expr
    kind: FixKind


def is_constant(expr: Expr) -> bool:
    """Return whether an expression reads no column."""
    return not any(attributes_of(expr))


def is_null_constant(constant: Expr) -> bool:
    """Return whether a constant is null, under casts or not."""
    return is_null_constant(constant.input) if isinstance(constant, Cast) else constant == Literal(None, constant.type)
