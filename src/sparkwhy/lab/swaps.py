"""Which attributes may stand in the place of which: groups of paths of a table, found again above it.

A path keeps its name through projections, renames, flattens, grouping keys and collected lists; elements of an array
have the path of the array. What is computed, or comes out of a union, has none and is not replaced.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Literal as OneOf
from typing import NamedTuple, TypeAlias

from sparkwhy.plan.exprs import AggCall, Attribute, AttrId, Expr, FieldOf, Ref
from sparkwhy.plan.functions import COLLECTS
from sparkwhy.plan.nodes import Aggregate, Flatten, OpId, Plan, Project, Table
from sparkwhy.plan.types import Array, Struct, same_shape
from sparkwhy.plan.walk import walk
from sparkwhy.plan.walk_exprs import paths_of, rewrite

Path: TypeAlias = tuple[str, ...]

Groups: TypeAlias = Collection[frozenset[Path]]
"""Sets of paths of one table that may replace each other: `{frozenset({("address1",), ("address2",)})}`."""


Kind: TypeAlias = OneOf[
    "attribute", "comparison", "constant", "join type", "flatten type", "aggregate function", "limit"
]
"""What a change of parameters changes."""


@dataclass(frozen=True, slots=True)
class SwapChoice:
    """One way to write an expression, and what was changed for it: nothing, or the kind of each change."""

    expr: Expr
    kinds: tuple[Kind, ...] = ()


class SwapOrigin(NamedTuple):
    """Where the values of an attribute come from."""

    table: OpId
    path: Path


@dataclass(frozen=True, slots=True)
class Swaps:
    """The groups, and where the attributes of a plan come from."""

    groups: Groups
    origins: Mapping[AttrId, SwapOrigin]

    @classmethod
    def of(cls, plan: Plan, groups: Groups) -> Swaps:
        origins: dict[AttrId, SwapOrigin] = {}
        for node in walk(plan):
            for attribute, origin in _derive_origins(node, origins):
                origins.setdefault(attribute.id, origin)
        return cls(groups, origins)

    def rewritings(self, expr: Expr, offered: Sequence[Attribute]) -> Iterator[SwapChoice]:
        """Yield the expression with each of its references replaced or not, first as it is."""
        paths = list(paths_of(expr))
        for chosen in product(*([path, *self.replacements_for(path, offered)] for path in paths)):
            kinds: list[Kind] = ["attribute" for path, instead in zip(paths, chosen, strict=True) if path != instead]
            yield SwapChoice(_replace_paths(expr, chosen), tuple(kinds))

    def replacements_for(self, path: Expr, offered: Sequence[Attribute]) -> list[Expr]:
        """Return what of the offered attributes has the type of this reference and stands in a group with it."""
        origin = _origin(path, self.origins)
        if origin is None:
            return []
        found = [
            candidate
            for wanted in self._partners(origin.path)
            for attribute in offered
            for candidate in self._reach(attribute, SwapOrigin(origin.table, wanted))
        ]
        return [candidate for candidate in found if candidate != path and same_shape(candidate.type, path.type)]

    def _partners(self, path: Path) -> list[Path]:
        """Return a group of structs also says that their fields may replace each other."""
        return sorted(
            other + path[len(member) :]
            for group in self.groups
            for member in group
            if path[: len(member)] == member
            for other in group - {member}
        )

    def _reach(self, attribute: Attribute, wanted: SwapOrigin) -> Iterator[Expr]:
        origin = self.origins.get(attribute.id)
        if origin is None or origin.table != wanted.table or wanted.path[: len(origin.path)] != origin.path:
            return
        expr: Expr | None = Ref(attribute)
        for name in wanted.path[len(origin.path) :]:
            expr = None if expr is None else _field(expr, name)
        if expr is not None:
            yield expr


def _replace_paths(expr: Expr, chosen: Sequence[Expr]) -> Expr:
    """Return the expression with these in the places of its paths, left to right."""
    left = iter(chosen)
    return rewrite(expr, lambda part: next(left) if _is_path(part) else None)


def _is_path(expr: Expr) -> bool:
    return next(paths_of(expr), None) is expr


def _field(expr: Expr, name: str) -> Expr | None:
    inner = expr.type.element if isinstance(expr.type, Array) else expr.type
    if isinstance(inner, Struct) and name in inner.names:
        return FieldOf(expr, inner.names.index(name))
    return None


# --- origins ------------------------------------------------------------------------------------------------


def _derive_origins(node: Plan, origins: Mapping[AttrId, SwapOrigin]) -> Iterator[tuple[Attribute, SwapOrigin]]:
    """Yield the attributes that an operator makes, where they only give others a new place."""
    match node:
        case Table():
            yield from ((attribute, SwapOrigin(node.id, (attribute.name,))) for attribute in node.attributes)
        case Project():
            sources = [(column.attribute, column.expr) for column in node.columns]
            yield from _name_origins(sources, origins)
        case Flatten() if isinstance(node.collection.type, Array):
            yield from _name_origins(_elements(node), origins)
        case Aggregate():
            keys = [(column.attribute, column.expr) for column in node.keys]
            lists = [(c.attribute, call.args[0]) for c in node.aggregates for call in _collect_calls(c.expr)]
            yield from _name_origins(keys + lists, origins)
        case _:
            pass


def _name_origins(
    sources: Sequence[tuple[Attribute, Expr]], origins: Mapping[AttrId, SwapOrigin]
) -> Iterator[tuple[Attribute, SwapOrigin]]:
    for attribute, expr in sources:
        if (origin := _origin(expr, origins)) is not None:
            yield attribute, origin


def _elements(node: Flatten) -> list[tuple[Attribute, Expr]]:
    if node.inline:
        return [(element, FieldOf(node.collection, i)) for i, element in enumerate(node.elements)]
    return [(node.elements[0], node.collection)]


def _collect_calls(expr: Expr) -> list[AggCall]:
    return [expr] if isinstance(expr, AggCall) and expr.function in COLLECTS else []


def _origin(expr: Expr, origins: Mapping[AttrId, SwapOrigin]) -> SwapOrigin | None:
    """Return the origin of a path, which is an attribute or a field of one."""
    names: list[str] = []
    while isinstance(expr, FieldOf):
        names.append(expr.field.name)
        expr = expr.input
    found = origins.get(expr.attribute.id) if isinstance(expr, Ref) else None
    return None if found is None else SwapOrigin(found.table, found.path + tuple(reversed(names)))
