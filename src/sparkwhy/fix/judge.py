"""Claims with the fix that was seen to work, or with the reason why none did; and with its side effects."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from sparkwhy.backtrace.backtrace import Conditions
from sparkwhy.explain.candidates import Claim, explain
from sparkwhy.explain.model import Explanation, SideEffects
from sparkwhy.explain.repair import Repair
from sparkwhy.fix.context import FixContext
from sparkwhy.fix.propose import Proposals
from sparkwhy.fix.verify import Outcome, returned_row, shortfall
from sparkwhy.messages import Message, join_reasons
from sparkwhy.plan.nodes import OpId


def judge(
    context: FixContext, claim: Claim, proposals: Proposals, outcomes: Mapping[int, Outcome], conditions: Conditions
) -> Claim:
    """Return the claim with the first repair that works; or with the fixes of the first one, and what they lack.

    `outcomes` says what the repairs returned, by their place in the proposals.
    """
    working = [(r, outcomes[i]) for i, r in enumerate(proposals.repairs) if i in outcomes and outcomes[i].matches]
    if working:
        repair, outcome = working[0]
        fixed = replace(_with_fixes(context, claim, repair), verified=True, reason=None)
        return replace(claim, repair=repair, explanation=replace(fixed, returned=returned_row(repair, outcome)))
    if proposals.repairs:
        first = proposals.repairs[0]
        return _fail(claim, _with_fixes(context, claim, first), shortfall(first, outcomes.get(0), conditions), first)
    return _fail(claim, claim.explanation, join_reasons(proposals.reasons) or Message("no_constant_known"), None)


def _fail(claim: Claim, explanation: Explanation, reason: Message, failed: Repair | None) -> Claim:
    """Return the claim without a repair that works, and why; `failed` is the one that its fixes show, if any."""
    return replace(claim, repair=None, failed=failed, explanation=replace(explanation, verified=False, reason=reason))


def _with_fixes(context: FixContext, claim: Claim, repair: Repair) -> Explanation:
    """Return the explanation with the fixes of a repair, for the query variant that they belong to."""
    explanation = replace(claim.explanation, fixes=repair.fixes)
    if context.alternatives[repair.alternative].plan is explanation.plan:
        return explanation
    own = [candidate for candidate in claim.candidates if candidate.alternative == repair.alternative]
    (variant,) = explain(context.alternatives, context.bits, own)
    return replace(variant.explanation, fixes=repair.fixes, rank=explanation.rank, certain=explanation.certain)


def reject_failing(claims: Sequence[Claim], failure_of: Callable[[Repair], str | None]) -> tuple[Claim, ...]:
    """Return the claims without the repairs under which the query fails on some value."""

    def check(claim: Claim) -> Claim:
        failure = None if claim.repair is None else failure_of(claim.repair)
        if failure is None:
            return claim
        return _fail(claim, claim.explanation, Message("change_fails", condition=failure), claim.repair)

    return tuple(map(check, claims))


def with_effects(
    claims: Sequence[Claim], effects: Mapping[tuple[OpId, ...], SideEffects], *, examples: bool = False
) -> tuple[Claim, ...]:
    """Return the claims with the side effects of their repairs, which are given by the `ops` of a claim."""

    def attach(claim: Claim) -> Claim:
        known = effects.get(claim.ops)
        if known is None:
            return claim
        shown = known if examples else replace(known, added_rows=(), removed_rows=())
        return replace(claim, explanation=replace(claim.explanation, side_effects=shown))

    return tuple(map(attach, claims))
