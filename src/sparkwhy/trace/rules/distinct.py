"""Trace duplicates that count once.

The law for one query: each value once for each way in which any of its copies is alive; no two ways overlap.

    distinct

    before        after
    x  blame      x  blame  unless
    7  0b01       7  0b01   {}
    7  0b10       7  0b10   {0b01}

Where all copies of a value have the same reason to be missing, one set says it all (`merge_keys`).
"""

from __future__ import annotations

from sparkwhy.plan.build import carry, long
from sparkwhy.plan.exprs import AggCall, Ref
from sparkwhy.plan.nodes import Aggregate, Column, Distinct, Flatten
from sparkwhy.plan.types import INTEGER, LONG, Array
from sparkwhy.trace.context import TraceContext
from sparkwhy.trace.groups.merge import group_by_liveness, is_one_set_enough, merge_keys
from sparkwhy.trace.liveness import LIVENESS, blame_of, liveness, no_sets, unless_of, with_any
from sparkwhy.trace.observe import TRAIL
from sparkwhy.trace.rows import TracedRows, certain_values
from sparkwhy.trace.variants.split import split_by_reads, variant_bits_of


def trace_distinct(tracing: TraceContext, op: Distinct, rows: TracedRows) -> TracedRows:
    """Keep each value once, where any of its copies is alive."""
    rows = certain_values(rows)
    if not rows.is_certain and is_one_set_enough(tracing, op, rows, map(Ref, op.output)):
        return merge_keys(tracing, op, rows, carry(op.output))
    if rows.trail is not None and op.id in tracing.referring:
        shape = Aggregate(id=op.id, where=op.where, input=op.input, keys=carry(op.output), aggregates=())
        rows = group_by_liveness(tracing, shape, rows)
    return list_ways(tracing, op, rows)


def list_ways(tracing: TraceContext, op: Distinct, rows: TracedRows) -> TracedRows:
    """Keep each value once for each way in which any of its copies is alive, from the liveness of all copies."""
    rows = split_by_reads(tracing, op, rows, map(Ref, op.output))
    if rows.is_certain:
        narrow = tracing.project(op, tracing.rows_of(rows.plan), carry(op.output))
        return tracing.rows_of(Distinct(id=tracing.fresh.part(op), where=op.where, input=narrow.plan))
    fresh = tracing.fresh
    ways, alive = fresh.attribute("ways", Array(LIVENESS)), fresh.attribute("way", LIVENESS)
    flags, trail = fresh.attribute("flags", INTEGER), fresh.attribute("trail", TRAIL)
    recorded = () if rows.trail is None else (Column(trail, AggCall("min", (Ref(rows.trail),))),)
    variant_bits = tuple(Column(fresh.attribute("variant_bits", LONG), expr) for expr in variant_bits_of(tracing, rows))
    grouped = Aggregate(
        id=fresh.part(op),
        where=op.where,
        input=rows.plan,
        keys=carry(op.output) + variant_bits,
        aggregates=(
            Column(ways, AggCall("collect_set", (rows.liveness,))),
            Column(flags, AggCall("bit_or", (rows.flags_expr,))),
            *recorded,
        ),
    )
    living = with_any(liveness(long(0), no_sets()), Ref(ways))
    flat = Flatten(id=fresh.part(op), input=grouped, collection=living, elements=(alive,))
    traced = TracedRows(
        flat,
        flags=flags,
        trail=trail if recorded else None,
        marks_differ_between=rows.marks_differ_between,
        rows_split_by=rows.rows_split_by,
        learned=rows.learned,
    )
    return tracing.project(op, traced, carry(op.output), blame=blame_of(Ref(alive)), unless=unless_of(Ref(alive)))
