"""Uses of what was written once: a common table expression, a view or a DataFrame that is read in several places.

Each use is a subtree of its own, with its own ids and attributes. `use_of` names the operator of which it is a further
use: whoever changes the operator changes all its uses.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from sparkwhy.plan.exprs import Attribute, AttrId, Expr, Lambda, Ref
from sparkwhy.plan.node_exprs import exprs_of, with_exprs
from sparkwhy.plan.nodes import (
    Aggregate,
    Flatten,
    Join,
    Limit,
    OpId,
    Plan,
    Sample,
    SetOperation,
    Sort,
    Source,
    Table,
    Window,
)
from sparkwhy.plan.show import show_expr
from sparkwhy.plan.walk import fold, inputs, walk, with_inputs
from sparkwhy.plan.walk_exprs import attributes_of, parts, rewrite

SameSource = Callable[[Source, Source], bool]
"""Whether two tables read the same."""


def uses_of(plan: Plan) -> Mapping[OpId, tuple[Plan, ...]]:
    """Return the uses of each operator that was written, the first one first."""
    found: dict[OpId, list[Plan]] = {}
    for node in walk(plan):
        found.setdefault(node.first_use, []).append(node)
    return {written: tuple(uses) for written, uses in found.items()}


def is_used_again(plan: Plan, written: OpId) -> bool:
    """Return whether an operator has several uses."""
    return any(node.use_of == written for node in walk(plan))


def mark_uses(plan: Plan, same_source: SameSource) -> Plan:
    """Return the plan, in which operators that read the same in the same way, written in the same place, are one.

    2  filter amount > 100    etl.py:3            2  filter amount > 100    etl.py:3
    4  filter amount > 100    etl.py:3            4  filter amount > 100    etl.py:3    a use of 2
    5  left join ...                              5  left join ...
    """
    first: dict[object, list[Plan]] = {}
    known: dict[OpId, OpId] = {}

    def combine(node: Plan, below: tuple[Plan, ...]) -> Plan:
        alike = first.setdefault(_head(node, known), [])
        found = next((other for other in alike if _is_same(other, node, same_source)), None)
        known[node.id] = node.id if found is None else found.id
        if found is None:
            alike.append(node)
        return replace(with_inputs(node, below), use_of=None if found is None else found.id)

    return fold(plan, combine)


def _head(node: Plan, known: Mapping[OpId, OpId]) -> object:
    """Return what all uses of an operator have in common, of what can be hashed."""
    place = None if node.where is None else (node.where, node.where.text, node.where.start)
    return type(node), place, node.id.part, tuple(known[below.id] for below in inputs(node))


def _is_same(first: Plan, node: Plan, same_source: SameSource) -> bool:
    """Return whether an operator is the same as another one, whose inputs are the same."""
    if [(a.name, a.type) for a in first.output] != [(a.name, a.type) for a in node.output]:
        return False
    if isinstance(first, Table) and isinstance(node, Table):
        return same_source(first.source, node.source)
    return _does_same(first, node)


def _does_same(first: Plan, node: Plan) -> bool:
    """Return whether an operator does the same as another one."""
    if _settings(first) != _settings(node) or len(exprs_of(first)) != len(exprs_of(node)):
        return False
    return all(map(_is_equal, exprs_of(as_use(first, node, first)), exprs_of(node)))


def _is_equal(one: Expr, other: Expr) -> bool:
    """Return whether expressions are equal; the parameters of lambdas are numbered anew at each use."""
    if one == other:
        return True
    has_lambda = any(isinstance(part, Lambda) for part in parts(one))
    same_attributes = has_lambda and list(attributes_of(one)) == list(attributes_of(other))
    return same_attributes and show_expr(one) == show_expr(other)


def _settings(node: Plan) -> tuple[object, ...]:
    """Return the parameters of an operator that are no expressions."""
    match node:
        case Join():
            return node.how, node.condition is None
        case Flatten():
            return node.outer, node.inline, node.position is None
        case SetOperation():
            return node.operation, node.all
        case Limit():
            return node.count, node.offset
        case Sample():
            return node.lower, node.upper, node.replacement, node.seed, node.split
        case Sort():
            return tuple((key.ascending, key.nulls_first) for key in node.order)
        case Window():
            return len(node.partition), tuple((key.ascending, key.nulls_first) for key in node.order)
        case Aggregate():
            return len(node.keys), len(node.aggregates)
        case _:
            return ()


# --- from one use to another ---


def as_use(changed: Plan, use: Plan, first: Plan) -> Plan:
    """Return a changed form of an operator's `first` use, over the inputs and with the attributes of another use.

    With `filter amount#1 > 49` for the first use and `filter amount#7 > 100` as another: `filter amount#7 > 49`.
    """
    names = attributes_of_use(first, use)
    exprs = tuple(rename_attributes(expr, names) for expr in exprs_of(changed))
    match changed, use:
        case Limit(), Limit():
            return replace(use, count=changed.count, offset=changed.offset)
        case Join(), Join():
            return replace(use, how=changed.how, condition=exprs[0] if exprs else None)
        case Flatten(), Flatten():
            return replace(use, outer=changed.outer, collection=exprs[0])
        case _:
            return with_exprs(use, exprs)


def attributes_of_use(first: Plan, use: Plan) -> Mapping[AttrId, Attribute]:
    """Return the attributes that one use has in the place of those of another, of its inputs and its own."""
    pairs = [*zip(inputs(first), inputs(use), strict=True), (first, use)]
    return {old.id: new for one, other in pairs for old, new in zip(one.output, other.output, strict=True)}


def rename_attributes(expr: Expr, names: Mapping[AttrId, Attribute]) -> Expr:
    """Return an expression over other attributes."""

    def change(part: Expr) -> Expr | None:
        if not isinstance(part, Ref) or part.attribute.id not in names:
            return None
        return Ref(replace(part.attribute, id=names[part.attribute.id].id))

    return rewrite(expr, change)


def change_all_uses(plan: Plan, changed: Mapping[OpId, Plan]) -> Plan:
    """Return the plan with changed operators, given by their first uses, in the place of all their uses."""
    first = {node.id: node for node in walk(plan) if node.id in changed}

    def combine(node: Plan, below: tuple[Plan, ...]) -> Plan:
        if node.first_use not in changed:
            return with_inputs(node, below)
        new = changed[node.first_use]
        return with_inputs(new if node.use_of is None else as_use(new, node, first[node.first_use]), below)

    return fold(plan, combine)


def are_uses_alike(plan: Plan) -> bool:
    """Return whether all uses of each operator do the same."""
    first = {node.id: node for node in walk(plan)}
    further = (node for node in walk(plan) if node.use_of is not None)
    return all(_does_same(first[node.first_use], node) for node in further)
