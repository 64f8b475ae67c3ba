"""Trace windows.

The law for one query: every row gets the window columns that it has among the rows of its world.

    window count(*) as n

    before        after
    x  blame      x  n  blame  unless
    1  0b00       1  1  0b00   {0b01}        nothing relaxed: the first row alone
    2  0b01       1  2  0b01   {}            filter 0b01 relaxed: both rows
                  2  2  0b01   {}

A row that is alive in several worlds is there once for each; `trace/worlds.py` says which these are.
"""

from __future__ import annotations

from dataclasses import replace

from sparkwhy.plan.node_exprs import exprs_of
from sparkwhy.plan.nodes import Window
from sparkwhy.trace.context import TraceContext
from sparkwhy.trace.numbering import world_of
from sparkwhy.trace.rows import TracedRows
from sparkwhy.trace.variants.split import split_by_reads
from sparkwhy.trace.worlds import with_worlds


def trace_window(tracing: TraceContext, op: Window, rows: TracedRows) -> TracedRows:
    """Compute the window columns within each world of the partition."""
    rows = split_by_reads(tracing, op, rows, exprs_of(op))
    spread = with_worlds(tracing, op, rows, op.partition)
    plan = Window(
        id=tracing.fresh.part(op),
        where=op.where,
        input=spread.plan,
        partition=op.partition + world_of(spread),
        order=op.order,
        columns=op.columns,
    )
    return replace(spread, plan=plan)
