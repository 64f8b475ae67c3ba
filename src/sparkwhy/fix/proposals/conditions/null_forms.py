"""Nulls: a form that lets them through. `n = 5` becomes `n = 5 or n is null`; `s <> 'x'` becomes `not (s <=> 'x')`.

The paper's table of changes has no such forms, so most of them cost more than all others.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from sparkwhy.fix.context import ValueOf
from sparkwhy.fix.proposals.conditions.form import Form, is_constant, is_null_constant
from sparkwhy.fix.proposals.conditions.text_test import TEXT_TESTS
from sparkwhy.plan.exprs import Call, Compare, Expr, In, IsNull, Literal, Not, Or


def propose(part: Expr, value_of: ValueOf) -> Iterator[Form]:
    """Propose null-safe forms, where the value or the constant is null."""
    match part:
        case Compare(_, left, right) if is_constant(right):
            yield from _propose_null_safe(part, value_is_null=value_of(left) is None)
        case Compare("=", left, right):
            if value_of(left) is None and value_of(right) is None:
                yield Form(replace(part, op="<=>"), "comparison")
        case In(inner, options) | Not(In(inner, options)) if all(map(is_constant, options)):
            yield from _propose_or_null(part, inner, value_of)
        case Call(function, (inner, Literal(str()))) if function in TEXT_TESTS:
            yield from _propose_or_null(part, inner, value_of)
        case _:
            return


def _propose_null_safe(part: Compare, *, value_is_null: bool) -> Iterator[Form]:
    """Propose null-safe forms of a comparison with a constant."""
    same = Compare("<=>", part.left, part.right)
    match part.op, value_is_null, is_null_constant(part.right):
        case "=", True, True:
            yield Form(same, "comparison")
        case ("<>", True, False) | ("<>", False, True):
            yield Form(Not(same), "other")
        case "<=>", _, _:
            return
        case _, True, _:
            yield Form(Or((part, IsNull(part.left))), "other")
        case _:
            return


def _propose_or_null(part: Expr, inner: Expr, value_of: ValueOf) -> Iterator[Form]:
    if value_of(inner) is None:
        yield Form(Or((part, IsNull(inner))), "other")
