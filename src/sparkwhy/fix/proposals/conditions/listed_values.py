"""A list: add the value. `n in (1, 2)` becomes `n in (1, 2, 7)`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from sparkwhy.fix.context import ValueOf
from sparkwhy.fix.proposals.conditions.constants import write_like
from sparkwhy.fix.proposals.conditions.form import Form, is_constant
from sparkwhy.plan.exprs import Expr, In


def propose(part: Expr, value_of: ValueOf) -> Iterator[Form]:
    """Propose the list with the value at its end, written as the last option is."""
    match part:
        case In(inner, options) if all(map(is_constant, options)):
            value = value_of(inner)
            if value is not None:
                yield Form(replace(part, options=(*options, write_like(options[-1], value))), "constant")
        case _:
            return
