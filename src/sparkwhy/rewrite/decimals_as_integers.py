"""Sums and averages of decimals in two stages, by way of whole numbers.

Spark adds decimals of more than 18 digits up as objects, and a sum of decimals has ten digits more than these. For each
of millions of rows that takes longer than all else. A decimal of up to 18 digits is a whole number for Spark, though,
and the whole number is added up in two parts, its higher and its lower bits: neither overflows with less than eight
billion rows. What has more digits is added up as ever.
"""

from __future__ import annotations

import decimal
from dataclasses import replace

from sparkwhy.plan.build import Fresh, all_of, call, carry, integer, long
from sparkwhy.plan.exprs import AggCall, Call, Case, Cast, Expr, IsNotNull, IsNull, Literal, Ref
from sparkwhy.plan.nodes import Column, Plan, Project
from sparkwhy.plan.types import LONG, Decimal
from sparkwhy.plan.walk_exprs import parts, rewrite
from sparkwhy.rewrite.partial_aggregates import Stages, averaged, merged

MOST_DIGITS = 18
"""So many digits fit into a whole number."""

MOST_PLACES = 6
"""So many of them may be behind the point: the product of more with such a sum would lose some."""

LOW_BITS = 30


def by_whole_numbers(fresh: Fresh, call_: AggCall) -> Stages | None:
    """A sum or an average of decimals in two stages; None if it is something else."""
    if call_.function not in ("sum", "avg") or call_.distinct:
        return None
    described = call_.args[0].type
    if not isinstance(described, Decimal) or described.scale > MOST_PLACES:
        return None
    sums = _sum(fresh, replace(call_, function="sum"), described)
    return sums if call_.function == "sum" else averaged(fresh, call_, sums)


def _sum(fresh: Fresh, call_: AggCall, described: Decimal) -> Stages:
    (arg,) = call_.args
    is_short = described.precision <= MOST_DIGITS
    narrow = arg if is_short else Cast(arg, Decimal(MOST_DIGITS, described.scale), mode="try")
    number = call("unscaled_value", narrow)
    high, low = (
        merged(fresh, replace(call_, args=(part,)), "sum", lambda total: total)
        for part in (call("shiftright", number, integer(LOW_BITS)), call("&", number, long((1 << LOW_BITS) - 1)))
    )
    total = Cast(_scaled(high.value, low.value, described.scale), call_.type)
    if is_short:
        return _together(total, high, low)
    given = () if call_.condition is None else (call_.condition,)
    too_long = all_of((*given, IsNull(number), IsNotNull(arg)))
    rest = merged(fresh, replace(call_, condition=too_long), "sum", lambda more: Cast(more, call_.type))
    both = Cast(call("+", total, rest.value), call_.type)
    return _together(Case(((IsNull(rest.value), total), (IsNull(high.value), rest.value)), both), high, low, rest)


def numbers_first(fresh: Fresh, op: Plan, rows: Plan, columns: tuple[Column, ...]) -> tuple[Plan, tuple[Column, ...]]:
    """Rows with the whole numbers that columns read several times, and the columns that read these."""
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


def _scaled(high: Expr, low: Expr, scale: int) -> Expr:
    """The decimal whose digits are told by the sums of higher and lower bits."""
    step = Literal(decimal.Decimal(1 << LOW_BITS), Decimal(10, 0))
    digits = call("+", call("*", Cast(high, Decimal(19, 0)), step), Cast(low, Decimal(19, 0)))
    if scale == 0:
        return digits
    return call("*", digits, Literal(decimal.Decimal(1).scaleb(-scale), Decimal(scale, scale)))


def _together(value: Expr, *stages: Stages) -> Stages:
    return Stages(
        (),
        tuple(column for stage in stages for column in stage.first),
        tuple(column for stage in stages for column in stage.second),
        value,
    )
