"""Keys that a join keeps apart though people take them to be equal: `'c-003'` on the left, `'C-003'` on the right.

The keys of the side with fewer are collected, then those of the other side that are the same in the coarsest form.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from sparkwhy.backtrace.backtrace import Conditions, backtrace, pins_value
from sparkwhy.evidence.normalizing import coarsest, is_normalized, normalize
from sparkwhy.evidence.text_differences import equal_after
from sparkwhy.limits import Limits
from sparkwhy.plan.build import Fresh, all_of, call, equal
from sparkwhy.plan.exprs import Compare, Expr, In, IsNotNull, Literal
from sparkwhy.plan.join_keys import Key, equal_keys, strip_casts
from sparkwhy.plan.join_types import SIDES, Side, other_side
from sparkwhy.plan.nodes import Column, Distinct, Filter, Join, Limit, OpId, Plan, Project
from sparkwhy.plan.types import STRING
from sparkwhy.plan.walk import fold, walk, with_inputs
from sparkwhy.spark.engine import Engine
from sparkwhy.trace.blame import droppers_of
from sparkwhy.trace.encode import Typed, decode, encode, print_value
from sparkwhy.trace.relax import relax


@dataclass(frozen=True)
class NearKeys:
    """The keys of two rows that a join keeps apart, and for each key the changes that make the two sides equal.

    For example `NearKeys(OpId(3), ("c-003",), ("C-003",), (("lower",),))`. A key that is equal needs no change: `()`.
    The values are in the order of `equal_keys`.
    """

    join: OpId
    left: tuple[Typed, ...]
    right: tuple[Typed, ...]
    changes: tuple[tuple[str, ...], ...]


def find_near_keys(
    engine: Engine, plan: Plan, id: OpId, conditions: Conditions, limits: Limits, *, large: bool = False
) -> tuple[NearKeys, ...]:
    """Find near keys of rows at a join that the question is about, whatever is relaxed below; none if too many are.

    On large data they are looked for only if the question names values of one of the sides.
    """
    join = next(node for node in walk(plan) if node.id == id)
    assert isinstance(join, Join)
    keys = tuple(key for key in equal_keys(join) if not key.null_safe)
    if not any(is_normalized(key.left) for key in keys):
        return ()
    wanted = conditions_by_side(plan, join, conditions)
    for side in sorted(SIDES, key=lambda side: not any(map(pins_value, wanted[side]))):
        if large and not any(map(pins_value, wanted[side])):
            continue
        own = _keys_of(engine, join, side, wanted[side], limits.pair_rows)
        if own is not None:
            return _pair_keys(engine, join, side, own, wanted[other_side(side)], limits)
    return ()


def conditions_by_side(plan: Plan, join: Join, conditions: Conditions) -> Mapping[Side, Conditions]:
    """Return what the question asks of each side, if any row could be joined with any other.

    What it asks of the merged key of a join on names, one of the sides has: each in a form that is near to it.
    """
    wanted = backtrace(_as_product(plan, join), conditions)
    merged = {side: tuple(_conditions_near_merged_keys(join, side, wanted[join.id])) for side in SIDES}
    return {"left": wanted[join.left.id] + merged["left"], "right": wanted[join.right.id] + merged["right"]}


def _as_product(plan: Plan, join: Join) -> Plan:
    product = Join(id=join.id, where=join.where, left=join.left, right=join.right, how="cross", condition=None)
    return fold(plan, lambda node, found: with_inputs(product if node.id == join.id else node, found))


def merged_keys(join: Join) -> Mapping[Expr, Key]:
    """Return the keys of a join on names as its result has them, `coalesce(l.k, r.k)`, with those of the sides."""
    bare = [Key(strip_casts(key.left), strip_casts(key.right), key.null_safe) for key in equal_keys(join)]
    return {call("coalesce", *order): key for key in bare for order in ((key.left, key.right), (key.right, key.left))}


def _conditions_near_merged_keys(join: Join, side: Side, wanted: Conditions) -> Iterator[Expr]:
    merged = merged_keys(join)
    for condition in wanted:
        match condition:
            case Compare("=", left, Literal() as value) if left in merged and left.type == STRING:
                key = merged[left].left if side == "left" else merged[left].right
                yield equal(coarsest(key), coarsest(value))


# --- keys of one side ---


@dataclass(frozen=True)
class _KeyValues:
    """The keys of a row of one side, and all of them as one text in the coarsest form."""

    values: tuple[Typed, ...]
    coarse: str


def _keys_of(
    engine: Engine, join: Join, side: Side, wanted: Conditions, most: int, among: Sequence[str] | None = None
) -> tuple[_KeyValues, ...] | None:
    """Collect the keys of one side; None if there are more than `most`. With `among`, those with these coarse forms."""
    exprs = [key.left if side == "left" else key.right for key in equal_keys(join) if not key.null_safe]
    coarse = call("concat_ws", Literal("\u001f", STRING), *map(coarsest, exprs))
    chosen = () if among is None else (In(coarse, tuple(Literal(each, STRING) for each in among)),)
    plan = join.left if side == "left" else join.right
    fresh, rows = Fresh(join), relax(plan, {dropper for node in walk(plan) for dropper in droppers_of(node)})
    condition = all_of((*wanted, *map(IsNotNull, exprs), *chosen))
    known = Filter(id=fresh.part(join), input=rows, condition=condition)
    texts = [Column(fresh.attribute("text", STRING), each) for each in (*map(encode, exprs), coarse)]
    listed = Project(id=fresh.part(join), input=known, columns=tuple(texts))
    different = Distinct(id=fresh.part(join), input=listed)
    found = engine.collect(Limit(id=fresh.part(join), input=different, count=most + 1))
    if len(found) > most:
        return None
    types, zone = [expr.type for expr in exprs], engine.timezone()
    return tuple(
        _KeyValues(tuple(decode(text, type, zone) for text, type in zip(row, types, strict=False)), row[-1])
        for row in found
    )


def _pair_keys(
    engine: Engine, join: Join, side: Side, own: Sequence[_KeyValues], wanted: Conditions, limits: Limits
) -> tuple[NearKeys, ...]:
    """Return the pairs of keys that differ, but not after changes that a query can write."""
    if not own:
        return ()
    coarse = tuple(dict.fromkeys(each.coarse for each in own))
    others = _keys_of(engine, join, other_side(side), wanted, limits.pair_rows, coarse) or ()
    by_form: dict[str, list[_KeyValues]] = {}
    for each in others:
        by_form.setdefault(each.coarse, []).append(each)
    pairs = ((one.values, other.values) for one in own for other in by_form.get(one.coarse, ()))
    sides = (pair if side == "left" else pair[::-1] for pair in pairs)
    found = (_compare(join, left, right) for left, right in sides)
    return tuple(each for each in found if each is not None)


def _compare(join: Join, left: tuple[Typed, ...], right: tuple[Typed, ...]) -> NearKeys | None:
    keys = [key for key in equal_keys(join) if not key.null_safe]
    changes = [_changes(key, *values) for key, *values in zip(keys, left, right, strict=True)]
    known = tuple(each for each in changes if each is not None)
    return NearKeys(join.id, left, right, known) if len(known) == len(changes) and any(known) else None


def _changes(key: Key, left: Typed, right: Typed) -> tuple[str, ...] | None:
    """Return the changes that make two values equal; None if there are none, or if no function makes them."""
    if left == right:
        return ()
    if not any(map(_may_be_date, (left, right))):
        return None  # two times of a day are not the same; a time and a date may be meant to be
    changes = equal_after(print_value(left), print_value(right))
    return None if not changes or normalize(changes, key.left) is None else changes


def _may_be_date(value: Typed) -> bool:
    return not isinstance(value, dt.datetime) or value.time() == dt.time()
