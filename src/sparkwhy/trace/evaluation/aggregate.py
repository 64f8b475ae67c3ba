"""Rules for operators that make one row of several: groupings, and duplicates that count once.

Rows are grouped by key and `present` first; only these few partial groups are split into blocks of queries.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from sparkwhy.plan.build import all_of, boolean, carry, null
from sparkwhy.plan.exprs import AggCall, Attribute, Expr, Ref
from sparkwhy.plan.node_exprs import exprs_of
from sparkwhy.plan.nodes import Aggregate, Column, Distinct, OneRow, Plan, Project, Union
from sparkwhy.plan.types import BOOLEAN, LONG
from sparkwhy.plan.walk_exprs import attributes_of, operands, rewrite
from sparkwhy.rewrite.decimals_as_integers import compute_numbers_once, split_decimal_sum
from sparkwhy.rewrite.partial_aggregates import Stages, add_counts, split_aggregate
from sparkwhy.trace.evaluation.project import evaluate_union
from sparkwhy.trace.evaluation.rows import EvaluatedRows, Evaluation, differences_in
from sparkwhy.trace.evaluation.variants import make_all_columns, merge_queries, split_rows
from sparkwhy.trace.variants.common import split_by_function
from sparkwhy.trace.variants.partitions import refine


def evaluate_aggregate(
    evaluation: Evaluation, ops: tuple[Aggregate, ...], inputs: tuple[EvaluatedRows, ...]
) -> EvaluatedRows:
    """Return the groups of each query.

    k  x  present                                k  n  present
    a  1  0b11       aggregate by k: sum(x) ->   a  1  0b01
    a  2  0b10                                   a  3  0b10
    """
    ops, held = split_by_function(evaluation.fresh, ops)
    op, (rows,) = merge_queries(evaluation, ops, inputs)
    found = group_rows(evaluation, op, rows)
    return replace(found, variants={**found.variants, **held})


def group_rows(evaluation: Evaluation, op: Aggregate, rows: EvaluatedRows) -> EvaluatedRows:
    """Return the groups of each query; without keys there is one group in every query, even without rows."""
    blocks = refine([rows.present_differs_between, differences_in(rows, exprs_of(op))])
    if rows.present is None and len(blocks) == 1:
        same = Aggregate(
            id=evaluation.fresh.part(op), where=op.where, input=rows.plan, keys=op.keys, aggregates=op.aggregates
        )
        return evaluation.rows_of(same)
    if not op.aggregates:
        return _merge_keys(evaluation, op, rows, op.keys)
    stages = _stages_of(evaluation, op, rows)
    if stages.whole:
        op, ready = _compute_keys(evaluation, op, split_rows(evaluation, op, rows, blocks))
    else:
        ready = split_rows(evaluation, op, _partial_groups(evaluation, op, rows, stages), blocks)
    here: Attribute | None = None
    if not op.keys:
        ready, here = _add_row(evaluation, op, ready)
    return _finish_groups(evaluation, op, ready, stages, here)


def evaluate_distinct(evaluation: Evaluation, op: Distinct, rows: EvaluatedRows) -> EvaluatedRows:
    """Return each value once, in the queries that have any copy of it.

    x  present          x  present
    1  0b01      ->     1  0b11
    1  0b10
    """
    if rows.present is None and len(differences_in(rows, map(Ref, op.output))) == 1:
        narrow = evaluation.project(op, replace(rows, order=()), carry(op.output))
        return evaluation.rows_of(Distinct(id=evaluation.fresh.part(op), where=op.where, input=narrow.plan))
    return _merge_keys(evaluation, op, rows, carry(op.output))


def _merge_keys(evaluation: Evaluation, op: Plan, rows: EvaluatedRows, keys: tuple[Column, ...]) -> EvaluatedRows:
    """Return each key once, in the queries that have any of its rows.

    Where queries hold the keys in different columns, equal rows are merged before they are split.
    """
    blocks = differences_in(rows, (column.expr for column in keys))
    if len(blocks) > 1:
        every, variants = make_all_columns(evaluation, rows, keys)
        merged = _merge_equal(evaluation, op, rows, every)
        rows = split_rows(evaluation, op, replace(merged, variants=variants), blocks)
        keys = carry(column.attribute for column in keys)
    merged = _merge_equal(evaluation, op, rows, keys)
    unique = frozenset(column.attribute for column in keys)
    return replace(merged, rows_split_by=evaluation.rows_of(rows.plan).rows_split_by, unique=unique)


def _merge_equal(evaluation: Evaluation, op: Plan, rows: EvaluatedRows, keys: tuple[Column, ...]) -> EvaluatedRows:
    """Return one row for each value of the keys, in the queries of all rows that have it."""
    present = None if rows.present is None else evaluation.fresh.attribute("present", LONG)
    marks = () if present is None else (Column(present, AggCall("bit_or", (rows.present_expr,))),)
    plan = Aggregate(id=evaluation.fresh.part(op), where=op.where, input=rows.plan, keys=keys, aggregates=marks)
    return replace(evaluation.rows_of(plan), present=present, present_differs_between=rows.present_differs_between)


# --- two stages ---


@dataclass(frozen=True)
class _AggregateStages:
    """How the aggregates of an operator are computed: in two stages, or, with `whole`, all at once at the end."""

    stages: tuple[Stages, ...]
    whole: bool

    @property
    def second(self) -> tuple[Column, ...]:
        return tuple(column for stage in self.stages for column in stage.second)


def _stages_of(evaluation: Evaluation, op: Aggregate, rows: EvaluatedRows) -> _AggregateStages:
    found = [_stage(evaluation, column, rows.counts) for column in op.aggregates]
    stages = tuple(stage for stage in found if stage is not None)
    return _AggregateStages(stages, len(stages) < len(found))


def _stage(evaluation: Evaluation, column: Column, counts: Mapping[Attribute, Attribute]) -> Stages | None:
    if not isinstance(column.expr, AggCall):
        return None
    if column.attribute in counts:
        return add_counts(evaluation.fresh, column.expr, Ref(counts[column.attribute]))
    by_numbers = split_decimal_sum(evaluation.fresh, column.expr) if evaluation.large else None
    return by_numbers or split_aggregate(evaluation.fresh, column.expr)


def _partial_groups(
    evaluation: Evaluation, op: Aggregate, rows: EvaluatedRows, plan: _AggregateStages
) -> EvaluatedRows:
    """Return one row for each `present` and each group of any query, with the first stage of every query."""
    marks = () if rows.present is None else carry((rows.present,))
    given = dict.fromkeys(op.keys + tuple(key for stage in plan.stages for key in stage.keys))
    keys, held_keys = make_all_columns(evaluation, rows, given)
    first, held_parts = make_all_columns(evaluation, rows, (c for stage in plan.stages for c in stage.first))
    below, first = compute_numbers_once(evaluation.fresh, op, rows.plan, first)
    grouped = Aggregate(id=evaluation.fresh.part(op), where=op.where, input=below, keys=keys + marks, aggregates=first)
    return replace(rows, plan=grouped, order=(), variants={**held_keys, **held_parts}, unique=None, counts={})


def _compute_keys(evaluation: Evaluation, op: Aggregate, rows: EvaluatedRows) -> tuple[Aggregate, EvaluatedRows]:
    """Compute keys and arguments before the grouping, since a key may take the place of a column that is aggregated."""
    made = tuple(Column(evaluation.fresh.attribute("value", e.type, nullable=True), e) for e in _arguments(op))
    known = {column.expr: Ref(column.attribute) for column in made}
    aggregates = tuple(Column(c.attribute, rewrite(c.expr, known.get)) for c in op.aggregates)
    shape = Project(id=evaluation.fresh.part(op), input=op.input, columns=(*op.keys, *made))
    ready = evaluation.project(op, replace(rows, order=()), (*op.keys, *made))
    keys = carry(column.attribute for column in op.keys)
    return replace(op, input=shape, keys=keys, aggregates=aggregates), ready


def _arguments(op: Aggregate) -> tuple[Expr, ...]:
    """Return what the aggregates of an operator read of each row."""
    read = [operand for column in op.aggregates for operand in operands(column.expr)]
    return tuple(dict.fromkeys(e for e in read if any(attributes_of(e))))


def _add_row(evaluation: Evaluation, op: Aggregate, rows: EvaluatedRows) -> tuple[EvaluatedRows, Attribute]:
    """Add a row of nulls to every query, so that its one group exists; `here` tells rows of the data from it."""
    fresh = evaluation.fresh
    output, here = rows.columns, fresh.attribute("here", BOOLEAN)
    labelled = evaluation.project(op, rows, (*carry(output), Column(here, boolean(True))))
    nulls = tuple(Column(fresh.attribute(a.name, a.type, nullable=True), null(a.type)) for a in output)
    absent = Column(fresh.attribute("here", BOOLEAN), boolean(False))
    one = split_rows(evaluation, op, evaluation.rows_of(OneRow(id=fresh.part(op))), rows.rows_split_by)
    dummy = evaluation.project(op, one, (*nulls, absent))
    shapes = (
        Project(id=fresh.part(op), input=labelled.plan, columns=carry((*output, here))),
        Project(id=fresh.part(op), input=dummy.plan, columns=carry(c.attribute for c in (*nulls, absent))),
    )
    both = Union(id=fresh.part(op), branches=shapes, attributes=(*output, here))
    return evaluate_union(evaluation, both, (labelled, dummy)), here


def _finish_groups(
    evaluation: Evaluation, op: Aggregate, rows: EvaluatedRows, plan: _AggregateStages, here: Attribute | None
) -> EvaluatedRows:
    """Compute the groups of each block of queries, with the values that the queries give them."""
    second = op.aggregates if plan.whole else plan.second
    if plan.whole and here is not None:
        second = tuple(Column(c.attribute, _restrict(c.expr, Ref(here))) for c in second)
    keys = carry(column.attribute for column in op.keys)
    marks = () if rows.present is None else carry((rows.present,))
    grouped = Aggregate(
        id=evaluation.fresh.part(op), where=op.where, input=rows.plan, keys=keys + marks, aggregates=second
    )
    found = replace(rows, plan=grouped, order=(), variants={}, unique=None, counts={})
    values = {} if plan.whole else {c.attribute: s.value for c, s in zip(op.aggregates, plan.stages, strict=True)}
    made = tuple(Column(c.attribute, values.get(c.attribute, Ref(c.attribute))) for c in op.aggregates)
    return evaluation.project(op, found, keys + made)


def _restrict(expr: Expr, condition: Expr) -> Expr:
    """Return the aggregate over rows that meet the condition; one that only Spark knows sees nulls in the others."""
    if not isinstance(expr, AggCall):
        return expr
    both = condition if expr.condition is None else all_of((condition, expr.condition))
    return AggCall(expr.function, expr.args, expr.distinct, both, expr.mode)
