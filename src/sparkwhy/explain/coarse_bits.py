"""Queries with more operators that drop rows than rows can tell apart: some of them are taken together at first.

Operators that share a bit are relaxed all at once. A bundle that a smallest candidate blames is halved, and the query
traced again, until no bundle is blamed. What is then found blames single operators only. Where rows stand for
themselves nothing is missed by this: any smaller set of operators would show as a smaller set of bundles. Where an
operator returns other rows when it reads more (a limit, a count, an anti join), it may: the answer says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import ceil

from sparkwhy.explain.candidates import Candidate
from sparkwhy.plan.nodes import OpId, Plan
from sparkwhy.plan.walk import walk
from sparkwhy.trace.blame import Bits, bundle, droppers_of, is_bundle
from sparkwhy.trace.trace import TracedQuery

BUNDLES = 16
"""The number of bundles at first."""

Together = tuple[frozenset[OpId], ...]
Trace = Callable[[Together], TracedQuery]
Find = Callable[[TracedQuery], tuple[Candidate, ...]]


def find_coarse_bits(trace: Trace, find: Find, plan: Plan) -> Together:
    """What can be taken together of a query that cannot be traced otherwise: what no explanation needs."""
    together = _bundle_neighbours(plan)
    while True:
        traced = trace(together)
        blamed = _bundles_to_split(traced.bits, find(traced))
        if not blamed:
            return together
        together = tuple(part for i, ops in enumerate(together) for part in _split_bundle(ops, bundle(i) in blamed))


def _split_bundle(ops: frozenset[OpId], blamed: bool) -> Together:
    """A bundle in two halves if it is blamed; one operator is no bundle."""
    ordered = sorted(ops)
    halves = (ordered[: len(ops) // 2], ordered[len(ops) // 2 :]) if blamed else (ordered,)
    return tuple(frozenset(half) for half in halves if len(half) > 1)


def single(bits: Bits, candidates: Iterable[Candidate]) -> tuple[Candidate, ...]:
    """The candidates that blame no bundle."""
    return tuple(each for each in candidates if not any(map(is_bundle, _ops(bits, each))))


def _bundle_neighbours(plan: Plan) -> Together:
    """All operators that drop rows, neighbours together."""
    ops: Sequence[OpId] = [node.id for node in walk(plan) if droppers_of(node)]
    size = ceil(len(ops) / BUNDLES) or 1
    parts = (frozenset(ops[at : at + size]) for at in range(0, len(ops), size))
    return tuple(part for part in parts if len(part) > 1)


def _bundles_to_split(bits: Bits, candidates: Sequence[Candidate]) -> set[OpId]:
    """The bundles that the smallest candidates blame."""
    return {op for each in candidates if _is_smallest(each, candidates) for op in _ops(bits, each) if is_bundle(op)}


def _is_smallest(one: Candidate, among: Sequence[Candidate]) -> bool:
    return not any(
        other.alternative == one.alternative and other.blame != one.blame and other.blame & ~one.blame == 0
        for other in among
        if other.certain or not one.certain
    )


def _ops(bits: Bits, candidate: Candidate) -> set[OpId]:
    return {dropper.op for dropper in bits.droppers(candidate.blame, candidate.alternative)}
