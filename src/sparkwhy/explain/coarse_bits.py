"""Queries with more operators that drop rows than there are bits: at first, several operators share a coarse bit.

Operators that share a bit are relaxed all at once. A coarse bit that a smallest candidate blames is halved, and the
query traced again, until none is blamed. The candidates that are then found blame single operators only. Where rows
stand for themselves nothing is missed by this: any smaller set of operators would show as a smaller set of coarse bits.
Where an operator returns other rows when it reads more (a limit, a count, an anti join), something may be missed, and
the answer has a warning.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import ceil

from sparkwhy.explain.candidates import Candidate
from sparkwhy.limits import DEFAULT_LIMITS
from sparkwhy.plan.nodes import OpId, Plan
from sparkwhy.plan.walk import walk
from sparkwhy.trace.blame import Bits, coarse_bit, droppers_of, is_coarse_bit
from sparkwhy.trace.trace import TracedQuery

Coarse = tuple[frozenset[OpId], ...]
"""The operators of each coarse bit."""

Trace = Callable[[Coarse], TracedQuery]
Find = Callable[[TracedQuery], tuple[Candidate, ...]]


def find_coarse_bits(trace: Trace, find: Find, plan: Plan, count: int = DEFAULT_LIMITS.coarse_bits) -> Coarse:
    """Return the operators that can share a bit, of a query that cannot be traced otherwise: no explanation needs them.

    At first there are about `count` coarse bits; those that are blamed are halved.

    With filters 1 to 100, of which only 7 is blamed in the end: {1 to 6}, {8 to 14}, {15 to 21}, ..., and 7 by itself.
    """
    coarse = _group_droppers(plan, count)
    while True:
        traced = trace(coarse)
        blamed = _blame_of_smallest(traced.bits, find(traced))
        if not blamed:
            return coarse
        coarse = tuple(half for i, ops in enumerate(coarse) for half in _halve(ops, coarse_bit(i) in blamed))


def _halve(ops: frozenset[OpId], blamed: bool) -> Coarse:
    """Return the operators of a bit in two halves if it is blamed; one operator needs no coarse bit."""
    ordered = sorted(ops)
    halves = (ordered[: len(ops) // 2], ordered[len(ops) // 2 :]) if blamed else (ordered,)
    return tuple(frozenset(half) for half in halves if len(half) > 1)


def select_single(bits: Bits, candidates: Iterable[Candidate]) -> tuple[Candidate, ...]:
    """Return the candidates that blame no coarse bit."""
    return tuple(each for each in candidates if not any(map(is_coarse_bit, _ops(bits, each))))


def _group_droppers(plan: Plan, count: int) -> Coarse:
    """Return all operators that drop rows in `count` sets of neighbours."""
    ops: Sequence[OpId] = list(dict.fromkeys(node.first_use for node in walk(plan) if droppers_of(node)))
    size = ceil(len(ops) / count) or 1
    parts = (frozenset(ops[at : at + size]) for at in range(0, len(ops), size))
    return tuple(part for part in parts if len(part) > 1)


def _blame_of_smallest(bits: Bits, candidates: Sequence[Candidate]) -> set[OpId]:
    """Return the coarse bits that the smallest candidates blame."""
    smallest = [each for each in candidates if _is_smallest(each, candidates)]
    return {op for each in smallest for op in _ops(bits, each) if is_coarse_bit(op)}


def _is_smallest(one: Candidate, among: Sequence[Candidate]) -> bool:
    return not any(
        other.alternative == one.alternative and other.blame != one.blame and other.blame & ~one.blame == 0
        for other in among
        if other.certain or not one.certain
    )


def _ops(bits: Bits, candidate: Candidate) -> set[OpId]:
    return {dropper.op for dropper in bits.droppers(candidate.blame, candidate.alternative)}
