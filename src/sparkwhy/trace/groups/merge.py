"""Make one row of several: what groupings and duplicates share."""

from __future__ import annotations

from collections.abc import Iterable

from sparkwhy.plan.build import carry
from sparkwhy.plan.exprs import AggCall, Attribute, Expr, Ref
from sparkwhy.plan.nodes import Aggregate, Column, Plan
from sparkwhy.plan.types import INTEGER, LONG
from sparkwhy.plan.walk import inputs
from sparkwhy.rewrite.decimals_as_integers import compute_numbers_once
from sparkwhy.rewrite.partial_aggregates import Stages
from sparkwhy.trace.context import TraceContext
from sparkwhy.trace.groups.nearest import NearestRow
from sparkwhy.trace.rows import TracedRows, partition_by_reads
from sparkwhy.trace.variants.merge import columns_in_variants


def is_one_set_enough(tracing: TraceContext, op: Plan, rows: TracedRows, keys: Iterable[Expr]) -> bool:
    """Return whether one set of operators says when any of the rows with a key is there."""
    return len(partition_by_reads(rows, keys)) == 1 and tracing.is_one_set_enough(inputs(op), rows)


def merge_keys(tracing: TraceContext, op: Plan, rows: TracedRows, keys: tuple[Column, ...]) -> TracedRows:
    """Make one row of all rows with a key, with the blame that all of them have: nothing, if one needs nothing.

    before        after
    k  blame      k  blame
    1  0b01       1  0b00
    1  0b00
    """
    blame = tracing.fresh.attribute("blame", LONG)
    flags, flagged = _combine_flags(tracing, rows)
    nearest = NearestRow.of(tracing, op, rows)
    grouped = Aggregate(
        id=tracing.fresh.part(op),
        where=op.where,
        input=rows.plan,
        keys=keys,
        aggregates=(Column(blame, AggCall("bit_and", (rows.blame_expr,))), *flagged, *nearest.columns),
    )
    traced = TracedRows(
        grouped,
        blame,
        flags=flags,
        marks_differ_between=rows.marks_differ_between,
        rows_split_by=tracing.whole,
        everywhere=rows.everywhere,
        learned=rows.learned,
        unique=frozenset(column.attribute for column in keys),
    )
    return nearest.give_trail(tracing, op, traced, keys)


def group_by_liveness(
    tracing: TraceContext, op: Aggregate, rows: TracedRows, stages: tuple[Stages, ...] = ()
) -> TracedRows:
    """Make one row of all rows that are in the same group in every variant and are alive together.

    The row has the first stage of the aggregates. For `sum(v)`:

        before           after
        k  v  blame      k  part  blame
        1  2  0b00       1  5     0b00
        1  3  0b00       1  7     0b01
        1  7  0b01
    """
    marks = carry(mark for mark in (rows.blame, rows.unless) if mark is not None)
    flags, flagged = _combine_flags(tracing, rows)
    given = dict.fromkeys(op.keys + tuple(key for stage in stages for key in stage.keys))
    keys, held_keys = columns_in_variants(tracing, rows, given)
    first, held_parts = columns_in_variants(tracing, rows, (column for stage in stages for column in stage.first))
    nearest = NearestRow.of(tracing, op, rows)
    below, first = compute_numbers_once(tracing.fresh, op, rows.plan, first)
    grouped = Aggregate(
        id=tracing.fresh.part(op),
        where=op.where,
        input=below,
        keys=keys + marks,
        aggregates=first + flagged + nearest.columns,
    )
    traced = TracedRows(
        grouped,
        rows.blame,
        rows.unless,
        flags,
        variants={**held_keys, **held_parts},
        marks_differ_between=rows.marks_differ_between,
        rows_split_by=rows.rows_split_by,
        everywhere=rows.everywhere,
        learned=rows.learned,
    )
    blame = () if rows.blame is None else carry((rows.blame,))  # what takes rows away depends on what else is looked at
    return nearest.give_trail(tracing, op, traced, keys + blame)


def _combine_flags(tracing: TraceContext, rows: TracedRows) -> tuple[Attribute | None, tuple[Column, ...]]:
    """Return the attribute and the column for the flags of a group, if its rows have any."""
    if rows.flags is None:
        return None, ()
    flags = tracing.fresh.attribute("flags", INTEGER)
    return flags, (Column(flags, AggCall("bit_or", (Ref(rows.flags),))),)
