"""Which columns hold an attribute of a query in each of its variants, where the variants differ.

Variants of a query have the same operators with other expressions. One row stands for all of them: an attribute that is
`n + 1` in variant 0 and `n + 2` in variant 1 has two columns, and `{x: (x, x'), ...}` names the holder in each variant.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

from sparkwhy.plan.build import Fresh
from sparkwhy.plan.exprs import Attribute, Expr, Ref
from sparkwhy.plan.nodes import Column, Union
from sparkwhy.plan.walk_exprs import rewrite
from sparkwhy.trace.variants.partitions import agreement, first_of, members

Holders: TypeAlias = Mapping[Attribute, tuple[Attribute, ...]]
"""For attributes that the variants hold in different columns: the column of each variant."""


def read_variant(holders: Holders, variant: int, expr: Expr) -> Expr:
    """Return an expression over attributes of the query as one over the columns that hold them in a variant.

    With `{x: (x, x')}` the expression `x > 1` stays in variant 0 and is `x' > 1` in variant 1.
    """
    if not holders:
        return expr

    def hold(part: Expr) -> Expr | None:
        found = holders.get(part.attribute) if isinstance(part, Ref) else None
        return None if found is None else Ref(found[variant])

    return rewrite(expr, hold)


def list_holders(holders: Holders, attributes: Iterable[Attribute]) -> tuple[Attribute, ...]:
    """Return the columns that hold these attributes in any variant, each once."""
    return tuple(dict.fromkeys(held for a in attributes for held in holders.get(a, (a,))))


def make_columns(
    fresh: Fresh, holders: Holders, attribute: Attribute, exprs: Sequence[Expr]
) -> tuple[list[Column], tuple[Attribute, ...]]:
    """Return the columns that compute an attribute in all variants, and the holder of it in each.

    Variants with the same expression share a column: `n + 1, n + 1, n + 2` needs two.
    """
    read = [read_variant(holders, i, expr) for i, expr in enumerate(exprs)]
    held: dict[int, Attribute] = {}
    columns: list[Column] = []
    for at, block in enumerate(agreement(read)):
        expr = read[first_of(block)]
        holder = attribute if at == 0 else _holder(fresh, holders, attribute, expr)
        columns.append(Column(holder, expr))
        held.update(dict.fromkeys(members(block), holder))
    return columns, tuple(held[i] for i in range(len(exprs)))


def _holder(fresh: Fresh, holders: Holders, attribute: Attribute, expr: Expr) -> Attribute:
    """Return the same column as below if the attribute is merely carried along, else a new one."""
    if isinstance(expr, Ref) and expr.attribute in holders.get(attribute, ()):
        return expr.attribute
    return fresh.attribute(attribute.name, attribute.type, nullable=True)


def union_columns(
    fresh: Fresh, op: Union, branches: Sequence[Holders], variants: range
) -> tuple[dict[Attribute, tuple[Attribute, ...]], dict[Attribute, tuple[Expr, ...]]]:
    """Return the holders of the columns of a union in each variant, and what each branch gives to each holder."""
    held: dict[Attribute, tuple[Attribute, ...]] = {}
    sources: dict[Attribute, tuple[Expr, ...]] = {}
    for at, attribute in enumerate(op.attributes):
        given = [(holders, Ref(below.output[at])) for holders, below in zip(branches, op.branches, strict=True)]
        read = [tuple(read_variant(holders, i, expr) for holders, expr in given) for i in variants]
        chosen: dict[int, Attribute] = {}
        for number, block in enumerate(agreement(read)):
            made = fresh.attribute(attribute.name, attribute.type, nullable=True)
            holder = made if number else attribute
            sources[holder] = read[first_of(block)]
            chosen.update(dict.fromkeys(members(block), holder))
        held[attribute] = tuple(chosen[i] for i in variants)
    return held, sources
