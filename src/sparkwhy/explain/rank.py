"""The order of explanations: which are minimal, which one dominates another, which are shown (docs/ranking.md)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import permutations
from math import inf

from sparkwhy.explain.candidates import Claim
from sparkwhy.explain.cores import Under, cores_of, extends, find_under, is_folded, pads_with_nulls
from sparkwhy.explain.model import Explanation
from sparkwhy.plan.exprs import Attribute
from sparkwhy.plan.nodes import OpId
from sparkwhy.plan.types import Array, Map


def rank(claims: Sequence[Claim]) -> tuple[Explanation, ...]:
    """Sort explanations, number them from 1, and name the core that each of them extends.

    They are sorted by `rank_key`. But whatever dominates an explanation, or explains why it lacks a partner, comes
    before it, so that the order extends the paper's partial order.
    """
    decided = [replace(claim, explanation=_decide_minimal(claim, claims)) for claim in claims]
    under = find_under(decided)
    ordered = _put_reasons_first(sorted(decided, key=lambda claim: rank_key(claim, under)), under)
    ranks = {claim.ops: number for number, claim in enumerate(ordered, 1)}

    def place(number: int, claim: Claim) -> Explanation:
        core = min((ranks[ops] for ops in cores_of(claim, under)), default=None)
        return replace(claim.explanation, rank=number, extends=core, is_folded=is_folded(claim, under))

    return tuple(place(number, claim) for number, claim in enumerate(ordered, 1))


def rank_key(claim: Claim, under: Under) -> tuple[object, ...]:
    """Return what decides the place of an explanation: the smaller, the earlier."""
    explanation = claim.explanation
    cost = claim.repair.cost if claim.repair is not None else _NO_REPAIR
    return (
        is_folded(claim, under),
        not explanation.certain,
        pads_with_nulls(claim),
        len(explanation.operators),
        explanation.verified is not True,
        cost[0] > 0,
        effect_bounds(explanation),
        cost,
        explanation.rank,
    )


def _put_reasons_first(ordered: Sequence[Claim], under: Under) -> list[Claim]:
    """Move claims behind those that dominate them or that bring back the partner which they do without."""
    reasons = {claim.ops: {each.ops for each in under[claim.ops] if _precedes(each, claim)} for claim in ordered}
    waiting, found = list(ordered), list[Claim]()
    while waiting:
        open = {claim.ops for claim in waiting}
        first = next((claim for claim in waiting if not reasons[claim.ops] & open), waiting[0])
        found.append(first)
        waiting = [claim for claim in waiting if claim is not first]
    return found


def _precedes(one: Claim, other: Claim) -> bool:
    return _dominates(one, other) or not extends(other, one)


_NO_REPAIR = (9, 9)
"""The cost of an explanation without a repair: above that of every kind of fix."""


def split_shown(claims: Sequence[Claim]) -> tuple[tuple[Claim, ...], tuple[Claim, ...]]:
    """Split claims into those that are shown and those that were only tried.

    Values within reach, for which no change was found that works, explain nothing.
    """
    shown = tuple(claim for claim in claims if claim.explanation.certain or claim.verified)
    return shown, tuple(claim for claim in claims if claim not in shown)


# --- minimal and dominated ---


def _decide_minimal(claim: Claim, claims: Sequence[Claim]) -> Explanation:
    if claim.explanation.verified is None:
        return claim.explanation
    dominated = any(_dominates(other, claim) for other in claims)
    return replace(claim.explanation, minimal=claim.verified and not dominated)


def _dominates(one: Claim, other: Claim) -> bool:
    """Return whether a verified claim changes only operators of another, fewer, and has no more side effects."""
    fewer = _operators(one) < _operators(other)
    return one.verified and fewer and effect_bounds(one.explanation)[1] <= effect_bounds(other.explanation)[0]


def are_nested(claims: Sequence[Claim]) -> bool:
    """Return whether some claim changes a part of the operators of another, so that it may dominate it."""
    return any(_has_fewer(one, other) for one, other in permutations(claims, 2))


def undecided_claims(claims: Sequence[Claim]) -> tuple[Claim, ...]:
    """Return the claims whose bounds on side effects leave open whether one dominates another."""
    pairs = permutations(claims, 2)
    open = [pair for pair in pairs if _may_dominate(*pair) and not _dominates(*pair)]
    found: dict[tuple[OpId, ...], Claim] = {claim.ops: claim for pair in open for claim in pair}
    return tuple(claim for claim in found.values() if not _has_exact_effects(claim.explanation))


def _may_dominate(one: Claim, other: Claim) -> bool:
    return _has_fewer(one, other) and effect_bounds(one.explanation)[0] <= effect_bounds(other.explanation)[1]


def _has_fewer(one: Claim, other: Claim) -> bool:
    return one.verified and other.verified and _operators(one) < _operators(other)


def _has_exact_effects(explanation: Explanation) -> bool:
    least, most = effect_bounds(explanation)
    return least == most


def _operators(claim: Claim) -> frozenset[int]:
    return frozenset(operator.id for operator in claim.explanation.operators)


def effect_bounds(explanation: Explanation) -> tuple[float, float]:
    """Return the least and the most that is affected; (0, 0) where nothing was counted, so that all are equal.

    Where rows have lists and their elements were not compared, a row that changes may do so by one element or by many.
    """
    known = explanation.side_effects
    if known is None:
        return 0, 0
    if known.distance is not None:
        return known.distance, known.distance
    if not has_lists(explanation.plan.output) or not known.upper:
        return known.lower, known.upper
    return (known.lower + 1) // 2, inf


def has_lists(output: Iterable[Attribute]) -> bool:
    """Return whether some column of a result is a list or a map, whose elements count by themselves."""
    return any(isinstance(attribute.type, Array | Map) for attribute in output)
