"""Partners of which a grouping asks only how many there are: they are counted before they are joined.

    select k, count(v) from l join r on l.k = r.k group by k

All rows of `r` with the same key and blame find the same partners, and are alive together. So they are counted by key
and blame first; a grouping above the join adds these numbers up. Of fifteen orders of a customer one or two rows are
left to bring together, to join, and to say in which worlds there are none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import replace

from sparkwhy.backtrace.backtrace import Conditions
from sparkwhy.plan.build import carry
from sparkwhy.plan.exprs import AggCall, Attribute, Expr, Ref
from sparkwhy.plan.join_keys import equal_keys, residual_conditions
from sparkwhy.plan.join_types import PAIRING_TYPES, Side
from sparkwhy.plan.node_exprs import exprs_of
from sparkwhy.plan.nodes import Aggregate, Column, Join, OpId, Plan
from sparkwhy.plan.traits import is_grouping
from sparkwhy.plan.types import INTEGER, LONG
from sparkwhy.plan.walk import walk
from sparkwhy.plan.walk_exprs import attributes_of
from sparkwhy.trace.context import TraceContext
from sparkwhy.trace.observe import TRAIL, distance_trail, far_of
from sparkwhy.trace.rows import Learned, TracedRows, query_columns

SIDES: tuple[Side, ...] = ("right", "left")


def counting(plans: Sequence[Plan]) -> Mapping[OpId, tuple[Column, ...]]:
    """Return the joins above which only the rows of one side are counted, and by key: each with these counts."""
    nodes = [{node.id: node for node in walk(plan)} for plan in plans]

    def is_same(node: Plan) -> bool:
        return all(exprs_of(known[node.id]) == exprs_of(node) for known in nodes)

    found = [node for node in walk(plans[0]) if isinstance(node, Aggregate)]
    return {
        node.input.id: node.aggregates
        for node in found
        if isinstance(node.input, Join) and _side(node, node.input) and is_same(node) and is_same(node.input)
    }


def _side(op: Aggregate, join: Join) -> Side | None:
    """Return the side whose rows are counted, and nothing else."""
    if join.how not in PAIRING_TYPES or residual_conditions(join) or not op.aggregates:
        return None
    return next((side for side in SIDES if _counts_only(op, join, side)), None)


def _counts_only(op: Aggregate, join: Join, side: Side) -> bool:
    keys, rows = key_attributes(join, side), side_of(join, side)
    own = set(rows.output)
    others = {a for key in op.keys for a in attributes_of(key.expr)} & own
    plain = keys is not None and others <= keys
    return plain and all(is_count(c.expr, own) for c in op.aggregates) and not any(map(is_grouping, walk(rows)))


def is_count(expr: Expr, own: Set[Attribute]) -> bool:
    if not isinstance(expr, AggCall) or expr.function != "count" or expr.distinct or expr.condition is not None:
        return False
    read = {a for arg in expr.args for a in attributes_of(arg)}
    return bool(read) and read <= own


def side_of(join: Join, side: Side) -> Plan:
    return join.left if side == "left" else join.right


def key_attributes(join: Join, side: Side) -> set[Attribute] | None:
    """Return the attributes that are the keys of one side; None if there is none, or one that is computed."""
    keys = [key.left if side == "left" else key.right for key in equal_keys(join)]
    found = {key.attribute for key in keys if isinstance(key, Ref)}
    return found if keys and all(isinstance(key, Ref) for key in keys) else None


def count_partners_first(
    tracing: TraceContext, op: Join, left: TracedRows, right: TracedRows, wanted: Sequence[Conditions]
) -> tuple[Join, TracedRows, TracedRows]:
    """Count the rows of a side before the join, where they may be missing and are only counted above.

    before           after
    k  v  blame      k  part  blame
    1  7  0b00       1  2     0b00
    1  8  0b00       1  1     0b01
    1  9  0b01
    """
    counts = tracing.counting.get(op.id, ())
    for side, rows in zip(SIDES, (right, left), strict=True):
        below, keys = side_of(op, side), key_attributes(op, side)
        if not counts or keys is None or not all(is_count(c.expr, set(below.output)) for c in counts):
            continue
        asked = {a for conditions in wanted for c in conditions for a in attributes_of(c)}
        if rows.is_certain or rows.variants or not asked & set(below.output) <= keys:
            continue
        shape, summed_up = _count_rows(tracing, op, below, rows, keys, counts)
        if side == "left":
            return replace(op, left=shape), summed_up, right
        return replace(op, right=shape), left, summed_up
    return op, left, right


def _count_rows(
    tracing: TraceContext, op: Join, below: Plan, rows: TracedRows, keys: Set[Attribute], counts: Sequence[Column]
) -> tuple[Plan, TracedRows]:
    """Return what the join reads of a counted side, and one row for each key and liveness of it."""
    fresh = tracing.fresh
    by = carry(attribute for attribute in below.output if attribute in keys)
    made = tuple(Column(fresh.attribute("part", LONG), column.expr) for column in counts)
    parts = {c.attribute: part.attribute for c, part in zip(counts, made, strict=True)}
    flags = fresh.attribute("flags", INTEGER)
    flagged = () if rows.flags is None else (Column(flags, AggCall("bit_or", (Ref(rows.flags),))),)
    trails = () if rows.trail is None else (_nearest(tracing, op, rows.trail),)
    marks = carry(mark for mark in (rows.blame, rows.unless) if mark is not None)
    grouped = Aggregate(
        id=fresh.part(op), where=op.where, input=rows.plan, keys=by + marks, aggregates=(*made, *flagged, *trails)
    )
    shape = Aggregate(id=fresh.part(op), input=below, keys=by, aggregates=made)
    found = TracedRows(
        grouped,
        rows.blame,
        rows.unless,
        flags if flagged else None,
        trails[0].attribute if trails else None,
        marks_differ_between=rows.marks_differ_between,
        rows_split_by=rows.rows_split_by,
        everywhere=rows.everywhere,
        learned=rows.learned.merge(Learned(counted=parts)),
    )
    return shape, _with_trail(tracing, op, found) if trails else found


def _nearest(tracing: TraceContext, op: Join, trail: Attribute) -> Column:
    """Return the trail of the nearest row, or only its distance: Spark sorts all rows to find a trail."""
    if tracing.records_in_full(op):
        return Column(tracing.fresh.attribute("trail", TRAIL), AggCall("min", (Ref(trail),)))
    far = AggCall("min", (far_of(Ref(trail)),))
    return Column(tracing.fresh.attribute("far", far.type), far)


def _with_trail(tracing: TraceContext, op: Join, rows: TracedRows) -> TracedRows:
    if tracing.records_in_full(op):
        return rows
    assert rows.trail is not None
    columns = carry(query_columns(rows))
    return tracing.project(op, replace(rows, trail=None), columns, trail=distance_trail(Ref(rows.trail)))
