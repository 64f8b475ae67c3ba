"""Tracing through operators that number rows or choose among them: windows, limits, one row for each key."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from sparkwhy.plan.build import all_of, boolean, carry, integer
from sparkwhy.plan.exprs import AggCall, Attribute, Call, Compare, Expr, Frame, Ref, WindowCall
from sparkwhy.plan.node_exprs import exprs_of
from sparkwhy.plan.nodes import (
    Column,
    Distinct,
    Limit,
    Plan,
    SortKey,
    Window,
)
from sparkwhy.plan.types import INTEGER, STRING
from sparkwhy.trace.encode import encode_row
from sparkwhy.trace.observe import Recording, read_values, record_as
from sparkwhy.trace.recorded import CutOff, LastRank, Rank, Rival
from sparkwhy.trace.rows import TraceContext, TracedRows, Verdict, certain_values, told_apart
from sparkwhy.trace.variants.partitions import agreement, first_of, refined
from sparkwhy.trace.variants.split import split
from sparkwhy.trace.worlds import WHOLE_PARTITION, with_worlds

_UP_TO_HERE = Frame("rows", None, "current row")
_PEERS = Frame("range", None, "current row")


def trace_window(tracing: TraceContext, op: Window, rows: TracedRows) -> TracedRows:
    """The window columns within each world of the partition."""
    rows = in_each_alternative(tracing, op, rows, exprs_of(op))
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


def in_each_alternative(tracing: TraceContext, op: Plan, rows: TracedRows, read: Iterable[Expr]) -> TracedRows:
    """The rows of each alternative by themselves, as far as marks and what is read differ; with certain values."""
    return split(tracing, op, certain_values(rows), refined([rows.parts, told_apart(rows, read)]))


def _world(rows: TracedRows) -> tuple[Expr, ...]:
    """What tells the worlds of one group apart."""
    return () if rows.blame is None else (Ref(rows.blame),)


def trace_limit(tracing: TraceContext, ops: tuple[Limit, ...], rows: TracedRows) -> TracedRows:
    """All rows of each world; those past the limit blame it."""
    op = ops[0]
    rows = in_each_alternative(tracing, op, rows, (key.expr for key in rows.order))
    ranked, rank = _ranked(tracing, op, with_worlds(tracing, op, rows, ()), ())
    order = tuple(dict.fromkeys(key.expr for key in ranked.order))
    recordings = [*read_values(order, ranked.learned.stands_for), Recording(Rank(), Ref(rank))]
    if op.count is not None:
        last = integer(op.offset + op.count)
        recordings.append(Recording(LastRank(), last))
        if tracing.records_in_full(op):
            ranked, cut_off = _with_cut_off(tracing, op, ranked, order, last)
            recordings.extend(cut_off)
    ranked, trail = tracing.record(op, ranked, recordings)
    blocks = agreement([(each.count, each.offset) for each in ops])
    verdicts = [
        Verdict(tracing.bits.claim(op.id, within=block), _within(ops[first_of(block)], rank), trail) for block in blocks
    ]
    judged = tracing.judged(op, ranked, carry(rows.holding(op.output)), verdicts)
    return replace(judged, parts=refined([judged.parts, blocks]))


def _within(op: Limit, rank: Attribute) -> Expr:
    """Whether a limit keeps the row of this rank."""
    kept: list[Expr] = [Compare(">", Ref(rank), integer(op.offset))]
    if op.count is not None:
        kept.append(Compare("<=", Ref(rank), integer(op.offset + op.count)))
    return all_of(kept)


def _with_cut_off(
    tracing: TraceContext, op: Limit, rows: TracedRows, order: tuple[Expr, ...], last: Expr
) -> tuple[TracedRows, list[Recording]]:
    """The rows, each with what the last row that is kept is ordered by."""
    found = [(tracing.fresh.attribute("last", key.type, nullable=True), key) for key in order]
    if not found:
        return rows, []
    plan = Window(
        id=tracing.fresh.part(op),
        input=rows.plan,
        partition=_world(rows),
        order=rows.order,
        columns=tuple(Column(a, WindowCall(Call("nth_value", (key, last)), _PEERS)) for a, key in found),
    )
    known = rows.learned.stands_for
    recordings = [each for a, key in found for each in record_as(CutOff, key, Ref(a), known)]
    return replace(rows, plan=plan), recordings


def trace_distinct_by(tracing: TraceContext, op: Distinct, rows: TracedRows) -> TracedRows:
    """All rows of each world; all but one of each key blame the operator."""
    keys = tuple(Ref(key) for key in op.keys or ())
    rows = in_each_alternative(tracing, op, rows, (*map(Ref, op.output), *(key.expr for key in rows.order)))
    ranked, rank = _ranked(tracing, op, with_worlds(tracing, op, rows, keys), keys)
    kept = Compare("=", Ref(rank), integer(1))
    if not tracing.records_in_full(op):
        return tracing.unless_kept(op, ranked, carry(op.output), kept, [])
    rivalled, rival = _with_rival(tracing, op, ranked, keys)
    recording = Recording(Rival(op.output), Ref(rival))
    return tracing.unless_kept(op, rivalled, carry(op.output), kept, [recording])


def _with_rival(
    tracing: TraceContext, op: Distinct, rows: TracedRows, keys: tuple[Expr, ...]
) -> tuple[TracedRows, Attribute]:
    """The rows, each with the row of its key that is kept, encoded."""
    rival = tracing.fresh.attribute("rival", STRING, nullable=True)
    first = WindowCall(AggCall("first", (encode_row(map(Ref, op.output)), boolean(False))), WHOLE_PARTITION)
    plan = Window(
        id=tracing.fresh.part(op),
        input=rows.plan,
        partition=keys + _world(rows),
        order=rows.order or (SortKey(integer(1)),),
        columns=(Column(rival, first),),
    )
    return replace(rows, plan=plan), rival


def _ranked(
    tracing: TraceContext, op: Plan, rows: TracedRows, partition: tuple[Expr, ...]
) -> tuple[TracedRows, Attribute]:
    """The rows with their number in the order that they have, within each world of the partition."""
    rank = tracing.fresh.attribute("rank", INTEGER)
    column = Column(rank, WindowCall(Call("row_number", ()), _UP_TO_HERE))
    plan = Window(
        id=tracing.fresh.part(op),
        input=rows.plan,
        partition=partition + _world(rows),
        order=rows.order or (SortKey(integer(1)),),
        columns=(column,),
    )
    return replace(rows, plan=plan), rank
