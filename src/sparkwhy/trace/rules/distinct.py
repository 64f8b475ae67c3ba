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
from sparkwhy.trace.groups.merge import group_by_liveness, is_one_set_enough, merge_keys
from sparkwhy.trace.liveness import TERM, blame_of, no_sets, term, unless_of, with_any
from sparkwhy.trace.observe import TRAIL
from sparkwhy.trace.rows import TraceContext, TracedRows, certain_values
from sparkwhy.trace.variants.split import gates_of, split_by_reads


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
        narrow = tracing.project(op, tracing.traced(rows.plan), carry(op.output))
        return tracing.traced(Distinct(id=tracing.fresh.part(op), where=op.where, input=narrow.plan))
    fresh = tracing.fresh
    terms, alive = fresh.attribute("terms", Array(TERM)), fresh.attribute("term", TERM)
    notes, trail = fresh.attribute("notes", INTEGER), fresh.attribute("trail", TRAIL)
    recorded = () if rows.trail is None else (Column(trail, AggCall("min", (Ref(rows.trail),))),)
    gates = tuple(Column(fresh.attribute("gates", LONG), expr) for expr in gates_of(tracing, rows))
    grouped = Aggregate(
        id=fresh.part(op),
        where=op.where,
        input=rows.plan,
        keys=carry(op.output) + gates,
        aggregates=(
            Column(terms, AggCall("collect_set", (rows.term,))),
            Column(notes, AggCall("bit_or", (rows.notes_expr,))),
            *recorded,
        ),
    )
    living = with_any(term(long(0), no_sets()), Ref(terms))
    flat = Flatten(id=fresh.part(op), input=grouped, collection=living, elements=(alive,))
    traced = TracedRows(
        flat,
        notes=notes,
        trail=trail if recorded else None,
        parts=rows.parts,
        split=rows.split,
        learned=rows.learned,
    )
    return tracing.project(op, traced, carry(op.output), blame=blame_of(Ref(alive)), unless=unless_of(Ref(alive)))
