"""The order of rows: by sort keys, each with its direction and its place for nulls."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cmp_to_key
from typing import Any, TypeAlias

from sparkwhy.memory.evaluate import evaluator
from sparkwhy.memory.settings import Settings
from sparkwhy.memory.values import Row, Value, compare
from sparkwhy.plan.exprs import Attribute
from sparkwhy.plan.nodes import SortKey

Ordered: TypeAlias = Callable[[Row], Any]
"""A key for `sorted`, equal for rows that no sort key tells apart."""


def row_order(order: Sequence[SortKey], attributes: Sequence[Attribute], settings: Settings) -> Ordered:
    values = [evaluator(key.expr, attributes, settings) for key in order]

    def compare_rows(a: tuple[Value, ...], b: tuple[Value, ...]) -> int:
        return _compare(order, a, b)

    ordered = cmp_to_key(compare_rows)
    return lambda row: ordered(tuple(value(row) for value in values))


def _compare(order: Sequence[SortKey], a: tuple[Value, ...], b: tuple[Value, ...]) -> int:
    for key, left, right in zip(order, a, b, strict=True):
        if found := compare_by(key, left, right):
            return found
    return 0


def compare_by(key: SortKey, a: Value, b: Value) -> int:
    """Return where nulls go does not depend on the direction."""
    if a is None or b is None:
        nulls = (a is None) - (b is None)
        return -nulls if key.nulls_first else nulls
    return compare(a, b) if key.ascending else compare(b, a)
