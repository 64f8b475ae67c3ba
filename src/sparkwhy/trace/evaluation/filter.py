"""Filters: a row stays in the queries whose condition is true, and in those that relax the filter.

query 0: filter x > 1      x  present           x  present
query 1: filter x > 5      3  0b11      ->      3  0b01
                           9  0b11              9  0b11
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sparkwhy.plan.build import carry
from sparkwhy.plan.exprs import Expr
from sparkwhy.plan.nodes import Column, Filter, Plan
from sparkwhy.plan.walk_exprs import is_heavy
from sparkwhy.trace.blame import drops
from sparkwhy.trace.evaluation.bounds_by_halving import QueryCondition, queries_kept, split_conjuncts
from sparkwhy.trace.evaluation.rows import EvaluatedRows, Evaluation, intersect
from sparkwhy.trace.variants.partitions import agreement, first_of


def evaluate_filter(evaluation: Evaluation, ops: Sequence[Filter], rows: EvaluatedRows) -> EvaluatedRows:
    """Keep a row in query i if the condition of query i is true for it, or if query i relaxes the filter."""
    conditions = [rows.read_in(i, op.condition) for i, op in enumerate(ops)]
    droppers = evaluation.queries_that_drop(ops[0].first_use)
    blocks = [block for block in agreement(conditions) if drops(ops[first_of(block)])]
    asked = [QueryCondition(conditions[first_of(block)], droppers & block) for block in blocks]
    return keep_where(evaluation, ops[0], rows, carry(rows.columns), asked)


def keep_where(
    evaluation: Evaluation,
    op: Plan,
    rows: EvaluatedRows,
    columns: Iterable[Column],
    conditions: Sequence[QueryCondition],
) -> EvaluatedRows:
    """Keep each row in the queries whose conditions are true for it, with these columns.

    A conjunct that all queries ask for is an ordinary filter, and comes first. The others are decided one step after
    the other: in one expression they may be too long for Java to compile.
    """
    every = evaluation.query_mask
    parts = [part for part in split_conjuncts(conditions) if part.queries]
    rows = evaluation.keep_rows(op, rows, [part.condition for part in parts if part.queries == every])
    others = queries_kept([part for part in parts if part.queries != every], every)
    if not others:
        return evaluation.project(op, rows, columns)
    for each in others[:-1]:
        rows = evaluation.mark(op, rows, _intersect_present(rows, each))
        rows = evaluation.drop_absent(op, rows) if is_heavy(each) else rows  # the next steps cost time for each row
    found = evaluation.project(op, rows, columns, present=_intersect_present(rows, others[-1]))
    return found.differ_by(each.queries for each in conditions)


def _intersect_present(rows: EvaluatedRows, queries: Expr) -> Expr:
    return queries if rows.present is None else intersect(rows.present_expr, queries)
