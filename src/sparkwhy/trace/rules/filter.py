"""Trace filters.

The law for one query: every row stays, and a row for which the condition is not true blames the filter.

    filter x > 1, bit 0b01

    before            after
    x     blame       x     blame
    1     0b00        1     0b01
    3     0b00        3     0b00
    null  0b00        null  0b01

Variants of a query may have other conditions. Each different condition is a dropper with its own bit, which counts only
in the variants that use it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from sparkwhy.plan.build import carry
from sparkwhy.plan.nodes import Filter
from sparkwhy.trace.blame import drops
from sparkwhy.trace.context import TraceContext, Verdict
from sparkwhy.trace.observe import Recording, distance, filter_recordings
from sparkwhy.trace.rows import TracedRows, query_columns
from sparkwhy.trace.variants.partitions import agreement, first_of, refine


def trace_filter(tracing: TraceContext, ops: tuple[Filter, ...], rows: TracedRows) -> TracedRows:
    """Keep every row; one that the filter drops blames it, by the bit of the condition in each block of variants."""
    conditions = [rows.read_in(i, op.condition) for i, op in enumerate(ops)]
    blocks = [block for block in agreement(conditions) if drops(ops[first_of(block)])]
    if not blocks:
        return rows
    verdicts = []
    for block in blocks:
        at = first_of(block)
        bit = tracing.bits.bit_of(ops[0].first_use, within=block)
        far = distance(ops[at], partial(rows.read_in, at))
        rows, trail = tracing.record(ops[0], rows, tuple(_recordings(tracing, ops, rows, block)), far)
        verdicts.append(Verdict(bit, conditions[at], trail))
    judged = tracing.judge(ops[0], rows, carry(query_columns(rows)), verdicts)
    return replace(judged, marks_differ_between=refine([judged.marks_differ_between, agreement(conditions)]))


def _recordings(tracing: TraceContext, ops: tuple[Filter, ...], rows: TracedRows, block: int) -> Iterator[Recording]:
    """Yield what a filter records in a block of variants that read the same values, by the expressions of each."""
    if not tracing.records_at(ops[0]):
        return
    for same in agreement([op.condition for op in ops]):
        if same & block:
            at = first_of(same & block)
            for each in filter_recordings(ops[at]):
                yield each._replace(value=rows.read_in(at, each.value), variants=same & block)
