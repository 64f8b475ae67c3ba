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
from sparkwhy.trace.observe import (
    FACT,
    Entries,
    fact,
    recorded,
    row_text,
    values,
    worded,
)
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
    order = values(op, (key.expr for key in ranked.order), tracing.texts)
    record = [*order, fact("rank", Ref(rank))]
    if op.count is not None:
        last = integer(op.offset + op.count)
        record.append(fact("last rank that is kept", last))
        if tracing.records_in_full(op):
            ranked, cutoff = _with_cutoff(tracing, op, ranked, order, last)
            record.extend(cutoff)
    blocks = agreement([(each.count, each.offset) for each in ops])
    verdicts = [
        Verdict(tracing.bits.claim(op.id, within=block), _within(ops[first_of(block)], rank), recorded(op, record))
        for block in blocks
    ]
    judged = tracing.judged(op, ranked, carry(rows.holding(op.output)), verdicts)
    return replace(judged, parts=refined([judged.parts, blocks]))


def _within(op: Limit, rank: Attribute) -> Expr:
    """Whether a limit keeps the row of this rank."""
    kept: list[Expr] = [Compare(">", Ref(rank), integer(op.offset))]
    if op.count is not None:
        kept.append(Compare("<=", Ref(rank), integer(op.offset + op.count)))
    return all_of(kept)


def _with_cutoff(
    tracing: TraceContext, op: Limit, rows: TracedRows, asked: Entries, last: Expr
) -> tuple[TracedRows, Entries]:
    """The rows, each with what the last row that is kept is ordered by."""
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
    return replace(rows, plan=plan), [
        (worded(what, lambda text: f"{FACT}last {text} that is kept"), Ref(a)) for what, a, _ in found
    ]


def trace_distinct_by(tracing: TraceContext, op: Distinct, rows: TracedRows) -> TracedRows:
    """All rows of each world; all but one of each key blame the operator."""
    keys = tuple(Ref(key) for key in op.keys or ())
    rows = in_each_alternative(tracing, op, rows, (*map(Ref, op.output), *(key.expr for key in rows.order)))
    ranked, rank = _ranked(tracing, op, with_worlds(tracing, op, rows, keys), keys)
    kept = Compare("=", Ref(rank), integer(1))
    if not tracing.records_in_full(op):
        return tracing.unless_kept(op, ranked, carry(op.output), kept, [])
    rivalled, rival = _with_rival(tracing, op, ranked, keys)
    return tracing.unless_kept(op, rivalled, carry(op.output), kept, [fact("kept instead", Ref(rival))])


def _with_rival(
    tracing: TraceContext, op: Distinct, rows: TracedRows, keys: tuple[Expr, ...]
) -> tuple[TracedRows, Attribute]:
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
