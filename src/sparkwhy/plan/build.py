"""Short ways to build expressions and columns, for passes that write new ones."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable

from sparkwhy.plan.exprs import And, Attribute, AttrId, Call, Case, Compare, Expr, Lambda, Literal, Ref, Variable
from sparkwhy.plan.nodes import Column, OpId, Plan
from sparkwhy.plan.types import BOOLEAN, INTEGER, LONG, Array, Type
from sparkwhy.plan.walk import walk
from sparkwhy.plan.walk_exprs import parts, rewrite

_VARIABLES = 1 << 20
"""Variables that are built are numbered from here on, inner ones first: far from those that a reader made."""


class Fresh:
    """Where the new attributes and operators of one pass over one plan come from."""

    def __init__(self, plan: Plan) -> None:
        used = [attribute.id for node in walk(plan) for attribute in node.output]
        self._attributes = itertools.count(max(used, default=0) + 1)
        self._parts = itertools.count(max(node.id.part for node in walk(plan)) + 1)

    def attribute(self, name: str, type: Type, *, nullable: bool = False) -> Attribute:
        return Attribute(AttrId(next(self._attributes)), name, type, nullable)

    def part(self, op: Plan) -> OpId:
        """Return the id of a new operator that belongs to the step of this one."""
        return OpId(op.id.step, next(self._parts))


def carry(attributes: Iterable[Attribute]) -> tuple[Column, ...]:
    """Return columns that pass attributes on."""
    return tuple(Column(attribute, Ref(attribute)) for attribute in attributes)


def long(number: int) -> Expr:
    return Literal(number, LONG)


def integer(number: int) -> Expr:
    return Literal(number, INTEGER)


def boolean(value: bool) -> Expr:
    return Literal(value, BOOLEAN)


def null(type: Type) -> Expr:
    return Literal(None, type)


def call(function: str, *args: Expr) -> Expr:
    return Call(function, args)


def equal(left: Expr, right: Expr) -> Expr:
    return Compare("=", left, right)


def either(condition: Expr, value: Expr, otherwise: Expr) -> Expr:
    """`value` where the condition is true, else `otherwise`."""
    return Case(((condition, value),), otherwise)


def all_of(conditions: Iterable[Expr]) -> Expr:
    """Return the conditions as one."""
    found = tuple(conditions)
    if not found:
        return boolean(True)
    return found[0] if len(found) == 1 else And(found)


def empty_array(element: Type) -> Expr:
    """Return an array without elements, of this type: Spark computes it once, when it plans."""
    return Call("slice", (Call("array", (null(element),)), integer(1), integer(0)))


def function(types: Iterable[Type], body: Callable[..., Expr]) -> Lambda:
    """Return a lambda; its variables are numbered above all that its body contains."""
    given = list(types)
    tokens = [object() for _ in given]  # kept alive until the body is built, so that their ids stay unique
    unnumbered = [Variable(-id(token), "x", type) for token, type in zip(tokens, given, strict=True)]
    built = body(*unnumbered)
    first = max([_VARIABLES, *(part.id + 1 for part in parts(built) if isinstance(part, Variable))])
    params = {
        variable: Variable(first + i, f"x{first + i - _VARIABLES}", variable.type)
        for i, variable in enumerate(unnumbered)
    }
    numbered = rewrite(built, lambda part: params.get(part) if isinstance(part, Variable) else None)
    return Lambda(tuple(params.values()), numbered)


def element_of(array: Expr) -> Type:
    assert isinstance(array.type, Array)
    return array.type.element


def transform(array: Expr, body: Callable[[Expr], Expr]) -> Expr:
    return Call("transform", (array, function([element_of(array)], body)))


def keep(array: Expr, condition: Callable[[Expr], Expr]) -> Expr:
    return Call("filter", (array, function([element_of(array)], condition)))


def exists(array: Expr, condition: Callable[[Expr], Expr]) -> Expr:
    return Call("exists", (array, function([element_of(array)], condition)))


def reduce(array: Expr, start: Expr, step: Callable[[Expr, Expr], Expr]) -> Expr:
    """Return a left fold over the array: `step(so_far, element)`."""
    merge = function([start.type, element_of(array)], step)
    finish = function([start.type], lambda x: x)
    return Call("aggregate", (array, start, merge, finish))
