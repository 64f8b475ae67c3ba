"""The expressions that an operator evaluates, and the same operator with others in their place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sparkwhy.errors import assert_never
from sparkwhy.plan.exprs import Expr, Ref
from sparkwhy.plan.nodes import (
    Aggregate,
    Column,
    Distinct,
    Filter,
    Flatten,
    Join,
    Limit,
    OneRow,
    Plan,
    Project,
    Sample,
    SetOperation,
    Sort,
    SortKey,
    Table,
    Union,
    Window,
)


def exprs_of(op: Plan) -> tuple[Expr, ...]:
    """Return the expressions of an operator, in the order in which `with_exprs` takes them."""
    match op:
        case Table() | OneRow() | Union() | SetOperation() | Limit() | Sample():
            return ()
        case Project():
            return tuple(column.expr for column in op.columns)
        case Filter():
            return (op.condition,)
        case Join():
            return () if op.condition is None else (op.condition,)
        case Flatten():
            return (op.collection,)
        case Aggregate():
            return tuple(column.expr for column in op.keys + op.aggregates)
        case Window():
            return (*op.partition, *(key.expr for key in op.order), *(column.expr for column in op.columns))
        case Distinct():
            return tuple(Ref(key) for key in op.keys or ())
        case Sort():
            return tuple(key.expr for key in op.order)
        case _:
            assert_never(op)


def with_exprs(op: Plan, new: Sequence[Expr]) -> Plan:
    """Return the operator with other expressions, given in the order of `exprs_of`."""
    exprs = tuple(new)
    match op:
        case Table() | OneRow() | Union() | SetOperation() | Limit() | Sample():
            return op
        case Project():
            return replace(op, columns=_columns(op.columns, exprs))
        case Filter():
            return replace(op, condition=exprs[0])
        case Join():
            return replace(op, condition=exprs[0]) if exprs else op
        case Flatten():
            return replace(op, collection=exprs[0])
        case Aggregate():
            at = len(op.keys)
            return replace(op, keys=_columns(op.keys, exprs[:at]), aggregates=_columns(op.aggregates, exprs[at:]))
        case Window():
            return _with_window_exprs(op, exprs)
        case Distinct():
            return op if op.keys is None else replace(op, keys=tuple(e.attribute for e in exprs if isinstance(e, Ref)))
        case Sort():
            return replace(op, order=_order(op.order, exprs))
        case _:
            assert_never(op)


def _with_window_exprs(op: Window, exprs: tuple[Expr, ...]) -> Window:
    first, second = len(op.partition), len(op.partition) + len(op.order)
    return replace(
        op,
        partition=exprs[:first],
        order=_order(op.order, exprs[first:second]),
        columns=_columns(op.columns, exprs[second:]),
    )


def _columns(columns: tuple[Column, ...], exprs: tuple[Expr, ...]) -> tuple[Column, ...]:
    return tuple(Column(column.attribute, expr) for column, expr in zip(columns, exprs, strict=True))


def _order(order: tuple[SortKey, ...], exprs: tuple[Expr, ...]) -> tuple[SortKey, ...]:
    return tuple(replace(key, expr=expr) for key, expr in zip(order, exprs, strict=True))
