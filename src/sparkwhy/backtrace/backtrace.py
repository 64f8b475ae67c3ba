"""What the question wants of the rows at each operator: the pattern, pushed down to the sources (the paper's step 1).

A condition is pushed only where a row that fails it cannot contribute to a matching answer, whatever is relaxed. A
condition that a padded row could meet stays above the join or flatten that pads; nothing passes a limit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import TypeAlias

from sparkwhy.backtrace.null_rejection import rejects_null
from sparkwhy.errors import assert_never
from sparkwhy.plan.build import call, exists
from sparkwhy.plan.exprs import (
    Attribute,
    AttrId,
    Call,
    Cast,
    Compare,
    Expr,
    FieldOf,
    In,
    IsNotNull,
    Literal,
    Ref,
    is_true,
)
from sparkwhy.plan.join_keys import equal_keys
from sparkwhy.plan.nodes import (
    Aggregate,
    Distinct,
    Filter,
    Flatten,
    Join,
    Limit,
    OneRow,
    OpId,
    Plan,
    Project,
    Sample,
    SetOperation,
    Sort,
    Table,
    Union,
    Window,
)
from sparkwhy.plan.types import BOOLEAN, Array, Map, Struct
from sparkwhy.plan.walk import push_down
from sparkwhy.plan.walk_exprs import attributes_of, is_random, parts, reads_only, rewrite

Conditions: TypeAlias = tuple[Expr, ...]
"""Conditions on the output of an operator that all must hold."""


def backtrace(plan: Plan, conditions: Conditions) -> Mapping[OpId, Conditions]:
    """Return what is wanted of the output of every operator, given what is wanted of the plan's own."""
    return push_down(plan, conditions, push_through)


def backtrace_to_own(
    plan: Plan, conditions: Conditions, passes: Callable[[Expr], bool] | None = None
) -> Mapping[OpId, Conditions]:
    """Return what the question itself wants of the output of every operator, through columns that pass values on.

    Unlike `backtrace`, it infers nothing from join keys, because a row without a partner exists all the same, and
    nothing from computed columns, because they could be computed in another way. It passes limits: they do not change
    a row. `passes` says which columns count as passed on; by default, those of `is_passed_on`.
    """
    return push_down(plan, conditions, partial(_push_to_own, passes or is_passed_on))


def backtrace_merged_keys(plan: Plan, condition: Expr) -> Mapping[OpId, Conditions]:
    """Return what a condition on the key of a join on names wants of both sides: one of them has to have it.

    `k = 3` of `a.join(b, "k")` becomes `k = 3` of a and `k = 3` of b. A condition on no such key reaches no source.
    """
    asked: Conditions = (condition,)
    found, own = push_down(plan, asked, _push_merged_keys), backtrace_to_own(plan, asked)
    return {id: () if own[id] else conditions for id, conditions in found.items()}


def _push_merged_keys(node: Plan, wanted: Conditions) -> tuple[Conditions, ...]:
    found = _push_to_own(is_passed_on, node, wanted)
    if not isinstance(node, Join) or not node.traits.pairs:
        return found
    return tuple(own + _split_merged_keys(node, wanted, side) for side, own in enumerate(found))


def _push_to_own(passes: Callable[[Expr], bool], node: Plan, wanted: Conditions) -> tuple[Conditions, ...]:
    match node:
        case Limit() | Sample() | Distinct():
            return (wanted,)
        case Window():
            return (_restrict(wanted, node.input.output),)
        case Project():
            return (_rewrite_through({c.attribute: c.expr for c in node.columns if passes(c.expr)}, wanted),)
        case Aggregate():
            return (_rewrite_through({c.attribute: c.expr for c in node.keys if passes(c.expr)}, wanted),)
        case Join() if node.traits.pairs:
            return _restrict_to_sides(node, wanted)
        case Join():
            return _restrict(wanted, node.left.output), ()
        case _:
            return push_through(node, wanted)


_CHANGES_FORM = frozenset({"lower", "upper", "trim", "ltrim", "rtrim"})
"""Functions that write a value in another form: a value that they never return is in no source."""


def is_passed_on(expr: Expr) -> bool:
    """Return whether an expression is an attribute, a field of one, or one of these in another form."""
    match expr:
        case Ref():
            return True
        case FieldOf(inner, _) | Cast(inner):
            return is_passed_on(inner)
        case Call(function, (inner,)) if function in _CHANGES_FORM:
            return is_passed_on(inner)
        case Call("coalesce", (Ref(), other)):  # a join on names has the key of either side
            return is_passed_on(other)
        case _:
            return False


def is_function_of_one_value(expr: Expr) -> bool:
    """Return whether an expression computes a value from one single value: then it is not composed of other parts."""
    read = set(attributes_of(expr))
    return len(read) <= 1 and expr.type != BOOLEAN and not any(isinstance(a.type, Array | Map | Struct) for a in read)


KeySets: TypeAlias = Mapping[tuple[OpId, int], Conditions]
"""What is known of the keys that partners must have on a side of a join, 0 for the left."""


def backtrace_with_keys(plan: Plan, conditions: Conditions, known: KeySets) -> Mapping[OpId, Conditions]:
    """Return the same, and what join keys must be where rows matter only as partners: not null, and what else is
    known.
    """

    def split(node: Plan, wanted: Conditions) -> tuple[Conditions, ...]:
        found = push_through(node, wanted)
        if not isinstance(node, Join):
            return found
        sides = partner_sides(node, wanted)
        return tuple(
            own + (_not_null(node, side) + known.get((node.id, side), ()) if side in sides else ())
            for side, own in enumerate(found)
        )

    return push_down(plan, conditions, split)


def partner_sides(join: Join, wanted: Conditions) -> tuple[int, ...]:
    """Return the sides of a join whose rows are in the answer only beside one of the other side."""
    if not join.traits.pairs:
        return (1,)
    others = (join.right, join.left)
    return tuple(side for side, other in enumerate(others) if any(rejects_null(c, _ids(other.output)) for c in wanted))


def _not_null(join: Join, side: int) -> Conditions:
    return tuple(IsNotNull((key.left, key.right)[side]) for key in equal_keys(join) if not key.null_safe)


def push_through(node: Plan, wanted: Conditions) -> tuple[Conditions, ...]:
    """Return what goes down to each input of an operator."""
    match node:
        case Table() | OneRow():
            return ()
        case Filter() | Sort():
            return (wanted,)
        case Project():
            return (_rewrite_through({column.attribute: column.expr for column in node.columns}, wanted),)
        case Flatten():
            return (_restrict(wanted, node.input.output) + _element_conditions(node, wanted),)
        case Join():
            return _push_through_join(node, wanted)
        case Aggregate():
            return (_rewrite_through({column.attribute: column.expr for column in node.keys}, wanted),)
        case Window():
            keys = [expr.attribute for expr in node.partition if isinstance(expr, Ref)]
            return (_restrict(wanted, keys),)
        case Union():
            return tuple(_rename(node.attributes, branch.output, wanted) for branch in node.branches)
        case SetOperation():
            return wanted, _rename(node.left.output, node.right.output, wanted)
        case Distinct():
            return (wanted if node.keys is None else _restrict(wanted, node.keys),)
        case Limit() | Sample():
            return ((),)
        case _:
            assert_never(node)


def pins_value(condition: Expr) -> bool:
    """Return whether a condition asks for one value, or for one of a few."""
    compared = (part for part in parts(condition) if isinstance(part, Compare) and part.op in ("=", "<=>"))
    sides = (side for part in compared for side in (part.left, part.right) if isinstance(side, Literal))
    return isinstance(condition, In) or any(not isinstance(side.value, bool | None) for side in sides)


def _restrict(wanted: Conditions, attributes: Iterable[Attribute]) -> Conditions:
    known = tuple(attributes)
    return tuple(condition for condition in wanted if reads_only(condition, known))


def _rewrite_through(definitions: Mapping[Attribute, Expr], wanted: Conditions) -> Conditions:
    """Conditions over computed columns, as conditions over what these are computed from."""
    found = []
    for condition in wanted:
        known = reads_only(condition, definitions)
        if known and not any(is_random(definitions[a]) for a in attributes_of(condition)):
            found.append(substitute_attributes(condition, definitions))
    return tuple(found)


def substitute_attributes(expr: Expr, definitions: Mapping[Attribute, Expr]) -> Expr:
    """Return the expression with attributes replaced by their definitions, where they have one."""
    return rewrite(expr, lambda part: definitions.get(part.attribute) if isinstance(part, Ref) else None)


def _rename(old: tuple[Attribute, ...], new: tuple[Attribute, ...], wanted: Conditions) -> Conditions:
    return _rewrite_through({a: Ref(b) for a, b in zip(old, new, strict=True)}, wanted)


def _element_conditions(node: Flatten, wanted: Conditions) -> Conditions:
    """Return what is wanted of an element is wanted of some element of the collection, if a padded row could not meet
    it.

    That an element is not null says little, and looking at all elements costs much.
    """
    made = frozenset(element.id for element in node.elements)
    known = (*node.input.output, *node.elements)
    return tuple(
        _exists_element(node, condition)
        for condition in wanted
        if reads_only(condition, known) and rejects_null(condition, made) and not isinstance(condition, IsNotNull)
    )


def _exists_element(node: Flatten, condition: Expr) -> Expr:
    return exists(_elements(node), lambda element: is_true(_condition_on_element(node, condition, element)))


def _elements(node: Flatten) -> Expr:
    is_map = isinstance(node.collection.type, Map)
    return call("map_entries", node.collection) if is_map else node.collection


def _condition_on_element(node: Flatten, condition: Expr, element: Expr) -> Expr:
    """Return a condition on the attributes that a flatten makes, as one on the element that it makes them of."""
    if len(node.elements) == 1 and not node.inline:
        return substitute_attributes(condition, {node.elements[0]: element})
    return substitute_attributes(condition, {a: FieldOf(element, i) for i, a in enumerate(node.elements)})


def _push_through_join(join: Join, wanted: Conditions) -> tuple[Conditions, Conditions]:
    if not join.traits.pairs:
        kept = _restrict(wanted, join.left.output)
        return kept, _infer_from_keys(join, kept, "left")
    safe_left, safe_right = _restrict_to_sides(join, wanted)
    return (
        safe_left + _infer_from_keys(join, safe_right, "right") + _split_merged_keys(join, wanted, 0),
        safe_right + _infer_from_keys(join, safe_left, "left") + _split_merged_keys(join, wanted, 1),
    )


def _split_merged_keys(join: Join, wanted: Conditions, side: int) -> Conditions:
    """Return what is wanted of merged keys, as conditions on one side: `coalesce(l.k, r.k) = 3` as `l.k = 3`.

    A row that fails it could only become a row that fails it too, whether it has a partner or not; and so could its
    partners.
    """
    keys = [(key.left, key.right) for key in equal_keys(join) if not key.null_safe]
    merged = {call("coalesce", *order): pair[side] for pair in keys for order in (pair, pair[::-1])}
    own = (join.left, join.right)[side].output
    split = ((c, rewrite(c, merged.get)) for c in wanted)
    return tuple(found for before, found in split if found != before and reads_only(found, own))


def _restrict_to_sides(join: Join, wanted: Conditions) -> tuple[Conditions, Conditions]:
    """Return the conditions on each side that a row padded with nulls cannot meet."""
    left, right = join.left.output, join.right.output
    return (
        tuple(c for c in _restrict(wanted, left) if rejects_null(c, _ids(left))),
        tuple(c for c in _restrict(wanted, right) if rejects_null(c, _ids(right))),
    )


def _infer_from_keys(join: Join, wanted: Conditions, side: str) -> Conditions:
    """Return what is wanted of a join key on one side is wanted of its counterpart on the other: others find no
    partner.
    """
    pairs = [(k.left, k.right) if side == "left" else (k.right, k.left) for k in equal_keys(join)]
    twins = {a.attribute: b for a, b in pairs if isinstance(a, Ref) and isinstance(b, Ref)}
    return tuple(
        substitute_attributes(condition, twins)
        for condition in wanted
        if reads_only(condition, twins) and rejects_null(condition, _ids(twins))
    )


def _ids(attributes: Iterable[Attribute]) -> frozenset[AttrId]:
    return frozenset(attribute.id for attribute in attributes)
