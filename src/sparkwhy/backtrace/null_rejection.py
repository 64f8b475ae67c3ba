"""Whether a condition can hold where some attributes are null, as on a padded row."""

from __future__ import annotations

from collections.abc import Set

from sparkwhy.plan.exprs import (
    And,
    AttrId,
    Call,
    Cast,
    Compare,
    Expr,
    FieldOf,
    In,
    IsNotNull,
    ItemOf,
    Literal,
    Not,
    Or,
    Ref,
)

_STRICT = frozenset({
    "+", "-", "*", "/", "%", "div", "pmod", "negative", "abs", "round", "floor", "ceil", "sqrt", "power",
    "&", "|", "^", "~", "shiftleft", "shiftright", "bit_count",
    "upper", "lower", "trim", "ltrim", "rtrim", "length", "substring", "contains", "startswith", "endswith", "like",
    "rlike", "replace", "instr", "lpad", "rpad", "split", "regexp_replace", "reverse", "repeat",
    "year", "quarter", "month", "day", "dayofweek", "hour", "minute", "date_add", "date_sub", "datediff",
    "add_months", "interval_days", "date_plus_months", "timestamp_plus_days",
    "size", "array_contains", "element_at", "exists", "forall", "filter", "transform", "array_size",
})  # fmt: skip
"""Functions that are null where their first argument is."""


def rejects_null(condition: Expr, attributes: Set[AttrId]) -> bool:
    """Return whether the condition is surely not true where all these attributes are null. When in doubt: no."""
    match condition:
        case And(operands):
            return any(rejects_null(operand, attributes) for operand in operands)
        case Or(operands):
            return all(rejects_null(operand, attributes) for operand in operands)
        case IsNotNull(inner):
            return is_surely_null(inner, attributes)
        case Compare("<=>", left, right):
            return _cannot_be_equal(left, right, attributes) or _cannot_be_equal(right, left, attributes)
        case _:
            return is_surely_null(condition, attributes)


def _cannot_be_equal(null: Expr, other: Expr, attributes: Set[AttrId]) -> bool:
    """`null <=> constant` is false for a constant that is not null."""
    return (
        isinstance(other, Literal)
        and other.value is not None
        and (is_surely_null(null, attributes) or (other.value is True and rejects_null(null, attributes)))
    )


def is_surely_null(expr: Expr, attributes: Set[AttrId]) -> bool:
    """Return whether the expression is surely null where all these attributes are."""
    match expr:
        case Ref(attribute):
            return attribute.id in attributes
        case Literal(value):
            return value is None
        case FieldOf(inner) | Cast(inner) | Not(inner) | ItemOf(inner) | In(inner):
            return is_surely_null(inner, attributes)
        case Compare(op, left, right):
            return op != "<=>" and (is_surely_null(left, attributes) or is_surely_null(right, attributes))
        case Call(function, args):
            return function in _STRICT and is_surely_null(args[0], attributes)
        case _:
            return False
