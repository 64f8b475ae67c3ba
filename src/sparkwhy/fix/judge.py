"""Explanations with the fix that was seen to work, or with the reason why none did; and their order."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import permutations

from sparkwhy.backtrace.backtrace import Conditions
from sparkwhy.explain.candidates import Claim, explain
from sparkwhy.explain.model import Explanation, SideEffects
from sparkwhy.fix.context import FixContext
from sparkwhy.fix.propose import Proposals
from sparkwhy.fix.repair import Repair
from sparkwhy.fix.verify import Outcome, returned, shortfall

_NOTHING_KNOWN = "no change of its constants is known that would let the row through"


@dataclass(frozen=True)
class Judged:
    """An explanation and the repair behind its fixes, if it has one."""

    explanation: Explanation
    repair: Repair | None = None

    @property
    def verified(self) -> bool:
        return self.explanation.verified is True


def judged(
    query: FixContext, claim: Claim, found: Proposals, outcomes: Mapping[int, Outcome], conditions: Conditions
) -> Judged:
    """The explanation with the first repair that works; or with the first that was tried, and what it lacks."""
    working = [(r, outcomes[i]) for i, r in enumerate(found.repairs) if i in outcomes and outcomes[i].matches]
    if working:
        repair, outcome = working[0]
        told = _told(query, claim, repair)
        return Judged(replace(told, verified=True, reason=None, returned=returned(repair, outcome)), repair)
    if found.repairs:
        first = found.repairs[0]
        reason = shortfall(first, outcomes.get(0), conditions)
        return Judged(replace(_told(query, claim, first), verified=False, reason=reason))
    reason = "; ".join(found.reasons) or _NOTHING_KNOWN
    return Judged(replace(claim.explanation, verified=False, reason=reason))


def _told(query: FixContext, claim: Claim, repair: Repair) -> Explanation:
    """The explanation with these fixes, told for the alternative that they belong to."""
    told = replace(claim.explanation, fixes=repair.fixes)
    if query.alternatives[repair.alternative].plan is told.plan:
        return told
    own = [candidate for candidate in claim.candidates if candidate.alternative == repair.alternative]
    (under,) = explain(query.alternatives, query.bits, own)
    return replace(under.explanation, fixes=repair.fixes, rank=told.rank, certain=told.certain)


def confirmed(found: Sequence[Judged], failure: Callable[[Repair], str | None]) -> tuple[Judged, ...]:
    """The explanations, without the fixes under which the query fails on some value."""

    def told(each: Judged) -> Judged:
        why = None if each.repair is None else failure(each.repair)
        if why is None:
            return each
        reason = f"under this change the query fails: {why}"
        return Judged(replace(each.explanation, verified=False, reason=reason))

    return tuple(map(told, found))


def with_effects(
    found: Sequence[Judged], effects: Mapping[int, SideEffects], *, examples: bool = False
) -> tuple[Judged, ...]:
    """The explanations with the side effects of their repairs, numbered among those that have one."""
    numbers = {id(each): n for n, each in enumerate(each for each in found if each.repair is not None)}

    def told(each: Judged) -> Judged:
        known = effects.get(numbers.get(id(each), -1))
        if known is None:
            return each
        shown = known if examples else replace(known, added_rows=(), removed_rows=())
        return replace(each, explanation=replace(each.explanation, side_effects=shown))

    return tuple(told(each) for each in found)


def are_nested(found: Sequence[Judged]) -> bool:
    """Whether some explanation changes a part of the operators of another, so that it may dominate it."""
    return any(_has_fewer(one, other) for one, other in permutations(found, 2))


def _has_fewer(one: Judged, other: Judged) -> bool:
    return one.verified and other.verified and _operators(one.explanation) < _operators(other.explanation)


def undecided(found: Sequence[Judged]) -> tuple[Judged, ...]:
    """The explanations of which bounds on side effects leave open whether one dominates another."""
    open: dict[int, Judged] = {}
    for one, other in permutations(found, 2):
        if _may_dominate(one, other) and not _dominates(one, other):
            open.update({id(one): one, id(other): other})
    return tuple(each for each in open.values() if not _is_exact(each.explanation))


def _may_dominate(one: Judged, other: Judged) -> bool:
    return _has_fewer(one, other) and _effects(one.explanation)[0] <= _effects(other.explanation)[1]


def _is_exact(explanation: Explanation) -> bool:
    least, most = _effects(explanation)
    return least == most


# --- minimal, and the order ---


def ranked(found: Sequence[Judged]) -> tuple[Explanation, ...]:
    """The explanations in the order in which they are told.

    Minimal before dominated, verified before possible, certain before attainable; then fewer operators, changes that
    invent nothing, fewer side effects, changes that invent less.
    """
    told = [replace(each, explanation=_with_minimal(each, found)) for each in found]
    ordered = sorted(told, key=_order)
    return tuple(replace(each.explanation, rank=rank) for rank, each in enumerate(ordered, 1))


def _with_minimal(each: Judged, found: Sequence[Judged]) -> Explanation:
    if each.explanation.verified is None:
        return each.explanation
    dominated = any(_dominates(other, each) for other in found)
    return replace(each.explanation, minimal=each.verified and not dominated)


def _dominates(one: Judged, other: Judged) -> bool:
    """Whether a verified explanation changes only operators of another, fewer, and has no more side effects."""
    less, more = (_operators(e.explanation) for e in (one, other))
    return one.verified and less < more and _effects(one.explanation)[1] <= _effects(other.explanation)[0]


def _operators(explanation: Explanation) -> frozenset[int]:
    return frozenset(operator.id for operator in explanation.operators)


def _effects(explanation: Explanation) -> tuple[int, int]:
    """At least and at most; where nothing was counted, nothing tells two explanations apart."""
    known = explanation.side_effects
    return (0, 0) if known is None else (known.lower, known.upper)


def _order(each: Judged) -> tuple[object, ...]:
    told = each.explanation
    cost = each.repair.cost if each.repair is not None else (9, 9)
    return (
        told.minimal is False and told.verified is True,
        told.verified is not True,
        not told.certain,
        len(told.operators),
        cost[0] > 0,
        _effects(told),
        cost,
        told.rank,
    )


def shown(found: Sequence[Judged]) -> tuple[tuple[Judged, ...], tuple[Judged, ...]]:
    """What is an explanation, and what was only tried: values within reach for which no change was found that works."""
    kept = tuple(each for each in found if each.explanation.certain or each.verified)
    return kept, tuple(each for each in found if each not in kept)
