"""Expressions of the plan written as Spark SQL, so that Spark can be asked what they mean."""

from __future__ import annotations

import decimal
from collections.abc import Callable, Mapping

from sparkwhy.plan.exprs import (
    AggCall,
    And,
    Call,
    Case,
    Cast,
    Compare,
    Expr,
    FieldOf,
    Frame,
    In,
    IsNotNull,
    IsNull,
    ItemOf,
    Lambda,
    Literal,
    MakeStruct,
    Not,
    Or,
    Ref,
    Variable,
)
from sparkwhy.plan.nodes import SortKey
from sparkwhy.plan.types import STRING, Map, ddl
from sparkwhy.plan.walk_exprs import fold_expr

Texts = tuple[str, ...]

_INFIX = {"+", "-", "*", "/", "%", "div", "&", "|", "^"}
_TRY = {"+": "try_add", "-": "try_subtract", "*": "try_multiply", "/": "try_divide", "%": "try_mod"}
_WRITTEN: Mapping[str, Callable[..., str]] = {
    "~": lambda x: f"(~{x})",
    "legacy_size": lambda x: f"size({x})",
    "interval_days": lambda x: f"extract(DAY FROM {x})",
    "date_plus_months": lambda x, y: f"({x} + {y})",
    "timestamp_plus_days": lambda x, y: f"({x} + {y})",
    "like": lambda x, y, *escape: f"({x} LIKE {y}{''.join(f' ESCAPE {e}' for e in escape)})",
}


def to_sql(expr: Expr) -> str:
    return fold_expr(expr, _write)


def over(function: Call | AggCall, partition: tuple[Ref, ...], order: tuple[SortKey, ...], frame: Frame) -> str:
    """The function over a window."""
    by = ", ".join(map(to_sql, partition))
    sort = ", ".join(map(sort_key, order))
    ranked = isinstance(function, Call) and function.function != "nth_value"
    framed = "" if ranked else f" {frame.unit} BETWEEN {_bound(frame.lower, 'PRECEDING')} AND "
    end = "" if ranked else _bound(frame.upper, "FOLLOWING")
    return f"{to_sql(function)} OVER (PARTITION BY {by} ORDER BY {sort}{framed}{end})"


def sort_key(key: SortKey) -> str:
    direction = "ASC" if key.ascending else "DESC"
    return f"{to_sql(key.expr)} {direction} NULLS {'FIRST' if key.nulls_first else 'LAST'}"


def _bound(bound: int | str | None, unbounded: str) -> str:
    match bound:
        case None:
            return f"UNBOUNDED {unbounded}"
        case int():
            return f"{abs(bound)} {'PRECEDING' if bound < 0 else 'FOLLOWING'}"
        case _:
            return "CURRENT ROW"


def _write(expr: Expr, below: Texts) -> str:
    match expr:
        case Ref(attribute):
            return attribute.name
        case Variable(id):
            return f"v{id}"
        case Literal(value, of):
            return "NULL" if value is None else _literal(value, ddl(of), of == STRING)
        case FieldOf():
            return f"{below[0]}.{expr.field.name}"
        case ItemOf():
            return f"{below[0]}[{below[1]}]"
        case Compare(op):
            return f"({below[0]} {op} {below[1]})"
        case And() | Or():
            return "(" + f" {type(expr).__name__.upper()} ".join(below) + ")"
        case Not():
            return f"(NOT {below[0]})"
        case IsNull():
            return f"({below[0]} IS NULL)"
        case IsNotNull():
            return f"({below[0]} IS NOT NULL)"
        case In():
            return f"({below[0]} IN ({', '.join(below[1:])}))"
        case Cast(_, to, mode):
            return f"{'TRY_CAST' if mode == 'try' else 'CAST'}({below[0]} AS {ddl(to)})"
        case MakeStruct(names):
            return "named_struct(" + ", ".join(f"'{n}', {v}" for n, v in zip(names, below, strict=True)) + ")"
        case Case(branches, otherwise):
            whens = [f"WHEN {below[2 * i]} THEN {below[2 * i + 1]}" for i in range(len(branches))]
            rest = "" if otherwise is None else f" ELSE {below[-1]}"
            return f"CASE {' '.join(whens)}{rest} END"
        case Lambda(params):
            variables = ", ".join(f"v{param.id}" for param in params)
            return f"{variables if len(params) == 1 else f'({variables})'} -> {below[-1]}"
        case Call():
            return _call(expr, below)
        case AggCall():
            return _aggregate(expr, below)
        case _:
            raise AssertionError(f"no SQL for {expr}")


def _literal(value: object, type: str, is_text: bool) -> str:
    if is_text:
        return "'" + str(value).replace("\\", "\\\\").replace("'", "\\'") + "'"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float | decimal.Decimal):
        return f"CAST('{value}' AS {type})"
    raise AssertionError(f"no SQL for the constant {value!r}")


def _call(expr: Call, args: Texts) -> str:
    if expr.mode == "try":
        return f"{_TRY[expr.function]}({', '.join(args)})"
    if expr.function in _INFIX:
        return f"({args[0]} {expr.function} {args[1]})"
    if expr.function == "size":
        return f"array_size(map_keys({args[0]}))" if isinstance(expr.args[0].type, Map) else f"array_size({args[0]})"
    return _WRITTEN.get(expr.function, lambda *texts: f"{expr.function}({', '.join(texts)})")(*args)


def _aggregate(expr: AggCall, below: Texts) -> str:
    args = below[: len(expr.args)]
    distinct = "DISTINCT " if expr.distinct else ""
    where = "" if expr.condition is None else f" FILTER (WHERE {below[-1]})"
    name = f"try_{expr.function}" if expr.mode == "try" else expr.function
    return f"{name}({distinct}{', '.join(args)}){where}"
