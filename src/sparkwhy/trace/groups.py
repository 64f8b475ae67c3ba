"""Tracing through operators that look at several rows at once: grouping, windows, limits, duplicates."""

from __future__ import annotations

from dataclasses import dataclass

from sparkwhy.plan.build import Fresh, all_of, boolean, carry, either, integer, long, null
from sparkwhy.plan.exprs import AggCall, Attribute, Call, Compare, Expr, Frame, Ref, WindowCall
from sparkwhy.plan.nodes import (
    Aggregate,
    Column,
    Distinct,
    Flatten,
    Limit,
    OneRow,
    Plan,
    Project,
    SortKey,
    Union,
    Window,
)
from sparkwhy.plan.types import BOOLEAN, INTEGER, LONG, Array
from sparkwhy.trace.partial import Stages, staged
from sparkwhy.trace.terms import SETS, TERM, blame_of, no_sets, term, union, unless_of, with_any
from sparkwhy.trace.traced import Traced, Tracing, query_columns
from sparkwhy.trace.worlds import with_worlds

UP_TO_HERE = Frame("rows", None, "current row")


# --- grouping ---


def trace_aggregate(tracing: Tracing, op: Aggregate, rows: Traced) -> Traced:
    """The groups of each world; without keys there is a group in every world, even one without rows."""
    if rows.is_certain:
        return Traced(
            Aggregate(
                id=tracing.fresh.part(op), where=op.where, input=rows.plan, keys=op.keys, aggregates=op.aggregates
            )
        )
    plan = _staged(tracing.fresh, op)
    ready = _first_stage(tracing, op, rows, plan)
    if not op.keys:
        ready = _with_a_row(tracing, op, ready)
    keys = tuple(column.attribute for column in op.keys)
    spread = with_worlds(tracing, op, ready, tuple(Ref(key) for key in keys))
    return _second_stage(tracing, op, spread, plan)


@dataclass(frozen=True)
class _Plan:
    """How the aggregates of an operator are computed: in two stages, or, with `whole`, all at once at the end."""

    stages: tuple[Stages, ...]
    whole: bool


def _staged(fresh: Fresh, op: Aggregate) -> _Plan:
    found = [staged(fresh, c.expr) if isinstance(c.expr, AggCall) else None for c in op.aggregates]
    stages = tuple(stage for stage in found if stage is not None)
    return _Plan(stages, len(stages) < len(found))


def _first_stage(tracing: Tracing, op: Aggregate, rows: Traced, plan: _Plan) -> Traced:
    """One row for each group and term. Aggregates that need all rows at once get them with their keys computed."""
    fresh = tracing.fresh
    if plan.whole:
        known = {a.id for a in query_columns(rows)}
        computed = tuple(column for column in op.keys if column.attribute.id not in known)
        return tracing.project(op, rows, (*carry(query_columns(rows)), *computed))
    keys = tuple(dict.fromkeys(op.keys + tuple(key for stage in plan.stages for key in stage.keys)))
    marks = carry(mark for mark in (rows.blame, rows.unless) if mark is not None)
    notes = fresh.attribute("notes", INTEGER)
    noted = () if rows.notes is None else (Column(notes, AggCall("bit_or", (Ref(rows.notes),))),)
    first = tuple(column for stage in plan.stages for column in stage.first)
    grouped = Aggregate(id=fresh.part(op), where=op.where, input=rows.plan, keys=keys + marks, aggregates=first + noted)
    return Traced(grouped, rows.blame, rows.unless, notes if noted else None)


def _with_a_row(tracing: Tracing, op: Aggregate, rows: Traced) -> Traced:
    """The rows, and one of nulls that is always there: it makes the world where nothing is relaxed exist."""
    fresh = tracing.fresh
    output = query_columns(rows)
    here = fresh.attribute(_HERE, BOOLEAN)
    blame, unless = fresh.attribute("blame", LONG), fresh.attribute("unless", SETS)
    notes = fresh.attribute("notes", INTEGER)
    columns = [fresh.attribute(a.name, a.type, nullable=True) for a in output]
    given = (*(Ref(a) for a in output), boolean(True), rows.blame_expr, rows.unless_expr, rows.notes_expr)
    dummy = (*(null(a.type) for a in output), boolean(False), long(0), no_sets(), integer(0))
    names = (*columns, here, blame, unless, notes)

    def branch(input: Plan, exprs: tuple[Expr, ...]) -> Plan:
        made = tuple(
            Column(fresh.attribute(n.name, n.type, nullable=True), e) for n, e in zip(names, exprs, strict=True)
        )
        return Project(id=fresh.part(op), input=input, columns=made)

    both = (branch(rows.plan, given), branch(OneRow(id=fresh.part(op)), dummy))
    attributes = (*output, here, blame, unless, notes)
    return Traced(Union(id=fresh.part(op), branches=both, attributes=attributes), blame, unless, notes)


_HERE = "here"
"""The column that tells rows of the data from the row of nulls."""


def _second_stage(tracing: Tracing, op: Aggregate, rows: Traced, plan: _Plan) -> Traced:
    """The groups of each world, with the values that the query gives them."""
    fresh = tracing.fresh
    second = op.aggregates if plan.whole else tuple(column for stage in plan.stages for column in stage.second)
    if plan.whole and not op.keys:
        (here,) = [a for a in query_columns(rows) if a.name == _HERE and a.type == BOOLEAN][-1:]
        second = tuple(Column(c.attribute, _only_where(c.expr, Ref(here))) for c in second)
    notes = fresh.attribute("notes", INTEGER)
    noted = Column(notes, AggCall("bit_or", (rows.notes_expr,)))
    keys = carry(column.attribute for column in op.keys)
    marks = carry(mark for mark in (rows.blame, rows.unless) if mark is not None)
    grouped = Aggregate(
        id=fresh.part(op), where=op.where, input=rows.plan, keys=keys + marks, aggregates=(*second, noted)
    )
    traced = Traced(grouped, rows.blame, rows.unless, notes)
    values = (
        {} if plan.whole else {c.attribute: stage.value for c, stage in zip(op.aggregates, plan.stages, strict=True)}
    )
    made = tuple(Column(c.attribute, values.get(c.attribute, Ref(c.attribute))) for c in op.aggregates)
    return tracing.project(op, traced, keys + made)


def _only_where(expr: Expr, condition: Expr) -> Expr:
    """The aggregate over the rows that meet the condition; one that only Spark knows sees nulls in the others."""
    if not isinstance(expr, AggCall):
        return expr
    both = condition if expr.condition is None else all_of((condition, expr.condition))
    return AggCall(expr.function, expr.args, expr.distinct, both, expr.mode)


# --- windows, limits, duplicates ---


def trace_window(tracing: Tracing, op: Window, rows: Traced) -> Traced:
    """The window columns within each world of the partition."""
    spread = with_worlds(tracing, op, rows, op.partition)
    plan = Window(
        id=tracing.fresh.part(op),
        where=op.where,
        input=spread.plan,
        partition=op.partition + _world(spread),
        order=op.order,
        columns=op.columns,
    )
    return Traced(plan, spread.blame, spread.unless, spread.notes, spread.order)


def _world(rows: Traced) -> tuple[Expr, ...]:
    """What tells the worlds of one group apart."""
    return () if rows.blame is None else (Ref(rows.blame),)


def trace_limit(tracing: Tracing, op: Limit, rows: Traced) -> Traced:
    """All rows of each world; those past the limit blame it."""
    ranked, rank = _ranked(tracing, op, with_worlds(tracing, op, rows, ()), ())
    kept = [Compare(">", Ref(rank), integer(op.offset))]
    if op.count is not None:
        kept.append(Compare("<=", Ref(rank), integer(op.offset + op.count)))
    return _blamed_unless(tracing, op, ranked, all_of(kept))


def trace_distinct_by(tracing: Tracing, op: Distinct, rows: Traced) -> Traced:
    """All rows of each world; all but one of each key blame the operator."""
    keys = tuple(Ref(key) for key in op.keys or ())
    ranked, rank = _ranked(tracing, op, with_worlds(tracing, op, rows, keys), keys)
    return _blamed_unless(tracing, op, ranked, Compare("=", Ref(rank), integer(1)))


def _ranked(tracing: Tracing, op: Plan, rows: Traced, partition: tuple[Expr, ...]) -> tuple[Traced, Attribute]:
    """The rows with their number in the order that they have, within each world of the partition."""
    rank = tracing.fresh.attribute("rank", INTEGER)
    column = Column(rank, WindowCall(Call("row_number", ()), UP_TO_HERE))
    plan = Window(
        id=tracing.fresh.part(op),
        input=rows.plan,
        partition=partition + _world(rows),
        order=rows.order or (SortKey(integer(1)),),
        columns=(column,),
    )
    return Traced(plan, rows.blame, rows.unless, rows.notes, rows.order), rank


def _blamed_unless(tracing: Tracing, op: Plan, rows: Traced, kept: Expr) -> Traced:
    dropped = either(kept, long(0), long(tracing.bits.bit(op.id)))
    blame = dropped if rows.blame is None else union(rows.blame_expr, dropped)
    return tracing.project(op, rows, carry(op.output), blame=blame)


def trace_distinct(tracing: Tracing, op: Distinct, rows: Traced) -> Traced:
    """Each value once: where any of its copies is alive."""
    fresh = tracing.fresh
    if rows.is_certain:
        narrow = tracing.project(op, Traced(rows.plan), carry(op.output))
        return Traced(Distinct(id=fresh.part(op), where=op.where, input=narrow.plan))
    terms, alive = fresh.attribute("terms", Array(TERM)), fresh.attribute("term", TERM)
    notes = fresh.attribute("notes", INTEGER)
    grouped = Aggregate(
        id=fresh.part(op),
        where=op.where,
        input=rows.plan,
        keys=carry(op.output),
        aggregates=(
            Column(terms, AggCall("collect_set", (rows.term,))),
            Column(notes, AggCall("bit_or", (rows.notes_expr,))),
        ),
    )
    living = with_any(term(long(0), no_sets()), Ref(terms))
    flat = Flatten(id=fresh.part(op), input=grouped, collection=living, elements=(alive,))
    traced = Traced(flat, notes=notes)
    return tracing.project(op, traced, carry(op.output), blame=blame_of(Ref(alive)), unless=unless_of(Ref(alive)))
