"""The order of explanations: which are minimal, which one dominates another, which are shown (docs/ranking.md)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import permutations

from sparkwhy.explain.candidates import Claim
from sparkwhy.explain.model import Explanation
from sparkwhy.plan.nodes import OpId


def rank(claims: Sequence[Claim]) -> tuple[Explanation, ...]:
    """Sort explanations and number them from 1.

    Minimal before dominated, verified before possible, certain before attainable; then fewer operators, changes that
    invent nothing, fewer side effects, changes that invent less.
    """
    decided = [replace(claim, explanation=_decide_minimal(claim, claims)) for claim in claims]
    ordered = sorted(decided, key=_sort_key)
    return tuple(replace(claim.explanation, rank=number) for number, claim in enumerate(ordered, 1))


def _sort_key(claim: Claim) -> tuple[object, ...]:
    explanation = claim.explanation
    cost = claim.repair.cost if claim.repair is not None else _NO_REPAIR
    return (
        explanation.minimal is False and explanation.verified is True,
        explanation.verified is not True,
        not explanation.certain,
        len(explanation.operators),
        cost[0] > 0,
        _effects(explanation),
        cost,
        explanation.rank,
    )


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
    return one.verified and fewer and _effects(one.explanation)[1] <= _effects(other.explanation)[0]


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
    return _has_fewer(one, other) and _effects(one.explanation)[0] <= _effects(other.explanation)[1]


def _has_fewer(one: Claim, other: Claim) -> bool:
    return one.verified and other.verified and _operators(one) < _operators(other)


def _has_exact_effects(explanation: Explanation) -> bool:
    least, most = _effects(explanation)
    return least == most


def _operators(claim: Claim) -> frozenset[int]:
    return frozenset(operator.id for operator in claim.explanation.operators)


def _effects(explanation: Explanation) -> tuple[int, int]:
    """Return the least and the most rows that are affected; (0, 0) where nothing was counted, so that all are equal."""
    known = explanation.side_effects
    return (0, 0) if known is None else (known.lower, known.upper)
