"""Fixes with fewer side effects for the same operators, and fixes without changes that are not needed.

An explanation is a set of operators, and its side effects are those of the best way to change them. So where a fix has
side effects, the tightest forms of its filters are tried too (`proposals/tight_conditions.py`), for every witness.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice

from sparkwhy.explain.candidates import Claim
from sparkwhy.explain.model import Explanation, RunnerUp
from sparkwhy.explain.rank import effect_bounds
from sparkwhy.explain.repair import Change, Repair
from sparkwhy.fix.context import FixContext
from sparkwhy.fix.kinds import cost_of, costliest
from sparkwhy.fix.proposals.tight_conditions import tight_forms
from sparkwhy.fix.propose import Proposals, apply_changes
from sparkwhy.fix.search.search import FixSearch
from sparkwhy.fix.verify import returned_row
from sparkwhy.plan.nodes import Filter, OpId
from sparkwhy.plan.walk import walk
from sparkwhy.trace.witness import Observation


def tighten_fixes(search: FixSearch, claims: tuple[Claim, ...], *, examples: bool = False) -> tuple[Claim, ...]:
    """Return the claims, each with the fix that has the fewest side effects, and the runner-up.

    Only the first claims that have side effects are looked at, because each form is one more query to evaluate.
    """
    disturbing = [claim for claim in claims if claim.repair is not None and effect_bounds(claim.explanation)[0] > 0]
    chosen = disturbing[: search.limits.tightened]
    tried = [(claim, repair) for claim in chosen for repair in _tighter_repairs(search, claim)]
    working = [_with_repair(claim, *found) for claim, found in _working(search, tried)]
    if not working:
        return claims
    counted = search.with_effects(_number_apart(working), examples=examples)
    return tuple(_choose(claim, [each for each in counted if _is_about(each, claim)]) for claim in claims)


def _working(
    search: FixSearch, tried: Sequence[tuple[Claim, Repair]]
) -> Iterator[tuple[Claim, tuple[Repair, Explanation]]]:
    """Yield the claims with those repairs that return the row."""
    outcomes = search.outcomes([Proposals((repair,)) for _, repair in tried])
    for (claim, repair), found in zip(tried, outcomes, strict=True):
        if 0 in found and found[0].matches:
            shown = replace(claim.explanation, fixes=repair.fixes, returned=returned_row(repair, found[0]))
            yield claim, (repair, replace(shown, side_effects=None))


def _with_repair(claim: Claim, repair: Repair, explanation: Explanation) -> Claim:
    return replace(claim, repair=repair, explanation=explanation)


def _number_apart(claims: Sequence[Claim]) -> list[Claim]:
    """Return several fixes of the same operators as claims of their own: side effects are counted by their `ops`."""
    return [replace(each, ops=(*each.ops, OpId(0, number))) for number, each in enumerate(claims)]


def _is_about(numbered: Claim, claim: Claim) -> bool:
    return numbered.ops[:-1] == claim.ops


def _tighter_repairs(search: FixSearch, claim: Claim) -> list[Repair]:
    """Return the repair of a claim with tighter forms of its filters, for each of its witnesses."""
    repair = claim.repair
    assert repair is not None
    filters = {each.op: each for each in repair.changes if isinstance(each.node, Filter)}
    found: dict[tuple[str, ...], Repair] = {}
    for witness in claim.explanation.witnesses:
        forms = {
            op: list(_tighter_changes(search.query, repair.alternative, each, witness.at.get(op.step)))
            for op, each in filters.items()
        }
        for number in range(max(map(len, forms.values()), default=0)):
            changes = [
                forms[each.op][number] if len(forms.get(each.op, ())) > number else each for each in repair.changes
            ]
            tighter = apply_changes(search.query, repair.alternative, changes)
            found.setdefault(tuple(fix.after for fix in tighter.fixes), tighter)
    known = tuple(fix.after for fix in repair.fixes)
    return list(islice((each for after, each in found.items() if after != known), search.limits.repairs))


def _tighter_changes(
    context: FixContext, alternative: int, change: Change, observation: Observation | None
) -> Iterator[Change]:
    old = next(node for node in walk(context.alternatives[alternative].plan) if node.id == change.op)
    if observation is None or not isinstance(old, Filter) or not isinstance(change.node, Filter):
        return
    for form in tight_forms(context, old, change.node, observation):
        yield Change(change.op, costliest((form.kind, change.kind)), replace(old, condition=form.condition))


def _choose(claim: Claim, others: Sequence[Claim]) -> Claim:
    """Return the claim with the best fix that keeps the form of the query, and with another one as the runner-up.

    A second condition (`d >= 10 or d = 3`) disturbs least by construction, but says that the value is an exception. The
    runner-up is the fix that was found first, if it is not the best; or one that adds a condition to the query, if
    it has fewer side effects.
    """
    ordered = sorted(others, key=lambda each: (effect_bounds(each.explanation), _cost(each)))
    keeping = [each for each in ordered if _cost(each)[0] < cost_of("other") and _is_better(each, claim)]
    if keeping:
        best = replace(keeping[0], ops=claim.ops)
        return _with_runner_up(best, claim)
    adding = [each for each in ordered if _is_better(each, claim)]
    return _with_runner_up(claim, adding[0]) if adding else claim


def _cost(claim: Claim) -> tuple[int, int]:
    assert claim.repair is not None
    return claim.repair.cost


def _is_better(one: Claim, other: Claim) -> bool:
    return effect_bounds(one.explanation)[1] < effect_bounds(other.explanation)[0]


def _with_runner_up(claim: Claim, other: Claim) -> Claim:
    effects = other.explanation.side_effects
    assert effects is not None
    return replace(claim, explanation=replace(claim.explanation, runner_up=RunnerUp(other.explanation.fixes, effects)))


# --- changes that are not needed ---


def drop_needless_changes(search: FixSearch, claims: tuple[Claim, ...]) -> tuple[Claim, ...]:
    """Return the claims without changes that their fixes do not need.

    Values within reach may take some of the changes only; with just certain operators relaxed all of them are needed.
    A claim that becomes another one is dropped.
    """
    open = [claim for claim in claims if claim.repair is not None and not claim.explanation.certain]
    tried = [
        (claim, _leave_out(search.query, claim.repair, change))
        for claim in open
        if claim.repair is not None and len(claim.repair.changes) > 1
        for change in claim.repair.changes
    ]
    reduced = {claim.ops: _reduce(claim, *found) for claim, found in _working(search, tried)}
    known = {claim.ops for claim in claims if claim.ops not in reduced}
    found: dict[tuple[OpId, ...], Claim] = {}
    for claim in claims:
        smaller = reduced.get(claim.ops, claim)
        if smaller is claim or smaller.ops not in known:
            found.setdefault(smaller.ops, smaller)
    return tuple(found.values())


def _leave_out(context: FixContext, repair: Repair, change: Change) -> Repair:
    return apply_changes(context, repair.alternative, [each for each in repair.changes if each is not change])


def _reduce(claim: Claim, repair: Repair, explanation: Explanation) -> Claim:
    """Return the claim about just the operators that a repair changes."""
    steps = {fix.operator.id for fix in repair.fixes}
    operators = tuple(each for each in explanation.operators if each.id in steps)
    ops = tuple(op for op in claim.ops if op.step in steps)
    return replace(claim, ops=ops, repair=repair, explanation=replace(explanation, operators=operators))
