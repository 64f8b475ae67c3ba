"""Search for fixes: run all proposals at once, then try constants of the data where no witness names one.

The engine that runs plans is handed in: Spark, or in tests the interpreter.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import islice

from sparkwhy.backtrace.backtrace import Conditions
from sparkwhy.backtrace.find_keys import FindKeys, find_no_keys
from sparkwhy.backtrace.selectivity import find_small_groupings
from sparkwhy.explain.candidates import Candidate, Claim
from sparkwhy.explain.model import SideEffects
from sparkwhy.explain.rank import are_nested, undecided_claims
from sparkwhy.explain.repair import Change, Repair
from sparkwhy.fix.context import FixContext
from sparkwhy.fix.effects import bounds_of, bounds_plan, effects_of, effects_plan
from sparkwhy.fix.group_effects import GroupEffects, Seen
from sparkwhy.fix.judge import judge, with_effects
from sparkwhy.fix.propose import Proposals, propose_repairs, propose_with
from sparkwhy.fix.search.constants import (
    ComparedConstant,
    ConstantSearch,
    bound_of,
    compared_constants,
    looser_constants,
    move_bound_to,
    start_search,
    stricter_constants,
)
from sparkwhy.fix.search.longer_limits import find_unranked_limit
from sparkwhy.fix.search.samples import SampleRequest, looking, sampled_share
from sparkwhy.fix.search.sweep import Sweep, read_sweeps, swept
from sparkwhy.fix.verify import AT_ONCE, Outcome, conditions_on_rows, outcome_plan, outcomes_of, returned_attributes
from sparkwhy.limits import DEFAULT_LIMITS, Limits
from sparkwhy.plan.nodes import OpId, Plan
from sparkwhy.plan.traits import is_grouping
from sparkwhy.plan.walk import walk
from sparkwhy.question.values import convert
from sparkwhy.rewrite.split_small import SmallAt
from sparkwhy.spark.engine import Codegen, Engine, Rows

Counting = Callable[[Sequence[Repair]], Mapping[int, SideEffects]]
"""What counts the side effects of repairs, by their number."""


@dataclass(frozen=True)
class FixSearch:
    """The search for fixes of one query."""

    engine: Engine
    query: FixContext
    conditions: Conditions
    large: bool = False
    """Whether a source counts as large: side effects are bounded then instead of compared row by row."""

    find_keys: FindKeys = find_no_keys
    """Finds the keys that join partners must have."""

    limits: Limits = DEFAULT_LIMITS

    _seen: dict[tuple[int, OpId], Sequence[Sequence[str]]] = field(default_factory=dict, repr=False)
    """The values that a filter of an alternative compares, as far as they were asked for."""

    _sparse: set[OpId] = field(default_factory=set, repr=False)
    """The filters of whose values only some were tried."""

    def verdicts(self, claims: Sequence[Claim]) -> tuple[Claim, ...]:
        """Return each explanation with the first of its repairs that returns the row.

        Constants are looked for where one operator is to be changed; where more are, what works for each alone is tried
        together first.
        """
        first = self._judge(claims, [propose_repairs(self.query, claim.candidates) for claim in claims])
        bounds = self._bounds_of([c for c, each in zip(claims, first, strict=True) if not each.verified])

        def proposals_for(claim: Claim) -> Proposals:
            return bounds.get(claim.ops, _NOTHING) + self._combine_changes(claim, first)

        found = self._search_constants(
            claims, first, lambda claim: _changes_one(claim) and claim.ops not in bounds, proposals_for
        )
        if any(one.repair is not other.repair for one, other in zip(found, first, strict=True)):
            found = self._again(claims, found, lambda claim: self._combine_changes(claim, found))
        found = self._search_constants(claims, found, lambda claim: claim.ops in bounds or not _changes_one(claim))
        return self._search_limits(claims, found)

    def _search_limits(self, claims: Sequence[Claim], known: tuple[Claim, ...]) -> tuple[Claim, ...]:
        """Try counts of limits at which the rank of the row is not known, and then smaller ones that work too."""
        limits = {claim.ops: found for claim in claims if (found := find_unranked_limit(self.query, claim)) is not None}

        def propose(ops: tuple[OpId, ...], counts: Sequence[int]) -> Proposals:
            unranked = limits[ops]
            return propose_with(self.query, unranked.candidate, {unranked.limit.id: unranked.changes(counts)})

        longer = self._again(
            claims, known, lambda c: propose(c.ops, limits[c.ops].longer_counts()) if c.ops in limits else _NOTHING
        )
        new = [at for at, each in enumerate(longer) if each.verified and not known[at].verified]
        repairs = {at: repair for at in new if (repair := longer[at].repair) is not None}
        shorter = {
            at: propose(claims[at].ops, limits[claims[at].ops].counts_below(repair, self.limits.constant_repairs))
            for at, repair in repairs.items()
        }
        verdicts = self._judge([claims[at] for at in shorter], list(shorter.values()))
        better = {at: each for at, each in zip(shorter, verdicts, strict=True) if each.verified}
        return tuple(better.get(at, each) for at, each in enumerate(longer))

    def _search_constants(
        self,
        claims: Sequence[Claim],
        known: tuple[Claim, ...],
        chosen: Callable[[Claim], bool],
        others: Callable[[Claim], Proposals] = lambda _: _NOTHING,
    ) -> tuple[Claim, ...]:
        """Try constants of the data, and `others`, for the chosen explanations that have no fix yet."""
        self._look_at(c for c, each in zip(claims, known, strict=True) if not each.verified and chosen(c))

        def propose(claim: Claim) -> Proposals:
            return (self._ladder_repairs(claim) if chosen(claim) else _NOTHING) + others(claim)

        return self._refine_constants(claims, known, self._again(claims, known, propose))

    def _again(
        self, claims: Sequence[Claim], found: tuple[Claim, ...], propose: Callable[[Claim], Proposals]
    ) -> tuple[Claim, ...]:
        """Try further proposals for the explanations that have no fix yet; if these fail, the earlier reason stays."""
        open = [at for at, each in enumerate(found) if not each.verified]
        proposals = {at: propose(claims[at]) for at in open}
        tried = [at for at in open if proposals[at].repairs]
        verdicts = self._judge([claims[at] for at in tried], [proposals[at] for at in tried])
        better = {at: each for at, each in zip(tried, verdicts, strict=True) if each.verified}
        return tuple(better.get(at, each) for at, each in enumerate(found))

    def _judge(self, claims: Sequence[Claim], found: Sequence[Proposals]) -> tuple[Claim, ...]:
        outcomes = self.outcomes(found)
        return tuple(
            judge(self.query, claim, proposals, known, self.conditions)
            for claim, proposals, known in zip(claims, found, outcomes, strict=True)
        )

    def outcomes(self, found: Sequence[Proposals]) -> list[dict[int, Outcome]]:
        """Return what the repairs of each proposal return, by their number."""
        numbered = [(at, i, repair) for at, each in enumerate(found) for i, repair in enumerate(each.repairs)]
        outcomes: list[dict[int, Outcome]] = [{} for _ in found]
        most = 0 if self.large else self.limits.returned_columns
        columns = returned_attributes(self.query.plan, self.conditions, more=most)
        for start in range(0, len(numbered), AT_ONCE):
            batch = numbered[start : start + AT_ONCE]
            repairs = [repair for _, _, repair in batch]
            asked = conditions_on_rows(repairs[0].plan, self.conditions)
            keys = self.find_keys([repair.plan for repair in repairs], asked)
            plan = outcome_plan(repairs, self.conditions, columns, keys, large=self.large)
            for number, outcome in outcomes_of(self._collect_asked(plan), columns, self.query.timezone).items():
                at, i, _ = batch[number]
                outcomes[at][i] = outcome
        return outcomes

    def _collect_asked(self, plan: Plan) -> Rows:
        """Collect the rows of a plan that reads only rows like the one that is asked for, which may be few."""
        return self.engine.collect(plan, small_at=self._small_at, codegen=Codegen.PIECES)

    @cached_property
    def _small_at(self) -> SmallAt:
        return find_small_groupings(self.query.plan, self.conditions)

    def _collect(self, plan: Plan) -> Rows:
        return self.engine.collect(plan, codegen=Codegen.PIECES)

    # --- constants of the data ---

    def _bounds_of(self, claims: Sequence[Claim]) -> dict[tuple[OpId, ...], Proposals]:
        """Bounds of the one filter that explanations blame, by the `ops` of the claim."""
        ladders = {claim.ops: found for claim in claims if (found := self._ladder(claim)) is not None}
        of, sweeps = [], []
        for claim, (candidate, own) in ladders.items():
            made = [sweep for ladder in own if (sweep := Sweep.of(self.query, candidate, ladder)) is not None]
            of += [claim for _ in made]
            sweeps += made
        steps: dict[tuple[OpId, ...], list[Change]] = {}
        for each in islice(swept(sweeps, self.conditions), self.limits.sweeps):
            places, some = each.sweeps, [sweeps[at] for at in each.sweeps]
            keys = self.find_keys(each.readings.plans, each.readings.key_conditions)
            for at, found in read_sweeps(self._collect_asked(each.plan(keys)), some).items():
                steps.setdefault(of[places[at]], []).extend(move_bound_to(some[at].compared, found.values))
        return {
            claim: propose_with(self.query, ladders[claim][0], {ladders[claim][1][0].filter.id: found})
            for claim, found in steps.items()
        }

    def _ladder_repairs(self, claim: Claim) -> Proposals:
        """Return other constants for the one filter that an explanation blames; where there are more, these come
        later.
        """
        found = self._ladder(claim)
        if found is None:
            return _NOTHING
        candidate, own = found
        return propose_with(self.query, candidate, {own[0].filter.id: self._steps(candidate, own)})

    def _ladder(self, claim: Claim) -> tuple[Candidate, tuple[ComparedConstant, ...]] | None:
        """Return the first candidate that blames just one filter with constants, and its comparisons."""
        for candidate in claim.candidates:
            found = compared_constants(self.query, candidate)
            if len({ladder.filter.id for ladder in found}) == 1:
                return candidate, found
        return None

    def _look_at(self, claims: Iterable[Claim]) -> None:
        """Sees how the values are spread that the filters of explanations compare: all of them in one pass."""
        known = [found for claim in claims if (found := self._ladder(claim)) is not None]
        places = {(candidate.alternative, own[0].filter.id): own for candidate, own in known}
        new = {place: SampleRequest(place[0], own) for place, own in places.items() if place not in self._seen}
        self._seen.update(zip(new, self._spread(list(new.values())), strict=True))

    def _spread(self, looks: Sequence[SampleRequest]) -> list[Sequence[Sequence[str]]]:
        """Return a few values of each comparison that is looked at."""
        found: dict[int, Sequence[Sequence[str]]] = {}
        for plan, places in looking(self.query, looks, self.conditions):
            share = sampled_share(self.engine, plan, self.limits)
            columns = iter(self.engine.quantiles(plan, self.limits.constants, share=share))
            found.update({at: [next(columns) for _ in looks[at].compared] for at in places})
        return [found[at] for at in range(len(looks))]

    def _steps(self, candidate: Candidate, found: Sequence[ComparedConstant]) -> list[Change]:
        spread = self._seen[candidate.alternative, found[0].filter.id]
        if any(len(values) >= self.limits.constants for values in spread):
            self._sparse.add(found[0].filter.id)
        pairs = list(zip(found, spread, strict=True))
        bounds = [step for each in pairs for step in looser_constants(self.query, *each)]
        fewer = [step for each in pairs for step in stricter_constants(self.query, *each)]
        return [*bounds, *(step for step in fewer if step not in bounds)]

    def _refine_constants(
        self, claims: Sequence[Claim], before: Sequence[Claim], found: tuple[Claim, ...]
    ) -> tuple[Claim, ...]:
        """Move constants that were found among many values nearer to the old ones, where that is enough."""
        new = [at for at, each in enumerate(found) if each.verified and not before[at].verified]
        searches = {at: search for at in new if (search := self._search(claims[at], found[at])) is not None}
        refined = dict(enumerate(found))
        for _ in range(self.limits.constant_rounds):
            values = dict(zip(searches, self._between(list(searches.values())), strict=True))
            searches = {at: search for at, search in searches.items() if values[at]}
            proposals = [self._propose_values(searches[at], values[at]) for at in searches]
            verdicts = self._judge([claims[at] for at in searches], proposals)
            nearer = {at: each for at, each in zip(searches, verdicts, strict=True) if each.verified}
            refined.update(nearer)
            searches = {at: self._narrow_search(searches[at], each, values[at]) for at, each in nearer.items()}
        return tuple(refined[at] for at in range(len(found)))

    def _search(self, claim: Claim, found: Claim) -> ConstantSearch | None:
        """Return what is between the old constant of the one filter that was changed, and the new one."""
        steps = [step for step in found.repair.changes if step.node is not None] if found.repair is not None else []
        if len(steps) != 1 or steps[0].op not in self._sparse or steps[0].node is None or found.repair is None:
            return None
        own = (each for each in claim.candidates if each.alternative == found.repair.alternative)
        candidate = next(own)
        known = compared_constants(self.query, candidate)
        search = start_search(known, candidate, steps[0].node)
        place = candidate.alternative, steps[0].op
        if search is None or place not in self._seen:
            return None
        values = self._seen[place][known.index(search.compared)]
        return self._narrow_search(search, found, values)

    def _between(self, searches: Sequence[ConstantSearch]) -> list[Sequence[str]]:
        looks = [SampleRequest(each.candidate.alternative, (each.compared,), (each.between,)) for each in searches]
        return [values for (values,) in self._spread(looks)]

    def _propose_values(self, search: ConstantSearch, values: Sequence[str]) -> Proposals:
        steps = looser_constants(self.query, search.compared, values)
        return propose_with(self.query, search.candidate, {search.compared.filter.id: steps})

    def _narrow_search(self, search: ConstantSearch, found: Claim, values: Sequence[str]) -> ConstantSearch:
        steps = found.repair.changes if found.repair is not None else ()
        working = next(bound_of(search.compared, each.node) for each in steps if each.node is not None)
        side = search.compared.side.type
        return search.narrow(working, [convert(text, side, self.query.timezone) for text in values])

    def _combine_changes(self, claim: Claim, found: Sequence[Claim]) -> Proposals:
        """Return what worked for operators alone, together."""
        worked: dict[OpId, list[Change]] = {}
        for each in found:
            for step in each.repair.changes if each.repair is not None else ():
                if step.node is not None:
                    worked.setdefault(step.op, []).append(step)
        for candidate in claim.candidates:
            blamed = {dropper.op for dropper in self.query.bits.droppers(candidate.blame, candidate.alternative)}
            known = {op: steps[:2] for op, steps in worked.items() if op in blamed}
            if known:
                return propose_with(self.query, candidate, known)
        return _NOTHING

    # --- side effects ---

    def with_effects(self, found: Sequence[Claim], *, examples: bool = False) -> tuple[Claim, ...]:
        """Return the explanations with the side effects of their repairs.

        On large data, rows that enter and leave are counted without comparing their values, unless examples are wanted.
        But a group that changes leaves the result and enters it again. Where something depends on its values, only they
        tell more.
        """
        repairs = [each.repair for each in found if each.repair is not None]
        closely = are_nested(found)
        grouped = GroupEffects.of(self.query.plan, repairs, self.conditions, closely=closely)
        if grouped is not None and (grouped.tells_changes or not closely):
            count: Counting | None = partial(self._group_bounds, closely=closely)
        else:  # what leaves open which explanation is minimal would be counted in vain
            count = None if any(map(is_grouping, walk(self.query.plan))) else self._bounds
        if examples or not self.large or count is None:
            return self._with_exact_effects(found, examples=examples)
        return self._with_bounds(found, count)

    def _with_bounds(self, found: Sequence[Claim], count: Counting) -> tuple[Claim, ...]:
        """Return the claims with bounds on side effects; exact where that decides whether one dominates another."""
        bounded = with_effects(found, self._effects_by_claim(found, count))
        exact = {claim.ops: claim for claim in self._with_exact_effects(undecided_claims(bounded))}
        return tuple(exact.get(claim.ops, claim) for claim in bounded)

    def _with_exact_effects(self, found: Sequence[Claim], *, examples: bool = False) -> tuple[Claim, ...]:
        """Return the claims with exact side effects."""
        return with_effects(
            found, self._effects_by_claim(found, partial(self._effects, examples=examples)), examples=examples
        )

    def _effects_by_claim(self, found: Sequence[Claim], count: Counting) -> dict[tuple[OpId, ...], SideEffects]:
        """Return what is counted of the repair of each claim, by the `ops` of the claim."""
        repairs = [(claim.ops, claim.repair) for claim in found if claim.repair is not None]
        known: dict[tuple[OpId, ...], SideEffects] = {}
        for start in range(0, len(repairs), AT_ONCE):
            batch = repairs[start : start + AT_ONCE]
            known.update({batch[i][0]: each for i, each in count([repair for _, repair in batch]).items()})
        return known

    def _effects(self, repairs: Sequence[Repair], *, examples: bool) -> Mapping[int, SideEffects]:
        plan = effects_plan(self.query.plan, repairs, self.conditions, examples=examples, large=self.large)
        return effects_of(self.query.plan, len(repairs), self._collect(plan), self.query.timezone)

    def _bounds(self, repairs: Sequence[Repair]) -> Mapping[int, SideEffects]:
        plan = bounds_plan(self.query.plan, repairs, self.conditions)
        return bounds_of(len(repairs), self._collect(plan))

    def _group_bounds(self, repairs: Sequence[Repair], *, closely: bool) -> Mapping[int, SideEffects]:
        groups = GroupEffects.of(self.query.plan, repairs, self.conditions, closely=closely)
        assert groups is not None, "what all repairs have, some have"
        plan = groups.counting()
        return groups.effects(() if plan is None else (Seen(*row) for row in self._collect(plan)))


_NOTHING: Proposals = Proposals()


def _changes_one(claim: Claim) -> bool:
    """Return whether an explanation changes one operator."""
    return len(claim.explanation.operators) == 1
