"""Witnesses of groups: the trails that candidates only refer to are looked up, in one more job for each level.

A trail that is carried through a grouping makes Spark sort all rows. So groups carry a number instead, the mark of
their nearest row, and only the few rows with the marks of candidates are traced again in full. Where any row of a group
will do that blames the same, it is looked for among some of the data first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from sparkwhy.plan.nodes import OpId, Plan
from sparkwhy.trace.observe import REFERENCE, Referring
from sparkwhy.trace.trace import TracedQuery, recalled

MAX_MARKS = 2000
"""So many rows are looked up at one grouping."""

Entry = Sequence[Any]
Trails = Mapping[str, Sequence[Entry]]
"""The entries to which the marks of one grouping refer."""


Collect = Callable[[Plan], Iterable[Sequence[Any]]]
"""What runs a plan."""


def with_trails(
    query: TracedQuery, rows: Iterable[Sequence[Any]], collect: Collect, glances: Sequence[Collect] = ()
) -> list[Sequence[Any]]:
    """The rows of a candidate plan, with trails in the place of references; `glances` look at some of the data only,
    each at more than the one before."""
    told = [tuple(row) for row in rows]
    known: dict[OpId, dict[str, Sequence[Entry]]] = {}
    while wanted := _unknown(_entries(told, known), known):
        for at, texts in wanted.items():
            references = {text: Referring.of(text) for text in texts}
            trails = _looked_up(query, at, tuple(references.values()), collect, glances)
            known.setdefault(at, {}).update({text: trails.get(each.mark, ()) for text, each in references.items()})
    return [(*row[:-2], *(_told(witness, known) for witness in row[-2:])) for row in told]


def _looked_up(
    query: TracedQuery, at: OpId, references: Sequence[Referring], collect: Collect, glances: Sequence[Collect]
) -> dict[int, Sequence[Entry]]:
    """The entries by their marks. Where there may be many rows, some are looked at first: what these lack is rare."""
    known, found = recalled(query, at, references), dict[int, Sequence[Entry]]()
    if known is None:
        return found
    looks = [(collect, 1.0)]
    if glances and known.any_will_do:
        looks.insert(0, (collect, THINNED))
        if not known.keyed:  # with keys, other rows need not be read
            looks[:0] = [(glance, 1.0) for glance in glances]
    for look, share in looks:
        missing = [each for each in references if each.mark not in found]
        if missing:
            found.update({mark: entries for mark, (_, entries) in look(known.nearest(missing, share))})
    return found


THINNED = 1 / 64
"""Such a share of the rows is looked at before all of them are."""


def _entries(rows: Iterable[Sequence[Any]], known: Mapping[OpId, Trails]) -> list[Entry]:
    """All entries of all witnesses, as far as they are known."""
    return [entry for row in rows for (_, entries), _ in row[-2:] for entry in _resolved(entries, known)]


def _unknown(entries: Iterable[Entry], known: Mapping[OpId, Trails]) -> dict[OpId, list[str]]:
    """The marks that were not looked up yet."""
    found: dict[OpId, dict[str, None]] = {}
    for entry in entries:
        at = _referred(entry)
        if at is not None:
            found.setdefault(at, {})[entry[2]] = None
    return {at: list(marks)[:MAX_MARKS] for at, marks in found.items() if len(known.get(at, ())) < MAX_MARKS}


def _told(witness: Sequence[Any], known: Mapping[OpId, Trails]) -> Sequence[Any]:
    (far, entries), row = witness
    return (far, [entry for entry in _resolved(entries, known) if _referred(entry) is None]), row


def _resolved(entries: Iterable[Entry], known: Mapping[OpId, Trails]) -> list[Entry]:
    """The entries with those that references stand for in their place."""
    found: list[Entry] = []
    for entry in entries:
        at = _referred(entry)
        if at is None or entry[2] not in known.get(at, ()):
            found.append(entry)
        else:
            found.extend(_resolved(known[at][entry[2]], known))
    return found


def _referred(entry: Entry) -> OpId | None:
    """The grouping that an entry refers to; None if it tells something itself."""
    step, what = entry[0], entry[1]
    return OpId(step, int(what.removeprefix(REFERENCE))) if what.startswith(REFERENCE) else None
