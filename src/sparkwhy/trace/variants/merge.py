"""Merge the variants of an operator into one, over traced rows with the columns that it reads."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TypeVar

from sparkwhy.plan.build import carry
from sparkwhy.plan.exprs import Attribute, Expr
from sparkwhy.plan.nodes import Column, Plan
from sparkwhy.trace.context import TraceContext
from sparkwhy.trace.rows import Learned, TracedRows, query_columns
from sparkwhy.trace.variants.columns import make_columns
from sparkwhy.trace.variants.common import Hole, merge_operators

Op = TypeVar("Op", bound=Plan)


def merge_variants(
    tracing: TraceContext, ops: Sequence[Op], rows: tuple[TracedRows, ...]
) -> tuple[Op, tuple[TracedRows, ...]]:
    """Merge the variants of an operator into one, over rows with a column for each expression in which they differ.

    `sort by x` and `sort by y` become `sort by read`, over rows in which `read` is held by x or by y.
    """
    merged = merge_operators(tracing.fresh, ops)
    if not any(merged.holes):
        return merged.op, rows
    known = Learned(stands_for={made.id: exprs for holes in merged.holes for made, exprs in holes})
    sides = zip(rows, merged.holes, strict=True)
    return merged.op, tuple(with_columns(tracing, ops[0], side, own).learning(known) for side, own in sides)


def with_columns(tracing: TraceContext, op: Plan, rows: TracedRows, made: Sequence[Hole]) -> TracedRows:
    """Add attributes to the rows, each given by an expression for each variant."""
    columns: list[Column] = []
    variants = dict(rows.variants)
    for attribute, exprs in made:
        added, variants[attribute] = variant_columns(tracing, rows, attribute, exprs)
        columns.extend(added)
    found = tracing.project(op, rows, (*carry(query_columns(rows)), *columns))
    return replace(found, variants={a: held for a, held in variants.items() if len(set(held)) > 1})


def variant_columns(
    tracing: TraceContext, rows: TracedRows, attribute: Attribute, exprs: Sequence[Expr]
) -> tuple[list[Column], tuple[Attribute, ...]]:
    """Return the columns that an attribute needs, and which of them holds it in each variant."""
    return make_columns(tracing.fresh, rows.variants, attribute, exprs)


def columns_in_variants(
    tracing: TraceContext, rows: TracedRows, columns: Iterable[Column]
) -> tuple[tuple[Column, ...], dict[Attribute, tuple[Attribute, ...]]]:
    """Return columns as they are in all variants, and the holder of each in each variant where these differ."""
    made: list[Column] = []
    variants: dict[Attribute, tuple[Attribute, ...]] = {}
    for column in columns:
        exprs = [column.expr for _ in tracing.alternatives]
        found, held = variant_columns(tracing, rows, column.attribute, exprs)
        made.extend(found)
        if len(found) > 1:
            variants[column.attribute] = held
    return tuple(made), variants
