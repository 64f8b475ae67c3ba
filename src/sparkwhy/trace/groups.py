"""Tracing through operators that look at several rows at once: grouping, windows, limits, duplicates."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sparkwhy.plan.build import Fresh, all_of, boolean, call, carry, either, equal, integer, long, null
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
from sparkwhy.plan.types import BOOLEAN, INTEGER, LONG, STRING, Array
from sparkwhy.trace.bounds import bounded
from sparkwhy.trace.partial import Stages, staged
from sparkwhy.trace.terms import TERM, blame_of, no_sets, term, unless_of, with_any
from sparkwhy.trace.traced import Traced, Tracing, certain_values, query_columns
from sparkwhy.trace.trails import TRAIL, Entries, fact, row_text, values
from sparkwhy.trace.unions import trace_union
from sparkwhy.trace.worlds import WHOLE_PARTITION, with_worlds

_MAX_TRAIL = 40
"""How much is recorded of the rows behind one group."""

UP_TO_HERE = Frame("rows", None, "current row")
_PEERS = Frame("range", None, "current row")


# --- grouping ---


def trace_aggregate(tracing: Tracing, op: Aggregate, rows: Traced) -> Traced:
    """The groups of each world; without keys there is a group in every world, even one without rows."""
    rows = certain_values(rows)
    if rows.is_certain:
        return Traced(
            Aggregate(
                id=tracing.fresh.part(op), where=op.where, input=rows.plan, keys=op.keys, aggregates=op.aggregates
            )
        )
    extra, bounds = bounded(tracing.fresh, op, tracing.read)
    query, op = op, replace(op, aggregates=op.aggregates + extra)
    plan = _staged(tracing.fresh, op)
    ready = _first_stage(tracing, op, rows, plan)
    here: Attribute | None = None
    if not op.keys:
        ready, here = _with_a_row(tracing, op, ready)
    spread = with_worlds(tracing, op, ready, tuple(Ref(column.attribute) for column in op.keys))
    groups = _second_stage(tracing, op, spread, plan, here)
    if not bounds:
        return groups
    maybe = either(equal(groups.blame_expr, long(0)), null(LONG), groups.blame_expr)
    return tracing.project(query, replace(groups, bounds=bounds), carry(query.output), maybe=maybe)


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
    trail = fresh.attribute("trail", TRAIL)  # of one row of each group and term: enough to tell why
    recorded = () if rows.trail is None else (Column(trail, AggCall("max", (Ref(rows.trail),))),)
    first = tuple(column for stage in plan.stages for column in stage.first)
    aggregates = first + noted + recorded
    grouped = Aggregate(id=fresh.part(op), where=op.where, input=rows.plan, keys=keys + marks, aggregates=aggregates)
    return Traced(grouped, rows.blame, rows.unless, notes if noted else None, trail if recorded else None)


def _with_a_row(tracing: Tracing, op: Aggregate, rows: Traced) -> tuple[Traced, Attribute]:
    """The rows, and one of nulls that is always there: it makes the world where nothing is relaxed exist.

    The attribute that comes with them tells rows of the data from the row of nulls.
    """
    fresh = tracing.fresh
    output, here = query_columns(rows), fresh.attribute("here", BOOLEAN)
    given = (*carry(output), Column(here, boolean(True)))
    labelled = tracing.project(op, rows, given)
    nulls = tuple(Column(fresh.attribute(a.name, a.type, nullable=True), null(a.type)) for a in output)
    absent = Column(fresh.attribute("here", BOOLEAN), boolean(False))
    dummy = Project(id=fresh.part(op), input=OneRow(id=fresh.part(op)), columns=(*nulls, absent))
    shape = Project(id=fresh.part(op), input=labelled.plan, columns=carry((*output, here)))
    both = Union(id=fresh.part(op), branches=(shape, dummy), attributes=(*output, here))
    return trace_union(tracing, both, (labelled, Traced(dummy))), here


def _second_stage(tracing: Tracing, op: Aggregate, rows: Traced, plan: _Plan, here: Attribute | None) -> Traced:
    """The groups of each world, with the values that the query gives them."""
    fresh = tracing.fresh
    second = op.aggregates if plan.whole else tuple(column for stage in plan.stages for column in stage.second)
    if plan.whole and here is not None:
        second = tuple(Column(c.attribute, _only_where(c.expr, Ref(here))) for c in second)
    notes = fresh.attribute("notes", INTEGER)
    noted = Column(notes, AggCall("bit_or", (rows.notes_expr,)))
    keys = carry(column.attribute for column in op.keys)
    marks = carry(mark for mark in (rows.blame, rows.unless) if mark is not None)
    trails = fresh.attribute("trails", Array(TRAIL))
    recorded = () if rows.trail is None else (Column(trails, AggCall("collect_list", (Ref(rows.trail),))),)
    aggregates = (*second, noted, *recorded)
    grouped = Aggregate(id=fresh.part(op), where=op.where, input=rows.plan, keys=keys + marks, aggregates=aggregates)
    traced = Traced(grouped, rows.blame, rows.unless, notes)
    trail = call("slice", call("flatten", Ref(trails)), integer(1), integer(_MAX_TRAIL)) if recorded else None
    values = (
        {} if plan.whole else {c.attribute: stage.value for c, stage in zip(op.aggregates, plan.stages, strict=True)}
    )
    made = tuple(Column(c.attribute, values.get(c.attribute, Ref(c.attribute))) for c in op.aggregates)
    return tracing.project(op, traced, keys + made, trail=trail)


def _only_where(expr: Expr, condition: Expr) -> Expr:
    """The aggregate over the rows that meet the condition; one that only Spark knows sees nulls in the others."""
    if not isinstance(expr, AggCall):
        return expr
    both = condition if expr.condition is None else all_of((condition, expr.condition))
    return AggCall(expr.function, expr.args, expr.distinct, both, expr.mode)


# --- windows, limits, duplicates ---


def trace_window(tracing: Tracing, op: Window, rows: Traced) -> Traced:
    """The window columns within each world of the partition."""
    rows = certain_values(rows)
    spread = with_worlds(tracing, op, rows, op.partition)
    plan = Window(
        id=tracing.fresh.part(op),
        where=op.where,
        input=spread.plan,
        partition=op.partition + _world(spread),
        order=op.order,
        columns=op.columns,
    )
    return replace(spread, plan=plan)


def _world(rows: Traced) -> tuple[Expr, ...]:
    """What tells the worlds of one group apart."""
    return () if rows.blame is None else (Ref(rows.blame),)


def trace_limit(tracing: Tracing, op: Limit, rows: Traced) -> Traced:
    """All rows of each world; those past the limit blame it."""
    rows = certain_values(rows)
    ranked, rank = _ranked(tracing, op, with_worlds(tracing, op, rows, ()), ())
    kept = [Compare(">", Ref(rank), integer(op.offset))]
    record = [*values(op, (key.expr for key in ranked.order)), fact("rank", Ref(rank))]
    if op.count is not None:
        last = integer(op.offset + op.count)
        kept.append(Compare("<=", Ref(rank), last))
        record.append(fact("last rank that is kept", last))
        if tracing.records:
            ranked, cutoff = _with_cutoff(tracing, op, ranked, last)
            record.extend(cutoff)
    return tracing.unless_kept(op, ranked, carry(op.output), all_of(kept), record)


def _with_cutoff(tracing: Tracing, op: Limit, rows: Traced, last: Expr) -> tuple[Traced, Entries]:
    """The rows, each with what the last row that is kept is ordered by."""
    asked = values(op, (key.expr for key in rows.order))
    found = [(what, tracing.fresh.attribute("last", key.type, nullable=True), key) for what, key in asked]
    if not found:
        return rows, []
    plan = Window(
        id=tracing.fresh.part(op),
        input=rows.plan,
        partition=_world(rows),
        order=rows.order,
        columns=tuple(Column(a, WindowCall(Call("nth_value", (key, last)), _PEERS)) for _, a, key in found),
    )
    return replace(rows, plan=plan), [fact(f"last {what} that is kept", Ref(a)) for what, a, _ in found]


def trace_distinct_by(tracing: Tracing, op: Distinct, rows: Traced) -> Traced:
    """All rows of each world; all but one of each key blame the operator."""
    rows = certain_values(rows)
    keys = tuple(Ref(key) for key in op.keys or ())
    ranked, rank = _ranked(tracing, op, with_worlds(tracing, op, rows, keys), keys)
    kept = Compare("=", Ref(rank), integer(1))
    if not tracing.records:
        return tracing.unless_kept(op, ranked, carry(op.output), kept, [])
    rivalled, rival = _with_rival(tracing, op, ranked, keys)
    return tracing.unless_kept(op, rivalled, carry(op.output), kept, [fact("kept instead", Ref(rival))])


def _with_rival(tracing: Tracing, op: Distinct, rows: Traced, keys: tuple[Expr, ...]) -> tuple[Traced, Attribute]:
    """The rows, each with the row of its key that is kept, as text."""
    rival = tracing.fresh.attribute("rival", STRING, nullable=True)
    first = WindowCall(AggCall("first", (row_text(op.output), boolean(False))), WHOLE_PARTITION)
    plan = Window(
        id=tracing.fresh.part(op),
        input=rows.plan,
        partition=keys + _world(rows),
        order=rows.order or (SortKey(integer(1)),),
        columns=(Column(rival, first),),
    )
    return replace(rows, plan=plan), rival


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
    return replace(rows, plan=plan), rank


def trace_distinct(tracing: Tracing, op: Distinct, rows: Traced) -> Traced:
    """Each value once: where any of its copies is alive."""
    fresh, rows = tracing.fresh, certain_values(rows)
    if rows.is_certain:
        narrow = tracing.project(op, Traced(rows.plan), carry(op.output))
        return Traced(Distinct(id=fresh.part(op), where=op.where, input=narrow.plan))
    terms, alive = fresh.attribute("terms", Array(TERM)), fresh.attribute("term", TERM)
    notes, trail = fresh.attribute("notes", INTEGER), fresh.attribute("trail", TRAIL)
    recorded = () if rows.trail is None else (Column(trail, AggCall("max", (Ref(rows.trail),))),)
    grouped = Aggregate(
        id=fresh.part(op),
        where=op.where,
        input=rows.plan,
        keys=carry(op.output),
        aggregates=(
            Column(terms, AggCall("collect_set", (rows.term,))),
            Column(notes, AggCall("bit_or", (rows.notes_expr,))),
            *recorded,
        ),
    )
    living = with_any(term(long(0), no_sets()), Ref(terms))
    flat = Flatten(id=fresh.part(op), input=grouped, collection=living, elements=(alive,))
    traced = Traced(flat, notes=notes, trail=trail if recorded else None)
    return tracing.project(op, traced, carry(op.output), blame=blame_of(Ref(alive)), unless=unless_of(Ref(alive)))
