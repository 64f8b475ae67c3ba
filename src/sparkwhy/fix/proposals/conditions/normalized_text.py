"""Texts that differ only in spaces at their ends or in case: `city = 'Lyon'` becomes `lower(trim(city)) = 'lyon'`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

from sparkwhy.evidence.text_differences import equal_after
from sparkwhy.fix.context import ValueOf
from sparkwhy.fix.proposals.conditions.form import Form, is_constant
from sparkwhy.plan.exprs import Call, Compare, Expr, Literal

_NORMALIZING: dict[str, Callable[[str], str]] = {"trim": lambda text: text.strip(" "), "lower": str.lower}
"""Functions of Spark that make texts equal which people take to be equal, as functions of Python."""


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
    if changes and set(changes) <= set(_NORMALIZING):
        yield Form(Compare("=", _apply(changes, left), _apply(changes, right)), "comparison")


def _apply(functions: Iterable[str], expr: Expr) -> Expr:
    """Put functions of text around an expression; a constant is changed itself."""
    for function in functions:
        if isinstance(expr, Literal):
            expr = replace(expr, value=_NORMALIZING[function](expr.value))
        else:
            expr = Call(function, (expr,))
    return expr
