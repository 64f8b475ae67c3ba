"""Trace unions.

The law for one query: the rows of all branches, each with its own marks. A mark that only some branches have gets its
neutral value in the others.

    union

    before                  after
    x  blame      x         x  blame
    1  0b01       2         1  0b01
                            2  0b00
"""

from __future__ import annotations

from sparkwhy.plan.nodes import Column, Project, Union
from sparkwhy.plan.types import INTEGER, LONG
from sparkwhy.trace.context import TraceContext
from sparkwhy.trace.liveness import SETS
from sparkwhy.trace.observe import TRAIL
from sparkwhy.trace.rows import TracedRows
from sparkwhy.trace.variants.columns import union_columns
from sparkwhy.trace.variants.partitions import Partition, coarsen, refine


def trace_union(tracing: TraceContext, op: Union, inputs: tuple[TracedRows, ...]) -> TracedRows:
    """Return the rows of all branches, with the marks that any branch has."""
    fresh = tracing.fresh
    blame = fresh.attribute("blame", LONG) if any(rows.blame for rows in inputs) else None
    unless = fresh.attribute("unless", SETS) if any(rows.unless for rows in inputs) else None
    flags = fresh.attribute("flags", INTEGER) if any(rows.flags for rows in inputs) else None
    trail = fresh.attribute("trail", TRAIL) if any(rows.trail for rows in inputs) else None
    held, sources = union_columns(fresh, op, [rows.variants for rows in inputs], tracing.alternatives)

    def branch(at: int, rows: TracedRows) -> Project:
        exprs = (
            (blame, rows.blame_expr),
            (unless, rows.unless_expr),
            (flags, rows.flags_expr),
            (trail, rows.trail_expr),
        )
        given = [Column(fresh.attribute(a.name, a.type, nullable=True), from_[at]) for a, from_ in sources.items()]
        marks = [Column(fresh.attribute(mark.name, mark.type), expr) for mark, expr in exprs if mark is not None]
        return Project(id=fresh.part(op), input=rows.plan, columns=(*given, *marks))

    branches = tuple(branch(at, rows) for at, rows in enumerate(inputs))
    marks = tuple(mark for mark in (blame, unless, flags, trail) if mark is not None)
    plan = Union(id=fresh.part(op), where=op.where, branches=branches, attributes=(*sources, *marks))
    return TracedRows(
        plan,
        blame,
        unless,
        flags,
        trail,
        variants={a: each for a, each in held.items() if len(set(each)) > 1},
        marks_differ_between=refine([tracing.whole, *(rows.marks_differ_between for rows in inputs)]),
        rows_split_by=_split(inputs),
        everywhere=all(rows.everywhere for rows in inputs),
    ).learning(*(rows.learned for rows in inputs))


def _split(inputs: tuple[TracedRows, ...]) -> Partition:
    """Return the blocks into which the rows of every branch are split."""
    found = inputs[0].rows_split_by
    for rows in inputs[1:]:
        found = coarsen(found, rows.rows_split_by)
    return found
