"""Add decimals up as integers, in two stages.

Before:

    aggregate sum(price) as total by k

After, in the first stage:

    aggregate sum(shiftright(number, 30)) as part#1, sum(number & 1073741823) as part#2 by k, w
    project k, w, unscaled_value(price) as number

Spark adds decimals of more than 18 digits up as objects, and a sum of decimals has ten digits more than these. For
millions of rows that takes longer than all else. A decimal of up to 18 digits is an integer for Spark, though, and the
integer is added up in two parts, its higher and its lower bits: neither overflows with less than eight billion rows.
Decimals with more digits are added up as decimals.
"""

from __future__ import annotations

import decimal
from dataclasses import replace

from sparkwhy.plan.build import Fresh, all_of, call, carry, integer, long
from sparkwhy.plan.exprs import AggCall, Call, Case, Cast, Expr, IsNotNull, IsNull, Literal, Ref
from sparkwhy.plan.nodes import Column, Plan, Project
from sparkwhy.plan.types import LONG, Decimal
from sparkwhy.plan.walk_exprs import parts, rewrite
from sparkwhy.rewrite.partial_aggregates import Stages, divide_by_count, merge_parts

MOST_DIGITS = 18
"""Digits of a decimal that fit into an integer of 64 bits."""

MOST_PLACES = 6
"""Digits behind the point: the product of more with such a sum would lose some."""

LOW_BITS = 30


def split_decimal_sum(fresh: Fresh, call_: AggCall) -> Stages | None:
    """Return a sum or an average of decimals in two stages that add integers; None for other calls."""
    if call_.function not in ("sum", "avg") or call_.distinct:
        return None
    type = call_.args[0].type
    if not isinstance(type, Decimal) or type.scale > MOST_PLACES:
        return None
    sums = _split_sum(fresh, replace(call_, function="sum"), type)
    return sums if call_.function == "sum" else divide_by_count(fresh, call_, sums)


def _split_sum(fresh: Fresh, call_: AggCall, type: Decimal) -> Stages:
    (arg,) = call_.args
    is_short = type.precision <= MOST_DIGITS
    narrow = arg if is_short else Cast(arg, Decimal(MOST_DIGITS, type.scale), mode="try")
    number = call("unscaled_value", narrow)
    high, low = (
        merge_parts(fresh, replace(call_, args=(part,)), "sum", lambda total: total)
        for part in (call("shiftright", number, integer(LOW_BITS)), call("&", number, long((1 << LOW_BITS) - 1)))
    )
    total = Cast(_as_decimal(high.value, low.value, type.scale), call_.type)
    if is_short:
        return _combine_stages(total, high, low)
    given = () if call_.condition is None else (call_.condition,)
    too_long = all_of((*given, IsNull(number), IsNotNull(arg)))
    rest = merge_parts(fresh, replace(call_, condition=too_long), "sum", lambda more: Cast(more, call_.type))
    both = Cast(call("+", total, rest.value), call_.type)
    return _combine_stages(Case(((IsNull(rest.value), total), (IsNull(high.value), rest.value)), both), high, low, rest)


def compute_numbers_once(
    fresh: Fresh, op: Plan, rows: Plan, columns: tuple[Column, ...]
) -> tuple[Plan, tuple[Column, ...]]:
    """Return rows with the integers that columns read several times, and the columns that read these.

    Before: columns `shiftright(unscaled_value(price), 30)` and `unscaled_value(price) & 1073741823`.
    After: `project ..., unscaled_value(price) as number`, and columns `shiftright(number, 30)` and so on.
    """
    read = dict.fromkeys(part for column in columns for part in parts(column.expr) if _is_number(part))
    if not read:
        return rows, columns
    made = {number: fresh.attribute("number", LONG, nullable=True) for number in read}
    given = (*carry(rows.output), *(Column(attribute, number) for number, attribute in made.items()))
    known: dict[Expr, Expr] = {number: Ref(attribute) for number, attribute in made.items()}
    again = tuple(replace(column, expr=rewrite(column.expr, known.get)) for column in columns)
    return Project(id=fresh.part(op), input=rows, columns=given), again


def _is_number(part: Expr) -> bool:
    return isinstance(part, Call) and part.function == "unscaled_value"


def _as_decimal(high: Expr, low: Expr, scale: int) -> Expr:
    """Return the decimal whose digits are the sums of higher and lower bits together."""
    step = Literal(decimal.Decimal(1 << LOW_BITS), Decimal(10, 0))
    digits = call("+", call("*", Cast(high, Decimal(19, 0)), step), Cast(low, Decimal(19, 0)))
    if scale == 0:
        return digits
    return call("*", digits, Literal(decimal.Decimal(1).scaleb(-scale), Decimal(scale, scale)))


def _combine_stages(value: Expr, *stages: Stages) -> Stages:
    return Stages(
        (),
        tuple(column for stage in stages for column in stage.first),
        tuple(column for stage in stages for column in stage.second),
        value,
    )
