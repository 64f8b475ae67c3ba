"""What may be evaluated on any row, because it cannot fail."""

from __future__ import annotations

import pytest

from sparkwhy.plan.build import call
from sparkwhy.plan.exprs import Cast, Compare, Expr, Literal, Ref
from sparkwhy.plan.types import DATE, DOUBLE, INTEGER, STRING, Decimal, Type
from sparkwhy.rewrite.never_fails import never_fails
from tests.plan.test_nodes import attribute


def column(type: Type) -> Expr:
    return Ref(attribute(1, "c", type))


@pytest.mark.parametrize(
    ("expr", "safe"),
    [
        (Compare("<", column(INTEGER), Literal(3, INTEGER)), True),
        (Cast(column(INTEGER), DOUBLE), True),
        (Cast(column(Decimal(12, 2)), Decimal(14, 4)), True),
        (Cast(column(Decimal(12, 2)), Decimal(13, 4)), False),  # eleven digits before the point are nine now
        (Cast(column(Decimal(12, 2)), Decimal(12, 1)), False),
        (Cast(column(STRING), INTEGER), False),
        (Cast(Cast(Literal("2020-01-01", STRING), STRING), DATE), True),  # the query has seen that it is a date
        (call("/", column(DOUBLE), column(DOUBLE)), False),
    ],
)
def test_what_never_fails(expr: Expr, safe: bool) -> None:
    assert never_fails(expr) is safe
