"""Rows that a join keeps apart because their keys are written differently: `'c-003'` and `'C-003'`.

The query is traced once more, with variants in which the join compares keys in the same form. So such pairs are found
below groups, windows and outer joins, and together with other operators that drop them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, product
from typing import TypeAlias

from sparkwhy.alternatives.variant import Alternatives, QueryVariant
from sparkwhy.backtrace.backtrace import Conditions, backtrace
from sparkwhy.errors import TooManyOperators
from sparkwhy.evidence.near_keys import NearKeys, find_near_keys, merged_keys
from sparkwhy.evidence.normalizing import normalize
from sparkwhy.evidence.probes import constants_for
from sparkwhy.explain.candidates import Candidate, Claim, explain
from sparkwhy.explain.find_candidates import find_candidates
from sparkwhy.explain.model import Fix, Operator, column_names
from sparkwhy.fix.context import FixContext
from sparkwhy.fix.search.search import FixSearch
from sparkwhy.plan.build import call
from sparkwhy.plan.exprs import And, Compare, Expr, Ref, conjuncts
from sparkwhy.plan.join_keys import as_key
from sparkwhy.plan.join_types import PAIRING_TYPES
from sparkwhy.plan.nodes import Column, Join, OpId, Plan, Project
from sparkwhy.plan.show import names_for, show_expr
from sparkwhy.plan.walk import fold, walk, with_inputs
from sparkwhy.plan.walk_exprs import parts, rewrite
from sparkwhy.trace.encode import print_value
from sparkwhy.trace.witness import Observation, Observations, Witness


@dataclass(frozen=True)
class NormalizedJoin:
    """A join with its keys in the same form, and the pairs of keys for which that makes a difference.

    `keeps_right`: the key of a join on names is that of the right side, because the question has it in that form.
    """

    join: Join
    near: tuple[NearKeys, ...]
    keeps_right: bool = False

    @property
    def changes(self) -> tuple[tuple[str, ...], ...]:
        return self.near[0].changes


def explain_near_keys(search: FixSearch, known: Sequence[Claim], *, verify: bool) -> tuple[Claim, ...]:
    """Return explanations in which a join compares its keys in another form, with what else has to change.

    One with a part that explains the row already, as one of the `known` does, is left out.
    """
    plan = search.query.plan
    ways = tuple(islice(_ways(search), search.limits.normalized_joins))
    if not ways:
        return ()
    variants = (QueryVariant({}, plan, ()), *(_variant(plan, each) for each in ways))
    try:
        found = find_candidates(
            search.engine,
            Alternatives(variants, ()),
            search.conditions,
            search.limits,
            large=search.large,
            find_keys=search.find_keys,
        )
    except TooManyOperators:
        return ()
    bits = found.traced.bits
    claims = explain(variants, bits, filter(_needs_variant, found.found), search.limits)
    needed = _drop_needless(claims, known, {each.join.id for way in ways for each in way})
    if verify:
        context = FixContext(variants, bits, search.query.timezone, limits=search.limits)
        needed = replace(search, query=context, _seen={}, _sparse=set()).verdicts(needed)
    return tuple(_describe(search, ways, claim) for claim in needed)


Way: TypeAlias = tuple[NormalizedJoin, ...]
"""The joins that compare keys in another form in one variant of the query: a single one, or one of each that could."""


def _ways(search: FixSearch) -> Iterator[Way]:
    """Yield the joins that keep apart what the question is about: all together, then each alone in each form."""
    found = _forms_by_join(search)
    if len(found) > 1:
        yield from islice(product(*found), 2)
    yield from ((form,) for forms in found for form in forms)


def _forms_by_join(search: FixSearch) -> list[tuple[NormalizedJoin, ...]]:
    """Return the forms of each join that has any; below it, the other joins have theirs, so that their pairs come up
    to it.
    """
    plan = search.query.plan
    joins = [node for node in walk(plan) if isinstance(node, Join) and node.how in _NEEDS_PARTNERS]
    below, found = plan, list[tuple[NormalizedJoin, ...]]()
    for join in joins[-search.limits.joins_as_filters :]:
        forms = tuple(_forms(search, below, join))
        if forms:
            found.append(forms)
            below = _with_normalized_keys(below, forms[0])
    return found


_NEEDS_PARTNERS = (*PAIRING_TYPES, "semi")
"""The join types for which another partner can mean another row of the result."""


def _forms(search: FixSearch, plan: Plan, join: Join) -> Iterator[NormalizedJoin]:
    """Yield a join with its keys in each form that brings some rows together that the question is about."""
    conditions = search.conditions
    by_changes: dict[tuple[tuple[str, ...], ...], list[NearKeys]] = {}
    for each in find_near_keys(search.engine, plan, join.id, conditions, search.limits, large=search.large):
        by_changes.setdefault(each.changes, []).append(each)
    for found in by_changes.values():
        yield NormalizedJoin(join, tuple(found))
        if _asks_for_merged_key(plan, join, conditions):
            yield NormalizedJoin(join, tuple(found), keeps_right=True)


def _asks_for_merged_key(plan: Plan, join: Join, conditions: Conditions) -> bool:
    asked = backtrace(plan, conditions)[join.id]
    merged = merged_keys(join)
    return any(part in merged for condition in asked for part in parts(condition))


def _needs_variant(candidate: Candidate) -> bool:
    return candidate.certain and candidate.alternative > 0


def _drop_needless(claims: Iterable[Claim], known: Sequence[Claim], joins: set[OpId]) -> tuple[Claim, ...]:
    """Return the claims without those that need no other join: what else they change is enough."""
    enough = [set(each.ops) for each in known if each.explanation.certain]
    needed = (claim for claim in claims if not any(ops <= set(claim.ops) - joins for ops in enough))
    return tuple(replace(claim, candidates=_least_relaxed(claim.candidates)) for claim in needed)


def _least_relaxed(candidates: Sequence[Candidate]) -> tuple[Candidate, ...]:
    """Return those that relax the fewest operators: a join finds partners by another form rather than being outer."""
    least = min(each.blame.bit_count() for each in candidates)
    return tuple(each for each in candidates if each.blame.bit_count() == least)


# --- the query with keys in the same form ---


def _variant(plan: Plan, way: Way) -> QueryVariant:
    for each in way:
        plan = _with_normalized_keys(plan, each)
    return QueryVariant({}, plan, tuple(each.join.id for each in way), kind="comparison")


def _with_normalized_keys(plan: Plan, form: NormalizedJoin) -> Plan:
    other = normalize_keys(form.join, form.changes)
    swapped = (
        {merged: _swap_merged_key(merged, form.join) for merged in merged_keys(form.join)} if form.keeps_right else {}
    )

    def combine(node: Plan, inputs: tuple[Plan, ...]) -> Plan:
        if node.id == form.join.id:
            return with_inputs(other, inputs)
        if isinstance(node, Project) and node.id.step == form.join.id.step:
            columns = tuple(Column(c.attribute, rewrite(c.expr, swapped.get)) for c in node.columns)
            node = replace(node, columns=columns)
        return with_inputs(node, inputs)

    return fold(plan, combine)


def normalize_keys(join: Join, changes: Sequence[tuple[str, ...]]) -> Join:
    """Return a join that compares its keys after changes, given for each key: `lower(l.k) = lower(r.k)` for `lower`."""
    assert join.condition is not None
    remaining = iter(changes)

    def normalize_part(part: Expr) -> Expr:
        key = as_key(join, part)
        if key is None or key.null_safe:
            return part
        names = next(remaining)
        left, right = normalize(names, key.left), normalize(names, key.right)
        assert left is not None, "near keys need only changes that a query can write"
        assert right is not None
        return Compare("=", left, right) if names else part

    found = tuple(map(normalize_part, conjuncts(join.condition)))
    return replace(join, condition=And(found) if len(found) > 1 else found[0])


def _swap_merged_key(merged: Expr, join: Join) -> Expr:
    key = merged_keys(join)[merged]
    return call("coalesce", key.right, key.left)


# --- explanations ---


def _describe(search: FixSearch, ways: Sequence[Way], claim: Claim) -> Claim:
    """Return the claim as one about the query as written, with the keys that differ at the joins."""
    plan = search.query.plan
    variant = claim.candidates[0].alternative if claim.repair is None else claim.repair.alternative
    way = ways[variant - 1]
    nodes = {node.id: node for node in walk(plan)}
    explanation = replace(
        claim.explanation,
        operators=tuple(Operator.of(nodes[id]) for id in claim.ops),
        witnesses=tuple(_with_keys(search, way, each) for each in claim.explanation.witnesses),
        fixes=tuple(_with_merged_key(way, fix) for fix in claim.explanation.fixes),
        plan=plan,
    )
    repair = claim.repair and replace(claim.repair, fixes=explanation.fixes)
    return replace(claim, explanation=explanation, repair=repair)


def _with_merged_key(way: Way, fix: Fix) -> Fix:
    """Return the fix of a join on names that has the key of the right side, with what it compares and what it keeps."""
    form = next((each for each in way if each.keeps_right and each.join.id.step == fix.operator.id), None)
    if form is None:
        return fix
    other = normalize_keys(form.join, form.changes)
    names = names_for(other)
    kept = ", ".join(dict.fromkeys(show_expr(key.right, names) for key in merged_keys(form.join).values()))
    text = f"{Operator.of(other).text}, keeping {kept}"
    return replace(fix, before=Operator.of(form.join).text, after=text, bare=text)


def _with_keys(search: FixSearch, way: Way, witness: Witness) -> Witness:
    """Return a witness with the keys of pairs behind it as what was observed at the joins."""
    seen = {each.join.id.step: _observe_keys(each.join, _keys_behind(search, each, witness)) for each in way}
    return replace(witness, at=Observations({**witness.at, **seen}))


def _observe_keys(join: Join, near: NearKeys) -> Observation:
    assert join.condition is not None
    parts_with_keys = [(part, as_key(join, part)) for part in conjuncts(join.condition)]
    keys = [(part, key) for part, key in parts_with_keys if key is not None and not key.null_safe]
    values = zip(keys, near.left, near.right, strict=True)
    read = [pair for (_, key), left, right in values for pair in ((key.left, left), (key.right, right))]
    verdicts = tuple((part, not changes) for (part, _), changes in zip(keys, near.changes, strict=True))
    return Observation(tuple(read), verdicts, node=join)


def _keys_behind(search: FixSearch, form: NormalizedJoin, witness: Witness) -> NearKeys:
    """Return the keys of a pair that a witness is made of; those of all that were found, if they are the same."""
    if len(form.near) == 1:
        return form.near[0]
    plan = search.query.plan
    columns = [(a, name) for a, name in zip(plan.output, column_names(plan), strict=True) if name in witness.row]
    texts = [None if (value := witness.row[name]) is None else print_value(value) for _, name in columns]
    known = constants_for([Ref(a) for a, _ in columns], texts) or {}
    conditions = tuple(Compare("<=>", expr, value) for expr, value in known.items())
    found = find_near_keys(search.engine, plan, form.join.id, conditions, search.limits, large=search.large)
    return next((each for each in found if each.changes == form.changes), form.near[0])
