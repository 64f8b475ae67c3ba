"""Witnesses of groups on large data: the rows that candidates only refer to are looked up, one more job a level.

A trail that is carried through a grouping makes Spark sort all rows. So groups carry a reference instead, the mark of
their nearest row, and only the few rows with the marks of candidates are traced again in full. Where any row of a group
will do that blames the same, it is looked for among some of the data first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from sparkwhy.explain.candidates import resolve
from sparkwhy.limits import DEFAULT_LIMITS, Limits
from sparkwhy.plan.nodes import OpId, Plan
from sparkwhy.trace.trace import TracedQuery
from sparkwhy.trace.witness import Entry, WitnessRef, read_entries
from sparkwhy.trace.witness_rows import trace_witness_rows

Collect = Callable[[Plan], Iterable[Sequence[Any]]]
"""Runs a plan and returns its rows."""


def find_witnesses(
    query: TracedQuery,
    rows: Iterable[Sequence[Any]],
    collect: Collect,
    glances: Sequence[Collect] = (),
    limits: Limits = DEFAULT_LIMITS,
) -> dict[WitnessRef, tuple[Entry, ...]]:
    """Look up the entries of all rows that the rows of a candidate plan refer to, level by level.

    `glances` run a plan on some of the data only, each on more than the one before. A reference
    whose row was not found has no entries.
    """
    trails = [trail for row in rows for trail, _ in row[-2:]]
    entries = [entry for _, raw in trails for entry in read_entries(query.legend, raw)]
    known: dict[WitnessRef, tuple[Entry, ...]] = {}
    while wanted := _unknown(entries, known, limits.witness_rows):
        for at, refs in wanted.items():
            found = _look_up(query, at, refs, collect, glances, limits.witness_share)
            known.update({ref: found.get(ref.mark, ()) for ref in refs})
    return known


def _look_up(
    query: TracedQuery,
    at: OpId,
    refs: Sequence[WitnessRef],
    collect: Collect,
    glances: Sequence[Collect],
    share_at_first: float,
) -> dict[int, tuple[Entry, ...]]:
    """Return entries by mark. Where there may be many rows, some are looked at first: what these lack is rare."""
    known, found = trace_witness_rows(query, at, refs), dict[int, tuple[Entry, ...]]()
    if known is None:
        return found
    looks = [(collect, 1.0)]
    if glances and known.any_will_do:
        looks.insert(0, (collect, share_at_first))
        if not known.keyed:  # with keys, other rows need not be read
            looks[:0] = [(glance, 1.0) for glance in glances]
    legend = known.rows.learned.legend
    for look, share in looks:
        missing = [each for each in refs if each.mark not in found]
        if missing:
            rows = look(known.nearest(missing, share))
            found.update({mark: tuple(read_entries(legend, raw)) for mark, (_, raw) in rows})
    return found


def _unknown(
    entries: Iterable[Entry], known: Mapping[WitnessRef, tuple[Entry, ...]], most: int
) -> dict[OpId, tuple[WitnessRef, ...]]:
    """Return the references that were not looked up yet, by grouping, `most` of each."""
    found: dict[OpId, dict[WitnessRef, None]] = {}
    for entry in resolve(entries, known):
        ref = WitnessRef.of(entry)
        if ref is not None:
            found.setdefault(ref.grouping, {})[ref] = None
    looked_up = [ref.grouping for ref in known]
    return {at: tuple(refs)[:most] for at, refs in found.items() if looked_up.count(at) < most}
