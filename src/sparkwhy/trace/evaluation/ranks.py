"""Rules for operators that number rows or choose among them: windows, limits, and one row for each key.

Rows are split first, so that `present` names a block of queries that have the same rows; each block is numbered by
itself.
"""

from __future__ import annotations

from dataclasses import replace

from sparkwhy.plan.build import all_of, carry, integer
from sparkwhy.plan.exprs import Attribute, Call, Compare, Expr, Frame, Ref, WindowCall
from sparkwhy.plan.node_exprs import exprs_of
from sparkwhy.plan.nodes import Column, Distinct, Limit, Plan, SortKey, Window
from sparkwhy.plan.types import INTEGER
from sparkwhy.trace.evaluation.bounds_by_halving import QueryCondition
from sparkwhy.trace.evaluation.filter import keep_where
from sparkwhy.trace.evaluation.rows import EvaluatedRows, Evaluation
from sparkwhy.trace.evaluation.variants import split_by_values
from sparkwhy.trace.variants.partitions import agreement, first_of

_UP_TO_HERE = Frame("rows", None, "current row")


def evaluate_window(evaluation: Evaluation, op: Window, rows: EvaluatedRows) -> EvaluatedRows:
    """Compute the window columns over the rows of each query.

    x  present                                   x  present  n
    1  0b11       window count(*) as n     ->    1  0b01     1
    2  0b10                                      1  0b10     2
                                                 2  0b10     2
    """
    rows = split_by_values(evaluation, op, rows, exprs_of(op))
    plan = Window(
        id=evaluation.fresh.part(op),
        where=op.where,
        input=rows.plan,
        partition=op.partition + _block(rows),
        order=op.order,
        columns=op.columns,
    )
    return replace(rows, plan=plan)


def evaluate_limit(evaluation: Evaluation, ops: tuple[Limit, ...], rows: EvaluatedRows) -> EvaluatedRows:
    """Keep a row in query i if its rank there is within the limit, or if query i relaxes the limit."""
    op = ops[0]
    rows = split_by_values(evaluation, op, rows, (key.expr for key in rows.order))
    ranked, rank = _rank(evaluation, op, rows, ())
    droppers = evaluation.queries_that_drop(op.first_use)
    blocks = agreement([(each.count, each.offset) for each in ops])
    asked = [QueryCondition(_is_within(ops[first_of(block)], rank), droppers & block) for block in blocks]
    return keep_where(evaluation, op, ranked, carry(rows.holders(op.output)), asked)


def _is_within(op: Limit, rank: Attribute) -> Expr:
    """Return the condition that a limit keeps the row of this rank."""
    kept: list[Expr] = [Compare(">", Ref(rank), integer(op.offset))]
    if op.count is not None:
        kept.append(Compare("<=", Ref(rank), integer(op.offset + op.count)))
    return all_of(kept)


def evaluate_distinct_by(evaluation: Evaluation, op: Distinct, rows: EvaluatedRows) -> EvaluatedRows:
    """Keep the first row of each key in each query, and all rows in a query that relaxes the operator."""
    keys = tuple(Ref(key) for key in op.keys or ())
    rows = split_by_values(evaluation, op, rows, (*map(Ref, op.output), *(key.expr for key in rows.order)))
    ranked, rank = _rank(evaluation, op, rows, keys)
    is_first = QueryCondition(Compare("=", Ref(rank), integer(1)), evaluation.queries_that_drop(op.first_use))
    return keep_where(evaluation, op, ranked, carry(op.output), [is_first])


def _block(rows: EvaluatedRows) -> tuple[Expr, ...]:
    """Return what tells the rows of different queries apart."""
    return () if rows.present is None else (Ref(rows.present),)


def _rank(
    evaluation: Evaluation, op: Plan, rows: EvaluatedRows, partition: tuple[Expr, ...]
) -> tuple[EvaluatedRows, Attribute]:
    """Number the rows of each query in their order, within each value of the partition."""
    rank = evaluation.fresh.attribute("rank", INTEGER)
    plan = Window(
        id=evaluation.fresh.part(op),
        input=rows.plan,
        partition=partition + _block(rows),
        order=rows.order or (SortKey(integer(1)),),
        columns=(Column(rank, WindowCall(Call("row_number", ()), _UP_TO_HERE)),),
    )
    return replace(rows, plan=plan), rank
