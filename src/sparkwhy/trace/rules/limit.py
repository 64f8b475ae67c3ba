"""Trace limits.

The law for one query: all rows of each world stay, and those whose rank in that world is past the limit blame it.

    limit 1, sorted by x, bit 0b10

    before        after
    x  blame      x  blame  unless
    1  0b01       2  0b00   {0b01}        nothing relaxed: 2 is first
    2  0b00       1  0b01   {}            filter 0b01 relaxed: 1 is first,
                  2  0b11   {}            and 2 is past the limit

Variants of a query may have other limits. Each different limit is a dropper with its own bit.
"""

from __future__ import annotations

from dataclasses import replace

from sparkwhy.plan.build import all_of, carry, integer
from sparkwhy.plan.exprs import Attribute, Call, Compare, Expr, Frame, Ref, WindowCall
from sparkwhy.plan.nodes import Column, Limit
from sparkwhy.trace.context import TraceContext, Verdict
from sparkwhy.trace.numbering import add_window, rank_rows
from sparkwhy.trace.observe import Recording, read_values, record_as
from sparkwhy.trace.recorded import CutOff, LastRank, Rank
from sparkwhy.trace.rows import TracedRows
from sparkwhy.trace.variants.partitions import agreement, first_of, refine
from sparkwhy.trace.variants.split import split_by_reads
from sparkwhy.trace.worlds import with_worlds

_PEERS = Frame("range", None, "current row")


def trace_limit(tracing: TraceContext, ops: tuple[Limit, ...], rows: TracedRows) -> TracedRows:
    """Rank the rows of each world; those past the limit blame it, by the bit of the limit in each block of variants."""
    op = ops[0]
    rows = split_by_reads(tracing, op, rows, (key.expr for key in rows.order))
    ranked, rank = rank_rows(tracing, op, with_worlds(tracing, op, rows, ()), ())
    ranked, recordings = _recordings(tracing, op, ranked, rank)
    ranked, trail = tracing.record(op, ranked, recordings)
    blocks = agreement([(each.count, each.offset) for each in ops])
    verdicts = [
        Verdict(tracing.bits.bit_of(op.first_use, within=block), _is_within(ops[first_of(block)], rank), trail)
        for block in blocks
    ]
    judged = tracing.judge(op, ranked, carry(rows.holders(op.output)), verdicts)
    return replace(judged, marks_differ_between=refine([judged.marks_differ_between, blocks]))


def _is_within(op: Limit, rank: Attribute) -> Expr:
    """Return the condition that a limit keeps the row of this rank."""
    kept: list[Expr] = [Compare(">", Ref(rank), integer(op.offset))]
    if op.count is not None:
        kept.append(Compare("<=", Ref(rank), integer(op.offset + op.count)))
    return all_of(kept)


def _recordings(
    tracing: TraceContext, op: Limit, rows: TracedRows, rank: Attribute
) -> tuple[TracedRows, list[Recording]]:
    """Return what a row past the limit records: its place in the order, its rank, and the last row that is kept."""
    order = tuple(dict.fromkeys(key.expr for key in rows.order))
    found = [*read_values(order, rows.learned.stands_for), Recording(Rank(), Ref(rank))]
    if op.count is None:
        return rows, found
    last = integer(op.offset + op.count)
    found.append(Recording(LastRank(), last))
    if not tracing.records_in_full(op):
        return rows, found
    rows, cut_off = _add_cut_off(tracing, op, rows, order, last)
    return rows, [*found, *cut_off]


def _add_cut_off(
    tracing: TraceContext, op: Limit, rows: TracedRows, order: tuple[Expr, ...], last: Expr
) -> tuple[TracedRows, list[Recording]]:
    """Add to each row what the last row that is kept is ordered by."""
    found = [(tracing.fresh.attribute("last", key.type, nullable=True), key) for key in order]
    if not found:
        return rows, []
    columns = (Column(a, WindowCall(Call("nth_value", (key, last)), _PEERS)) for a, key in found)
    known = rows.learned.stands_for
    recordings = [each for a, key in found for each in record_as(CutOff, key, Ref(a), known)]
    return add_window(tracing, op, rows, (), *columns), recordings
