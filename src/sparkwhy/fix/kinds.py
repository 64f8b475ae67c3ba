"""The kinds of fixes: one table with the cost of each and its words.

A cheaper kind makes up less: another column or another join type invents nothing, a constant invents a value, another
function invents a meaning. Among fixes with equal side effects the cheaper one is shown first (docs/ranking.md).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sparkwhy.explain.model import FixKind


@dataclass(frozen=True)
class KindFacts:
    """What is known of a kind of fix: its cost (0 is cheapest), and what it changes, in words."""

    cost: int
    words: str


FIX_KINDS: Mapping[FixKind, KindFacts] = {
    "attribute": KindFacts(0, "another column of a declared group"),
    "flatten type": KindFacts(1, "an outer flatten"),
    "join type": KindFacts(1, "an outer join"),
    "comparison": KindFacts(2, "another comparison"),
    "constant": KindFacts(3, "another constant"),
    "aggregate": KindFacts(4, "another aggregate function"),
    "other": KindFacts(5, "a form that was not there before"),
}
"""Every kind of fix. A test checks that the table has a line for each member of `FixKind`, and no other."""


def cost_of(kind: FixKind) -> int:
    """Return how much a fix of this kind makes up: 0 for nothing."""
    return FIX_KINDS[kind].cost


def costliest(kinds: Iterable[FixKind]) -> FixKind:
    """Return the kind that makes up most; the first of equals."""
    return max(kinds, key=cost_of)


def total_cost(kinds: Iterable[FixKind]) -> tuple[int, int]:
    """Return the cost of several fixes together: that of the costliest, then the sum."""
    costs = [cost_of(kind) for kind in kinds]
    return max(costs, default=0), sum(costs)
