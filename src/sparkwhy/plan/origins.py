"""What columns are made of, and so where a null in one of them came from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from sparkwhy.plan.exprs import Attribute, AttrId, Expr, Ref
from sparkwhy.plan.nodes import Aggregate, Column, Flatten, Plan, Project, Union, Window
from sparkwhy.plan.walk import walk
from sparkwhy.plan.walk_exprs import attributes_of


def attributes_made_by(node: Plan) -> Iterator[tuple[Attribute, tuple[Expr, ...]]]:
    """Yield the attributes that an operator makes, each with what it is made of."""
    match node:
        case Project() | Window():
            yield from _columns(node.columns)
        case Aggregate():
            yield from _columns((*node.keys, *node.aggregates))
        case Flatten():
            yield from ((attribute, (node.collection,)) for attribute in node.elements)
        case Union():
            for i, attribute in enumerate(node.attributes):
                yield attribute, tuple(Ref(branch.output[i]) for branch in node.branches)
        case _:
            return


def _columns(columns: Iterable[Column]) -> Iterator[tuple[Attribute, tuple[Expr, ...]]]:
    return ((column.attribute, (column.expr,)) for column in columns)


@dataclass(frozen=True)
class Origins:
    """What the attributes of a plan are made of."""

    made_of: Mapping[AttrId, tuple[Expr, ...]]

    @classmethod
    def of(cls, plan: Plan) -> Origins:
        made = (each for node in walk(plan) for each in attributes_made_by(node))
        return cls({attribute.id: exprs for attribute, exprs in made if exprs != (Ref(attribute),)})

    def ancestors(self, expr: Expr) -> frozenset[AttrId]:
        """Return all attributes that an expression reads, and those that they are made of."""
        found, todo = set[AttrId](), [attribute.id for attribute in attributes_of(expr)]
        while todo:
            attribute = todo.pop()
            if attribute not in found:
                found.add(attribute)
                todo.extend(a.id for made in self.made_of.get(attribute, ()) for a in attributes_of(made))
        return frozenset(found)
