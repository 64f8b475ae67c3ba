"""Make a join keep the rows of one side that have no partner: `join` becomes `left join`."""

from __future__ import annotations

from collections.abc import Iterator

from sparkwhy.explain.repair import Change
from sparkwhy.fix.context import Blamed, FixContext
from sparkwhy.plan.nodes import Join


def propose(_: FixContext, blamed: Blamed) -> Iterator[Change]:
    """Propose a join that pads the side of the dropped row. Semi and anti joins have no outer form."""
    if isinstance(blamed.node, Join) and blamed.node.traits.pairs:
        yield Change(blamed.node.id, "join type", relaxed=blamed.dropper)
