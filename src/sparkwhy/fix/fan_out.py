"""Joins that multiply rows: a row with two partners is summed twice.

    orders join payments on order_id, sum(amount)      order 1 has 2 payments, so its amount counts twice

Tracing relaxes operators, which never makes fewer rows of a pair. So the query is run with each row of a side once for
each key, and counts as an explanation if that returns the row in question.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice

from sparkwhy.backtrace.selectivity import attributes_from_groups
from sparkwhy.evidence.near_keys import conditions_by_side
from sparkwhy.explain.candidates import Claim
from sparkwhy.explain.model import Explanation, Fix, Operator, SideEffects
from sparkwhy.fix.search.search import FixSearch
from sparkwhy.plan.build import Fresh, all_of, long
from sparkwhy.plan.exprs import AggCall, Attribute, Compare, Expr, Ref, is_true
from sparkwhy.plan.join_keys import equal_keys
from sparkwhy.plan.join_types import PAIRING_TYPES, SIDES, Side, other_side
from sparkwhy.plan.nodes import Aggregate, Column, Distinct, Filter, Join, Limit, Plan, Project
from sparkwhy.plan.traits import query_reacts
from sparkwhy.plan.types import BOOLEAN, LONG, STRING
from sparkwhy.plan.walk import fold, walk, with_inputs
from sparkwhy.plan.walk_exprs import attributes_of
from sparkwhy.trace.encode import Typed, decode, encode
from sparkwhy.trace.witness import Observation, Observations, Witness, decode_values


def explain_fan_out(search: FixSearch, known: Sequence[Claim]) -> tuple[Claim, ...]:
    """Return the joins that multiply rows, if the row in question is there once they do not.

    Only where the question asks for a value that is computed from several rows, and the data is not large.
    """
    computed = attributes_from_groups(search.query.plan)
    asked = {attribute for condition in search.conditions for attribute in attributes_of(condition)}
    if search.large or computed.isdisjoint(asked):
        return ()
    explained = {each.ops for each in known if each.verified}
    joins = (join for join in _joins(search.query.plan) if (join.id,) not in explained)
    found = (_claim(search, join) for join in islice(joins, search.limits.joins_as_filters))
    return tuple(claim for claim in found if claim is not None)


def _joins(plan: Plan) -> Iterator[Join]:
    """Yield the joins above which another number of rows can be another value, the last ones of the query first."""
    reacts = query_reacts(plan)
    joins = [node for node in walk(plan) if isinstance(node, Join) and node.how in PAIRING_TYPES]
    return (join for join in reversed(joins) if reacts[join.id])


def _claim(search: FixSearch, join: Join) -> Claim | None:
    """Return the explanation that a join finds several partners; None if another number does not help."""
    for side in reversed(SIDES):
        keys = _keys(join, side)
        partners = None if keys is None else _several_partners(search, join, side)
        if keys is not None and partners is not None:
            changed = _with_one_row_for_each_key(search.query.plan, join, side, keys)
            returned = _first_match(search, changed)
            if returned is not None:
                return _explain(search, join, side, keys, partners, changed, returned)
    return None


def _keys(join: Join, side: Side) -> tuple[Attribute, ...] | None:
    """Return the columns of a side that the join equates; None if it compares more than columns."""
    keys = [key.left if side == "left" else key.right for key in equal_keys(join)]
    found = tuple(key.attribute for key in keys if isinstance(key, Ref))
    return found if found and len(found) == len(keys) else None


def _with_one_row_for_each_key(plan: Plan, join: Join, side: Side, keys: tuple[Attribute, ...]) -> Plan:
    part = Fresh(plan).part(join)

    def combine(node: Plan, inputs: tuple[Plan, ...]) -> Plan:
        if node.id != join.id:
            return with_inputs(node, inputs)
        left, right = inputs
        once = Distinct(id=part, where=join.where, input=left if side == "left" else right, keys=keys)
        return with_inputs(node, (once, right) if side == "left" else (left, once))

    return fold(plan, combine)


# --- what the data says ---


def _several_partners(search: FixSearch, join: Join, side: Side) -> Observation | None:
    """Return a row in question of the other side, and how many partners it has on this side; None if at most one."""
    wanted = conditions_by_side(search.query.plan, join, search.conditions)
    own, other = (join.left, join.right) if side == "left" else (join.right, join.left)
    pairs = [(key.left, key.right) if side == "left" else (key.right, key.left) for key in equal_keys(join)]
    fresh = Fresh(join)
    keys = tuple(Column(fresh.attribute("key", mine.type, nullable=True), mine) for mine, _ in pairs)
    number = Column(fresh.attribute("rows", LONG), AggCall("count", (long(1),)))
    mine_asked = Filter(id=fresh.part(join), input=own, condition=all_of(wanted[side]))
    counted = Aggregate(id=fresh.part(join), input=mine_asked, keys=keys, aggregates=(number,))
    several = Filter(id=fresh.part(join), input=counted, condition=Compare(">", Ref(number.attribute), long(1)))
    asked = Filter(id=fresh.part(join), input=other, condition=all_of(wanted[other_side(side)]))
    same = all_of(Compare("=", theirs, Ref(key.attribute)) for (_, theirs), key in zip(pairs, keys, strict=True))
    joined = Join(id=fresh.part(join), left=asked, right=several, how="inner", condition=same)
    texts = (*(encode(theirs) for _, theirs in pairs), encode(Ref(number.attribute)))
    shown = Project(id=fresh.part(join), input=joined, columns=_text_columns(fresh, texts))
    rows = search.engine.collect(Limit(id=fresh.part(join), input=shown, count=1))
    if not rows:
        return None
    (*values, count) = rows[0]
    zone = search.query.timezone
    read = tuple((theirs, decode(text, theirs.type, zone)) for (_, theirs), text in zip(pairs, values, strict=True))
    return Observation(read, partners={side: int(count)}, node=join)


def _text_columns(fresh: Fresh, exprs: Sequence[Expr]) -> tuple[Column, ...]:
    return tuple(Column(fresh.attribute("text", STRING, nullable=True), expr) for expr in exprs)


def _first_match(search: FixSearch, plan: Plan) -> dict[str, Typed] | None:
    """Return a row of a changed query that is the one in question."""
    fresh = Fresh(plan)
    met = Filter(id=fresh.part(plan), input=plan, condition=all_of(search.conditions))
    texts = _text_columns(fresh, [encode(Ref(a)) for a in plan.output])
    rows = search.engine.collect(
        Limit(id=fresh.part(plan), input=Project(id=fresh.part(plan), input=met, columns=texts), count=1)
    )
    return dict(decode_values(plan.output, rows[0], search.query.timezone)) if rows else None


def _effects(search: FixSearch, changed: Plan) -> SideEffects | None:
    """Count the rows that enter and leave the result but for those in question; None if it has too many to compare."""
    before, after = (_rows(search, plan) for plan in (search.query.plan, changed))
    if before is None or after is None:
        return None
    added = sum(count for row, count in (after - before).items() if not row[-1])
    removed = sum((before - after).values())
    return SideEffects(added + removed, added + removed, added, removed)


def _rows(search: FixSearch, plan: Plan) -> Counter[tuple[Typed, ...]] | None:
    """Collect the rows of a query as text, each with whether it is in question."""
    fresh, most = Fresh(plan), search.limits.driver_rows
    texts = _text_columns(fresh, [encode(Ref(a)) for a in plan.output])
    asked = Column(fresh.attribute("asked", BOOLEAN), is_true(all_of(search.conditions)))
    listed = Project(id=fresh.part(plan), input=plan, columns=(*texts, asked))
    rows = search.engine.collect(Limit(id=fresh.part(plan), input=listed, count=most + 1))
    return None if len(rows) > most else Counter(tuple(row) for row in rows)


# --- the explanation ---


def _explain(
    search: FixSearch,
    join: Join,
    side: Side,
    keys: tuple[Attribute, ...],
    seen: Observation,
    changed: Plan,
    returned: dict[str, Typed],
) -> Claim:
    operator = Operator.of(join)
    names = ", ".join(f'"{key.name}"' for key in keys)
    after = f"{operator.text}, with dropDuplicates([{names}]) on the {side}"
    explanation = Explanation(
        operators=(operator,),
        rank=0,
        count=1,
        witnesses=(Witness(returned, Observations({join.id.step: seen})),),
        fixes=(Fix(operator, operator.text, after, "other", bare=after),),
        verified=True,
        returned=returned,
        plan=search.query.plan,
    )
    return Claim((join.id,), replace(explanation, side_effects=_effects(search, changed)))
