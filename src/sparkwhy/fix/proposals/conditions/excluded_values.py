"""A list of excluded values: take the value out, and nulls. `not (n in (1, 2))` becomes `not (n in (1))`."""

from __future__ import annotations

from collections.abc import Iterator

from sparkwhy.fix.context import ValueOf
from sparkwhy.fix.proposals.conditions.constants import recorded_value
from sparkwhy.fix.proposals.conditions.form import Form, is_constant, is_null_constant
from sparkwhy.plan.exprs import Expr, In, Not


def propose(part: Expr, value_of: ValueOf) -> Iterator[Form]:
    """Propose the list without the value and without nulls, if anything is left: with a null, NOT IN is never true."""
    match part:
        case Not(In(inner, options)) if all(map(is_constant, options)):
            value = value_of(inner)
            kept = tuple(
                each for each in options if recorded_value(each, value_of) != value and not is_null_constant(each)
            )
            if value is not None and kept and len(kept) < len(options):
                yield Form(Not(In(inner, kept)), "constant")
        case _:
            return
