"""Trace `dropDuplicates` by some columns.

The law for one query: all rows of each world stay, and all but the first of each key in that world blame the operator.

    one row for each k, bit 0b01

    before           after
    k  x  blame      k  x  blame
    1  7  0b00       1  7  0b00
    1  8  0b00       1  8  0b01
"""

from __future__ import annotations

from sparkwhy.plan.build import boolean, carry, integer
from sparkwhy.plan.exprs import AggCall, Attribute, Compare, Expr, Ref, WindowCall
from sparkwhy.plan.nodes import Column, Distinct
from sparkwhy.plan.types import STRING
from sparkwhy.trace.context import TraceContext
from sparkwhy.trace.encode import encode_row
from sparkwhy.trace.numbering import add_window, rank_rows
from sparkwhy.trace.observe import Recording, read_values
from sparkwhy.trace.recorded import Rival
from sparkwhy.trace.rows import TracedRows
from sparkwhy.trace.variants.split import split_by_reads
from sparkwhy.trace.worlds import WHOLE_PARTITION, with_worlds


def trace_distinct_by(tracing: TraceContext, op: Distinct, rows: TracedRows) -> TracedRows:
    """Rank the rows of each key in each world; all but the first blame the operator."""
    keys = tuple(Ref(key) for key in op.keys or ())
    rows = split_by_reads(tracing, op, rows, (*map(Ref, op.output), *(key.expr for key in rows.order)))
    ranked, rank = rank_rows(tracing, op, with_worlds(tracing, op, rows, keys), keys)
    kept = Compare("=", Ref(rank), integer(1))
    if not tracing.records_in_full(op):
        return tracing.blame_dropped(op, ranked, carry(op.output), kept, [])
    ranked, rival = _add_rival(tracing, op, ranked, keys)
    recordings = [*read_values(keys, ranked.learned.stands_for), Recording(Rival(op.output), Ref(rival))]
    return tracing.blame_dropped(op, ranked, carry(op.output), kept, recordings)


def _add_rival(
    tracing: TraceContext, op: Distinct, rows: TracedRows, keys: tuple[Expr, ...]
) -> tuple[TracedRows, Attribute]:
    """Add to each row the row of its key that is kept, encoded."""
    rival = tracing.fresh.attribute("rival", STRING, nullable=True)
    first = WindowCall(AggCall("first", (encode_row(map(Ref, op.output)), boolean(False))), WHOLE_PARTITION)
    return add_window(tracing, op, rows, keys, Column(rival, first)), rival
