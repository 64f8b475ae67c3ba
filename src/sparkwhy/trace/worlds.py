"""Worlds: an operator that looks at several rows at once has another output for each set of relaxed operators below it.

The worlds of a group of rows are the unions of the sets that make a row of the group come or go. Each row is put
into every world in which it is alive; the operator then does its work within each world by itself.
"""

from __future__ import annotations

from dataclasses import replace

from sparkwhy.plan.build import call, carry
from sparkwhy.plan.exprs import AggCall, Expr, Frame, Ref, WindowCall
from sparkwhy.plan.nodes import Column, Flatten, Plan, Project, Window
from sparkwhy.plan.types import Array
from sparkwhy.trace.liveness import (
    SETS,
    TERM,
    WORLD,
    blame_of,
    generating,
    is_alive,
    notes_of,
    unless_of,
    world_blames,
    worlds,
)
from sparkwhy.trace.rows import TraceContext, TracedRows, query_columns
from sparkwhy.trace.variants.split import gates_of

WHOLE_PARTITION = Frame("rows", None, None)


def with_worlds(tracing: TraceContext, op: Plan, rows: TracedRows, partition: tuple[Expr, ...]) -> TracedRows:
    """Each row in every world of its partition in which it is alive; blame and unless are those of the world."""
    if rows.is_certain:
        return rows
    fresh = tracing.fresh
    partition += gates_of(tracing, rows)
    terms, sets = fresh.attribute("terms", Array(TERM)), fresh.attribute("sets", SETS)
    blames, world = fresh.attribute("blames", SETS), fresh.attribute("world", WORLD)
    collected = WindowCall(AggCall("collect_set", (rows.term,)), WHOLE_PARTITION)
    plan: Plan = Window(
        id=fresh.part(op), input=rows.plan, partition=partition, order=(), columns=(Column(terms, collected),)
    )
    given = carry(rows.plan.output)
    known = (*given, *carry((terms,)), Column(sets, generating(Ref(terms))))
    plan = Project(id=fresh.part(op), input=plan, columns=known)
    plan = Project(
        id=fresh.part(op), input=plan, columns=(*carry(plan.output), Column(blames, world_blames(Ref(sets))))
    )
    plan = Flatten(
        id=fresh.part(op),
        input=plan,
        collection=worlds(Ref(terms), Ref(sets), Ref(blames)),
        elements=(world,),
        outer=False,
    )
    spread = replace(rows, plan=plan, unique=None)
    alive = tracing.only(op, spread, (is_alive(rows.blame_expr, rows.unless_expr, blame_of(Ref(world))),))
    return tracing.project(
        op,
        alive,
        carry(query_columns(rows)),
        blame=blame_of(Ref(world)),
        unless=unless_of(Ref(world)),
        notes=call("|", rows.notes_expr, notes_of(Ref(world))),
    )
