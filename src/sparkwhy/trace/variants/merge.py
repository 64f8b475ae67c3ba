"""What differs between the alternatives of one operator, lifted into columns: then the operator is one again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar, cast

from sparkwhy.plan.build import carry
from sparkwhy.plan.exprs import Attribute, Expr, Lambda, Ref
from sparkwhy.plan.node_exprs import exprs_of, with_exprs
from sparkwhy.plan.nodes import Column, Plan, Project
from sparkwhy.plan.walk import inputs, with_inputs
from sparkwhy.plan.walk_exprs import attributes_of, operands, with_operands
from sparkwhy.trace.rows import Learned, TraceContext, TracedRows, query_columns
from sparkwhy.trace.variants.partitions import agreement, first_of

Op = TypeVar("Op", bound=Plan)
Hole = tuple[Attribute, tuple[Expr, ...]]


def lifted(tracing: TraceContext, ops: Sequence[Op], rows: tuple[TracedRows, ...]) -> tuple[Op, tuple[TracedRows, ...]]:
    """One operator for all alternatives, over rows that have what they read differently as columns with variants."""
    holes: list[Hole] = []

    def hole(exprs: Sequence[Expr]) -> Expr:
        made = tracing.fresh.attribute("read", exprs[0].type, nullable=True)
        holes.append((made, tuple(exprs)))
        return Ref(made)

    slots = [common(tuple(slot), hole) for slot in zip(*(exprs_of(op) for op in ops), strict=True)]
    if not holes:
        return ops[0], rows
    known = Learned(stands_for={made.id: exprs for made, exprs in holes})
    shapes, sides = [], []
    for below, side in zip(inputs(ops[0]), rows, strict=True):
        own = [found for found in holes if _reads(found, below)]
        shapes.append(_shape(tracing, ops[0], below, own))
        sides.append(with_columns(tracing, ops[0], side, own).learning(known))
    return cast(Op, _rebuilt(ops[0], tuple(shapes), slots)), tuple(sides)


def _reads(hole: Hole, below: Plan) -> bool:
    known = set(below.output)
    return any(attribute in known for attribute in attributes_of(hole[1][0]))


def _shape(tracing: TraceContext, op: Plan, below: Plan, holes: Sequence[Hole]) -> Plan:
    """What the operator reads, with the new columns: only its attributes matter."""
    columns = (*carry(below.output), *(Column(made, exprs[0]) for made, exprs in holes))
    return Project(id=tracing.fresh.part(op), input=below, columns=columns) if holes else below


def _rebuilt(op: Plan, shapes: tuple[Plan, ...], slots: Sequence[Expr]) -> Plan:
    return with_exprs(with_inputs(op, shapes), slots)


def with_columns(tracing: TraceContext, op: Plan, rows: TracedRows, made: Sequence[Hole]) -> TracedRows:
    """The rows with further attributes of the query, each given by an expression for each alternative."""
    columns: list[Column] = []
    variants = dict(rows.variants)
    for attribute, exprs in made:
        added, variants[attribute] = variant_columns(tracing, rows, attribute, exprs)
        columns.extend(added)
    found = tracing.project(op, rows, (*carry(query_columns(rows)), *columns))
    return replace(found, variants={a: held for a, held in variants.items() if len(set(held)) > 1})


def variant_columns(
    tracing: TraceContext, rows: TracedRows, attribute: Attribute, exprs: Sequence[Expr]
) -> tuple[list[Column], tuple[Attribute, ...]]:
    """The columns that an attribute needs, and which of them holds it in each alternative."""
    read = [rows.read_in(i, expr) for i, expr in enumerate(exprs)]
    held: dict[int, Attribute] = {}
    columns: list[Column] = []
    for at, block in enumerate(agreement(read)):
        expr = read[first_of(block)]
        holder = attribute if at == 0 else _holder(tracing, rows, attribute, expr)
        columns.append(Column(holder, expr))
        held.update({i: holder for i in tracing.alternatives if block >> i & 1})
    return columns, tuple(held[i] for i in tracing.alternatives)


def _holder(tracing: TraceContext, rows: TracedRows, attribute: Attribute, expr: Expr) -> Attribute:
    """What holds an attribute where another alternative has its place: as before, if it is merely carried along."""
    if isinstance(expr, Ref) and expr.attribute in rows.variants.get(attribute, ()):
        return expr.attribute
    return tracing.fresh.attribute(attribute.name, attribute.type, nullable=True)


def common(exprs: tuple[Expr, ...], hole: Callable[[Sequence[Expr]], Expr]) -> Expr:
    """What the expressions share, with a hole wherever they differ: as deep as possible, never inside a lambda."""
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
