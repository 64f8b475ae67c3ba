"""Rules that read each row by itself and drop none: projections and unions; and flattening."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sparkwhy.backtrace.backtrace import Conditions, substitute_attributes
from sparkwhy.backtrace.null_rejection import rejects_null
from sparkwhy.plan.build import call, carry, either, integer, long
from sparkwhy.plan.exprs import Attribute, Compare, IsNotNull, Ref
from sparkwhy.plan.nodes import Column, Flatten, Project, Union
from sparkwhy.plan.types import INTEGER, LONG
from sparkwhy.plan.walk_exprs import attributes_of
from sparkwhy.trace.blame import drops
from sparkwhy.trace.evaluation.rows import EvaluatedRows, Evaluation, differences_in, intersect
from sparkwhy.trace.evaluation.variants import add_columns, merge_queries, split_rows
from sparkwhy.trace.variants.columns import make_columns, union_columns
from sparkwhy.trace.variants.partitions import coarsen, refine


def evaluate_project(evaluation: Evaluation, ops: tuple[Project, ...], rows: EvaluatedRows) -> EvaluatedRows:
    """Compute the columns of all queries, side by side where they differ; each row stays in its queries.

    query 0: project n + 1 as x      n  present          x  x'  present
    query 1: project n + 2 as x      1  0b11      ->     2  3   0b11
    """
    rows = _with_own_order(evaluation, ops, rows)
    columns: list[Column] = []
    variants: dict[Attribute, tuple[Attribute, ...]] = {}
    for each in zip(*(op.columns for op in ops), strict=True):
        exprs = [column.expr for column in each]
        made, held = make_columns(evaluation.fresh, rows.variants, each[0].attribute, exprs)
        columns.extend(made)
        if len(made) > 1:
            variants[each[0].attribute] = held
    others = {a: held for a, held in rows.variants.items() if a not in set(ops[0].output)}
    found = evaluation.project(ops[0], replace(rows, variants=others), columns)
    return replace(found, variants={**found.variants, **variants})


def _with_own_order(evaluation: Evaluation, ops: tuple[Project, ...], rows: EvaluatedRows) -> EvaluatedRows:
    """Order the rows by copies of attributes under whose names a query puts something else."""
    replaced = {c.attribute for op in ops for c in op.columns if not c.is_carried}
    stale = replaced & {a for key in rows.order for a in attributes_of(key.expr)}
    if not stale:
        return rows
    copies = {a: evaluation.fresh.attribute(a.name, a.type, nullable=True) for a in stale}
    given = [(copy, tuple(Ref(a) for _ in ops)) for a, copy in copies.items()]
    order = tuple(
        replace(k, expr=substitute_attributes(k.expr, {a: Ref(c) for a, c in copies.items()})) for k in rows.order
    )
    return replace(add_columns(evaluation, ops[0], rows, given), order=order)


def evaluate_union(evaluation: Evaluation, op: Union, inputs: tuple[EvaluatedRows, ...]) -> EvaluatedRows:
    """Return the rows of all branches, each in its queries."""
    fresh = evaluation.fresh
    present = fresh.attribute("present", LONG) if any(rows.present for rows in inputs) else None
    held, sources = union_columns(fresh, op, [rows.variants for rows in inputs], evaluation.queries)

    def branch(at: int, rows: EvaluatedRows) -> Project:
        given = [Column(fresh.attribute(a.name, a.type, nullable=True), from_[at]) for a, from_ in sources.items()]
        marks = [] if present is None else [Column(fresh.attribute("present", LONG), rows.present_expr)]
        return Project(id=fresh.part(op), input=rows.plan, columns=(*given, *marks))

    marks = () if present is None else (present,)
    branches = tuple(branch(at, rows) for at, rows in enumerate(inputs))
    split = inputs[0].rows_split_by
    for rows in inputs[1:]:
        split = coarsen(split, rows.rows_split_by)
    return EvaluatedRows(
        Union(id=fresh.part(op), where=op.where, branches=branches, attributes=(*sources, *marks)),
        inputs[0].count,
        present,
        variants={a: each for a, each in held.items() if len(set(each)) > 1},
        present_differs_between=refine([rows.present_differs_between for rows in inputs]),
        rows_split_by=split,
    )


def evaluate_flatten(
    evaluation: Evaluation, ops: tuple[Flatten, ...], inputs: tuple[EvaluatedRows, ...], wanted: Sequence[Conditions]
) -> EvaluatedRows:
    """Return a row for each element; a row without elements is padded in the queries whose flatten is outer or relaxed.

    query 0: flatten          xs   present          x     present
    query 1: relaxed          [1]  0b11      ->     1     0b11
                              []   0b11             null  0b10
    """
    op, (rows,) = merge_queries(evaluation, ops, inputs)
    rows = split_rows(evaluation, op, rows, differences_in(rows, (op.collection,)))
    every, padded = evaluation.query_mask, _padded_queries(evaluation, op, wanted)
    position = op.position
    partly = padded not in (0, every)
    if partly and position is None and not op.inline:  # only a padded row has none
        position = evaluation.fresh.attribute("position", INTEGER, nullable=True)
    flat = Flatten(
        id=evaluation.fresh.part(op),
        where=op.where,
        input=rows.plan,
        collection=op.collection,
        elements=op.elements,
        outer=bool(padded),
        inline=op.inline,
        position=position,
    )
    found = replace(rows, plan=flat, unique=None)
    if not partly:
        return found
    size = call("coalesce", call("size", op.collection), integer(0))
    has_elements = Compare(">", size, integer(0)) if position is None else IsNotNull(Ref(position))
    kept = either(has_elements, found.present_expr, intersect(found.present_expr, long(padded)))
    columns = [a for a in found.columns if position == op.position or a != position]
    return evaluation.project(op, found, carry(columns), present=kept).differ_by([padded])


def _padded_queries(evaluation: Evaluation, op: Flatten, wanted: Sequence[Conditions]) -> int:
    """Return the queries in which rows without elements stay, if a row with nulls for the elements is wanted at all."""
    made = frozenset(attribute.id for attribute in op.output if attribute not in op.input.output)
    if all(any(rejects_null(condition, made) for condition in conditions) for conditions in wanted):
        return 0
    return evaluation.query_mask & ~(evaluation.queries_that_drop(op.first_use) if drops(op) else 0)
