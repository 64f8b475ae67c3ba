"""Several queries in one pass: each row of the result says in which of the queries it is.

The law, as bags: the rows whose `present` has bit i are the rows of query i with its droppers relaxed. With conditions
of a question, the law holds for the rows that meet them. Tracing agrees: the rows of `evaluate([q], [E])` are the rows
of `trace(q)` that are alive in E.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass, replace
from typing import TypeVar, cast

from sparkwhy.backtrace.backtrace import Conditions, KeySets, backtrace, backtrace_with_keys
from sparkwhy.backtrace.remaining_conditions import remaining_conditions
from sparkwhy.errors import assert_never
from sparkwhy.plan.build import Fresh
from sparkwhy.plan.exprs import Expr
from sparkwhy.plan.node_exprs import exprs_of
from sparkwhy.plan.nodes import (
    Aggregate,
    Distinct,
    Filter,
    Flatten,
    Join,
    Limit,
    OneRow,
    Plan,
    Project,
    Sample,
    SetOperation,
    Sort,
    Table,
    Union,
    Window,
)
from sparkwhy.plan.traits import is_rowwise
from sparkwhy.plan.walk import fold, walk
from sparkwhy.rewrite.never_fails import never_fails
from sparkwhy.rewrite.prune_columns import prune_columns
from sparkwhy.trace.blame import Dropper
from sparkwhy.trace.evaluation.aggregate import evaluate_aggregate, evaluate_distinct
from sparkwhy.trace.evaluation.filter import evaluate_filter
from sparkwhy.trace.evaluation.join import evaluate_join
from sparkwhy.trace.evaluation.project import evaluate_flatten, evaluate_project, evaluate_union
from sparkwhy.trace.evaluation.ranks import evaluate_distinct_by, evaluate_limit, evaluate_window
from sparkwhy.trace.evaluation.rows import EvaluatedRows, Evaluation
from sparkwhy.trace.evaluation.semi_join import evaluate_semi_join
from sparkwhy.trace.evaluation.set_operation import evaluate_set_operation
from sparkwhy.trace.evaluation.variants import merge_queries
from sparkwhy.trace.joins.counts import counting
from sparkwhy.trace.supported import refusal_of

Op = TypeVar("Op", bound=Plan)


@dataclass(frozen=True)
class EvaluatedQueries:
    """The rows of all queries, and the queries by number."""

    rows: EvaluatedRows
    plans: tuple[Plan, ...]

    @property
    def present(self) -> Expr:
        """The queries that have a row, as a bit set."""
        return self.rows.present_expr

    @property
    def query_mask(self) -> int:
        return self.rows.query_mask


def evaluate(
    plans: Sequence[Plan],
    relaxed: Sequence[Set[Dropper]],
    conditions: Conditions = (),
    keys: Sequence[KeySets] = (),
    *,
    large: bool = False,
) -> EvaluatedQueries:
    """Evaluate up to 60 variants of a query at once, each with these droppers relaxed.

    With `large` data sums of decimals are computed by whole numbers.
    """
    wanted = [backtrace(each, conditions) for each in plans]
    narrow = prune_columns(plans)
    known = keys or [{} for _ in plans]
    needed = [
        backtrace_with_keys(each, asked[each.id], own) for each, asked, own in zip(narrow, wanted, known, strict=True)
    ]
    nodes = [{node.id: node for node in walk(each)} for each in narrow]
    evaluation = Evaluation(Fresh(plans[0]), tuple(map(frozenset, relaxed)), large, counting(narrow))

    def combine(op: Plan, below: tuple[EvaluatedRows, ...]) -> EvaluatedRows:
        ops = tuple(own[op.id] for own in nodes)
        asked = tuple(each[op.id] for each in needed)
        if not all(map(_bears_absent_rows, ops)):
            below = tuple(evaluation.drop_absent(op, rows) for rows in below)
        rows = evaluate_operator(evaluation, ops, below, asked)
        return evaluation.keep_wanted(op, rows, [remaining_conditions(*each) for each in zip(ops, asked, strict=True)])

    return EvaluatedQueries(evaluation.drop_absent(plans[0], fold(narrow[0], combine)), tuple(plans))


def _bears_absent_rows(op: Plan) -> bool:
    """Return whether an operator may read rows that no query has: it does not fail on them, and costs little.

    If they were dropped after each of many filters, Spark would repeat in each what all filters before it compute.
    """
    return is_rowwise(op) and all(map(never_fails, exprs_of(op)))


def evaluate_operator(
    evaluation: Evaluation,
    ops: tuple[Plan, ...],
    inputs: tuple[EvaluatedRows, ...],
    wanted: tuple[Conditions, ...],
) -> EvaluatedRows:
    """Evaluate one operator over the rows of its inputs, in all queries."""
    match ops[0]:
        case Table() | OneRow():
            return evaluation.rows_of(ops[0])
        case Project():
            return evaluate_project(evaluation, _same_kind(ops, Project), inputs[0])
        case Filter():
            return evaluate_filter(evaluation, _same_kind(ops, Filter), inputs[0])
        case Sort():  # only a limit above depends on the order
            sort, (rows,) = merge_queries(evaluation, _same_kind(ops, Sort), inputs)
            return replace(rows, order=sort.order)
        case Sample():
            raise refusal_of(ops[0])
        case Union():
            return evaluate_union(evaluation, ops[0], inputs)
        case Flatten():
            return evaluate_flatten(evaluation, _same_kind(ops, Flatten), inputs, wanted)
        case Join():
            join, (left, right) = merge_queries(evaluation, _same_kind(ops, Join), inputs)
            if join.traits.pairs:
                return evaluate_join(evaluation, join, left, right, wanted)
            return evaluate_semi_join(evaluation, join, left, right)
        case Aggregate():
            return evaluate_aggregate(evaluation, _same_kind(ops, Aggregate), inputs)
        case Window():
            window, (rows,) = merge_queries(evaluation, _same_kind(ops, Window), inputs)
            return evaluate_window(evaluation, window, rows)
        case Distinct():
            distinct, (rows,) = merge_queries(evaluation, _same_kind(ops, Distinct), inputs)
            return (evaluate_distinct if distinct.keys is None else evaluate_distinct_by)(evaluation, distinct, rows)
        case SetOperation():
            return evaluate_set_operation(evaluation, ops[0], inputs[0], inputs[1])
        case Limit():
            return evaluate_limit(evaluation, _same_kind(ops, Limit), inputs[0])
        case _:
            assert_never(ops[0])


def _same_kind(ops: tuple[Plan, ...], kind: type[Op]) -> tuple[Op, ...]:
    """Return the variants of one operator, which differ only in their expressions."""
    assert all(isinstance(op, kind) for op in ops)
    return cast(tuple[Op, ...], ops)
