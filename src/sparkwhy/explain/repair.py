"""A repair: changes of single operators, and the query with all of them.

Nothing here decides which changes are worth a try; `fix/proposals` does, and `fix/propose.py` puts them together.
"""

from __future__ import annotations

from dataclasses import dataclass

from sparkwhy.explain.model import Fix, FixKind
from sparkwhy.plan.nodes import OpId, Plan
from sparkwhy.trace.blame import Dropper
from sparkwhy.trace.relax import relax


@dataclass(frozen=True)
class Change:
    """One change of one operator: `node` in its place, or, as `relaxed`, an outer join or flatten for an inner one.

    For example `Change(OpId(2), "constant", node=<filter year >= 2018>)` for `filter year >= 2019`.
    """

    op: OpId
    kind: FixKind
    node: Plan | None = None
    relaxed: Dropper | None = None


@dataclass(frozen=True)
class Repair:
    """A changed query: other expressions in `plan`, and joins and flattens of another type as `relaxed`.

    `fixes` say the changes as a user would write them. `cost` is how much they make up (`fix/kinds.py`): that of the
    costliest fix, then the sum. `alternative` is the query variant that was changed.
    """

    plan: Plan
    relaxed: frozenset[Dropper]
    fixes: tuple[Fix, ...]
    changes: tuple[Change, ...] = ()
    alternative: int = 0
    cost: tuple[int, int] = (0, 0)

    @property
    def fixed_plan(self) -> Plan:
        """The changed query itself, with the joins and flattens relaxed."""
        return relax(self.plan, self.relaxed)
