"""Why nothing is proposed for an operator, in words."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sparkwhy.fix.context import Blamed, FixContext
from sparkwhy.fix.proposals.filter_condition import forms_for
from sparkwhy.messages import Message, Value
from sparkwhy.plan.exprs import Expr, IsNotNull, IsNull, Not, Ref
from sparkwhy.plan.nodes import Filter
from sparkwhy.plan.show import names_for, show_expr, show_op
from sparkwhy.trace.encode import print_value
from sparkwhy.trace.witness import Observation


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
            yield reason_without_form(stuck, lambda expr: show_expr(expr, names), blamed.observation)


def reason_without_form(part: Expr, show: Callable[[Expr], str], observation: Observation | None = None) -> Message:
    """Say why a conjunct has no other form that would hold."""
    match part:
        case (Ref() as column) | Not(Ref() as column) if observation is not None and observation.has_value(column):
            name = show(column)
            return Message("boolean_column", column=name, value=Value(name, print_value(observation.value_of(column))))
        case IsNotNull(inner):
            return Message("is_null", column=show(inner))
        case IsNull(inner):
            return Message("is_not_null", column=show(inner))
        case _:
            return Message("no_other_form", condition=show(part))
