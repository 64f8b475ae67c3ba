"""Keys of joins on names: `a.join(b, "k")` has one column k, with the value of the side that has a row."""

from __future__ import annotations

from sparkwhy.plan.build import call
from sparkwhy.plan.exprs import Cast
from sparkwhy.plan.join_keys import equal_keys, strip_casts
from sparkwhy.plan.nodes import Column, Join, Plan
from sparkwhy.plan.types import Field, Type, is_numeric
from sparkwhy.spark.classic import jvm
from sparkwhy.spark.classic.catalyst import Tree
from sparkwhy.spark.classic.read.reading import Reading


def is_join_on_names(reading: Reading, project: Tree) -> bool:
    """Return whether Spark inserted this projection for a join on names."""
    return project.children[0].name == "Join" and jvm.is_implied_by_join(reading.session, project.handle)


def merge_join_keys(reading: Reading, join: Plan, columns: tuple[Column, ...]) -> tuple[Column, ...]:
    """Return the columns of a join on names, in which a key has its value from the side that has a row.

    Spark takes the key of an inner join from the left, which is the same; but the join may become a right or full join.
    """
    if not isinstance(join, Join) or not join.traits.pairs:
        return columns
    pairs = [(strip_casts(key.left), strip_casts(key.right)) for key in equal_keys(join)]
    own_side_first = pairs if join.how != "right" else [(right, left) for left, right in pairs]
    other_key = dict(own_side_first)

    def merge(column: Column) -> Column:
        other = other_key.get(column.expr)
        if other is None or not _fits(other.type, column.expr.type):
            return column
        attribute = reading.attribute(Field(column.attribute.name, column.expr.type, column.attribute.nullable))
        same = other if other.type == column.expr.type else Cast(other, column.expr.type, "try")
        return Column(attribute, call("coalesce", column.expr, same))

    return tuple(map(merge, columns))


def _fits(type: Type, wanted: Type) -> bool:
    return type == wanted or (is_numeric(type) and is_numeric(wanted))
