"""Trails: what a traced row met at the operators that it blames, as text, for people to read.

An entry names the step of the operator, what is told (an attribute, a conjunct, a rank), and its value there.
"""

from __future__ import annotations

from collections.abc import Sequence

from sparkwhy.plan.build import call, empty_array, integer
from sparkwhy.plan.exprs import Case, Cast, Expr, IsNull, Literal, MakeStruct, Ref, conjuncts, is_true
from sparkwhy.plan.nodes import Plan
from sparkwhy.plan.show import show_expr
from sparkwhy.plan.types import INTEGER, STRING, Array, Field, Struct
from sparkwhy.plan.walk_exprs import attributes_of

ENTRY = Struct((Field("step", INTEGER), Field("what", STRING), Field("value", STRING)))
TRAIL = Array(ENTRY)


def no_trail() -> Expr:
    return empty_array(ENTRY)


def recorded(op: Plan, entries: Sequence[tuple[str, Expr]]) -> Expr:
    """A trail of these entries at this operator."""
    if not entries:
        return no_trail()
    return call("array", *(_entry(op.id.step, what, value) for what, value in entries))


def _entry(step: int, what: str, value: Expr) -> Expr:
    return MakeStruct(("step", "what", "value"), (integer(step), Literal(what, STRING), as_text(value)))


def as_text(value: Expr) -> Expr:
    return value if value.type == STRING else Cast(value, STRING)


def verdicts(condition: Expr) -> list[tuple[str, Expr]]:
    """What a condition read and how each of its conjuncts came out: TRUE, FALSE or NULL."""
    read = dict.fromkeys(attributes_of(condition))
    values: list[tuple[str, Expr]] = [(attribute.name, Ref(attribute)) for attribute in read]
    parts = conjuncts(condition)
    return values + [(f"{VERDICT}{show_expr(part)}", _verdict(part)) for part in parts]


VERDICT = "? "
"""Marks the entries that tell how a conjunct came out."""


def _verdict(part: Expr) -> Expr:
    return Case(
        ((IsNull(part), Literal("NULL", STRING)), (is_true(part), Literal("TRUE", STRING))),
        Literal("FALSE", STRING),
    )
