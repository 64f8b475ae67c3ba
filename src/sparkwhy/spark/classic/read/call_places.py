"""Places of operations for which Spark records none: joins on names, groupBy, explode, duplicates, limit, union.

They are looked up in the files that the places of neighbouring operations name, by the method and its arguments. A
place is given only if one call can have made the operation, and only this operation.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

from sparkwhy.plan.exprs import FieldOf, IsNotNull, Ref, conjuncts
from sparkwhy.plan.nodes import Aggregate, Column, Distinct, Filter, Flatten, Join, Limit, OpId, Place, Plan, Union
from sparkwhy.plan.show import shared_names
from sparkwhy.plan.walk import fold, walk, with_inputs
from sparkwhy.spark.classic.read.code_places import read_file

Arguments: TypeAlias = tuple[str | int, ...]

_METHODS: Mapping[str, str] = {
    "join": "join", "groupBy": "groupBy", "groupby": "groupBy", "limit": "limit", "distinct": "distinct",
    "dropDuplicates": "dropDuplicates", "drop_duplicates": "dropDuplicates", "union": "union", "unionAll": "union",
    "unionByName": "union", "dropna": "dropna", "explode": "explode", "posexplode": "posexplode", "inline": "inline",
    "explode_outer": "explode_outer", "posexplode_outer": "posexplode_outer", "inline_outer": "inline_outer",
}  # fmt: skip
"""The calls that are looked up, those that make the same operation under one name."""


@dataclass(frozen=True)
class Made:
    """What makes an operation: a method with its names or its number; `arguments` are None where they are computed."""

    method: str
    arguments: Arguments | None

    def may_be(self, other: Made) -> bool:
        return self.method == other.method and (other.arguments is None or self.arguments == other.arguments)


def add_call_places(plan: Plan) -> Plan:
    """Return the plan with the places of calls that can be found in no other line."""
    lacking = {node.id: made for node in walk(plan) if node.where is None and (made := _call_for(node)) is not None}
    if not lacking:
        return plan
    calls = [call for file in _files(plan) for call in _calls_in(file)]
    places = dict(_unique_places(lacking, calls))
    uses = {node.id: node.use_of for node in walk(plan) if node.use_of is not None}

    def place_node(node: Plan, below: tuple[Plan, ...]) -> Plan:
        place = places.get(uses.get(node.id, node.id))
        new = with_inputs(node, below)
        return new if place is None or new.where is not None else replace(new, where=place)

    return fold(plan, place_node) if places else plan


def _files(plan: Plan) -> list[str]:
    places = (node.where for node in walk(plan) if node.where is not None)
    return sorted({place.file for place in places if place.file.endswith(".py")})


def _unique_places(lacking: Mapping[OpId, Made], calls: list[tuple[Made, Place]]) -> Iterator[tuple[OpId, Place]]:
    candidates = {id: [place for call, place in calls if made.may_be(call)] for id, made in lacking.items()}
    claimed = Counter(place for places in candidates.values() for place in places)
    for id, places in candidates.items():
        if len(places) == 1 and claimed[places[0]] == 1:
            yield id, places[0]


# --- what makes an operation ---


def _call_for(node: Plan) -> Made | None:
    """Return the call that makes an operation; None for operations that are not looked up, and for further uses."""
    if node.use_of is not None or node.id.part:
        return None
    match node:
        case Join():
            names = shared_names(node)
            return None if names is None else Made("join", names)
        case Aggregate():
            keys = _names_of(node.keys)
            return None if keys is None else Made("groupBy", keys)
        case Limit(count=int(count), offset=0):
            return Made("limit", (count,))
        case Distinct(keys=None):
            return Made("distinct", ())
        case Distinct(keys=tuple(keys)):
            return Made("dropDuplicates", tuple(key.name for key in keys))
        case Union():
            return Made("union", None)
        case Flatten():
            return _flatten(node)
        case Filter() if all(isinstance(part, IsNotNull) for part in conjuncts(node.condition)):
            return Made("dropna", None)
        case _:
            return None


def _names_of(columns: tuple[Column, ...]) -> Arguments | None:
    names = [column.expr.attribute.name if isinstance(column.expr, Ref) else None for column in columns]
    return tuple(name for name in names if name is not None) if None not in names else None


def _flatten(node: Flatten) -> Made | None:
    expr, names = node.collection, []
    while isinstance(expr, FieldOf):
        names.append(expr.field.name)
        expr = expr.input
    if not isinstance(expr, Ref):
        return None
    function = "inline" if node.inline else "explode" if node.position is None else "posexplode"
    return Made(f"{function}{'_outer' if node.outer else ''}", (".".join([expr.attribute.name, *reversed(names)]),))


# --- what the code says ---


def _calls_in(file: str) -> Iterator[tuple[Made, Place]]:
    """Yield the calls of a file that are looked up, each with the line in which its name stands."""
    source = read_file(Path(file))
    try:
        tree = ast.parse("" if source is None else source)
    except (SyntaxError, ValueError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and (name := _name_of(node.func)) is not None:
            line = node.func.end_lineno or node.lineno
            yield Made(name, _arguments(name, node)), Place(file, line, name)


def _name_of(function: ast.expr) -> str | None:
    match function:
        case ast.Attribute(ast.Attribute(attr="na"), "drop"):
            return "dropna"
        case ast.Attribute(attr=name) | ast.Name(name):
            return _METHODS.get(name)
        case _:
            return None


def _arguments(name: str, call: ast.Call) -> Arguments | None:
    """Return what a call is given, as far as it makes out the operation; None if that is computed."""
    if name in ("union", "dropna"):
        return None
    given = call.args[1:2] if name == "join" else call.args
    named = {keyword.arg: keyword.value for keyword in call.keywords}
    if not given and name in ("join", "dropDuplicates") and (on := named.get("on", named.get("subset"))) is not None:
        given = [on]
    if len(given) == 1 and isinstance(given[0], ast.List | ast.Tuple):
        given = given[0].elts
    found = [_constant(each) for each in given]
    return None if None in found else tuple(each for each in found if each is not None)


def _constant(node: ast.expr) -> str | int | None:
    """Return a name or a number, also in `F.col("a")`."""
    match node:
        case ast.Constant(str(value)) | ast.Constant(int(value)):
            return value
        case ast.Call(ast.Attribute(attr="col") | ast.Name("col"), [ast.Constant(str(value))], []):
            return value
        case _:
            return None
