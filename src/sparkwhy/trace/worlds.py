"""Worlds: an operator that looks at several rows at once has another output for each set of relaxed operators below it.

The worlds of a group of rows are the unions of the sets that make a row of the group come or go. Each row is put
into every world in which it is alive; the operator then does its work within each world by itself.
"""

from __future__ import annotations

from dataclasses import replace

from sparkwhy.plan.build import call, carry
from sparkwhy.plan.exprs import AggCall, Attribute, Expr, Frame, Ref, WindowCall
from sparkwhy.plan.nodes import Column, Flatten, Plan, Project, Window
from sparkwhy.plan.types import Array
from sparkwhy.trace.context import TraceContext
from sparkwhy.trace.liveness import (
    LIVENESS,
    SETS,
    WORLD,
    blame_of,
    flags_of,
    generating,
    is_alive,
    unless_of,
    world_blames,
    worlds,
)
from sparkwhy.trace.rows import TracedRows, query_columns
from sparkwhy.trace.variants.split import variant_bits_of

WHOLE_PARTITION = Frame("rows", None, None)


def with_worlds(tracing: TraceContext, op: Plan, rows: TracedRows, partition: tuple[Expr, ...]) -> TracedRows:
    """Put each row into every world of its partition in which it is alive, with blame and unless of the world.

    before        after
    x  blame      x  blame  unless
    1  0b00       1  0b00   {0b01}
    2  0b01       1  0b01   {}
                  2  0b01   {}
    """
    if rows.is_certain:
        return rows
    plan, world = _list_worlds(tracing, op, rows, partition + variant_bits_of(tracing, rows))
    spread = replace(rows, plan=plan, unique=None)
    alive = tracing.keep_rows(op, spread, (is_alive(rows.blame_expr, rows.unless_expr, blame_of(Ref(world))),))
    return tracing.project(
        op,
        alive,
        carry(query_columns(rows)),
        blame=blame_of(Ref(world)),
        unless=unless_of(Ref(world)),
        flags=call("|", rows.flags_expr, flags_of(Ref(world))),
    )


def _list_worlds(
    tracing: TraceContext, op: Plan, rows: TracedRows, partition: tuple[Expr, ...]
) -> tuple[Plan, Attribute]:
    """Return each row beside every world of its partition, from the ways in which the rows of the partition are alive.

    The steps are columns of their own: in one expression, each would be computed wherever the next one reads it.
    """
    fresh, most = tracing.fresh, tracing.limits.worlds
    ways, sets = fresh.attribute("ways", Array(LIVENESS)), fresh.attribute("sets", SETS)
    blames, world = fresh.attribute("blames", SETS), fresh.attribute("world", WORLD)
    collected = Column(ways, WindowCall(AggCall("collect_set", (rows.liveness,)), WHOLE_PARTITION))
    plan: Plan = Window(id=fresh.part(op), input=rows.plan, partition=partition, order=(), columns=(collected,))
    for column in (Column(sets, generating(Ref(ways))), Column(blames, world_blames(Ref(sets), most))):
        plan = Project(id=fresh.part(op), input=plan, columns=(*carry(plan.output), column))
    listed = worlds(Ref(ways), Ref(sets), Ref(blames), most)
    return Flatten(id=fresh.part(op), input=plan, collection=listed, elements=(world,)), world
