"""Elements of arrays with only the fields that a plan reads of them.

Spark reads all fields of an exploded array as soon as two of them are used. So the array is zipped together from those
that are: only these are then read from a file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sparkwhy.plan.exprs import AttrId, Expr, FieldOf, Ref
from sparkwhy.plan.nodes import Distinct, Flatten, Plan, Project, SetOperation, Union
from sparkwhy.plan.slots import exprs_of
from sparkwhy.plan.types import Array, Struct
from sparkwhy.plan.walk import inputs, walk
from sparkwhy.plan.walk_exprs import operands
from sparkwhy.spark.sql_text import is_plain_field

_MOST = 0.5
"""Of a larger share of its fields an array is left as it is: zipping has its price too."""


def fields_read(plan: Plan) -> Mapping[AttrId, tuple[str, ...]]:
    """For elements of arrays of structs of which few fields are read, and nothing else: the names of these fields."""
    flattens = (node for node in walk(plan) if isinstance(node, Flatten) and _has_fields(node))
    read: dict[AttrId, dict[int, FieldOf]] = {node.elements[0].id: {} for node in flattens}
    for node in walk(plan):
        for use in _uses(node):
            id = use.attribute.id if isinstance(use, Ref) else _element(use)
            if id in read and isinstance(use, FieldOf) and is_plain_field(use):
                read[id][use.ordinal] = use
            else:
                read.pop(id, None)
    for attribute in plan.output:
        read.pop(attribute.id, None)
    return {id: _names(fields) for id, fields in read.items() if fields and _is_few(fields)}


def _has_fields(node: Flatten) -> bool:
    described = node.collection.type
    is_array_of_structs = isinstance(described, Array) and isinstance(described.element, Struct)
    return is_array_of_structs and isinstance(node.collection, Ref) and not node.inline


def _is_few(fields: Mapping[int, FieldOf]) -> bool:
    (any_field, *_) = fields.values()
    return len(fields) <= _MOST * len(any_field.struct.fields)


def _names(fields: Mapping[int, FieldOf]) -> tuple[str, ...]:
    return tuple(fields[ordinal].field.name for ordinal in sorted(fields))


def _element(use: FieldOf) -> AttrId:
    assert isinstance(use.input, Ref)
    return use.input.attribute.id


def _uses(node: Plan) -> Iterator[Ref | FieldOf]:
    """What an operator reads: fields of attributes, and attributes as a whole; not those that it merely carries."""
    if isinstance(node, Union | SetOperation | Distinct):
        yield from (Ref(attribute) for below in inputs(node) for attribute in below.output)
    if isinstance(node, Project):
        todo: list[Expr] = [column.expr for column in node.columns if not column.carried]
    else:
        todo = list(exprs_of(node))
    while todo:
        expr = todo.pop()
        if isinstance(expr, Ref) or (isinstance(expr, FieldOf) and isinstance(expr.input, Ref)):
            yield expr
        else:
            todo.extend(operands(expr))
