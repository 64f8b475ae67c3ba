"""Put what a projection computes into the projection above it; a field of a struct that it makes becomes the value.

Before, for the attribute `s`:

    project s.a as x, s.b as y
    project struct(n as a, n + 1 as b) as s
    table (n)

After:

    project n as x, n + 1 as y
    table (n)

Spark would first copy the struct for each of its fields: twice as much with each of many projections.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import replace

from sparkwhy.plan.exprs import Attribute, Expr, FieldOf, MakeStruct, Ref
from sparkwhy.plan.nodes import Plan, Project
from sparkwhy.plan.walk_exprs import rewrite


def inline_structs(node: Plan, attributes: Set[Attribute]) -> Plan:
    """Inline the projection below a projection, if it computes nothing but these attributes."""
    if not isinstance(node, Project) or not isinstance(node.input, Project):
        return node
    below = node.input
    made = {column.attribute: column.expr for column in below.columns if not column.is_carried}
    if not made.keys() <= attributes:
        return node
    columns = tuple(replace(column, expr=inline_definitions(column.expr, made)) for column in node.columns)
    return replace(node, input=below.input, columns=columns)


def inline_definitions(expr: Expr, made: Mapping[Attribute, Expr]) -> Expr:
    """Replace attributes by what makes them, and fields of structs that are made by their values.

    With `s` made by `struct(n as a)`, `s.a + 1` becomes `n + 1`.
    """

    def change(part: Expr) -> Expr | None:
        match part:
            case FieldOf(Ref(attribute), ordinal) if isinstance(struct := made.get(attribute), MakeStruct):
                return struct.values[ordinal]
            case Ref(attribute):
                return made.get(attribute)
            case _:
                return None

    return rewrite(expr, change)
