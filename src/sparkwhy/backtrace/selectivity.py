"""Where a traced plan surely has few rows, or most likely: groups with keys that the question names."""

from __future__ import annotations

from sparkwhy.backtrace.backtrace import Conditions, backtrace, pins_value, push_through
from sparkwhy.plan.exprs import Attribute, Call, Expr
from sparkwhy.plan.nodes import Aggregate, Plan, Project
from sparkwhy.plan.traits import columns_across_rows
from sparkwhy.plan.walk import walk
from sparkwhy.plan.walk_exprs import attributes_of, parts
from sparkwhy.rewrite.split_small import SmallAt

_TEXT_TESTS = frozenset({"contains", "startswith", "endswith", "like", "rlike"})


def find_small_groupings(plan: Plan, asked: Conditions) -> SmallAt:
    """Return where plans that are made of the traced query have few rows: groups, one for each set of blame or a few,
    and rows like the one that is asked for."""
    wanted, computed = backtrace(plan, asked), attributes_from_groups(plan)

    def tell(conditions: Conditions) -> bool:
        return any(is_selective(c) and computed.isdisjoint(attributes_of(c)) for c in conditions)

    groupings = [node for node in walk(plan) if isinstance(node, Aggregate)]
    steps = {n.id.step for n in groupings if not n.keys or tell(push_through(n, wanted[n.id])[0])}
    return SmallAt(lambda node: isinstance(node, Aggregate) and node.id.step in steps, tell(asked))


FEW_MARKS = SmallAt(lambda node: isinstance(node, Aggregate))
"""Rows that are looked up by their marks, each different one once."""


def attributes_from_groups(plan: Plan) -> set[Attribute]:
    """Return the attributes that are computed across rows, and those that are computed from them.

    A fix changes their values. So the value that a row has now does not say whether the row is asked for.
    """
    found: set[Attribute] = set()
    for node in walk(plan):
        found.update(column.attribute for column in columns_across_rows(node))
        if isinstance(node, Project):
            made = (c for c in node.columns if any(a in found for a in attributes_of(c.expr)))
            found.update(column.attribute for column in made)
    return found


def is_selective(condition: Expr) -> bool:
    """Return whether a condition asks for one value, for one of a few, or for a text that is like another."""
    return pins_value(condition) or any(
        isinstance(part, Call) and part.function in _TEXT_TESTS for part in parts(condition)
    )
