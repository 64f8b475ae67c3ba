"""What made the columns that a filter reads: a grouping or a ranking right beneath it."""

from __future__ import annotations

from collections.abc import Iterable

from sparkwhy.plan.exprs import Call, Expr, Ref, WindowCall
from sparkwhy.plan.nodes import Aggregate, Column, Filter, Plan, Project, Window
from sparkwhy.plan.walk_exprs import attributes_of

_RANKS = ("row_number", "rank", "dense_rank")


def group_keys_tested_by(op: Filter) -> tuple[Expr, ...]:
    """Return what the rows have in common that a tested value was computed from: the keys of a group, or of a
    partition.
    """
    group, ranking = grouping_tested_by(op), ranking_tested_by(op)
    keys = () if group is None else tuple(Ref(key.attribute) for key in group.keys)
    return keys + (() if ranking is None else ranking.partition)


def grouping_tested_by(op: Filter) -> Aggregate | None:
    """Return the grouping whose values the filter tests, if its keys still reach the filter."""
    found = _producer_below(op)
    if not isinstance(found, Aggregate) or not _reads_any(op.condition, found.aggregates):
        return None
    return found if _reaches_filter(op, [Ref(key.attribute) for key in found.keys]) else None


def ranking_tested_by(op: Filter) -> Window | None:
    """Return the window whose ranks the filter tests, if what it partitions by still reaches the filter."""
    found = _producer_below(op)
    if not isinstance(found, Window) or not _reads_any(op.condition, tuple(filter(is_rank, found.columns))):
        return None
    return found if _reaches_filter(op, found.partition) else None


def _reaches_filter(op: Filter, exprs: Iterable[Expr]) -> bool:
    """Return whether all that the expressions read is there for the filter to see."""
    known = {attribute.id for attribute in op.input.output}
    return all(attribute.id in known for expr in exprs for attribute in attributes_of(expr))


def _producer_below(op: Filter) -> Plan:
    """Return the first operator below that is not a projection."""
    below = op.input
    while isinstance(below, Project):
        below = below.input
    return below


def _reads_any(condition: Expr, columns: tuple[Column, ...]) -> bool:
    made = {column.attribute.id for column in columns}
    return any(attribute.id in made for attribute in attributes_of(condition))


def is_rank(column: Column) -> bool:
    """Return whether a column of a window is the rank of a row."""
    expr = column.expr
    return isinstance(expr, WindowCall) and isinstance(expr.function, Call) and expr.function.function in _RANKS
