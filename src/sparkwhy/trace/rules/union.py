"""The union of traced rows, with the marks that any of them has."""

from __future__ import annotations

from sparkwhy.plan.exprs import Attribute, Expr, Ref
from sparkwhy.plan.nodes import Column, Project, Union
from sparkwhy.plan.types import INTEGER, LONG
from sparkwhy.trace.liveness import SETS
from sparkwhy.trace.observe import TRAIL
from sparkwhy.trace.rows import TraceContext, TracedRows
from sparkwhy.trace.variants.partitions import Partition, agreement, coarsened, first_of, refined


def trace_union(tracing: TraceContext, op: Union, inputs: tuple[TracedRows, ...]) -> TracedRows:
    fresh = tracing.fresh
    blame = fresh.attribute("blame", LONG) if any(rows.blame for rows in inputs) else None
    unless = fresh.attribute("unless", SETS) if any(rows.unless for rows in inputs) else None
    notes = fresh.attribute("notes", INTEGER) if any(rows.notes for rows in inputs) else None
    trail = fresh.attribute("trail", TRAIL) if any(rows.trail for rows in inputs) else None
    held, sources = _held(tracing, op, inputs)

    def branch(at: int, rows: TracedRows) -> Project:
        exprs = (
            (blame, rows.blame_expr),
            (unless, rows.unless_expr),
            (notes, rows.notes_expr),
            (trail, rows.trail_expr),
        )
        given = [Column(fresh.attribute(a.name, a.type, nullable=True), from_[at]) for a, from_ in sources.items()]
        marks = [Column(fresh.attribute(mark.name, mark.type), expr) for mark, expr in exprs if mark is not None]
        return Project(id=fresh.part(op), input=rows.plan, columns=(*given, *marks))

    branches = tuple(branch(at, rows) for at, rows in enumerate(inputs))
    marks = tuple(mark for mark in (blame, unless, notes, trail) if mark is not None)
    plan = Union(id=fresh.part(op), where=op.where, branches=branches, attributes=(*sources, *marks))
    return TracedRows(
        plan,
        blame,
        unless,
        notes,
        trail,
        variants={a: each for a, each in held.items() if len(set(each)) > 1},
        parts=refined([tracing.whole, *(rows.parts for rows in inputs)]),
        split=_split(inputs),
        everywhere=all(rows.everywhere for rows in inputs),
    ).learning(*(rows.learned for rows in inputs))


def _held(
    tracing: TraceContext, op: Union, inputs: tuple[TracedRows, ...]
) -> tuple[dict[Attribute, tuple[Attribute, ...]], dict[Attribute, tuple[Expr, ...]]]:
    """Which attributes hold those of the union in each alternative, and what each branch gives them."""
    held: dict[Attribute, tuple[Attribute, ...]] = {}
    sources: dict[Attribute, tuple[Expr, ...]] = {}
    for at, attribute in enumerate(op.attributes):
        given = [(rows, Ref(below.output[at])) for rows, below in zip(inputs, op.branches, strict=True)]
        read = [tuple(rows.read_in(i, expr) for rows, expr in given) for i in tracing.alternatives]
        holders: dict[int, Attribute] = {}
        for number, block in enumerate(agreement(read)):
            made = tracing.fresh.attribute(attribute.name, attribute.type, nullable=True)
            holder = made if number else attribute
            sources[holder] = read[first_of(block)]
            holders.update({i: holder for i in tracing.alternatives if block >> i & 1})
        held[attribute] = tuple(holders[i] for i in tracing.alternatives)
    return held, sources


def _split(inputs: tuple[TracedRows, ...]) -> Partition:
    """What is split in every branch."""
    found = inputs[0].split
    for rows in inputs[1:]:
        found = coarsened(found, rows.split)
    return found
