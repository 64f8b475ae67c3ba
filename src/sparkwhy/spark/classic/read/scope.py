"""What the names in an expression stand for while it is read, and the black box for what is not modelled."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from py4j.java_gateway import JavaObject

from sparkwhy.errors import UnsupportedOperator
from sparkwhy.plan.exprs import Attribute, Call, Expr, Mode, Opaque, Ref, Variable
from sparkwhy.plan.types import type_from_json
from sparkwhy.spark.classic import jvm
from sparkwhy.spark.classic.catalyst import Tree

Reader = Callable[[Tree, "Scope"], Expr]

SUBQUERIES = frozenset({"ScalarSubquery", "ListQuery", "Exists", "InSubquery", "LateralSubquery", "OuterReference"})


@dataclass(frozen=True, slots=True)
class OpaqueHandle:
    """What Spark needs to run an opaque expression: the JVM expression, and the ids behind its inputs."""

    expression: JavaObject
    expr_ids: tuple[int, ...]


class NotModelled(Exception):
    """The expression has a form that is not modelled: it will be opaque."""


class HasFreeVariable(Exception):
    """An opaque expression reads the parameter of a lambda: the whole higher-order function must be opaque."""


@dataclass(frozen=True)
class Scope:
    """What the names in an expression stand for, and how its parts are read."""

    reader: Reader
    attributes: Mapping[int, Attribute]
    timezone: str
    mode: Mode
    numbers: Iterator[int]
    scalars: Mapping[int, Attribute] = field(default_factory=dict)
    variables: Mapping[int, Variable] = field(default_factory=dict)

    def read(self, tree: Tree) -> Expr:
        return self.reader(tree, self)

    def operands(self, tree: Tree) -> tuple[Any, ...]:
        return tuple(self.read(child) for child in tree.children)

    def with_variables(self, new: Mapping[int, Variable]) -> Scope:
        return replace(self, variables={**self.variables, **new})

    def same_mode(self, mode: str) -> Mode:
        """Return a mode that was fixed when the query was built. One that the session would not choose now cannot be
        run.
        """
        if mode == "try":
            return "try"
        if mode != self.mode:
            raise NotModelled
        return self.mode


def read_call(function: str, tree: Tree, scope: Scope) -> Call:
    """Return a function of the catalogue, applied to the children of the tree."""
    return Call(function, scope.operands(tree))


def opaque(tree: Tree, scope: Scope) -> Opaque:
    """Return the whole expression as a black box over the attributes that it reads."""
    bound = {v.expr_id for t in tree.walk() if t.name == "LambdaFunction" for v in t.children[1:]}
    refs: dict[int, Attribute] = {}
    for part in tree.walk():
        if part.name == "AttributeReference":
            refs[part.expr_id] = scope.attributes[part.expr_id]
        elif part.name == "NamedLambdaVariable" and part.expr_id not in bound:
            raise HasFreeVariable
        elif part.name in SUBQUERIES:
            raise UnsupportedOperator(
                f"a subquery inside {jvm.text_of(tree.handle)}",
                where=place_text(tree),
                hint="join with it instead.",
            )
    return Opaque(
        text=jvm.text_of(tree.handle),
        inputs=tuple(Ref(attribute) for attribute in refs.values()),
        type=type_from_json(json.loads(jvm.type_of(tree.handle))),
        aggregate=any(part.name == "AggregateExpression" for part in tree.walk()),
        deterministic=bool(tree.handle.deterministic()),
        handle=OpaqueHandle(tree.handle, tuple(refs)),
    )


def place_text(tree: Tree) -> str | None:
    place = jvm.place_of(tree.handle)
    return None if place is None else str(place)
