"""Let a limit reach the row: `limit 10` becomes `limit 12` for the twelfth row, `offset 5` becomes `offset 2`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from sparkwhy.explain.repair import Change
from sparkwhy.fix.context import Blamed, FixContext
from sparkwhy.plan.nodes import Limit


def propose(_: FixContext, blamed: Blamed) -> Iterator[Change]:
    """Propose the smallest change of count or offset that lets the row with the recorded rank through."""
    limit, observation = blamed.node, blamed.observation
    if isinstance(limit, Limit) and observation is not None and observation.rank is not None:
        yield Change(limit.id, "constant", _reach(limit, observation.rank))


def _reach(limit: Limit, rank: int) -> Limit:
    """Return the limit that just keeps the row with this rank; ranks count from 1."""
    if rank <= limit.offset:
        return replace(limit, offset=rank - 1)
    return replace(limit, count=rank - limit.offset)
