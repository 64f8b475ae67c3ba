"""A comparison with a constant: move the constant to the nearest value that is enough, or widen the comparison.

`year >= 2019` becomes `year >= 2018` for 2018; `n < 5` becomes `n <= 5` for 5, and `n < 8` for 7.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from typing import Any

from sparkwhy.fix.context import ValueOf
from sparkwhy.fix.proposals.conditions.constants import fits, recorded_value, write_like
from sparkwhy.fix.proposals.conditions.form import Form, is_constant, is_null_constant
from sparkwhy.plan.exprs import Compare, CompareOp, Expr, IsNotNull
from sparkwhy.plan.types import DATE


def propose(part: Expr, value_of: ValueOf) -> Iterator[Form]:
    """Propose comparisons that just let the value through."""
    if not isinstance(part, Compare) or not is_constant(part.right):
        return
    value = value_of(part.left)
    if value is None:
        return
    match part.op:
        case "=" | "<=>" | "<=" | ">=":
            yield Form(Compare(part.op, part.left, write_like(part.right, value)), "constant")
        case "<>" if not is_null_constant(part.right):
            yield Form(IsNotNull(part.left), "comparison")  # keeps all rows that it kept; the others drop some of them
            yield from (Form(Compare(other, part.left, part.right), "comparison") for other in _ORDERED)
        case "<" | ">":
            yield _move_behind(part, value, recorded_value(part.right, value_of))
        case _:
            return


_ORDERED: tuple[CompareOp, ...] = ("<=", ">=")
_OR_EQUAL: dict[CompareOp, CompareOp] = {"<": "<=", ">": ">="}


def _move_behind(part: Compare, value: Any, bound: Any) -> Form:
    """Include the bound if the value is at it; otherwise move the bound just behind the value."""
    side, constant = part.left, part.right
    if value == bound:
        return Form(Compare(_OR_EQUAL[part.op], side, constant), "comparison")
    behind = _next_value(value, side, 1 if part.op == "<" else -1)
    if behind is None:
        return Form(Compare(_OR_EQUAL[part.op], side, write_like(constant, value)), "constant")
    return Form(Compare(part.op, side, write_like(constant, behind)), "constant")


def _next_value(value: Any, side: Expr, step: int) -> Any:
    """Return the next value of whole numbers and dates in a direction; None if there is none, or none is next."""
    if fits(value, side.type) and fits(value + step, side.type):
        return value + step
    return value + dt.timedelta(days=step) if side.type == DATE else None
