"""Why nothing is proposed for an operator, in words."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sparkwhy.fix.context import Blamed, FixContext
from sparkwhy.fix.proposals.filter_condition import forms_for
from sparkwhy.messages import Message
from sparkwhy.plan.exprs import Expr, IsNotNull, IsNull
from sparkwhy.plan.nodes import Filter
from sparkwhy.plan.show import names_for, show_expr, show_op


def reasons_for(context: FixContext, blamed: Blamed) -> Iterator[Message]:
    """Say why no proposer has a change for an operator."""
    node, shown = blamed.node, context.show(blamed.node)
    if not isinstance(node, Filter):
        yield Message("remove_only", operator=show_op(shown))
    elif blamed.observation is None:
        yield Message("value_unknown", operator=show_op(shown))
    else:
        stuck, names = forms_for(context, blamed).stuck, names_for(shown)
        if stuck is not None:
            yield reason_without_form(stuck, lambda expr: show_expr(expr, names))


def reason_without_form(part: Expr, show: Callable[[Expr], str]) -> Message:
    """Say why a conjunct has no other form that would hold."""
    match part:
        case IsNotNull(inner):
            return Message("is_null", column=show(inner))
        case IsNull(inner):
            return Message("is_not_null", column=show(inner))
        case _:
            return Message("no_other_form", condition=show(part))
