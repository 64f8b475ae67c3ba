"""Make a plan cheaper to interpret: conditions of filters move down to where they first can be asked.

`from a, b where a.x = b.y` is read as a filter over a cross join, which no engine can afford to take literally.
The plan that comes out is for running only: its filters are no longer the user's.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import count

from sparkwhy.plan.exprs import And, Attribute, Compare, Expr, Opaque, Or, Ref, conjuncts
from sparkwhy.plan.join_types import SIDES
from sparkwhy.plan.nodes import Filter, Join, OpId, Plan, Project
from sparkwhy.plan.walk import fold, inputs, push_down, walk, with_inputs
from sparkwhy.plan.walk_exprs import attributes_of, parts

Conjuncts = tuple[Expr, ...]


def push_filters_into_joins(plan: Plan) -> Plan:
    """Return a plan with the same rows, provided that no condition fails on any row.

    filter a.x = b.y and a.z > 1 (cross join (a, b))  ->  join on a.x = b.y (filter a.z > 1 (a), b)
    """
    nothing: Conjuncts = ()
    came = push_down(plan, nothing, lambda node, conditions: _deal(node, conditions).below)
    fresh = count(1 + max(node.id.part for node in walk(plan)))

    def rebuild(node: Plan, below: tuple[Plan, ...]) -> Plan:
        return _rebuild(node, below, _deal(node, came[node.id]).here, fresh)

    return fold(plan, rebuild)


@dataclass(frozen=True, slots=True)
class _Dealt:
    """Which of the conditions that came to an operator stay with it, and which go on to each of its inputs."""

    here: Conjuncts
    below: tuple[Conjuncts, ...]


def _deal(node: Plan, came: Conjuncts) -> _Dealt:
    match node:
        case Filter():
            return _Dealt((), (came + _split(node.condition),))
        case Join() if node.traits.is_inner:
            own = () if node.condition is None else _split(node.condition)
            return _deal_to_inputs(came + own, (node.left.output, node.right.output))
        case Join():
            return _deal_to_inputs(came, _inputs_without_padding(node))
        case Project():
            return _deal_to_inputs(came, (tuple(c.attribute for c in node.columns if c.is_carried),))
        case _:
            return _Dealt(came, tuple(() for _ in inputs(node)))


def _inputs_without_padding(join: Join) -> tuple[tuple[Attribute, ...], ...]:
    """Return for each input the columns that the join returns as they are: conditions on them may be asked below."""
    sides = zip(SIDES, inputs(join), strict=True)
    return tuple(
        given.output if side in join.traits.returns and side not in join.traits.pads else () for side, given in sides
    )


def _deal_to_inputs(conditions: Conjuncts, offers: tuple[tuple[Attribute, ...], ...]) -> _Dealt:
    """Give each condition to the first input that may take it and offers all that it reads."""
    here: list[Expr] = []
    below: list[list[Expr]] = [[] for _ in offers]
    for condition in conditions:
        read = set(attributes_of(condition))
        takers = [taken for taken, offer in zip(below, offers, strict=True) if read and read <= set(offer)]
        (takers[0] if takers and _is_deterministic(condition) else here).append(condition)
    return _Dealt(tuple(here), tuple(map(tuple, below)))


def _rebuild(node: Plan, below: tuple[Plan, ...], here: Conjuncts, fresh: Iterator[int]) -> Plan:
    match node:
        case Filter():
            return below[0]
        case Join() if node.traits.is_inner:
            left, right = below
            condition = _conjunction(sorted(here, key=_is_lookup, reverse=True))
            return replace(node, left=left, right=right, how="inner", condition=condition)
        case _:
            same = with_inputs(node, below)
            condition = _conjunction(here)
            return same if condition is None else _filter(same, condition, fresh)


def _filter(input: Plan, condition: Expr, fresh: Iterator[int]) -> Plan:
    return Filter(id=OpId(input.id.step, next(fresh)), input=input, condition=condition)


# --- conditions ---


def _split(condition: Expr) -> Conjuncts:
    """Return the conjuncts of a condition, and before each disjunction what all its branches ask for.

    (k and a) or (k and b)  ->  k, (k and a) or (k and b)
    """
    return tuple(part for conjunct in conjuncts(condition) for part in (*_shared_conjuncts(conjunct), conjunct))


def _shared_conjuncts(condition: Expr) -> Conjuncts:
    if not isinstance(condition, Or):
        return ()
    first, *others = (conjuncts(branch) for branch in condition.operands)
    return tuple(part for part in first if all(part in other for other in others))


def _conjunction(conditions: Iterable[Expr]) -> Expr | None:
    found = tuple(conditions)
    if len(found) < 2:
        return found[0] if found else None
    return And(found)


def _is_lookup(condition: Expr) -> bool:
    """Return whether the interpreter can find partners by this condition in an index."""
    return isinstance(condition, Compare) and condition.op in ("=", "<=>") and _are_refs(condition)


def _are_refs(condition: Compare) -> bool:
    return isinstance(condition.left, Ref) and isinstance(condition.right, Ref)


def _is_deterministic(condition: Expr) -> bool:
    return all(part.deterministic for part in parts(condition) if isinstance(part, Opaque))
