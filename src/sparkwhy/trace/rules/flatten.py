"""Trace flattens.

The law for one query: a row for each element, as the flatten makes it, and a row of nulls for a collection that is null
or empty, which blames the flatten.

    flatten xs as x, bit 0b01

    before              after
    xs      blame       xs      x     blame
    [7, 8]  0b00        [7, 8]  7     0b00
    []      0b00        [7, 8]  8     0b00
                        []      null  0b01

An outer flatten makes the row of nulls itself, without blame.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sparkwhy.backtrace.backtrace import Conditions
from sparkwhy.backtrace.null_rejection import rejects_null
from sparkwhy.plan.build import call, carry, either, integer
from sparkwhy.plan.exprs import Attribute, Compare, Expr, IsNotNull, IsNull, Literal, Ref
from sparkwhy.plan.nodes import Column, Flatten
from sparkwhy.plan.types import INTEGER, STRING
from sparkwhy.trace.blame import drops
from sparkwhy.trace.context import TraceContext
from sparkwhy.trace.observe import record_as
from sparkwhy.trace.recorded import CollectionState
from sparkwhy.trace.rows import TracedRows, partition_by_reads, query_columns
from sparkwhy.trace.variants.split import split


def trace_flatten(tracing: TraceContext, op: Flatten, rows: TracedRows, wanted: Sequence[Conditions]) -> TracedRows:
    """Flatten as an outer flatten does, unless the conditions of the question reject a row of nulls in all variants."""
    rows = split(tracing, op, rows, partition_by_reads(rows, (op.collection,)))
    outer = not _is_padding_rejected(op, wanted)
    if not (outer and drops(op)):
        return replace(rows, plan=_flatten(tracing, op, rows, op.position, outer=outer), unique=None)
    return _blame_padding(tracing, op, rows)


def _is_padding_rejected(op: Flatten, wanted: Sequence[Conditions]) -> bool:
    """Return whether no variant wants a row in which everything that the flatten makes is null."""
    made = frozenset(attribute.id for attribute in op.output if attribute not in op.input.output)
    return all(any(rejects_null(condition, made) for condition in conditions) for conditions in wanted)


def _flatten(
    tracing: TraceContext, op: Flatten, rows: TracedRows, position: Attribute | None, *, outer: bool
) -> Flatten:
    return Flatten(
        id=tracing.fresh.part(op),
        where=op.where,
        input=rows.plan,
        collection=op.collection,
        elements=op.elements,
        outer=outer,
        inline=op.inline,
        position=position,
    )


def _blame_padding(tracing: TraceContext, op: Flatten, rows: TracedRows) -> TracedRows:
    """Flatten with rows of nulls that blame the flatten, and record whether the collection was null or empty."""
    position = op.position
    if position is None and not op.inline:  # only a row of nulls has none
        position = tracing.fresh.attribute("position", INTEGER, nullable=True)
    state = tracing.fresh.attribute("state", STRING)
    in_full = tracing.records_in_full(op)
    if in_full:  # recorded before the flatten: afterwards Spark would have to keep the whole collection
        reason = either(IsNull(op.collection), Literal("null", STRING), Literal("empty", STRING))
        rows = tracing.project(op, rows, (*carry(query_columns(rows)), Column(state, reason)))
    traced = replace(rows, plan=_flatten(tracing, op, rows, position, outer=True), unique=None)
    recordings = record_as(CollectionState, op.collection, Ref(state), traced.learned.stands_for) if in_full else ()
    helping = {state} if position == op.position else {state, position}
    kept = [attribute for attribute in query_columns(traced) if attribute not in helping]
    return tracing.blame_dropped(op, traced, carry(kept), _has_elements(op, position), recordings)


def _has_elements(op: Flatten, position: Attribute | None) -> Expr:
    """Return the condition that a flattened row has an element."""
    if position is not None:
        return IsNotNull(Ref(position))
    return Compare(">", call("coalesce", call("size", op.collection), integer(0)), integer(0))
