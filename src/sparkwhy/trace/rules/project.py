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

from dataclasses import replace

from sparkwhy.backtrace.backtrace import substitute_attributes
from sparkwhy.plan.exprs import Attribute, Ref
from sparkwhy.plan.nodes import Column, Project
from sparkwhy.plan.walk_exprs import attributes_of
from sparkwhy.trace.context import TraceContext
from sparkwhy.trace.rows import TracedRows
from sparkwhy.trace.variants.merge import variant_columns, with_columns


def trace_project(tracing: TraceContext, ops: tuple[Project, ...], rows: TracedRows) -> TracedRows:
    """Compute the columns of all variants, side by side where they differ."""
    rows = _copy_order(tracing, ops, rows)
    columns: list[Column] = []
    variants: dict[Attribute, tuple[Attribute, ...]] = {}
    for each in zip(*(op.columns for op in ops), strict=True):
        made, held = variant_columns(tracing, rows, each[0].attribute, [column.expr for column in each])
        columns.extend(made)
        if len(made) > 1:
            variants[each[0].attribute] = held
    others = {a: held for a, held in rows.variants.items() if a not in set(ops[0].output)}
    found = tracing.project(ops[0], replace(rows, variants=others), columns)
    return replace(found, variants={**found.variants, **variants})


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
