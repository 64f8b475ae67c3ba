"""Rows that only a join keeps apart: both parts are there, and its condition does not hold for them.

Tracing makes joins outer, as the paper does: it never forms pairs that a join does not. Where nothing else explains a
row, and the question leaves few rows on either side of a join, the pairs of these are formed after all. The join is
then *opened*: a filter with its condition over the product. Its other forms are those of a filter.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from sparkwhy.alternatives.variant import QueryVariant
from sparkwhy.backtrace.backtrace import Conditions, backtrace
from sparkwhy.explain.candidates import Claim, candidate_plan, candidates_of, explain
from sparkwhy.explain.model import Explanation, FixKind, Operator
from sparkwhy.explain.repair import Repair
from sparkwhy.fix.context import FixContext
from sparkwhy.fix.kinds import total_cost
from sparkwhy.fix.propose import fixes_of
from sparkwhy.fix.search.search import FixSearch
from sparkwhy.limits import DEFAULT_LIMITS, Limits
from sparkwhy.plan.build import Fresh, all_of, long
from sparkwhy.plan.exprs import AggCall
from sparkwhy.plan.join_types import PAIRING_TYPES
from sparkwhy.plan.nodes import Aggregate, Column, Filter, Join, Limit, OpId, Plan
from sparkwhy.plan.traits import query_reacts
from sparkwhy.plan.types import LONG
from sparkwhy.plan.uses import uses_of
from sparkwhy.plan.walk import fold, walk, with_inputs
from sparkwhy.spark.engine import Codegen, Engine
from sparkwhy.trace.blame import Dropper, droppers_of
from sparkwhy.trace.relax import relax
from sparkwhy.trace.trace import trace
from sparkwhy.trace.witness import Observation, Witness


def explain_pairs(
    engine: Engine,
    plan: Plan,
    conditions: Conditions,
    timezone: str,
    *,
    verify: bool,
    limits: Limits = DEFAULT_LIMITS,
) -> tuple[Claim, ...]:
    """Return explanations in which a join compares in another way, each with the first of its repairs that works."""
    found: dict[tuple[OpId, ...], Claim] = {}
    for join in islice(_joins(plan), limits.joins_as_filters):
        if _has_few_pairs(engine, plan, join, conditions, limits.pair_rows):
            for claim in _claims(engine, plan, join, conditions, timezone, verify, limits):
                found.setdefault(claim.ops, claim)
    return tuple(found.values())


def _joins(plan: Plan) -> Iterator[Join]:
    """Return the joins with a condition, above which a further pair is a further row; the last ones first."""
    reacts = query_reacts(plan)
    uses = uses_of(plan)
    joins = [node for node in walk(plan) if isinstance(node, Join) and node.how in PAIRING_TYPES and not node.use_of]
    found = [join for join in joins if not any(reacts[use.id] for use in uses[join.id])]
    return (join for join in reversed(found) if join.condition is not None and not join.id.part)


def _has_few_pairs(engine: Engine, plan: Plan, join: Join, conditions: Conditions, most: int) -> bool:
    wanted = backtrace(with_join_as_filter(plan, join), conditions)
    return all(_has_few_rows(engine, side, wanted[side.id], most) for side in (join.left, join.right))


def _has_few_rows(engine: Engine, side: Plan, wanted: Conditions, most: int) -> bool:
    """Return whether some rows of one side can be in the answer, whatever is relaxed below, and at most `most`."""
    rows = relax(side, {dropper for node in walk(side) for dropper in droppers_of(node)})
    fresh = Fresh(side)
    if wanted:
        rows = Filter(id=fresh.part(side), input=rows, condition=all_of(wanted))
    some = Limit(id=fresh.part(side), input=rows, count=most + 1)
    number = Column(fresh.attribute("rows", LONG), AggCall("count", (long(1),)))
    counted = Aggregate(id=fresh.part(side), input=some, keys=(), aggregates=(number,))
    ((count,),) = engine.collect(counted, codegen=Codegen.PIECES)
    return bool(0 < count <= most)


def _claims(
    engine: Engine, plan: Plan, join: Join, conditions: Conditions, timezone: str, verify: bool, limits: Limits
) -> Iterator[Claim]:
    readings = (QueryVariant({}, with_join_as_filter(plan, join), ()),)
    traced = trace(readings[0].plan, conditions, records=True, limits=limits)
    candidates = candidates_of(
        traced, engine.collect(candidate_plan(traced), codegen=Codegen.PIECES), timezone, limits=limits
    )
    own = traced.bits.of([Dropper(join.id)])
    claims = explain(readings, traced.bits, (each for each in candidates if each.certain and each.blame & own), limits)
    if verify:
        query = FixContext(readings, traced.bits, timezone, shown_as={join.id: join}, limits=limits)
        verdicts = FixSearch(engine, query, conditions, limits=limits).verdicts(claims)
        return (_claim_about_join(plan, join, each) for each in verdicts)
    return (replace(claim, explanation=_explanation_about_join(plan, join, claim.explanation)) for claim in claims)


# --- a join as a filter and back ---


def with_join_as_filter(plan: Plan, join: Join) -> Plan:
    """Return the query with the condition of a join as a filter over all pairs, at each use of the join.

    The filter has the id of the join.
    """
    fresh = Fresh(plan)

    def combine(node: Plan, inputs: tuple[Plan, ...]) -> Plan:
        if node.first_use != join.first_use or not isinstance(node, Join) or node.condition is None:
            return with_inputs(node, inputs)
        left, right = inputs
        pairs = Join(id=fresh.part(node), where=node.where, left=left, right=right, how="cross", condition=None)
        return Filter(id=node.id, where=node.where, use_of=node.use_of, input=pairs, condition=node.condition)

    return fold(plan, combine)


def with_filter_as_join(plan: Plan, join: Join) -> Plan:
    """Return a query with such a filter as the join again, with the condition of the filter."""

    def combine(node: Plan, inputs: tuple[Plan, ...]) -> Plan:
        if node.first_use != join.first_use or not isinstance(node, Filter):
            return with_inputs(node, inputs)
        (pairs,) = inputs
        assert isinstance(pairs, Join)
        same = replace(join, id=node.id, use_of=node.use_of, left=pairs.left, right=pairs.right, condition=None)
        return replace(same, condition=node.condition)

    return fold(plan, combine)


def _claim_about_join(plan: Plan, join: Join, each: Claim) -> Claim:
    """Return a verdict on the query with the filter as one on the query with the join.

    More pairs are more rows all the way up, so what was seen over the product holds for the join, of whatever type.
    """
    explanation = _explanation_about_join(plan, join, each.explanation)
    if each.repair is None:
        return replace(each, explanation=explanation)
    kinds: dict[int, FixKind] = {step.op.step: step.kind for step in each.repair.changes}
    changed = with_filter_as_join(each.repair.plan, join)
    fixes = fixes_of(plan, relax(changed, each.repair.relaxed), kinds)
    cost = total_cost(fix.kind for fix in fixes)
    repair = Repair(changed, each.repair.relaxed, fixes, each.repair.changes, cost=cost)
    return replace(each, explanation=replace(explanation, fixes=fixes), repair=repair)


def _explanation_about_join(plan: Plan, join: Join, explanation: Explanation) -> Explanation:
    nodes = {node.id: node for node in walk(plan)}
    operators = tuple(Operator.of(nodes[OpId(each.id)]) for each in explanation.operators)
    witnesses = tuple(_move_to_join(each, join) for each in explanation.witnesses)
    return replace(explanation, operators=operators, witnesses=witnesses, plan=plan, fixes=())


def _move_to_join(witness: Witness, join: Join) -> Witness:
    """Return the witness with the observation of the filter as one of the join."""

    def move(step: int, seen: Observation) -> Observation:
        return replace(seen, node=join) if step == join.id.step else seen

    return replace(witness, at=witness.at.map(move))
