"""The value of a constant, and another value written as the constant was: `date '2024-01-31'`, `cast('5' as int)`."""

from __future__ import annotations

import datetime as dt
import decimal
from dataclasses import replace
from typing import Any

from sparkwhy.fix.context import UnknownValue, ValueOf
from sparkwhy.plan.exprs import Cast, Expr, Literal
from sparkwhy.plan.types import INTEGRALS, STRING, TIMESTAMP, Decimal, Type
from sparkwhy.question.values import convert

SPARK_DIGITS = 38
"""The digits that a decimal of Spark can have; Python's default context keeps only 28."""


def constant_value(constant: Expr) -> Any:
    """Return the value of a constant; a timestamp that is written as text stays text."""
    match constant:
        case Literal(value):
            return value
        case Cast(Literal(str() as text), type) if type != TIMESTAMP:  # which depends on the time zone
            try:
                return convert(text, type, "UTC")
            except ValueError:
                return text
        case Cast(inner):
            return constant_value(inner)
        case _:
            return None


def recorded_value(constant: Expr, value_of: ValueOf) -> Any:
    """Return the value that a constant had on the witness: a time that is written as text depends on the time zone."""
    try:
        return value_of(constant)
    except UnknownValue:
        return constant_value(constant)


def write_like(constant: Expr, value: Any) -> Expr:
    """Return a constant with another value, written in the same form.

    `cast('5' as int)` and 7 give `cast('7' as int)`.
    """
    match constant:
        case Cast(Literal(str()), type) if type != STRING:
            return replace(constant, input=Literal(_as_text(value), STRING))
        case Cast(Literal(_, inner)) if fits(value, inner):
            return replace(constant, input=Literal(int(value), inner))
        case _:
            return _exact(constant, value)


def fits(value: Any, type: Type) -> bool:
    """Return whether a type is one of whole numbers, and can hold this value."""
    if type not in INTEGRALS:
        return False
    try:
        convert(value, type, "UTC")
    except (ValueError, OverflowError):
        return False
    return True


def _exact(constant: Expr, value: Any) -> Expr:
    type = constant.type
    if isinstance(type, Decimal) and isinstance(value, decimal.Decimal):
        value = value.quantize(decimal.Decimal(1).scaleb(-type.scale), context=decimal.Context(prec=SPARK_DIGITS))
    return Literal(value, type)


def _as_text(value: Any) -> str:
    return value.isoformat(sep=" ") if isinstance(value, dt.datetime) else str(value)
