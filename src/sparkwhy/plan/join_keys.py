"""The keys of a join: the parts of its condition that equate the two sides, and the rest."""

from __future__ import annotations

from typing import NamedTuple

from sparkwhy.plan.exprs import Attribute, Cast, Compare, Expr, conjuncts
from sparkwhy.plan.nodes import Join
from sparkwhy.plan.walk_exprs import attributes_of


class Key(NamedTuple):
    """An expression over the left side that must equal one over the right; null-safe: null equals null."""

    left: Expr
    right: Expr
    null_safe: bool


def equal_keys(join: Join) -> tuple[Key, ...]:
    """Return the keys that the condition of a join equates."""
    found = (as_key(join, part) for part in _parts(join))
    return tuple(key for key in found if key is not None)


def residual_conditions(join: Join) -> tuple[Expr, ...]:
    """Return the parts of the condition that are not keys."""
    return tuple(part for part in _parts(join) if as_key(join, part) is None)


def as_key(join: Join, part: Expr) -> Key | None:
    if not isinstance(part, Compare) or part.op not in ("=", "<=>"):
        return None
    for left, right in ((part.left, part.right), (part.right, part.left)):
        if _reads(left, join.left.output) and _reads(right, join.right.output):
            return Key(left, right, part.op == "<=>")
    return None


def strip_casts(key: Expr) -> Expr:
    """Return what a key is before any cast, which Spark inserts where the types of two keys differ."""
    while isinstance(key, Cast):
        key = key.input
    return key


def _parts(join: Join) -> tuple[Expr, ...]:
    return () if join.condition is None else conjuncts(join.condition)


def _reads(expr: Expr, attributes: tuple[Attribute, ...]) -> bool:
    """Return whether the expression reads attributes of this side only, and some."""
    known = {attribute.id for attribute in attributes}
    read = [attribute.id for attribute in attributes_of(expr)]
    return bool(read) and all(id in known for id in read)
