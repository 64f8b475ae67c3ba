"""Why nothing is proposed for an operator, in words."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sparkwhy.fix.context import Blamed, FixContext
from sparkwhy.fix.proposals.filter_condition import forms_for
from sparkwhy.plan.exprs import Expr, IsNotNull, IsNull
from sparkwhy.plan.nodes import Filter
from sparkwhy.plan.show import names_for, show_expr, show_op


def reasons_for(context: FixContext, blamed: Blamed) -> Iterator[str]:
    """Say why no proposer has a change for an operator."""
    node = blamed.node
    if not isinstance(node, Filter):
        yield f"there is nothing to change in {show_op(node)}: only without it would the row come through"
    elif blamed.observation is None:
        yield f"it is not known what {show_op(node)} would have to let through"
    else:
        stuck, names = forms_for(context, blamed).stuck, names_for(node)
        if stuck is not None:
            yield reason_without_form(stuck, lambda expr: show_expr(expr, names))


def reason_without_form(part: Expr, show: Callable[[Expr], str]) -> str:
    """Say why a conjunct has no other form that would hold."""
    match part:
        case IsNotNull(inner):
            return f"{show(inner)} is null, and a null test has no other form"
        case IsNull(inner):
            return f"{show(inner)} is not null, and a null test has no other form"
        case _:
            return f"no other form of {show(part)} is known that would let the row through"
