"""Which expressions only pass nulls on, and which can make one of values that are not null."""

from __future__ import annotations

from sparkwhy.plan.exprs import Call, Case, Cast, Compare, Expr, FieldOf, Lambda, Literal, MakeStruct, Not, Opaque, Ref
from sparkwhy.plan.types import DOUBLE, INTEGER, LONG, STRING, TIMES, is_numeric
from sparkwhy.plan.walk_exprs import attributes_of, is_path, is_random, operands, parts

_PASSING = frozenset({
    "+", "-", "*", "negative", "abs", "upper", "lower", "trim", "ltrim", "rtrim", "length", "substring",
    "contains", "startswith", "endswith", "like", "rlike", "replace", "instr", "lpad", "rpad", "split",
    "regexp_replace", "reverse", "repeat", "concat", "floor", "ceil", "round",
    "year", "quarter", "month", "day", "dayofweek", "hour", "minute", "date_add", "date_sub", "datediff", "add_months",
})  # fmt: skip
"""Functions that are null only if an argument is."""


def passes_nulls(expr: Expr) -> bool:
    """Return whether an expression is null only if one of its operands is; when in doubt: no."""
    match expr:
        case Ref() | FieldOf() | Not():
            return True
        case Literal(value):
            return value is not None
        case Compare(op):
            return op != "<=>"
        case Call(function, mode=mode):
            return function in _PASSING and mode != "try"
        case Cast(input, type, mode=mode):
            both_times = input.type in TIMES and type in TIMES
            to_number = is_numeric(input.type) and type in (INTEGER, LONG, DOUBLE) and mode != "try"
            return type == STRING or both_times or to_number
        case _:
            return False


def makes_nulls(expr: Expr) -> bool:
    """Return whether an expression may make a null of values that can be shown."""
    return computes(expr) and not all(map(passes_nulls, parts(expr)))


def computes(expr: Expr) -> bool:
    """Return whether an expression computes a value of others that can be shown: it is more than a path."""
    shown = any(attributes_of(expr)) and not is_random(expr) and not any(isinstance(p, Lambda) for p in parts(expr))
    return shown and not is_path(expr) and not isinstance(expr, MakeStruct)


def hides_nulls(expr: Expr) -> bool:
    """Return whether an operand that is null need not make the expression null, or not alone."""
    return isinstance(expr, Opaque | Case) or (isinstance(expr, Call) and expr.function == "coalesce")


def operands_that_vary(expr: Expr) -> tuple[Expr, ...]:
    """Return the operands of an expression that are not constant."""
    return tuple(each for each in operands(expr) if not isinstance(each, Literal))
