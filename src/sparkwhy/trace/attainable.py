"""Attainable values: a changed constant admits some of the rows, so an aggregate can take values in between.

Beside the value that an aggregate has in a world, it has bounds over the sub-bags of the world's rows. A condition
on it *can hold* if some value within the bounds meets it. That is necessary, not sufficient.
"""

from __future__ import annotations

import decimal
from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

from sparkwhy.plan.build import Fresh, all_of, boolean, call, either, empty_array, null
from sparkwhy.plan.exprs import (
    AggCall,
    And,
    Attribute,
    Call,
    Cast,
    Compare,
    CompareOp,
    Expr,
    IsNotNull,
    Lambda,
    Literal,
    Not,
    Or,
    Ref,
)
from sparkwhy.plan.nodes import Aggregate, Column
from sparkwhy.plan.types import FRACTIONALS, INTEGRALS, Decimal, Type, is_numeric
from sparkwhy.plan.walk_exprs import attributes_of


class ValueRange(NamedTuple):
    """The least and the greatest value that an aggregate can take; of a list, the shortest and the longest."""

    low: Expr
    high: Expr


Bounds = Mapping[Attribute, ValueRange]


def bound_aggregates(fresh: Fresh, op: Aggregate, read: frozenset[Attribute]) -> tuple[tuple[Column, ...], Bounds]:
    """Return the bounds of the aggregates that are read above, and the aggregates that compute them."""
    columns: list[Column] = []
    bounds: dict[Attribute, ValueRange] = {}
    for column in op.aggregates:
        expr = column.expr
        if column.attribute in read and isinstance(expr, AggCall) and not expr.distinct:
            found = _range(fresh, op, column.attribute, expr)
            if found is not None:
                made, bounds[column.attribute] = found
                columns.extend(made)
    return tuple(columns), bounds


def _range(
    fresh: Fresh, op: Aggregate, value: Attribute, expr: AggCall
) -> tuple[tuple[Column, ...], ValueRange] | None:
    match expr.function:
        case "count":
            every_row = all(isinstance(arg, Literal) for arg in expr.args) and expr.condition is None
            least = 1 if op.keys and every_row else 0
            return (), ValueRange(Literal(least, expr.type), Ref(value))
        case "collect_list" | "collect_set":
            return (), ValueRange(empty_array(expr.args[0].type), Ref(value))
        case "sum" if is_numeric(expr.type):
            return _one_sided(fresh, value, expr)
        case "min" | "max" | "avg" if is_numeric(expr.type):
            return _extremes(fresh, expr)
        case _:
            return None


def _extremes(fresh: Fresh, expr: AggCall) -> tuple[tuple[Column, ...], ValueRange]:
    (arg,) = expr.args
    low = Column(fresh.attribute("low", arg.type, nullable=True), AggCall("min", (arg,), condition=expr.condition))
    high = Column(fresh.attribute("high", arg.type, nullable=True), AggCall("max", (arg,), condition=expr.condition))
    return (low, high), ValueRange(_as(Ref(low.attribute), expr.type), _as(Ref(high.attribute), expr.type))


def _one_sided(fresh: Fresh, value: Attribute, expr: AggCall) -> tuple[tuple[Column, ...], ValueRange]:
    """Return the sum of the negative values, and that of the positive ones; null where the sum itself is."""
    (arg,) = expr.args
    none = either(IsNotNull(Ref(value)), _zero(expr.type), null(expr.type))
    columns: list[Column] = []
    for op in _SIGNS:
        signed = Compare(op, arg, _zero(arg.type))
        condition = signed if expr.condition is None else all_of((expr.condition, signed))
        columns.append(Column(fresh.attribute("bound", expr.type, nullable=True), replace(expr, condition=condition)))
    low, high = (call("coalesce", Ref(column.attribute), none) for column in columns)
    return tuple(columns), ValueRange(low, high)


_SIGNS: tuple[CompareOp, CompareOp] = ("<", ">")


def _as(expr: Expr, type: Type) -> Expr:
    return expr if expr.type == type else Cast(expr, type)


def _zero(type: Type) -> Expr:
    if isinstance(type, Decimal):
        return Literal(decimal.Decimal(0).scaleb(-type.scale), type)
    assert type in INTEGRALS or type in FRACTIONALS
    return Literal(0 if type in INTEGRALS else 0.0, type)


# --- conditions on bounded values ---


def reads_bounded(condition: Expr, bounds: Bounds) -> bool:
    return any(attribute in bounds for attribute in attributes_of(condition))


def can_hold(condition: Expr, bounds: Bounds) -> Expr:
    """Return whether values within the bounds can fulfil a condition; one that is not understood can be fulfilled."""
    if not reads_bounded(condition, bounds):
        return condition
    match condition:
        case And(operands):
            return all_of(can_hold(operand, bounds) for operand in operands)
        case Or(operands):
            return Or(tuple(can_hold(operand, bounds) for operand in operands))
        case Compare(op, Ref(attribute), other) if attribute in bounds and not reads_bounded(other, bounds):
            return _reaches(op, bounds[attribute], other)
        case Compare(op, other, Ref(attribute)) if attribute in bounds and not reads_bounded(other, bounds):
            return _reaches(_MIRRORED[op], bounds[attribute], other)
        case IsNotNull(Ref(attribute)):
            return IsNotNull(bounds[attribute].high)
        case Compare("=", Call("size", (Ref(attribute),)), Literal() as length):  # a part of the list may be so long
            return Compare(">=", call("size", bounds[attribute].high), length)
        case Call("exists", (Ref(), Lambda())) | Compare(">=", Call("size"), Literal()):  # a longer list has no less
            return condition
        case _:
            return boolean(True)


_MIRRORED = {"=": "=", "<=>": "<=>", "<>": "<>", "<": ">", "<=": ">=", ">": "<", ">=": "<="}


def _reaches(op: str, range: ValueRange, other: Expr) -> Expr:
    match op:
        case "<" | "<=":
            return Compare("<" if op == "<" else "<=", range.low, other)
        case ">" | ">=":
            return Compare(">" if op == ">" else ">=", range.high, other)
        case "<>":
            same = (Compare("=", range.low, other), Compare("=", range.high, other))
            return Not(And(same))
        case _:
            return And((Compare("<=", range.low, other), Compare("<=", other, range.high)))
