"""Trace sorts.

The law for one query: the rows stay as they are, for a bag has no order. The order is remembered, because a limit or a
`distinct_by` above chooses rows by it.

    sort by x

    before              after
    rows, order ()      the same rows, order (x)
"""

from __future__ import annotations

from dataclasses import replace

from sparkwhy.plan.nodes import Sort
from sparkwhy.trace.rows import TracedRows


def trace_sort(op: Sort, rows: TracedRows) -> TracedRows:
    return replace(rows, order=op.order)
