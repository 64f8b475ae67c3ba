"""The changes of `text_differences` as expressions: what a query writes to make such texts equal.

`trim and lower` of `left.city` is `lower(trim(left.city))`. Spark has no function that removes accents.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from sparkwhy.evidence.text_differences import change_text
from sparkwhy.plan.build import call
from sparkwhy.plan.exprs import Cast, Expr, Literal
from sparkwhy.plan.types import DATE, DOUBLE, STRING, TIMES


def _text(value: str) -> Expr:
    return Literal(value, STRING)


def _remove(pattern: str, new: str = "") -> Callable[[Expr], Expr]:
    return lambda expr: call("regexp_replace", expr, _text(pattern), _text(new))


def _as_date(expr: Expr) -> Expr:
    """Return `cast(at as date)`; a date that was cast to a time is taken as it was."""
    if isinstance(expr, Cast) and expr.input.type == DATE:
        return expr.input
    return Cast(expr, DATE) if expr.type in TIMES else Cast(expr, DATE, "try")


_LEADING_ZEROS = "^0+(?=.)"

NORMALIZERS: Mapping[str, Callable[[Expr], Expr]] = {
    "replacing non-breaking spaces": lambda expr: call("replace", expr, _text("\u00a0"), _text(" ")),
    "removing invisible characters": _remove("[\t\r\n\u200b\ufeff]"),
    "trim": lambda expr: call("trim", expr),
    "lower": lambda expr: call("lower", expr),
    "removing leading zeros": _remove(_LEADING_ZEROS),
    "cast to a number": lambda expr: Cast(expr, DOUBLE, "try"),
    "cast to a date": _as_date,
}
"""What makes texts equal that people take to be equal, by the names of `text_differences`."""


def normalize(changes: Iterable[str], expr: Expr) -> Expr | None:
    """Put the functions for some changes around an expression, a constant is changed itself; None if one has none."""
    names = tuple(changes)
    if not set(names) <= set(NORMALIZERS):
        return None
    if isinstance(expr, Literal):
        return replace(expr, value=change_text(expr.value, names))
    for name in names:
        expr = NORMALIZERS[name](expr)
    return expr


def is_normalized(key: Expr) -> bool:
    """Return whether keys of this type can differ in what people overlook: texts, and times of a day."""
    return key.type == STRING or key.type in TIMES


def coarsest(key: Expr) -> Expr:
    """Return a text that is equal for all keys that the changes make equal, and perhaps for some others."""
    if key.type in TIMES:
        return Cast(Cast(key, DATE), STRING)
    if key.type != STRING:
        return Cast(key, STRING)
    for change in (
        _remove("[\\s\u00a0\u200b\ufeff]+", " "),
        NORMALIZERS["trim"],
        NORMALIZERS["lower"],
        _remove(r"^(\d{4}-\d{2}-\d{2})[ t].*$", "$1"),
        _remove(r"^(-?\d*)\.0*$", "$1"),
        NORMALIZERS["removing leading zeros"],
    ):
        key = change(key)
    return key
