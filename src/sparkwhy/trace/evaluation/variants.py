"""Queries that read different columns: merged into one operator, or split into rows for blocks of queries.

An operator that reads each row by itself reads the columns of all queries side by side. One that looks at several rows
at once needs the rows of queries apart that have other rows, or other values in them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from sparkwhy.plan.build import call, carry, equal, integer, keep, long
from sparkwhy.plan.exprs import Case, Expr, Ref
from sparkwhy.plan.nodes import Column, Flatten, Plan
from sparkwhy.plan.types import INTEGER
from sparkwhy.trace.evaluation.rows import EvaluatedRows, Evaluation, differences_in, intersect, is_any
from sparkwhy.trace.variants.columns import Holders, make_columns
from sparkwhy.trace.variants.common import Hole, merge_operators
from sparkwhy.trace.variants.partitions import Partition, agreement, first_of, is_finer, refine

Op = TypeVar("Op", bound=Plan)


def merge_queries(
    evaluation: Evaluation, ops: Sequence[Op], inputs: tuple[EvaluatedRows, ...]
) -> tuple[Op, tuple[EvaluatedRows, ...]]:
    """Return one operator for all queries, over rows with a column wherever the queries read something else."""
    merged = merge_operators(evaluation.fresh, ops)
    sides = zip(inputs, merged.holes, strict=True)
    return merged.op, tuple(add_columns(evaluation, ops[0], rows, own) if own else rows for rows, own in sides)


def add_columns(evaluation: Evaluation, op: Plan, rows: EvaluatedRows, made: Sequence[Hole]) -> EvaluatedRows:
    """Add attributes to the rows, each given by an expression for each query."""
    columns: list[Column] = []
    variants = dict(rows.variants)
    for attribute, exprs in made:
        added, variants[attribute] = make_columns(evaluation.fresh, rows.variants, attribute, exprs)
        columns.extend(added)
    found = evaluation.project(op, rows, (*carry(rows.columns), *columns))
    return replace(found, variants={a: held for a, held in variants.items() if len(set(held)) > 1})


def make_all_columns(
    evaluation: Evaluation, rows: EvaluatedRows, columns: Iterable[Column]
) -> tuple[tuple[Column, ...], Holders]:
    """Return the columns as all queries compute them, and the holders of those in which the queries differ."""
    made: list[Column] = []
    variants = {}
    for column in columns:
        exprs = [column.expr for _ in evaluation.queries]
        found, held = make_columns(evaluation.fresh, rows.variants, column.attribute, exprs)
        made.extend(found)
        if len(found) > 1:
            variants[column.attribute] = held
    return tuple(made), variants


# --- splitting ---


def split_by_values(evaluation: Evaluation, op: Plan, rows: EvaluatedRows, read: Iterable[Expr]) -> EvaluatedRows:
    """Split the rows by the queries that have other rows, or read other values in these expressions.

    Then a row is in all queries of its block, and `present` names the block.
    """
    return split_rows(evaluation, op, rows, refine([rows.present_differs_between, differences_in(rows, read)]))


def split_rows(evaluation: Evaluation, op: Plan, rows: EvaluatedRows, partition: Partition) -> EvaluatedRows:
    """Return each row once for each block of queries that has it; what differs only between blocks is one column again.

    With x held by `(x, x')`, and the blocks 0b01 and 0b10:

        x  x'  present          x  present
        1  2   0b11      ->     1  0b01
                                2  0b10
    """
    if len(partition) == 1:
        return rows
    blocks = _find_blocks(evaluation, op, rows, partition)
    decided = {a: held for a, held in rows.variants.items() if is_finer(partition, agreement(held))}
    own = blocks.choose([long(block) for block in partition])
    found = evaluation.project(
        op,
        replace(blocks.rows, variants={a: held for a, held in rows.variants.items() if a not in decided}),
        _decided_columns(blocks, decided),
        present=own if rows.present is None else intersect(rows.present_expr, own),
    )
    return replace(
        found,
        rows_split_by=refine([rows.rows_split_by, partition]),
        present_differs_between=refine([rows.present_differs_between, partition]),
        unique=None,
    )


@dataclass(frozen=True)
class _Blocks:
    """Rows beside the block of queries that each is in."""

    rows: EvaluatedRows
    is_in: Callable[[int], Expr]
    """The condition that a row is in the block of this number."""

    partition: Partition

    def choose(self, values: Sequence[Expr]) -> Expr:
        """Return the value that belongs to the block of a row, given one for each block."""
        *first, last = values
        if all(value == last for value in first):
            return last
        return Case(tuple((self.is_in(at), value) for at, value in enumerate(first)), last)


def _find_blocks(evaluation: Evaluation, op: Plan, rows: EvaluatedRows, partition: Partition) -> _Blocks:
    if is_finer(rows.rows_split_by, partition):  # each row is in one block already
        return _Blocks(rows, lambda at: is_any(intersect(rows.present_expr, long(partition[at]))), partition)
    number = evaluation.fresh.attribute("block", INTEGER)
    flat = Flatten(
        id=evaluation.fresh.part(op),
        where=op.where,
        input=rows.plan,
        collection=_numbers(rows, partition),
        elements=(number,),
    )
    return _Blocks(replace(rows, plan=flat), lambda at: equal(Ref(number), integer(at)), partition)


def _numbers(rows: EvaluatedRows, partition: Partition) -> Expr:
    """Return the numbers of the blocks that have a row."""
    numbers = call("array", *(integer(at) for at in range(len(partition))))
    if rows.present is None:
        return numbers
    blocks, present = call("array", *(long(block) for block in partition)), rows.present_expr

    def has_row(number: Expr) -> Expr:
        return is_any(intersect(present, call("element_at", blocks, call("+", number, integer(1)))))

    return keep(numbers, has_row)


def _decided_columns(blocks: _Blocks, decided: Holders) -> Iterator[Column]:
    """Return one column for each attribute: where its holder depends on the block, the value of that holder."""
    spare = {held for attribute, held_by in decided.items() for held in held_by if held != attribute}
    for attribute in blocks.rows.columns:
        if attribute in decided:
            held = [Ref(decided[attribute][first_of(block)]) for block in blocks.partition]
            yield Column(attribute, blocks.choose(held))
        elif attribute not in spare:
            yield Column(attribute, Ref(attribute))


def query_block_number(rows: EvaluatedRows, partition: Partition) -> Expr:
    """Return the number of the block that a row is in, of a partition by which the rows are split."""
    *first, last = range(len(partition))
    branches = tuple((is_any(intersect(rows.present_expr, long(partition[at]))), integer(at)) for at in first)
    return Case(branches, integer(last)) if branches else integer(last)
