"""Split rows that stand for several variants into rows for blocks of variants.

Below a grouping one row stands for all variants; conditions and columns that differ are kept side by side. An operator
that looks at several rows at once, or that makes other rows in other variants, needs a row for each block.

    before: x is held by x in variant 0, by y in variant 1      after, with variant bits in the lowest places
    x  y  blame                                                 x  blame
    1  2  0b000                                                 1  0b010
                                                                2  0b001
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from sparkwhy.plan.build import call, equal, integer, keep, long, transform
from sparkwhy.plan.exprs import Attribute, Case, Compare, Expr, Not, Ref
from sparkwhy.plan.nodes import Column, Flatten, Plan
from sparkwhy.plan.types import INTEGER
from sparkwhy.trace.context import TraceContext
from sparkwhy.trace.liveness import is_never_alive, minus, tidy_sets, unite_sets
from sparkwhy.trace.rows import TracedRows, certain_values, partition_by_reads, query_columns
from sparkwhy.trace.variants.partitions import Partition, agreement, first_of, is_finer, refine

Held = tuple[Attribute, ...]
"""The columns that hold an attribute of the query, one for each variant."""


def split(tracing: TraceContext, op: Plan, rows: TracedRows, partition: Partition) -> TracedRows:
    """Split rows so that none exists in two blocks; what differs only between blocks has one column again."""
    if len(partition) == 1:
        return rows
    blocks = _assign_blocks(tracing, op, rows, partition)
    merged = {a: held for a, held in rows.variants.items() if is_finer(partition, agreement(held))}
    return _merge_blocks(tracing, op, blocks, merged)


def split_by_reads(tracing: TraceContext, op: Plan, rows: TracedRows, read: Iterable[Expr]) -> TracedRows:
    """Split the rows as far as their marks and the values that are read differ between variants.

    The rows have certain values: what an aggregate could be is not followed any further.
    """
    return split(tracing, op, certain_values(rows), refine([rows.marks_differ_between, partition_by_reads(rows, read)]))


@dataclass(frozen=True)
class _Blocks:
    """Rows, and the condition that a row is in a block."""

    rows: TracedRows
    partition: Partition
    is_in: Callable[[int], Expr]
    """Returns the condition that a row is in the block of this number."""

    def choose(self, values: Sequence[Expr]) -> Expr:
        """Return the value of the block that a row is in, given one for each block."""
        *first, last = values
        if all(value == last for value in first):
            return last
        return Case(tuple((self.is_in(at), value) for at, value in enumerate(first)), last)


def _assign_blocks(tracing: TraceContext, op: Plan, rows: TracedRows, partition: Partition) -> _Blocks:
    if is_finer(rows.rows_split_by, partition):  # each row knows where it belongs
        return _Blocks(rows, partition, lambda at: _exists_in(rows, partition[at]))
    number = tracing.fresh.attribute("block", INTEGER)
    numbers = call("array", *(integer(at) for at in range(len(partition))))
    flat = Flatten(
        id=tracing.fresh.part(op),
        where=op.where,
        input=rows.plan,
        collection=_possible(rows, partition, numbers),
        elements=(number,),
    )
    return _Blocks(replace(rows, plan=flat), partition, lambda at: equal(Ref(number), integer(at)))


def _possible(rows: TracedRows, partition: Partition, numbers: Expr) -> Expr:
    """Return the numbers of the blocks in which a row exists."""
    if len(rows.rows_split_by) == 1:
        return numbers
    variant_bits = call("array", *(long(block) for block in partition))

    def exists(number: Expr) -> Expr:
        gate = call("element_at", variant_bits, call("+", number, integer(1)))
        return Compare("<>", call("&", rows.blame_expr, gate), gate)

    return keep(numbers, exists)


def _exists_in(rows: TracedRows, block: int) -> Expr:
    """Return the condition that a row exists in some variant of the block: variant bits are the lowest of the blame."""
    return Compare("<>", call("&", rows.blame_expr, long(block)), long(block))


def _merge_blocks(tracing: TraceContext, op: Plan, blocks: _Blocks, merged: Mapping[Attribute, Held]) -> TracedRows:
    """Reduce marks to what matters in the block of a row, and merge columns that differ only between blocks."""
    rows, bits = blocks.rows, tracing.bits
    unused = blocks.choose([long(bits.bits_outside(block)) for block in blocks.partition])
    closed = blocks.choose([long(bits.variant_bits & ~block) for block in blocks.partition])

    def restrict(blame: Expr) -> Expr:
        return unite_sets(minus(blame, unused), closed)

    found = tracing.project(
        op,
        replace(rows, variants={a: held for a, held in rows.variants.items() if a not in merged}),
        _merge_columns(blocks, merged),
        blame=restrict(rows.blame_expr),
        unless=None if rows.unless is None else _restrict_unless(tracing, rows, restrict(rows.blame_expr), unused),
        maybe=None if rows.maybe is None else restrict(Ref(rows.maybe)),
    )
    living = found if found.unless is None else tracing.keep_rows(op, found, (Not(is_never_alive(found.unless_expr)),))
    partition = blocks.partition
    return replace(
        living,
        rows_split_by=refine([rows.rows_split_by, partition]),
        marks_differ_between=refine([rows.marks_differ_between, partition]),
        everywhere=False,
        unique=None,
    )


def _merge_columns(blocks: _Blocks, merged: Mapping[Attribute, Held]) -> Iterator[Column]:
    """Yield one column for each attribute; one that differs only between blocks takes its value in the row's block."""
    spare = {held for attribute, held_by in merged.items() for held in held_by if held != attribute}
    for attribute in query_columns(blocks.rows):
        if attribute in merged:
            held = [Ref(merged[attribute][first_of(block)]) for block in blocks.partition]
            yield Column(attribute, blocks.choose(held))
        elif attribute not in spare:
            yield Column(attribute, Ref(attribute))


def _restrict_unless(tracing: TraceContext, rows: TracedRows, blame: Expr, unused: Expr) -> Expr:
    """Return the sets that take a row away within its block, without those that exist in none of its variants."""
    variant_bits = long(tracing.bits.variant_bits)
    possible = keep(
        rows.unless_expr, lambda u: Compare("<>", call("&", unite_sets(u, blame), variant_bits), variant_bits)
    )
    return tidy_sets(transform(possible, lambda u: minus(u, unused)), blame)


def variant_bits_of(tracing: TraceContext, rows: TracedRows) -> tuple[Expr, ...]:
    """Return what separates the blocks into which rows were split; nothing if they were not."""
    return () if len(rows.rows_split_by) == 1 else (call("&", rows.blame_expr, long(tracing.bits.variant_bits)),)


def block_number(rows: TracedRows, partition: Partition) -> Expr:
    """Return the number of the block that a row is in, of a partition into which rows were split."""
    *first, last = range(len(partition))
    branches = tuple((_exists_in(rows, partition[at]), integer(at)) for at in first)
    return Case(branches, integer(last)) if branches else integer(last)
