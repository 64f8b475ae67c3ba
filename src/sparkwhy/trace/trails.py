"""Trails: what a traced row met at the operators that it blames, as text, for people to read.

An entry names the step of the operator, what is told, and its value there. What is told is a value that the operator
read, how a conjunct came out, or a fact: a rank, the row that was kept instead.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from sparkwhy.plan.build import call, empty_array, integer
from sparkwhy.plan.exprs import (
    Attribute,
    Case,
    Cast,
    Compare,
    Expr,
    IsNull,
    Literal,
    MakeStruct,
    Ref,
    conjuncts,
    is_true,
)
from sparkwhy.plan.nodes import Filter, Plan
from sparkwhy.plan.show import names_for, show_expr
from sparkwhy.plan.types import DATE, INTEGER, STRING, TIMESTAMP, TIMESTAMP_NTZ, Array, Field, Struct
from sparkwhy.plan.walk_exprs import attributes_of, paths_of
from sparkwhy.trace.beneath import company_keys

ENTRY = Struct((Field("step", INTEGER), Field("what", STRING), Field("value", STRING)))
TRAIL = Array(ENTRY)

Entries = Sequence[tuple[str, Expr]]

VERDICT = "? "
"""Marks the entries that tell how a conjunct came out."""

FACT = "! "
"""Marks the entries that tell what happened, rather than a value that was read."""


def no_trail() -> Expr:
    return empty_array(ENTRY)


def recorded(op: Plan, entries: Entries) -> Expr:
    """A trail of these entries at this operator."""
    if not entries:
        return no_trail()
    return call("array", *(_entry(op.id.step, what, value) for what, value in entries))


def _entry(step: int, what: str, value: Expr) -> Expr:
    return MakeStruct(("step", "what", "value"), (integer(step), Literal(what, STRING), as_text(value)))


def as_text(value: Expr) -> Expr:
    return value if value.type == STRING else Cast(value, STRING)


def row_text(attributes: Iterable[Attribute]) -> Expr:
    """A row as text: `name = Ann, city = null`."""
    values = [call("concat", Literal(f"{a.name} = ", STRING), _or_null(as_text(Ref(a)))) for a in attributes]
    return call("concat_ws", Literal(", ", STRING), *values)


def _or_null(text: Expr) -> Expr:
    return call("coalesce", text, Literal("null", STRING))


def fact(what: str, value: Expr) -> tuple[str, Expr]:
    return f"{FACT}{what}", value


def values(op: Plan, exprs: Iterable[Expr]) -> Entries:
    """What an operator read, each expression once."""
    names = names_for(op)
    return [(show_expr(expr, names), expr) for expr in dict.fromkeys(exprs)]


def verdicts(op: Filter) -> Entries:
    """What a filter read and how each of its conjuncts came out: TRUE, FALSE or NULL."""
    names = names_for(op)
    parts = conjuncts(op.condition)
    bounds = (side for part in parts for side in time_bounds(part))
    read = values(op, (*paths_of(op.condition), *bounds, *company_keys(op)))
    return [*read, *((f"{VERDICT}{show_expr(part, names)}", _verdict(part)) for part in parts)]


def time_bounds(part: Expr) -> Iterator[Expr]:
    """The dates and times that a comparison names: what they mean depends on casts and on the time zone."""
    if isinstance(part, Compare):
        for side in (part.left, part.right):
            if side.type in (DATE, TIMESTAMP, TIMESTAMP_NTZ) and not any(attributes_of(side)):
                yield side


def _verdict(part: Expr) -> Expr:
    return Case(
        ((IsNull(part), Literal("NULL", STRING)), (is_true(part), Literal("TRUE", STRING))),
        Literal("FALSE", STRING),
    )
