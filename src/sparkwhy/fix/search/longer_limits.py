"""The count of a limit at which the rank of the row is not known: rows of a subquery only say whether there is one.

`limit 3` is tried with 4, 5, 7, 11, ... rows, and then with the counts between the last that fails and the first that
works.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sparkwhy.explain.candidates import Candidate, Claim
from sparkwhy.explain.repair import Change, Repair
from sparkwhy.fix.context import FixContext
from sparkwhy.plan.nodes import Limit
from sparkwhy.plan.walk import walk

_DOUBLINGS = 31
_LONGEST = (1 << 31) - 1
"""The longest limit that Spark has."""


@dataclass(frozen=True)
class UnrankedLimit:
    """A candidate that blames nothing but a limit, at which no rank was recorded."""

    candidate: Candidate
    limit: Limit
    count: int

    def changes(self, counts: Sequence[int]) -> list[Change]:
        """Return the limit with each of these counts."""
        return [Change(self.limit.id, "constant", replace(self.limit, count=count)) for count in counts]

    def longer_counts(self) -> list[int]:
        """Return counts that grow fast: `4, 5, 7, 11, ...` for 3."""
        return [count for i in range(_DOUBLINGS) if (count := self.count + (1 << i)) <= _LONGEST]

    def counts_below(self, repair: Repair, most: int) -> list[int]:
        """Return counts between that of a repair that works and the one that was tried before it."""
        works = next(node.count for node in walk(repair.plan) if isinstance(node, Limit) and node.id == self.limit.id)
        fails = max((count for count in (self.count, *self.longer_counts()) if count < (works or 0)), default=0)
        between = range(fails + 1, works or 0)
        return list(between[:: max(1, -(-len(between) // most))])


def find_unranked_limit(context: FixContext, claim: Claim) -> UnrankedLimit | None:
    """Return the first candidate of a claim that blames a limit alone, where the rank of the row is not known."""
    for candidate in claim.candidates:
        blamed = [each.op for each in context.bits.droppers(candidate.blame, candidate.alternative)]
        for node in walk(context.alternatives[candidate.alternative].plan):
            ranked = any(node.id.step in witness.at for witness in candidate.witnesses)
            if blamed == [node.id] and isinstance(node, Limit) and node.count is not None and not ranked:
                return UnrankedLimit(candidate, node, node.count)
    return None
