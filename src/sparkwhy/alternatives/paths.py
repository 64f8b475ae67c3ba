"""Which attribute of a source each reference of a query stands for, and the paths that a source offers.

A path goes through structs and arrays alike: `place.country`, `o_lineitems.l_tax`. What is computed, renamed, grouped
or aggregated is a new thing: it stands for no path. A field that a projection takes out of an exploded element under
its own name, one by one or by a star, still stands for its path: it is only carried along. Nothing is changed here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from dataclasses import field as dataclass_field
from typing import TypeAlias

from sparkwhy.errors import assert_never
from sparkwhy.plan.exprs import Attribute, AttrId, Call, Expr, FieldOf, ItemOf, Lambda, Opaque, Ref, Variable
from sparkwhy.plan.nodes import (
    Aggregate,
    Column,
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
    SortKey,
    Table,
    Union,
    Window,
)
from sparkwhy.plan.show import quote_identifier
from sparkwhy.plan.types import Array, Field, Map, Struct, Type
from sparkwhy.plan.walk import inputs, walk
from sparkwhy.plan.walk_exprs import parts, rewrite

Names: TypeAlias = tuple[str, ...]
"""A path, name by name; arrays on the way have no name of their own."""


def path_text(names: Names) -> str:
    """Return a path as a user writes it."""
    return ".".join(map(quote_identifier, names))


# --- what a source offers ---


@dataclass(frozen=True, slots=True)
class SourcePath:
    """An attribute of a source, or a field inside of one, with the type of a single value there."""

    names: Names
    type: Type

    @property
    def text(self) -> str:
        return path_text(self.names)


def source_paths(plan: Plan) -> Mapping[OpId, tuple[SourcePath, ...]]:
    """Return all paths of every table of a plan, each attribute before its fields."""
    return {node.id: paths_of_table(node) for node in walk(plan) if isinstance(node, Table)}


def paths_of_table(table: Table) -> tuple[SourcePath, ...]:
    found: list[SourcePath] = []
    todo = [SourcePath((a.name,), a.type) for a in reversed(table.attributes)]
    while todo:
        path = todo.pop()
        found.append(path)
        todo.extend(SourcePath((*path.names, f.name), f.type) for f in reversed(fields_in(path.type)))
    return tuple(found)


def fields_in(type: Type) -> tuple[Field, ...]:
    """Return the fields of a struct, or of the structs in an array, or in an array of arrays."""
    while isinstance(type, Array):
        type = type.element
    return type.fields if isinstance(type, Struct) else ()


def spelling_in(table: Table, names: Names) -> Names | None:
    """Return the path as the table spells it; None if the table has no such path, or two."""
    fields = tuple(Field(a.name, a.type) for a in table.attributes)
    found: list[str] = []
    for name in names:
        field = field_named(name, fields)
        if field is None:
            return None
        found.append(field.name)
        fields = fields_in(field.type)
    return tuple(found)


def field_named(name: str, fields: tuple[Field, ...]) -> Field | None:
    """Return the one field of this name: spelled exactly so, or else in other case, as Spark finds it."""
    exact = [field for field in fields if field.name == name]
    alike = exact or [field for field in fields if field.name.lower() == name.lower()]
    return alike[0] if len(alike) == 1 else None


# --- what an attribute stands for ---


@dataclass(frozen=True, slots=True)
class Origin:
    """A path of one table that a value comes from.

    `through` are the flattens and lambdas whose elements it is; the first `fixed` names lead to these elements.
    """

    table: OpId
    names: Names
    fixed: int = 0
    through: tuple[OpId | int, ...] = ()

    def goes_through(self, table: OpId, names: Names) -> bool:
        """Return whether a path of a table leads here, beyond the elements whose collection is settled."""
        return self.table == table and self.names[: len(names)] == names and len(names) > self.fixed

    def field(self, names: Names) -> Origin:
        return replace(self, names=self.names + names)

    def element(self, of: OpId | int) -> Origin:
        return replace(self, fixed=len(self.names), through=(*self.through, of))


Meaning: TypeAlias = tuple[Origin, ...]
"""Where a value comes from: one origin, or above a union one for each branch."""

Meanings: TypeAlias = Mapping[AttrId, Meaning]

ProjectedColumn: TypeAlias = tuple[OpId, AttrId]
"""A column of a projection."""


def meanings_of(plan: Plan, without: frozenset[ProjectedColumn] = frozenset()) -> Mapping[OpId, Meanings]:
    """Return what the output attributes of every operator stand for; the columns in `without` shall stand for
    nothing.
    """
    found: dict[OpId, Meanings] = {}
    for node in walk(plan):
        below = tuple(found[each.id] for each in inputs(node))
        kept = _meanings(node, below)
        found[node.id] = {id: meaning for id, meaning in kept.items() if (node.id, id) not in without}
    return found


def _meanings(node: Plan, below: tuple[Meanings, ...]) -> Meanings:
    match node:
        case Table():
            return {a.id: (Origin(node.id, (a.name,)),) for a in node.attributes}
        case OneRow() | Aggregate():
            return {}
        case Project():
            scope = MeaningScope(below[0])
            carried = {c.attribute.id: as_reference(c.expr, scope) for c in node.columns if is_carried_along(c, scope)}
            return {id: read.meaning for id, read in carried.items() if read is not None}
        case Flatten():
            return {**below[0], **_elements(node, below[0])}
        case Join():
            both = {**below[0], **below[1]}
            return {a.id: both[a.id] for a in node.output if a.id in both}
        case Union():
            return _union_meanings(node, below)
        case Filter() | Window() | SetOperation() | Distinct() | Sort() | Limit() | Sample():
            return below[0]
        case _:
            assert_never(node)


def _elements(node: Flatten, below: Meanings) -> Meanings:
    """Return the elements of an array stand for the path of the array."""
    found = as_reference(node.collection, MeaningScope(below))
    if found is None or isinstance(node.collection.type, Map):
        return {}
    inside = tuple(origin.element(node.id) for origin in found.meaning)
    if not node.inline:
        return {node.elements[0].id: inside}
    named = zip(node.elements, fields_in(node.collection.type), strict=True)
    return {element.id: tuple(o.field((field.name,)) for o in inside) for element, field in named}


def _union_meanings(node: Union, below: tuple[Meanings, ...]) -> Meanings:
    """Return an attribute of a union stands for something if it does in every branch."""
    found: dict[AttrId, Meaning] = {}
    for position, attribute in enumerate(node.attributes):
        ids = [branch.output[position].id for branch in node.branches]
        known = [meanings.get(id) for meanings, id in zip(below, ids, strict=True)]
        present = [meaning for meaning in known if meaning is not None]
        if len(present) == len(known):
            found[attribute.id] = tuple(origin for meaning in present for origin in meaning)
    return found


# --- references ---


@dataclass(frozen=True, slots=True)
class MeaningScope:
    """What attributes and lambda variables stand for inside an expression."""

    attributes: Meanings
    variables: Mapping[Variable, Meaning] = dataclass_field(default_factory=dict)

    def meaning(self, expr: Expr) -> Meaning | None:
        match expr:
            case Ref(attribute):
                return self.attributes.get(attribute.id)
            case Variable():
                return self.variables.get(expr)
            case _:
                return None


@dataclass(frozen=True, slots=True)
class Reference:
    """A use of a path: an attribute or lambda variable with the fields and items that are taken of it."""

    expr: Expr
    root: Ref | Variable
    meaning: Meaning
    scope: MeaningScope

    @property
    def items(self) -> tuple[tuple[int, ItemOf], ...]:
        """The items that are taken on the way, each with the number of names that lead to it."""
        depth = len(self.meaning[0].names)
        found = []
        for step in _steps(self.expr):
            if isinstance(step, ItemOf):
                found.append((depth, step))
            else:
                depth -= 1
        return tuple(reversed(found))


def _steps(expr: Expr) -> Iterator[FieldOf | ItemOf]:
    """Yield the fields and array items that are taken of a root, the last one first."""
    while isinstance(expr, FieldOf) or (isinstance(expr, ItemOf) and isinstance(expr.input.type, Array)):
        yield expr
        expr = expr.input


def as_reference(expr: Expr, scope: MeaningScope) -> Reference | None:
    """Return the reference that an expression is, if it is one."""
    steps = tuple(_steps(expr))
    root = steps[-1].input if steps else expr
    meaning = scope.meaning(root)
    if meaning is None or not isinstance(root, Ref | Variable):
        return None
    names = tuple(step.field.name for step in reversed(steps) if isinstance(step, FieldOf))
    return Reference(expr, root, tuple(origin.field(names) for origin in meaning), scope)


Changing: TypeAlias = Callable[[Reference], Expr]
"""Says what stands in the place of a reference."""


def with_references(expr: Expr, scope: MeaningScope, change: Changing) -> Expr:
    """Return the expression with each of its references changed, those inside of lambdas too."""

    def change_part(part: Expr) -> Expr | None:
        if isinstance(part, Call) and any(isinstance(arg, Lambda) for arg in part.args):
            return _with_lambdas(part, scope, change)
        if as_reference(part, scope) is None:
            return None
        found = as_reference(_with_keys(part, scope, change), scope)
        assert found is not None
        return change(found)

    return rewrite(expr, change_part)


def _with_keys(expr: Expr, scope: MeaningScope, change: Changing) -> Expr:
    """Return a reference with the keys of its items changed: in `a[b].c`, the `b`."""
    steps = tuple(_steps(expr))
    built = steps[-1].input if steps else expr
    for step in reversed(steps):
        if isinstance(step, ItemOf):
            built = replace(step, input=built, key=with_references(step.key, scope, change))
        else:
            built = replace(step, input=built)
    return built


_ELEMENTS: Mapping[str, tuple[tuple[int, int], ...]] = {
    "transform": ((0, 0),),
    "filter": ((0, 0),),
    "exists": ((0, 0),),
    "forall": ((0, 0),),
    "aggregate": ((0, 1),),
    "zip_with": ((0, 0), (1, 1)),
}
"""For each function of lambdas: which argument is an array, and which parameter of the first lambda its element."""


def _with_lambdas(call: Call, scope: MeaningScope, change: Changing) -> Expr:
    inner = replace(scope, variables={**scope.variables, **_variables(call, scope)})
    args = tuple(
        Lambda(arg.params, with_references(arg.body, inner, change))
        if isinstance(arg, Lambda)
        else with_references(arg, scope, change)
        for arg in call.args
    )
    return replace(call, args=args)


def _variables(call: Call, scope: MeaningScope) -> Mapping[Variable, Meaning]:
    """Return what the variables of the lambdas of a call stand for."""
    found: dict[Variable, Meaning] = {}
    function = next(arg for arg in call.args if isinstance(arg, Lambda))
    for array, position in _ELEMENTS.get(call.function, ()):
        read = as_reference(call.args[array], scope)
        if read is not None:
            variable = function.params[position]
            found[variable] = tuple(origin.element(variable.id) for origin in read.meaning)
    return found


# --- uses ---


def is_carried_along(column: Column, scope: MeaningScope) -> bool:
    """Return whether a projection passes a column on, or a field of an exploded element under the name of the field.

    To take a field of another struct is a use of the struct, in whose place another one may be meant.
    """
    if column.is_carried:
        return True
    expr = column.expr
    if not isinstance(expr, FieldOf) or expr.field.name != column.attribute.name:
        return False
    while isinstance(expr, FieldOf) and isinstance(expr.input.type, Struct):
        expr = expr.input
    root = scope.meaning(expr) if isinstance(expr, Ref) else None
    return root is not None and all(origin.fixed == len(origin.names) for origin in root)


def with_uses(node: Plan, change: Callable[[Expr], Expr], scope: MeaningScope | None = None) -> Plan:
    """Return the operator with every expression changed that uses its input; what is merely carried along is no use."""
    match node:
        case Table() | OneRow() | Union() | SetOperation() | Limit() | Sample():
            return node
        case Project():
            known = MeaningScope({}) if scope is None else scope
            columns = tuple(c if is_carried_along(c, known) else _change_column(c, change) for c in node.columns)
            return replace(node, columns=columns)
        case Filter():
            return replace(node, condition=change(node.condition))
        case Join():
            return node if node.condition is None else replace(node, condition=change(node.condition))
        case Flatten():
            return replace(node, collection=change(node.collection))
        case Aggregate():
            keys, aggregates = (tuple(_change_column(c, change) for c in part) for part in (node.keys, node.aggregates))
            return replace(node, keys=keys, aggregates=aggregates)
        case Window():
            return replace(
                node,
                partition=tuple(map(change, node.partition)),
                order=_change_order(node.order, change),
                columns=tuple(_change_column(c, change) for c in node.columns),
            )
        case Distinct():
            return node if node.keys is None else replace(node, keys=_change_keys(node.keys, change))
        case Sort():
            return replace(node, order=_change_order(node.order, change))
        case _:
            assert_never(node)


def _change_column(column: Column, change: Callable[[Expr], Expr]) -> Column:
    return recompute_column(column.attribute, change(column.expr), column)


def recompute_column(attribute: Attribute, expr: Expr, before: Column) -> Column:
    """Return the column with another expression: null may come out of it where it could not before."""
    return before if expr == before.expr else Column(replace(attribute, nullable=True), expr)


def _change_order(order: tuple[SortKey, ...], change: Callable[[Expr], Expr]) -> tuple[SortKey, ...]:
    return tuple(replace(key, expr=change(key.expr)) for key in order)


def _change_keys(keys: tuple[Attribute, ...], change: Callable[[Expr], Expr]) -> tuple[Attribute, ...]:
    """Return other keys, each once; the same ones in another order are no change."""
    exprs = [change(Ref(key)) for key in keys]
    new = tuple(dict.fromkeys(expr.attribute for expr in exprs if isinstance(expr, Ref)))
    return keys if set(new) == set(keys) else new


def references_of(node: Plan, scope: MeaningScope) -> tuple[Reference, ...]:
    """Return the references in the uses of an operator, in order."""
    found: list[Reference] = []

    def note(read: Reference) -> Expr:
        found.append(read)
        return read.expr

    with_uses(node, lambda expr: with_references(expr, scope, note), scope)
    return tuple(found)


def scope_below(node: Plan, meanings: Mapping[OpId, Meanings]) -> MeaningScope:
    """Return what the attributes that an operator reads stand for."""
    below = inputs(node)
    if len(below) == 1:
        return MeaningScope(meanings[below[0].id])
    return MeaningScope({id: meaning for each in below for id, meaning in meanings[each.id].items()})


# --- fields that are read by name ---


def field_names_read(plan: Plan) -> frozenset[str]:
    """Return the names, in lower case, of the fields that a query reads by name, or may read in an opaque
    expression.
    """
    used = [part for node in walk(plan) for expr in _exprs_of(node) for part in parts(expr)]
    read = {part.attribute.id for part in used if isinstance(part, Ref)} | {a.id for a in plan.output}
    inlined = (node for node in walk(plan) if isinstance(node, Flatten) and node.inline)
    found = {name for part in used for name in _names_read(part)}
    for node in inlined:
        named = zip(node.elements, fields_in(node.collection.type), strict=True)
        found.update(field.name.lower() for element, field in named if element.id in read)
    return frozenset(found)


def _exprs_of(node: Plan) -> list[Expr]:
    found: list[Expr] = []

    def note(expr: Expr) -> Expr:
        found.append(expr)
        return expr

    with_uses(node, note)
    return found


def _names_read(part: Expr) -> Iterator[str]:
    match part:
        case FieldOf():
            yield part.field.name.lower()
        case Opaque():
            for read in part.inputs:
                yield from (name.lower() for name in _names_within(read.type))
        case _:
            return


def _names_within(type: Type) -> Iterator[str]:
    """Yield the names of all fields inside of a type, at any depth."""
    todo = list(fields_in(type))
    while todo:
        field = todo.pop()
        yield field.name
        todo.extend(fields_in(field.type))
