"""Read another column of a declared group: `select address1` becomes `select address2`."""

from __future__ import annotations

from collections.abc import Iterator

from sparkwhy.explain.repair import Change
from sparkwhy.fix.context import Blamed, FixContext


def propose(context: FixContext, blamed: Blamed) -> Iterator[Change]:
    """Propose the forms of an operator that read another column. Variants but the query as written did so already."""
    others = context.other_readings.get(blamed.node.id, ()) if blamed.variant == 0 else ()
    for node in others:
        yield Change(blamed.node.id, "attribute", node)
