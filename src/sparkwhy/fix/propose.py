"""Repairs of a query: for every operator of an explanation a concrete change, the cheapest together first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice, product

from sparkwhy.explain.candidates import Candidate
from sparkwhy.explain.model import Fix, FixKind, Operator
from sparkwhy.explain.repair import Change, Repair
from sparkwhy.fix.context import Blamed, FixContext, blame
from sparkwhy.fix.kinds import costliest, total_cost
from sparkwhy.fix.proposals import filter_condition, longer_limit, other_column, outer_flatten, outer_join
from sparkwhy.fix.proposals.reasons import reasons_for
from sparkwhy.messages import Message
from sparkwhy.plan.nodes import OpId, Plan
from sparkwhy.plan.show import show_bare, show_op
from sparkwhy.plan.uses import as_use, change_all_uses, uses_of
from sparkwhy.plan.walk import walk
from sparkwhy.trace.blame import Dropper
from sparkwhy.trace.relax import relax
from sparkwhy.trace.witness import Observation

Proposer = Callable[[FixContext, Blamed], Iterator[Change]]

PROPOSERS: tuple[Proposer, ...] = (
    other_column.propose,
    outer_flatten.propose,
    outer_join.propose,
    longer_limit.propose,
    filter_condition.propose,
)
"""All ways to change an operator; their changes are tried in this order."""


@dataclass(frozen=True)
class Proposals:
    """The repairs of an explanation; if an operator has none, why."""

    repairs: tuple[Repair, ...] = ()
    reasons: tuple[Message, ...] = ()

    def __add__(self, other: Proposals) -> Proposals:
        return Proposals(self.repairs + other.repairs, self.reasons + other.reasons)


def propose_repairs(context: FixContext, candidates: Sequence[Candidate]) -> Proposals:
    """Propose repairs for the candidates of one explanation, the cheapest first; each changed query once."""
    found: dict[tuple[str, ...], Repair] = {}
    reasons: dict[Message, None] = {}
    for candidate in candidates:
        for blamed in _operators_by_witness(context, candidate):
            choices = [_changes(context, each) for each in blamed]
            if all(choices):
                for changes in islice(product(*choices), context.limits.repairs):
                    repair = apply_changes(context, candidate.alternative, changes)
                    found.setdefault(tuple(fix.after for fix in repair.fixes), repair)
            else:
                stuck = (uses for uses, changes in zip(blamed, choices, strict=True) if not changes)
                reasons.update(dict.fromkeys(why for uses in stuck for why in reasons_for(context, uses[0])))
    ordered = sorted(found.values(), key=lambda repair: repair.cost)
    return Proposals(tuple(ordered[: context.limits.repairs]), tuple(reasons))


def propose_with(context: FixContext, candidate: Candidate, known: Mapping[OpId, Sequence[Change]]) -> Proposals:
    """Propose repairs in which operators take one of these changes, and the others the first of their own."""
    at: Mapping[int, Observation] = next((witness.at for witness in candidate.witnesses), {})
    choices = [
        known[uses[0].node.first_use] if uses[0].node.first_use in known else _changes(context, uses)[:1]
        for uses in _operators_blamed(context, candidate, at)
    ]
    chosen = islice(product(*choices), context.limits.constant_repairs)
    return Proposals(tuple(apply_changes(context, candidate.alternative, changes) for changes in chosen))


Uses = tuple[Blamed, ...]
"""The uses of one operator at which a witness was dropped; the first use, if nothing was recorded at any."""


def _changes(context: FixContext, uses: Uses) -> tuple[Change, ...]:
    """Return the changes of an operator that one of its uses asks for, as changes of the first use."""
    found = [(each.node, change) for propose in PROPOSERS for each in uses for change in propose(context, each)]
    return tuple(_as_written(context, uses[0].variant, *each) for each in found)


def _as_written(context: FixContext, variant: int, use: Plan, change: Change) -> Change:
    if use.use_of is None:
        return change
    first = next(node for node in walk(context.alternatives[variant].plan) if node.id == use.first_use)
    return replace(change, op=first.id, node=None if change.node is None else as_use(change.node, first, use))


def _operators_by_witness(context: FixContext, candidate: Candidate) -> Iterator[list[Uses]]:
    """Yield the operators that a candidate blames, once for each of its witnesses."""
    for witness in candidate.witnesses:
        yield _operators_blamed(context, candidate, witness.at)


def _operators_blamed(context: FixContext, candidate: Candidate, at: Mapping[int, Observation]) -> list[Uses]:
    variant = candidate.alternative
    uses = uses_of(context.alternatives[variant].plan)

    def blamed_uses(dropper: Dropper) -> Uses:
        seen = [node for node in uses[dropper.op] if node.id.step in at] or uses[dropper.op][:1]
        return tuple(blame(context, node, dropper, variant, at.get(node.id.step)) for node in seen)

    return [blamed_uses(each) for each in context.bits.droppers(candidate.blame, variant)]


# --- changes as a changed query ---


def apply_changes(context: FixContext, alternative: int, changes: Sequence[Change]) -> Repair:
    """Return the query variant with these changes, and the fixes as a user would write them."""
    variant = context.alternatives[alternative]
    nodes = {change.op: change.node for change in changes if change.node is not None}
    plan = change_all_uses(variant.plan, nodes)
    relaxed = frozenset(change.relaxed for change in changes if change.relaxed is not None)
    kinds: dict[int, FixKind] = {id.step: variant.kind for id in variant.changed}
    for change in changes:
        kinds[change.op.step] = costliest((kinds.get(change.op.step, "attribute"), change.kind))
    fixes = fixes_of(context.plan, relax(plan, relaxed), kinds)
    cost = total_cost(fix.kind for fix in fixes)
    return Repair(plan, relaxed, fixes, tuple(changes), alternative, cost)


def fixes_of(before: Plan, after: Plan, kinds: Mapping[int, FixKind]) -> tuple[Fix, ...]:
    """Return the changes, one for each operation of the user, in reading order."""
    return tuple(_fixes(before, after, kinds))


def _fixes(before: Plan, after: Plan, kinds: Mapping[int, FixKind]) -> Iterator[Fix]:
    new = {node.id: node for node in walk(after)}
    for node in walk(before):
        if node.id.step in kinds and not node.id.part:
            changed = changed_node(before, new, node)
            now = show_op(new[changed.id]) if changed.id in new else "nothing"
            bare = show_bare(changed, new[changed.id]) if changed.id in new else None
            yield Fix(Operator.of(node), show_op(changed), now, kinds[node.id.step], bare=bare)


def changed_node(before: Plan, new: Mapping[OpId, Plan], node: Plan) -> Plan:
    """Return the part of an operation that shows the change: a projection that Spark made of it, or itself."""
    parts = [each for each in walk(before) if each.id.step == node.id.step]
    return next((each for each in parts if each.id in new and show_op(new[each.id]) != show_op(each)), node)
