"""Split an aggregate call into two stages: parts of a group first, then the group from its parts.

Before:

    aggregate sum(v) as total by k

After, with parts that differ in another column `w`:

    project k, total#2 as total
    aggregate sum(part) as total#2 by k
    aggregate sum(v) as part by k, w

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
"""Functions that, applied to the values of parts, give the value of the whole."""


@dataclass(frozen=True)
class Stages:
    """An aggregate call in two stages.

    `first` are the aggregates of the first stage, and `keys` what it groups by besides, where a call is over distinct
    values. `second` are the aggregates over these, and `value` is computed from them.
    """

    keys: tuple[Column, ...]
    first: tuple[Column, ...]
    second: tuple[Column, ...]
    value: Expr


def split_aggregate(fresh: Fresh, call_: AggCall) -> Stages | None:
    """Return a call in two stages, or None if it needs all its rows at once.

    `count(v)` becomes `count(v) as part`, then `sum(part) as total`, of which the value is `coalesce(total, 0)`.
    """
    if call_.distinct:
        return _split_distinct(fresh, call_)
    match call_.function:
        case "sum":
            return merge_parts(fresh, call_, "sum", lambda total: _cast_to_type_of(call_, total))
        case "count":
            return merge_parts(fresh, call_, "sum", _zero_if_null)
        case "avg":
            return divide_by_count(fresh, call_, merge_parts(fresh, replace(call_, function="sum"), "sum", lambda t: t))
        case "collect_list":
            return merge_parts(fresh, call_, "collect_list", lambda lists: call("flatten", lists))
        case "collect_set":
            return merge_parts(fresh, call_, "collect_list", _distinct_elements)
        case function if function in _REPEATABLE:
            return merge_parts(fresh, call_, function, lambda value: value)
        case _:
            return None


def add_counts(fresh: Fresh, count: AggCall, numbers: Expr) -> Stages:
    """Return a count in two stages of rows that were counted before: `numbers` are these counts."""
    return merge_parts(fresh, AggCall("sum", (numbers,), mode=count.mode), "sum", _zero_if_null)


def _zero_if_null(total: Expr) -> Expr:
    return call("coalesce", total, long(0))


def _distinct_elements(lists: Expr) -> Expr:
    return call("array_distinct", call("flatten", lists))


def merge_parts(fresh: Fresh, first: AggCall, merge: str, value: Callable[[Expr], Expr]) -> Stages:
    """Return a call whose parts are merged by the function `merge`; `value` makes the result of what that returns."""
    part = fresh.attribute("part", first.type, nullable=True)
    extra = first.args[1:] if first.function in ("first", "last") else ()
    again = AggCall(merge, (Ref(part), *extra), mode=first.mode)
    total = fresh.attribute("total", again.type, nullable=True)
    return Stages((), (Column(part, first),), (Column(total, again),), value(Ref(total)))


def _cast_to_type_of(call_: AggCall, expr: Expr) -> Expr:
    return expr if expr.type == call_.type else Cast(expr, call_.type)


def divide_by_count(fresh: Fresh, call_: AggCall, sums: Stages) -> Stages:
    """Return an average in two stages: the sum over the count, in the types in which Spark divides them."""
    counts = merge_parts(fresh, replace(call_, function="count", mode="legacy"), "sum", lambda total: total)
    result = call_.type
    if isinstance(result, Decimal):
        total = Cast(sums.value, replace(call_, function="sum").type)
        quotient: Expr = Cast(call("/", total, Cast(counts.value, Decimal(20, 0))), result)
    else:
        quotient = call("/", Cast(sums.value, result), Cast(counts.value, result))
    return Stages((), sums.first + counts.first, sums.second + counts.second, quotient)


def _split_distinct(fresh: Fresh, call_: AggCall) -> Stages:
    """Return a call over distinct values: the first stage groups by the values, so that the second sees each once."""
    args = tuple(Column(fresh.attribute("value", arg.type, nullable=True), arg) for arg in call_.args)
    again: tuple[Expr, ...] = tuple(Ref(column.attribute) for column in args)
    if call_.condition is not None:
        flag = Column(fresh.attribute("meets", call_.condition.type, nullable=True), call_.condition)
        args, condition = (*args, flag), Ref(flag.attribute)
    else:
        condition = None
    total: Attribute = fresh.attribute("total", call_.type, nullable=True)
    return Stages(args, (), (Column(total, replace(call_, args=again, condition=condition)),), Ref(total))
