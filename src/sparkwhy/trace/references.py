"""Which groupings refer to their rows, on large data, instead of carrying the trails of these rows.

A trail that is carried through a grouping makes Spark sort all rows. A reference is short; `witness_rows` finds the
row.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from sparkwhy.backtrace.backtrace import Conditions
from sparkwhy.backtrace.selectivity import is_selective
from sparkwhy.plan.nodes import Aggregate, OpId, Plan, Table
from sparkwhy.plan.traits import is_grouping, reads_rows_alone
from sparkwhy.plan.walk import inputs, walk
from sparkwhy.rewrite.prune_columns import prune_columns
from sparkwhy.trace.context import TraceContext

Wanted = Mapping[OpId, Conditions]
"""The conditions of the question on the rows of each operator."""


def refer_in_groupings(
    tracing: TraceContext, plans: Sequence[Plan], wanted: Sequence[Wanted], tops: Iterable[Plan]
) -> TraceContext:
    """Return the context for large data: groups below these operators refer to their rows."""
    tops, groupings = tuple(tops), _large_groupings(plans, wanted)
    large = replace(tracing, large=True).referring_below(tops, groupings)
    return large.referring_by_blame(_groupings_of_single_rows(plans, groupings), tops)


def _large_groupings(plans: Sequence[Plan], wanted: Sequence[Wanted]) -> frozenset[OpId]:
    """Return the groupings on whose input the question has no selective condition: many rows come to these."""

    def is_pinned(node: Plan) -> bool:
        return all(any(is_selective(c) for below in inputs(node) for c in each[below.id]) for each in wanted)

    return frozenset(node.id for node in walk(plans[0]) if is_grouping(node) and not is_pinned(node))


def _groupings_of_single_rows(plans: Sequence[Plan], groupings: frozenset[OpId]) -> frozenset[OpId]:
    """Return those groupings whose rows come from one source, each by itself: any row with the same blame will do."""
    narrow = {node.id: node for node in walk(prune_columns(plans)[0]) if node.id in groupings}
    return frozenset(
        id for id, node in narrow.items() if isinstance(node, Aggregate) and node.aggregates and _is_rowwise(node.input)
    )


def _is_rowwise(plan: Plan) -> bool:
    return all(isinstance(node, Table) or reads_rows_alone(node) for node in walk(plan))
