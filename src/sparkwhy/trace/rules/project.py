"""Trace projections.

The law for one query: every row gets the columns of the projection, and its marks are carried along.

    project x + 1 as y

    before        after
    x  blame      y  blame
    1  0b01       2  0b01

Variants of a query may compute other expressions. A column that differs has one column for each expression, and the
rows name the column that holds it in each variant.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from sparkwhy.backtrace.backtrace import substitute_attributes
from sparkwhy.plan.build import carry
from sparkwhy.plan.exprs import And, Attribute, Expr, IsNull, Not, Or, Ref, is_true
from sparkwhy.plan.nodes import Column, Project
from sparkwhy.plan.nulls import computes, makes_nulls
from sparkwhy.plan.walk_exprs import attributes_of, paths_of, reads_only
from sparkwhy.trace.context import TraceContext
from sparkwhy.trace.observe import atoms, join_trails, record_as, record_if
from sparkwhy.trace.recorded import ConjunctVerdict, ReadValue, Recorded
from sparkwhy.trace.rows import TracedRows
from sparkwhy.trace.variants.merge import variant_columns, with_columns


def trace_project(tracing: TraceContext, ops: tuple[Project, ...], rows: TracedRows) -> TracedRows:
    """Compute the columns of all variants, side by side where they differ."""
    rows = _copy_order(tracing, ops, rows)
    columns: list[Column] = []
    in_all_variants: list[Column] = []
    variants: dict[Attribute, tuple[Attribute, ...]] = {}
    for each in zip(*(op.columns for op in ops), strict=True):
        made, held = variant_columns(tracing, rows, each[0].attribute, [column.expr for column in each])
        columns.extend(made)
        if len(made) > 1:
            variants[each[0].attribute] = held
        else:
            in_all_variants.extend(made)
    others = {a: held for a, held in rows.variants.items() if a not in set(ops[0].output)}
    inputs = _inputs_of_values(tracing, ops[0], in_all_variants)
    copies = (copy for each in inputs for copy in each.copies)
    found = tracing.project(ops[0], replace(rows, variants=others), [*columns, *copies])
    found = replace(found, variants={**found.variants, **variants})
    return _record_inputs(tracing, ops[0], found, inputs) if inputs else found


@dataclass(frozen=True)
class _Inputs:
    """Copies of what a computed column was made of, of how its conditions came out, and which rows record them."""

    read: tuple[Column, ...]
    verdicts: tuple[Column, ...]
    when: Expr

    @property
    def copies(self) -> tuple[Column, ...]:
        return self.read + self.verdicts


def _record_inputs(tracing: TraceContext, op: Project, rows: TracedRows, inputs: Sequence[_Inputs]) -> TracedRows:
    """Record what values were made of: that is often not there any more where a filter drops the row."""
    trails = []
    for each in inputs:
        known = rows.learned.stands_for
        kinds: tuple[tuple[Column, Callable[[Expr], Recorded]], ...] = (
            *((copy, ReadValue) for copy in each.read),
            *((copy, ConjunctVerdict) for copy in each.verdicts),
        )
        found = [got for copy, kind in kinds for got in record_as(kind, copy.expr, Ref(copy.attribute), known)]
        rows, trail = tracing.record(op, rows, found)
        trails.append(record_if(each.when, trail))
    return tracing.project(op, rows, carry(rows.holders(op.output)), trail=join_trails([rows.trail_expr, *trails]))


def _inputs_of_values(tracing: TraceContext, op: Project, made: Sequence[Column]) -> list[_Inputs]:
    """Return what to record of the computed columns: of those that may make a null, and of those that filters test."""
    if not tracing.records_in_full(op) or op.id.part:  # what Spark inserted is part of another operation
        return []
    known = {column.attribute for column in made}
    tested = [c for c in tracing.tested.get(op.id, ()) if reads_only(c, known)]
    found = []
    for column in made:
        when: list[Expr] = [IsNull(Ref(column.attribute))] if makes_nulls(column.expr) else []
        if computes(column.expr):
            when += [Not(is_true(c)) for c in tested if column.attribute in attributes_of(c)]
        if when:
            found.append(_copy_inputs(tracing, column.expr, Or(tuple(when)) if len(when) > 1 else when[0]))
    return found


def _copy_inputs(tracing: TraceContext, expr: Expr, when: Expr) -> _Inputs:
    def copy(part: Expr) -> Column:
        return Column(tracing.fresh.attribute("read", part.type, nullable=True), part)

    conditions = dict.fromkeys(atoms(expr)) if isinstance(expr, And | Or | Not) else ()
    return _Inputs(tuple(map(copy, dict.fromkeys(paths_of(expr)))), tuple(map(copy, conditions)), when)


def _copy_order(tracing: TraceContext, ops: tuple[Project, ...], rows: TracedRows) -> TracedRows:
    """Copy the attributes that rows are ordered by, where the projection gives another value to one of them.

    Rows sorted by x, then `project -x as x`: a limit above asks for the old x.
    """
    replaced = {c.attribute for op in ops for c in op.columns if not c.is_carried}
    stale = replaced & {a for key in rows.order for a in attributes_of(key.expr)}
    if not stale:
        return rows
    copies = {a: tracing.fresh.attribute(a.name, a.type, nullable=True) for a in stale}
    given = [(copy, tuple(Ref(a) for _ in ops)) for a, copy in copies.items()]
    names = {a: Ref(copy) for a, copy in copies.items()}
    order = tuple(replace(key, expr=substitute_attributes(key.expr, names)) for key in rows.order)
    return replace(with_columns(tracing, ops[0], rows, given), order=order)
