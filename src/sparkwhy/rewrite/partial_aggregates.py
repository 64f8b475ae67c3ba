"""Aggregates in two stages: first for each group and term, then for each group and world.

The first stage is an ordinary aggregation and leaves few rows; only these are put into worlds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from sparkwhy.plan.build import Fresh, call, long
from sparkwhy.plan.exprs import AggCall, Attribute, Cast, Expr, Ref
from sparkwhy.plan.nodes import Column
from sparkwhy.plan.types import Decimal

_REPEATABLE = frozenset({"min", "max", "bool_and", "bool_or", "bit_and", "bit_or", "first", "last"})


@dataclass(frozen=True)
class Stages:
    """An aggregate call in two stages: columns for the first (keys where a value must be told apart), aggregates over
    these for the second, and the expression over the second that is the value."""

    keys: tuple[Column, ...]
    first: tuple[Column, ...]
    second: tuple[Column, ...]
    value: Expr


def staged(fresh: Fresh, call_: AggCall) -> Stages | None:
    """The call in two stages, or None if it needs all its rows at once."""
    if call_.distinct:
        return _distinct(fresh, call_)
    match call_.function:
        case "sum":
            return merged(fresh, call_, "sum", lambda total: _as(total, call_))
        case "count":
            return merged(fresh, call_, "sum", _or_none)
        case "avg":
            return averaged(fresh, call_, merged(fresh, replace(call_, function="sum"), "sum", lambda total: total))
        case "collect_list":
            return merged(fresh, call_, "collect_list", lambda lists: call("flatten", lists))
        case "collect_set":
            return merged(fresh, call_, "collect_list", lambda lists: call("array_distinct", call("flatten", lists)))
        case function if function in _REPEATABLE:
            return merged(fresh, call_, function, lambda value: value)
        case _:
            return None


def summed_counts(fresh: Fresh, count: AggCall, numbers: Expr) -> Stages:
    """A count in two stages of what was counted already."""
    return merged(fresh, AggCall("sum", (numbers,), mode=count.mode), "sum", _or_none)


def _or_none(total: Expr) -> Expr:
    return call("coalesce", total, long(0))


def merged(fresh: Fresh, first: AggCall, merge: str, value: Callable[[Expr], Expr]) -> Stages:
    """A call whose parts are merged by another function, of which the value is made."""
    part = fresh.attribute("part", first.type, nullable=True)
    extra = first.args[1:] if first.function in ("first", "last") else ()
    again = AggCall(merge, (Ref(part), *extra), mode=first.mode)
    total = fresh.attribute("total", again.type, nullable=True)
    return Stages((), (Column(part, first),), (Column(total, again),), value(Ref(total)))


def _as(expr: Expr, call_: AggCall) -> Expr:
    return expr if expr.type == call_.type else Cast(expr, call_.type)


def averaged(fresh: Fresh, call_: AggCall, sums: Stages) -> Stages:
    """The sum over the count, in the types in which Spark divides them."""
    counts = merged(fresh, replace(call_, function="count", mode="legacy"), "sum", lambda total: total)
    result = call_.type
    if isinstance(result, Decimal):
        total = Cast(sums.value, replace(call_, function="sum").type)
        quotient: Expr = Cast(call("/", total, Cast(counts.value, Decimal(20, 0))), result)
    else:
        quotient = call("/", Cast(sums.value, result), Cast(counts.value, result))
    return Stages((), sums.first + counts.first, sums.second + counts.second, quotient)


def _distinct(fresh: Fresh, call_: AggCall) -> Stages:
    """The first stage tells the values apart, the second sees each once."""
    args = tuple(Column(fresh.attribute("value", arg.type, nullable=True), arg) for arg in call_.args)
    again: tuple[Expr, ...] = tuple(Ref(column.attribute) for column in args)
    if call_.condition is not None:
        flag = Column(fresh.attribute("meets", call_.condition.type, nullable=True), call_.condition)
        args, condition = (*args, flag), Ref(flag.attribute)
    else:
        condition = None
    total: Attribute = fresh.attribute("total", call_.type, nullable=True)
    return Stages(args, (), (Column(total, replace(call_, args=again, condition=condition)),), Ref(total))
