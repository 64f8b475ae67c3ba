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

from dataclasses import replace

from sparkwhy.plan.build import carry
from sparkwhy.plan.node_exprs import exprs_of
from sparkwhy.plan.nodes import Aggregate, Filter
from sparkwhy.plan.walk import walk
from sparkwhy.trace.attainable import bound_aggregates
from sparkwhy.trace.blame import drops
from sparkwhy.trace.context import TraceContext
from sparkwhy.trace.rows import TracedRows, certain_values, partition_by_reads
from sparkwhy.trace.rules.aggregate_strategies import AggregateCase, choose_aggregate_strategy, is_certain
from sparkwhy.trace.variants.partitions import refine


def trace_aggregate(tracing: TraceContext, op: Aggregate, rows: TracedRows) -> TracedRows:
    """Return the groups of each world, with bounds of the aggregates that the question or a filter reads."""
    rows = certain_values(rows)
    case = AggregateCase(tracing, op, rows, refine([rows.marks_differ_between, partition_by_reads(rows, exprs_of(op))]))
    if is_certain(case) or not op.aggregates:  # no value depends on what is relaxed
        return choose_aggregate_strategy(case).construct(case)
    extra, bounds = bound_aggregates(tracing.fresh, op, tracing.read)
    case = replace(case, op=replace(op, aggregates=op.aggregates + extra))
    groups = choose_aggregate_strategy(case).construct(case)
    if not bounds:
        return groups
    stricter = tuple(node.id for node in walk(op) if isinstance(node, Filter) and drops(node))
    known = replace(groups, bounds=bounds, stricter=stricter)
    return tracing.project(op, known, carry(op.output), maybe=groups.blame_expr)
