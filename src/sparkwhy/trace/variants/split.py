"""Rows that stand for several alternatives, split into rows for blocks of them.

Below a grouping one row stands for all alternatives; conditions and columns that differ are kept side by side. An
operator that looks at several rows at once, or that makes other rows in other alternatives, needs them apart.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from sparkwhy.plan.build import call, equal, integer, keep, long, transform
from sparkwhy.plan.exprs import Attribute, Case, Compare, Expr, Not, Ref
from sparkwhy.plan.nodes import Column, Flatten, Plan
from sparkwhy.plan.types import INTEGER
from sparkwhy.trace.liveness import minus, never_lives, tidied, union
from sparkwhy.trace.rows import TraceContext, TracedRows, certain_values, query_columns, told_apart
from sparkwhy.trace.variants.partitions import Partition, agreement, first_of, is_finer, refined

Held = tuple[Attribute, ...]
"""The attributes that hold one of the query, in each alternative."""


def split(tracing: TraceContext, op: Plan, rows: TracedRows, partition: Partition) -> TracedRows:
    """The rows, none of which exists in two blocks; what differs only between blocks has one column again."""
    if len(partition) == 1:
        return rows
    blocks = _in_blocks(tracing, op, rows, partition)
    settled = {a: held for a, held in rows.variants.items() if is_finer(partition, agreement(held))}
    return _settled(tracing, op, blocks, settled)


def split_by_reads(tracing: TraceContext, op: Plan, rows: TracedRows, read: Iterable[Expr]) -> TracedRows:
    """Split the rows as far as their marks and the values that are read differ between variants.

    The rows have certain values: what an aggregate could be is not followed any further.
    """
    return split(tracing, op, certain_values(rows), refined([rows.parts, told_apart(rows, read)]))


@dataclass(frozen=True)
class _Blocks:
    """Rows beside the block that each is in."""

    rows: TracedRows
    partition: Partition
    is_in: Callable[[int], Expr]
    """Whether a row is in the block of this number."""

    def chosen(self, values: Sequence[Expr]) -> Expr:
        """The value that belongs to the block, given one for each."""
        *first, last = values
        if all(value == last for value in first):
            return last
        return Case(tuple((self.is_in(at), value) for at, value in enumerate(first)), last)


def _in_blocks(tracing: TraceContext, op: Plan, rows: TracedRows, partition: Partition) -> _Blocks:
    if is_finer(rows.split, partition):  # each row knows where it belongs
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
    """The numbers of the blocks in which a row exists."""
    if len(rows.split) == 1:
        return numbers
    gates = call("array", *(long(block) for block in partition))

    def exists(number: Expr) -> Expr:
        gate = call("element_at", gates, call("+", number, integer(1)))
        return Compare("<>", call("&", rows.blame_expr, gate), gate)

    return keep(numbers, exists)


def _exists_in(rows: TracedRows, block: int) -> Expr:
    """Whether a row exists in some alternative of the block: the gates are the lowest bits, as in a block."""
    return Compare("<>", call("&", rows.blame_expr, long(block)), long(block))


def _settled(tracing: TraceContext, op: Plan, blocks: _Blocks, settled: Mapping[Attribute, Held]) -> TracedRows:
    """The rows with marks that say only what matters in their block, and with one column for each settled attribute."""
    rows, bits = blocks.rows, tracing.bits
    unused = blocks.chosen([long(bits.unused(block)) for block in blocks.partition])
    closed = blocks.chosen([long(bits.gates & ~block) for block in blocks.partition])

    def within(blame: Expr) -> Expr:
        return union(minus(blame, unused), closed)

    found = tracing.project(
        op,
        replace(rows, variants={a: held for a, held in rows.variants.items() if a not in settled}),
        _settled_columns(blocks, settled),
        blame=within(rows.blame_expr),
        unless=None if rows.unless is None else _unless(tracing, rows, within(rows.blame_expr), unused),
        maybe=None if rows.maybe is None else within(Ref(rows.maybe)),
    )
    living = found if found.unless is None else tracing.only(op, found, (Not(never_lives(found.unless_expr)),))
    partition = blocks.partition
    return replace(
        living,
        split=refined([rows.split, partition]),
        parts=refined([rows.parts, partition]),
        everywhere=False,
        unique=None,
    )


def _settled_columns(blocks: _Blocks, settled: Mapping[Attribute, Held]) -> Iterator[Column]:
    """One column for each attribute: a settled one holds what its block says."""
    spare = {held for attribute, held_by in settled.items() for held in held_by if held != attribute}
    for attribute in query_columns(blocks.rows):
        if attribute in settled:
            held = [Ref(settled[attribute][first_of(block)]) for block in blocks.partition]
            yield Column(attribute, blocks.chosen(held))
        elif attribute not in spare:
            yield Column(attribute, Ref(attribute))


def _unless(tracing: TraceContext, rows: TracedRows, blame: Expr, unused: Expr) -> Expr:
    """What takes a row away within its block; a set that exists in none of its alternatives does not."""
    gates = long(tracing.bits.gates)
    possible = keep(rows.unless_expr, lambda u: Compare("<>", call("&", union(u, blame), gates), gates))
    return tidied(transform(possible, lambda u: minus(u, unused)), blame)


def gates_of(tracing: TraceContext, rows: TracedRows) -> tuple[Expr, ...]:
    """What tells the blocks apart into which rows were split; nothing if they were not."""
    return () if len(rows.split) == 1 else (call("&", rows.blame_expr, long(tracing.bits.gates)),)


def block_number(rows: TracedRows, partition: Partition) -> Expr:
    """The number of the block that a row is in, of a partition into which rows were split."""
    *first, last = range(len(partition))
    branches = tuple((_exists_in(rows, partition[at]), integer(at)) for at in first)
    return Case(branches, integer(last)) if branches else integer(last)
