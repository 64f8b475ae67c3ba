"""The union of traced rows, with the marks that any of them has."""

from __future__ import annotations

from sparkwhy.plan.build import carry
from sparkwhy.plan.nodes import Column, Plan, Project, Union
from sparkwhy.plan.types import INTEGER, LONG
from sparkwhy.trace.terms import SETS
from sparkwhy.trace.traced import Traced, Tracing
from sparkwhy.trace.trails import TRAIL


def trace_union(tracing: Tracing, op: Union, inputs: tuple[Traced, ...]) -> Traced:
    fresh = tracing.fresh
    blame = fresh.attribute("blame", LONG) if any(rows.blame for rows in inputs) else None
    unless = fresh.attribute("unless", SETS) if any(rows.unless for rows in inputs) else None
    notes = fresh.attribute("notes", INTEGER) if any(rows.notes for rows in inputs) else None
    trail = fresh.attribute("trail", TRAIL) if any(rows.trail for rows in inputs) else None

    def branch(rows: Traced, below: Plan) -> Plan:
        exprs = (
            (blame, rows.blame_expr),
            (unless, rows.unless_expr),
            (notes, rows.notes_expr),
            (trail, rows.trail_expr),
        )
        marks = [Column(fresh.attribute(mark.name, mark.type), expr) for mark, expr in exprs if mark is not None]
        return Project(id=fresh.part(op), input=rows.plan, columns=(*carry(below.output), *marks))

    branches = tuple(branch(*pair) for pair in zip(inputs, op.branches, strict=True))
    marks = tuple(mark for mark in (blame, unless, notes, trail) if mark is not None)
    plan = Union(id=fresh.part(op), where=op.where, branches=branches, attributes=op.attributes + marks)
    return Traced(plan, blame, unless, notes, trail)
