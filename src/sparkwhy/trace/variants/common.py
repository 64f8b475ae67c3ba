"""One operator for all variants of it, with a new attribute wherever they read something else.

filter x > 1          (variant 0)      filter r > 1, over rows with a column
filter y > 1          (variant 1)      r: x in variant 0, y in variant 1
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar, cast

from sparkwhy.plan.build import Fresh, carry, equal, integer
from sparkwhy.plan.exprs import AggCall, Attribute, Case, Expr, Lambda, Ref
from sparkwhy.plan.node_exprs import exprs_of, with_exprs
from sparkwhy.plan.nodes import Aggregate, Column, Plan, Project
from sparkwhy.plan.walk import inputs, with_inputs
from sparkwhy.plan.walk_exprs import attributes_of, operands, with_operands
from sparkwhy.trace.variants.columns import Holders
from sparkwhy.trace.variants.partitions import agreement, first_of

Op = TypeVar("Op", bound=Plan)
Hole = tuple[Attribute, tuple[Expr, ...]]
"""A new attribute, and the expression that it stands for in each variant."""


@dataclass(frozen=True)
class Merged(Generic[Op]):
    """One operator for all variants, and for each of its inputs the attributes that the input must have in addition."""

    op: Op
    holes: tuple[tuple[Hole, ...], ...]


def merge_operators(fresh: Fresh, ops: Sequence[Op]) -> Merged[Op]:
    """Merge the variants of an operator into one that reads new attributes where the variants differ."""
    below = inputs(ops[0])
    holes: list[Hole] = []

    def hole(exprs: Sequence[Expr]) -> Expr:
        if sum(_reads(exprs, each) for each in below) > 1:
            return _choose(hole, exprs)
        made = fresh.attribute("read", exprs[0].type, nullable=True)
        holes.append((made, tuple(exprs)))
        return Ref(made)

    slots = [common(tuple(slot), hole) for slot in zip(*(exprs_of(op) for op in ops), strict=True)]
    if not holes:
        return Merged(ops[0], ((),) * len(below))
    homes = [_home(exprs, below) for _, exprs in holes]
    own = tuple(tuple(found for found, home in zip(holes, homes, strict=True) if home is each) for each in below)
    shapes = tuple(_shape(fresh, ops[0], each, found) for each, found in zip(below, own, strict=True))
    return Merged(cast(Op, with_exprs(with_inputs(ops[0], shapes), slots)), own)


def _choose(hole: Callable[[Sequence[Expr]], Expr], exprs: Sequence[Expr]) -> Expr:
    """Return a choice among expressions that read both inputs, by a number that one input has in a hole.

    `a = b` and `a < b` become `case when hole = 0 then a = b else a < b`.
    """
    blocks = agreement(exprs)
    number = hole([integer(at) for i in range(len(exprs)) for at, block in enumerate(blocks) if block >> i & 1])
    *first, last = (exprs[first_of(block)] for block in blocks)
    return Case(tuple((equal(number, integer(at)), expr) for at, expr in enumerate(first)), last)


def _reads(exprs: Iterable[Expr], below: Plan) -> bool:
    known = set(below.output)
    return any(attribute in known for expr in exprs for attribute in attributes_of(expr))


def _home(exprs: Sequence[Expr], below: Sequence[Plan]) -> Plan:
    """Return the input that computes a hole: the one that its expressions read, the first for constants."""
    return next((each for each in below if _reads(exprs, each)), below[0])


def _shape(fresh: Fresh, op: Plan, below: Plan, holes: Sequence[Hole]) -> Plan:
    """Return an input of the operator with the new columns: only its attributes matter."""
    columns = (*carry(below.output), *(Column(made, exprs[0]) for made, exprs in holes))
    return Project(id=fresh.part(op), input=below, columns=columns) if holes else below


def common(exprs: tuple[Expr, ...], hole: Callable[[Sequence[Expr]], Expr]) -> Expr:
    """Return what the expressions share, with a hole wherever they differ: as deep as possible, never inside a lambda.

    `n + 1 > 2` and `m + 1 > 2` become `hole + 1 > 2`.
    """
    first = exprs[0]
    if all(expr is first or expr == first for expr in exprs):
        return first
    below = [operands(expr) for expr in exprs]
    if not below[0] or not _same_head(exprs, below) or _differ_in_a_lambda(below):
        return hole(exprs)
    return with_operands(first, tuple(common(tuple(each), hole) for each in zip(*below, strict=True)))


def _same_head(exprs: Sequence[Expr], below: Sequence[tuple[Expr, ...]]) -> bool:
    first, operands = exprs[0], below[0]
    return all(
        type(e) is type(first) and len(b) == len(operands) and with_operands(e, operands) == first
        for e, b in zip(exprs, below, strict=True)
    )


def _differ_in_a_lambda(below: Sequence[tuple[Expr, ...]]) -> bool:
    return any(isinstance(each[0], Lambda) and any(e != each[0] for e in each) for each in zip(*below, strict=True))


# --- aggregate functions ---


def split_by_function(fresh: Fresh, ops: tuple[Aggregate, ...]) -> tuple[tuple[Aggregate, ...], Holders]:
    """Return the variants of a grouping with one aggregate for each function, and the holders of each aggregate.

    `min(x) as a` and `max(x) as a` become `min(x) as a, max(x) as a'` in both variants, with a held by `(a, a')`.
    """
    held: dict[Attribute, tuple[Attribute, ...]] = {}
    listed: list[tuple[Column, ...]] = []
    for each in zip(*(op.aggregates for op in ops), strict=True):
        columns, holders = _split_column(fresh, each)
        listed.extend(columns)
        if len(set(holders)) > 1:
            held[each[0].attribute] = holders
    if not held:
        return ops, {}
    aggregates = zip(*listed, strict=True)
    return tuple(replace(op, aggregates=each) for op, each in zip(ops, aggregates, strict=True)), held


def _split_column(fresh: Fresh, columns: tuple[Column, ...]) -> tuple[list[tuple[Column, ...]], tuple[Attribute, ...]]:
    """Return one aggregate of all variants as one for each function, and the holder in each variant.

    A variant that does not use a function reads the argument of one that does.
    """
    blocks, variants = agreement([_head(column.expr) for column in columns]), range(len(columns))
    first = columns[0].attribute
    holders = [first, *(fresh.attribute(first.name, first.type, nullable=True) for _ in blocks[1:])]
    made = [
        tuple(Column(holder, columns[i if block >> i & 1 else first_of(block)].expr) for i in variants)
        for holder, block in zip(holders, blocks, strict=True)
    ]
    return made, tuple(holders[at] for i in variants for at, b in enumerate(blocks) if b >> i & 1)


def _head(expr: Expr) -> object:
    """Return what must be the same for two aggregates to be computed as one."""
    if not isinstance(expr, AggCall):
        return None
    return expr.function, expr.distinct, expr.mode, len(expr.args), expr.condition is None
