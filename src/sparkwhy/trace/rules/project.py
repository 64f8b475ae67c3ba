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

from collections.abc import Mapping, Sequence
from dataclasses import replace

from sparkwhy.backtrace.backtrace import substitute_attributes
from sparkwhy.plan.build import carry
from sparkwhy.plan.exprs import Attribute, IsNull, Ref
from sparkwhy.plan.nodes import Column, Project
from sparkwhy.plan.nulls import makes_nulls
from sparkwhy.plan.walk_exprs import attributes_of, paths_of
from sparkwhy.trace.context import TraceContext
from sparkwhy.trace.observe import join_trails, record_as, record_if
from sparkwhy.trace.recorded import ReadValue
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
    inputs = _inputs_of_nulls(tracing, ops[0], in_all_variants)
    copies = (copy for each in inputs.values() for copy in each)
    found = tracing.project(ops[0], replace(rows, variants=others), [*columns, *copies])
    found = replace(found, variants={**found.variants, **variants})
    return _record_nulls(tracing, ops[0], found, inputs) if inputs else found


def _record_nulls(
    tracing: TraceContext, op: Project, rows: TracedRows, inputs: Mapping[Attribute, Sequence[Column]]
) -> TracedRows:
    """Record what a null was made of: that is often not there any more where a filter drops the row.

    `inputs` are the columns that computed ones were made of, each with the path that it copies.
    """
    trails = []
    for made, copies in inputs.items():
        known = rows.learned.stands_for
        read = [each for copy in copies for each in record_as(ReadValue, copy.expr, Ref(copy.attribute), known)]
        rows, trail = tracing.record(op, rows, read)
        trails.append(record_if(IsNull(Ref(made)), trail))
    return tracing.project(op, rows, carry(rows.holders(op.output)), trail=join_trails([rows.trail_expr, *trails]))


def _inputs_of_nulls(tracing: TraceContext, op: Project, made: Sequence[Column]) -> dict[Attribute, list[Column]]:
    """Return copies of what the computed columns read that may make a null, by computed column."""
    if not tracing.records_in_full(op) or op.id.part:  # what Spark inserted is part of another operation
        return {}
    makers = (column for column in made if makes_nulls(column.expr))
    return {
        each.attribute: [
            Column(tracing.fresh.attribute("read", path.type, nullable=True), path)
            for path in dict.fromkeys(paths_of(each.expr))
        ]
        for each in makers
    }


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
