"""Texts that differ only in spaces, case or the like: `city = 'Lyon'` becomes `lower(trim(city)) = 'lyon'`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sparkwhy.evidence.normalizing import normalize
from sparkwhy.evidence.text_differences import equal_after
from sparkwhy.fix.context import ValueOf
from sparkwhy.fix.proposals.conditions.form import Form, is_constant
from sparkwhy.plan.exprs import Compare, Expr, Literal


def propose(part: Expr, value_of: ValueOf) -> Iterator[Form]:
    """Propose an equality of normalized texts, of a column with a constant or with another column."""
    match part:
        case Compare("=", left, Literal(value) as right):
            yield from _normalize(left, right, value_of(left), value)
        case Compare("=", left, right) if not is_constant(right):
            yield from _normalize(left, right, value_of(left), value_of(right))
        case _:
            return


def _normalize(left: Expr, right: Expr, one: Any, other: Any) -> Iterator[Form]:
    changes = equal_after(one, other) if isinstance(one, str) and isinstance(other, str) else None
    if changes:
        sides = normalize(changes, left), normalize(changes, right)
        if sides[0] is not None and sides[1] is not None:
            yield Form(Compare("=", sides[0], sides[1]), "comparison")
