"""Structs with only the fields that a plan reads of them.

Spark reads all fields of an exploded array as soon as two of them are used. So the array is zipped together from those
that are: only these are then read from a file. It also reads all fields for a lambda over the elements.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from sparkwhy.plan.build import call, exists
from sparkwhy.plan.exprs import And, Attribute, AttrId, Call, Compare, Expr, FieldOf, Lambda, Literal, Or, Ref, Variable
from sparkwhy.plan.node_exprs import exprs_of
from sparkwhy.plan.nodes import Flatten, Plan, Project, Table
from sparkwhy.plan.traits import reads_whole_rows
from sparkwhy.plan.types import Array, Struct
from sparkwhy.plan.walk import inputs, walk
from sparkwhy.plan.walk_exprs import operands, rewrite
from sparkwhy.spark.classic.run.sql_text import is_plain_field, is_plain_name, null_sql

_MOST = 0.5
"""Of a larger share of its fields an array is left as it is: zipping has its price too."""


def fields_read(plan: Plan) -> Mapping[AttrId, tuple[str, ...]]:
    """Return the names of the fields that are read of structs of which some fields are read, and nothing else.

    These are elements of arrays, and columns of tables below a flatten, where Spark cannot see what is read above.
    """
    flattens = [node for node in walk(plan) if isinstance(node, Flatten)]
    elements = {node.elements[0] for node in flattens if _has_fields(node)}
    columns = {a for node in walk(plan) if flattens and isinstance(node, Table) for a in node.attributes}
    structs = {a for a in columns if isinstance(a.type, Struct)}
    read: dict[AttrId, dict[int, FieldOf]] = {attribute.id: {} for attribute in elements | structs}
    for node in walk(plan):
        for use in _uses(node):
            id = use.attribute.id if isinstance(use, Ref) else _element(use)
            if id in read and isinstance(use, FieldOf) and is_plain_field(use):
                read[id][use.ordinal] = use
            else:
                read.pop(id, None)
    for attribute in plan.output:
        read.pop(attribute.id, None)
    most = {**{a.id: _MOST for a in elements}, **{a.id: 1 for a in structs}}
    return {id: _names(fields) for id, fields in read.items() if fields and _is_few(fields, most[id])}


def _has_fields(node: Flatten) -> bool:
    described = node.collection.type
    is_array_of_structs = isinstance(described, Array) and isinstance(described.element, Struct)
    return is_array_of_structs and isinstance(node.collection, Ref) and not node.inline


def _is_few(fields: Mapping[int, FieldOf], most: float) -> bool:
    (any_field, *_) = fields.values()
    return len(fields) <= most * len(any_field.struct.fields)


def _names(fields: Mapping[int, FieldOf]) -> tuple[str, ...]:
    return tuple(fields[ordinal].field.name for ordinal in sorted(fields))


def _element(use: FieldOf) -> AttrId:
    assert isinstance(use.input, Ref)
    return use.input.attribute.id


def _uses(node: Plan) -> Iterator[Ref | FieldOf]:
    """Yield what an operator reads: fields of attributes, and attributes as a whole; not those that it merely
    carries.
    """
    if reads_whole_rows(node):
        yield from (Ref(attribute) for below in inputs(node) for attribute in below.output)
    if isinstance(node, Project):
        todo: list[Expr] = [column.expr for column in node.columns if not column.is_carried]
    else:
        todo = list(exprs_of(node))
    while todo:
        expr = todo.pop()
        if isinstance(expr, Ref) or (isinstance(expr, FieldOf) and isinstance(expr.input, Ref)):
            yield expr
        else:
            todo.extend(operands(expr))


def narrow_struct(attribute: Attribute, name: str, fields: tuple[str, ...]) -> str | None:
    """Return a struct with only these fields, as SQL text, the others null; None if some of its types are not text.

    Whether the struct itself is null does not matter where only its fields are read.
    """
    assert isinstance(attribute.type, Struct)
    values = []
    for field in attribute.type.fields:
        nothing = null_sql(field.type)
        if nothing is None or not is_plain_name(field.name):
            return None
        values.append(f"'{field.name}', {f'{name}.`{field.name}`' if field.name in fields else nothing}")
    return f"named_struct({', '.join(values)})"


def narrow_condition(condition: Expr) -> Expr:
    """Return the condition of a filter, with lists in which some element is looked for read only in the field looked
    at.

    A lambda over whole elements makes Spark read all their fields.
    """
    return _use_array_contains(rewrite(condition, _narrow_list))


def _narrow_list(expr: Expr) -> Expr | None:
    match expr:
        case Call("exists", (collection, Lambda((element,), body))) if isinstance(element.type, Struct):
            path = _one_path(body, element)
            if path is None:
                return None
            values = _values_along(path, collection)
            return exists(values, lambda value: rewrite(body, lambda part: value if part == path else None))
        case _:
            return None


def _use_array_contains(condition: Expr) -> Expr:
    """Return the condition with values looked for by name, which is compiled.

    Beside a null that is null where the lambda says false: the same for a filter, but not below a negation.
    """
    match condition:
        case And(operands) | Or(operands):
            return replace(condition, operands=tuple(map(_use_array_contains, operands)))
        case Call("exists", (values, Lambda((value,), Compare("<=>", Compare("=", left, right), Literal(True))))):
            other = right if left == value else left
            if value in (left, right) and isinstance(other, Literal) and (other.type == value.type):
                return condition if other.value is None else call("array_contains", values, other)
            return condition
        case _:
            return condition


def _one_path(body: Expr, element: Variable) -> Expr | None:
    """Return the only field of the element, or of a struct in it, that the body reads."""
    paths: set[Expr] = set()
    todo = [body]
    while todo:
        current = todo.pop()
        if _is_field_of(current, element):
            paths.add(current)
        elif current == element:
            return None
        else:
            todo.extend(operands(current))
    return paths.pop() if len(paths) == 1 else None


def _is_field_of(expr: Expr, element: Variable) -> bool:
    if not isinstance(expr, FieldOf) or not is_plain_field(expr) or not isinstance(expr.input.type, Struct):
        return False
    return expr.input == element or _is_field_of(expr.input, element)


def _values_along(path: Expr, collection: Expr) -> Expr:
    """Return the values of a path in all elements of a collection."""
    return FieldOf(_values_along(path.input, collection), path.ordinal) if isinstance(path, FieldOf) else collection
