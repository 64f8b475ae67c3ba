"""Number rows within each world: what windows, limits and `distinct_by` share."""

from __future__ import annotations

from dataclasses import replace

from sparkwhy.plan.build import integer
from sparkwhy.plan.exprs import Attribute, Call, Expr, Frame, Ref, WindowCall
from sparkwhy.plan.nodes import Column, Plan, SortKey, Window
from sparkwhy.plan.types import INTEGER
from sparkwhy.trace.context import TraceContext
from sparkwhy.trace.rows import TracedRows

_UP_TO_HERE = Frame("rows", None, "current row")


def world_of(rows: TracedRows) -> tuple[Expr, ...]:
    """Return what tells the worlds of one partition apart: their blame."""
    return () if rows.blame is None else (Ref(rows.blame),)


def rank_rows(
    tracing: TraceContext, op: Plan, rows: TracedRows, partition: tuple[Expr, ...]
) -> tuple[TracedRows, Attribute]:
    """Number the rows in their order, within each world of the partition."""
    rank = tracing.fresh.attribute("rank", INTEGER)
    number = Column(rank, WindowCall(Call("row_number", ()), _UP_TO_HERE))
    return add_window(tracing, op, rows, partition, number), rank


def add_window(
    tracing: TraceContext, op: Plan, rows: TracedRows, partition: tuple[Expr, ...], *columns: Column
) -> TracedRows:
    """Compute window columns over rows in their order, within each world of the partition."""
    plan = Window(
        id=tracing.fresh.part(op),
        input=rows.plan,
        partition=partition + world_of(rows),
        order=rows.order or (SortKey(integer(1)),),
        columns=columns,
    )
    return replace(rows, plan=plan)
