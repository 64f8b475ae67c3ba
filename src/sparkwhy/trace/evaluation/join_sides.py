"""The sides of a join, before it: rows of different queries apart where the condition reads them differently, and rows
counted by key where a grouping above asks only how many there are."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import replace

from sparkwhy.backtrace.backtrace import Conditions
from sparkwhy.plan.build import all_of, carry, equal, integer
from sparkwhy.plan.exprs import Attribute, Ref, conjuncts
from sparkwhy.plan.join_types import join_type_with_condition
from sparkwhy.plan.nodes import Aggregate, Column, Join, Plan, Project
from sparkwhy.plan.types import INTEGER, LONG
from sparkwhy.plan.walk_exprs import attributes_of
from sparkwhy.trace.evaluation.rows import EvaluatedRows, Evaluation, differences_in
from sparkwhy.trace.evaluation.variants import query_block_number, split_rows
from sparkwhy.trace.joins.counts import SIDES, is_count, key_attributes, side_of
from sparkwhy.trace.variants.partitions import coarsen, refine


def split_sides(
    evaluation: Evaluation, op: Join, left: EvaluatedRows, right: EvaluatedRows
) -> tuple[Join, EvaluatedRows, EvaluatedRows]:
    """Split the sides as far as the condition reads other values in other queries.

    Then both sides have a column with the number of the block, and the join also asks for the same block.
    """
    read = () if op.condition is None else (op.condition,)
    left = split_rows(evaluation, op, left, differences_in(left, read))
    right = split_rows(evaluation, op, right, differences_in(right, read))
    both = refine([left.rows_split_by, right.rows_split_by])  # rows of other blocks are never partners
    left, right = split_rows(evaluation, op, left, both), split_rows(evaluation, op, right, both)
    shared = coarsen(left.rows_split_by, right.rows_split_by)
    if len(shared) == 1:
        return op, left, right
    blocks = [evaluation.fresh.attribute("block", INTEGER) for _ in range(2)]
    shapes, rows = [], []
    for block, below, side in zip(blocks, (op.left, op.right), (left, right), strict=True):
        shape = (*carry(below.output), Column(block, integer(0)))
        shapes.append(Project(id=evaluation.fresh.part(op), input=below, columns=shape))
        columns = (*carry(side.columns), Column(block, query_block_number(side, shared)))
        rows.append(evaluation.project(op, side, columns))
    same = equal(Ref(blocks[0]), Ref(blocks[1]))
    condition = same if op.condition is None else all_of((same, *conjuncts(op.condition)))
    how = join_type_with_condition(op.how)
    return replace(op, left=shapes[0], right=shapes[1], how=how, condition=condition), rows[0], rows[1]


def count_first(
    evaluation: Evaluation, op: Join, left: EvaluatedRows, right: EvaluatedRows, wanted: Sequence[Conditions]
) -> tuple[Join, EvaluatedRows, EvaluatedRows]:
    """Count the rows of a side by key and `present`, where the grouping above the join only counts them.

    k  v  present                       k  partial count  present
    1  a  0b11        count(v)   ->     1  2              0b11
    1  b  0b11
    """
    counts = evaluation.counts.get(op.id, ())
    for side, rows in zip(SIDES, (right, left), strict=True):
        below, keys = side_of(op, side), key_attributes(op, side)
        if not counts or keys is None or not all(is_count(c.expr, set(below.output)) for c in counts):
            continue
        asked = {a for conditions in wanted for c in conditions for a in attributes_of(c)}
        if rows.present is None or rows.variants or not asked & set(below.output) <= keys:
            continue
        shape, summed_up = _count_by_key(evaluation, op, below, rows, keys, counts)
        if side == "left":
            return replace(op, left=shape), summed_up, right
        return replace(op, right=shape), left, summed_up
    return op, left, right


def _count_by_key(
    evaluation: Evaluation,
    op: Join,
    below: Plan,
    rows: EvaluatedRows,
    keys: Set[Attribute],
    counts: Sequence[Column],
) -> tuple[Plan, EvaluatedRows]:
    """Return what the join reads of a side that is counted, and one row for each key and `present` of it."""
    fresh = evaluation.fresh
    by = carry(attribute for attribute in below.output if attribute in keys)
    made = tuple(Column(fresh.attribute("part", LONG), column.expr) for column in counts)
    marks = () if rows.present is None else carry((rows.present,))
    grouped = Aggregate(id=fresh.part(op), where=op.where, input=rows.plan, keys=by + marks, aggregates=made)
    shape = Aggregate(id=fresh.part(op), input=below, keys=by, aggregates=made)
    partial = {c.attribute: part.attribute for c, part in zip(counts, made, strict=True)}
    return shape, replace(rows, plan=grouped, order=(), unique=None, counts=partial)
