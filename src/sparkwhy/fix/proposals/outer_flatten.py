"""Make a flatten outer, so that it keeps rows without elements: `explode(tags)` becomes `explode_outer(tags)`."""

from __future__ import annotations

from collections.abc import Iterator

from sparkwhy.explain.repair import Change
from sparkwhy.fix.context import Blamed, FixContext
from sparkwhy.plan.nodes import Flatten


def propose(_: FixContext, blamed: Blamed) -> Iterator[Change]:
    """Propose an outer flatten for an inner one."""
    if isinstance(blamed.node, Flatten):
        yield Change(blamed.node.id, "flatten type", relaxed=blamed.dropper)
