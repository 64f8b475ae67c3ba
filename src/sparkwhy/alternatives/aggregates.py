"""Other aggregate functions: readings of a query in which one aggregate that the question asks about is another one.

The paper's table of admissible changes has them, its algorithm leaves them out. Only functions of the standard that
give a value of the same type are tried, one change at a time, and only in the query as written.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from sparkwhy.alternatives.variant import Alternatives, QueryVariant
from sparkwhy.backtrace.backtrace import Conditions, backtrace
from sparkwhy.limits import DEFAULT_LIMITS, Limits
from sparkwhy.messages import Message
from sparkwhy.plan.exprs import AggCall, Expr
from sparkwhy.plan.nodes import Aggregate, Column, Plan
from sparkwhy.plan.show import names_for, show_expr
from sparkwhy.plan.types import Map, is_numeric
from sparkwhy.plan.uses import change_all_uses
from sparkwhy.plan.walk import walk
from sparkwhy.plan.walk_exprs import attributes_of

_STANDARD = (("count", False), ("count", True), ("sum", False), ("avg", False), ("min", False), ("max", False))
"""Function, and whether of distinct values."""


def with_other_functions(
    tried: Alternatives, conditions: Conditions, *, large: bool = False, limits: Limits = DEFAULT_LIMITS
) -> Alternatives:
    """Return the alternatives and variants with other functions, up to the limit; the rest are noted as left out.

    To count distinct values, the partial sums of a group must tell all values apart: too dear on `large` data.
    """
    plan = tried.found[0].plan
    found = list(_aggregate_variants(plan, conditions))
    dear = [each for each, call in found if large and call.distinct]
    cheap = [each for each, call in found if not (large and call.distinct)]
    most = limits.other_functions
    more = Alternatives((*tried.found, *cheap[:most]), tried.pruned)
    more = more.leave_out(cheap[most:], Message("function_limit", limit=most))
    return more.leave_out(dear, Message("no_distinct_on_large_data"))


def _aggregate_variants(plan: Plan, conditions: Conditions) -> Iterator[tuple[QueryVariant, AggCall]]:
    """Yield the query with another function for an aggregate that the question reads, one for each that can be."""
    wanted = backtrace(plan, conditions)
    for node in walk(plan):
        if isinstance(node, Aggregate) and node.use_of is None:
            for column in _columns_read_by(node, wanted[node.id]):
                yield from ((_make_variant(plan, node, column, call), call) for call in _other_calls(column.expr))


def _columns_read_by(node: Aggregate, wanted: Conditions) -> Iterator[Column]:
    read = {attribute for condition in wanted for attribute in attributes_of(condition)}
    return (column for column in node.aggregates if column.attribute in read)


def _other_calls(expr: Expr) -> Iterator[AggCall]:
    """Yield the aggregate with each other function that takes its argument and gives a value of its type.

    Distinct values are counted only where values are counted already.
    """
    if not isinstance(expr, AggCall) or len(expr.args) != 1 or not any(attributes_of(expr.args[0])):
        return
    if expr.function not in dict(_STANDARD):
        return
    for function, distinct in _STANDARD:
        call = replace(expr, function=function, distinct=distinct)
        allowed = expr.function == "count" or not distinct
        if call != expr and allowed and _takes(function, expr) and call.type == expr.type:
            yield call


def _takes(function: str, call: AggCall) -> bool:
    if function in ("sum", "avg"):
        return is_numeric(call.args[0].type)
    return function == "count" or not isinstance(call.args[0].type, Map)


def _make_variant(plan: Plan, node: Aggregate, column: Column, call: AggCall) -> QueryVariant:
    aggregates = tuple(replace(each, expr=call) if each is column else each for each in node.aggregates)
    other = replace(node, aggregates=aggregates)
    changed = change_all_uses(plan, {node.id: other})
    texts = [show_expr(expr, names_for(node)) for expr in (column.expr, call)]
    return QueryVariant({}, changed, (node.id,), kind="aggregate", functions=(texts[0], texts[1]))
