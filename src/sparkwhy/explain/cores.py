"""Cores and what is shown under them.

A core is an explanation of which no part does it. An explanation that changes more operators extends it. One that keeps
a row without its partner, while another explanation brings this partner back, is shown under that one: the join is not
to blame for a row that an operator below it drops.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import product

from sparkwhy.backtrace.selectivity import attributes_from_groups
from sparkwhy.explain.candidates import Claim
from sparkwhy.explain.model import Explanation, column_names
from sparkwhy.plan.nodes import Join, OpId, Plan
from sparkwhy.plan.show import main_nodes
from sparkwhy.plan.walk import walk
from sparkwhy.trace.witness import Row, Witness

Under = Mapping[tuple[OpId, ...], tuple[Claim, ...]]
"""For each claim, by its `ops`, the claims that it extends, or that bring back the partner which it does without."""


def steps_of(explanation: Explanation) -> frozenset[int]:
    """Return the operators of an explanation, by their numbers in the plan."""
    return frozenset(operator.id for operator in explanation.operators)


def find_under(claims: Sequence[Claim]) -> Under:
    """Find the claims under which each claim can be shown."""
    return {
        claim.ops: tuple(other for other in claims if extends(claim, other) or lacks_partner_of(claim, other))
        for claim in claims
    }


def extends(claim: Claim, other: Claim) -> bool:
    """Return whether a claim changes all operators of another one and more."""
    return steps_of(other.explanation) < steps_of(claim.explanation)


def is_folded(claim: Claim, under: Under) -> bool:
    """Return whether a claim is shown in one line: something under it does with less.

    A fix that works is shown in full beside explanations that have none, and so is one with strictly fewer side effects
    than every part of it has.
    """
    if not claim.verified:
        return bool(under[claim.ops])
    lacking = any(each.verified and not extends(claim, each) for each in under[claim.ops])
    return lacking or claim.explanation.minimal is False


def cores_of(claim: Claim, under: Under) -> frozenset[tuple[OpId, ...]]:
    """Return the `ops` of the cores that a claim leads to, itself left out."""
    found: dict[tuple[OpId, ...], None] = {}
    waiting = [each.ops for each in under[claim.ops]]
    while waiting:
        ops = waiting.pop()
        if ops not in found:
            found[ops] = None
            waiting += [each.ops for each in under[ops]]
    return frozenset(ops for ops in found if not under[ops])


# --- rows without a partner ---


def lacks_partner_of(claim: Claim, other: Claim) -> bool:
    """Return whether a claim keeps a row without its partner, and another claim brings this partner back.

    The other one changes operators below the join, on the side of the partner, and nothing else that the claim leaves
    as it is; and its rows are the same where they are not padded.
    """
    one, two = claim.explanation, other.explanation
    if one.alternative != two.alternative or not one.witnesses:
        return False
    nodes = main_nodes(one.plan)
    found = [
        any(_brings_back(one, two, witness, *each) for each in _partner_sides(one, witness, nodes))
        for witness in one.witnesses
    ]
    # of many rows the witnesses need not be the same ones
    return all(found) or (any(found) and one.count <= two.count)


def _partner_sides(explanation: Explanation, witness: Witness, nodes: Mapping[int, Plan]) -> Iterable[tuple[int, Plan]]:
    """Yield the joins of an explanation that had no partner for a witness, each with the side that lacks it."""
    for step in steps_of(explanation):
        node, seen = nodes.get(step), witness.at.get(step)
        if isinstance(node, Join) and node.traits.pairs and seen is not None and seen.no_partner is not None:
            yield step, node.left if seen.no_partner == "left" else node.right


def _brings_back(one: Explanation, other: Explanation, padded: Witness, join: int, side: Plan) -> bool:
    below = {node.id.step for node in walk(side)}
    inside, outside = steps_of(other) & below, steps_of(other) - below
    if not inside or not outside <= steps_of(one) - {join}:
        return False
    computed = attributes_from_groups(one.plan)
    names = zip(column_names(one.plan), one.plan.output, strict=True)
    compared = [name for name, attribute in names if attribute not in computed]
    return any(_agree(padded.row, witness.row, compared) for witness in other.witnesses)


def _agree(padded: Row, row: Row, names: Iterable[str]) -> bool:
    """Return whether a row has the values of a padded one, wherever that one is not padded."""
    return all(row.get(name) == padded[name] for name in names if padded.get(name) is not None)


def pads_with_nulls(claim: Claim) -> bool:
    """Return whether a claim lets a row through only by padding it: a join without a partner, an explode of nothing."""
    if claim.repair is not None:
        return bool(claim.repair.relaxed)
    nodes, steps = main_nodes(claim.explanation.plan), steps_of(claim.explanation)
    return any(
        _is_padded(nodes.get(step), witness, step) for step, witness in product(steps, claim.explanation.witnesses)
    )


def _is_padded(node: Plan | None, witness: Witness, step: int) -> bool:
    seen = witness.at.get(step)
    if seen is None:
        return False
    pairs = isinstance(node, Join) and node.traits.pairs
    return bool(seen.collections) or (pairs and seen.no_partner is not None)
