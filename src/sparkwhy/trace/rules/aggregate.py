"""Trace groupings.

The law for one query: the groups of each world, which exist where exactly that world's operators are relaxed. Without
keys there is a group in every world, even one without rows.

    count(*) as n by k

    before        after
    k  blame      k  n  blame  unless
    1  0b00       1  1  0b00   {0b01}
    1  0b01       1  2  0b01   {}

How these rows are computed is a choice among strategies (`aggregate_strategies.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import replace

from sparkwhy.backtrace.backtrace import Conditions
from sparkwhy.plan.build import carry
from sparkwhy.plan.exprs import AggCall, Attribute, Call, Expr, Lambda, Ref, is_true
from sparkwhy.plan.node_exprs import exprs_of
from sparkwhy.plan.nodes import Aggregate, Filter
from sparkwhy.plan.walk import walk
from sparkwhy.plan.walk_exprs import attributes_of, rewrite
from sparkwhy.trace.attainable import bound_aggregates
from sparkwhy.trace.blame import drops
from sparkwhy.trace.context import TraceContext
from sparkwhy.trace.observe import move_away
from sparkwhy.trace.rows import TracedRows, certain_values, partition_by_reads, query_columns
from sparkwhy.trace.rules.aggregate_strategies import AggregateCase, choose_aggregate_strategy, is_certain
from sparkwhy.trace.variants.partitions import refine


def trace_aggregate(tracing: TraceContext, op: Aggregate, rows: TracedRows, wanted: Conditions = ()) -> TracedRows:
    """Return the groups of each world, with bounds of the aggregates that the question or a filter reads.

    `wanted` is what the question asks of the groups.
    """
    rows = _prefer_contributing_rows(tracing, op, certain_values(rows), wanted)
    case = AggregateCase(tracing, op, rows, refine([rows.marks_differ_between, partition_by_reads(rows, exprs_of(op))]))
    if is_certain(case) or not op.aggregates:  # no value depends on what is relaxed
        return choose_aggregate_strategy(case).construct(case)
    extra, bounds = bound_aggregates(tracing.fresh, op, tracing.read)
    case = replace(case, op=replace(op, aggregates=op.aggregates + extra))
    groups = choose_aggregate_strategy(case).construct(case)
    if not bounds:
        return groups
    stricter = tuple(dict.fromkeys(each.first_use for each in walk(op) if isinstance(each, Filter) and drops(each)))
    known = replace(groups, bounds=bounds, stricter=stricter)
    return tracing.project(op, known, carry(op.output), maybe=groups.blame_expr)


def _prefer_contributing_rows(tracing: TraceContext, op: Aggregate, rows: TracedRows, wanted: Conditions) -> TracedRows:
    """Let a group tell of a row that gives it what is asked: of the blue pen, if its colors must contain blue."""
    asked = tuple(_conditions_on_rows(op, wanted))
    if not asked or rows.trail is None or op.id in tracing.referring:
        return rows
    return tracing.project(op, rows, carry(query_columns(rows)), trail=move_away(rows.trail_expr, asked))


def _conditions_on_rows(op: Aggregate, wanted: Conditions) -> Iterator[Expr]:
    """Yield what a row must be like that gives its group a value, an element or a least or greatest one."""
    calls = {column.attribute: column.expr for column in op.aggregates if isinstance(column.expr, AggCall)}
    for condition in wanted:
        read = [calls[attribute] for attribute in set(attributes_of(condition)) if attribute in calls]
        if len(read) == 1:
            yield from _condition_on_row(condition, read[0], set(calls))


def _condition_on_row(condition: Expr, aggregate: AggCall, made: Set[Attribute]) -> Iterator[Expr]:
    match condition:
        case Call("exists", (Ref(), Lambda((element,), body))) if aggregate.function in _COLLECTING:
            yield is_true(rewrite(body, lambda part: aggregate.args[0] if part == element else None))
        case _ if aggregate.function in _CHOOSING and set(attributes_of(condition)) <= made:
            yield is_true(rewrite(condition, lambda part: aggregate.args[0] if isinstance(part, Ref) else None))


_COLLECTING = ("collect_list", "collect_set")
_CHOOSING = ("min", "max", "first", "last")
