"""Subqueries that no row of the outer query is named in: scalar subqueries, EXISTS and NOT EXISTS.

Spark computes these once, before the query. Here they become joins, so that their rows are traced too. Spark's own
rules have turned all other subqueries into joins before.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from sparkwhy.plan.build import carry
from sparkwhy.plan.exprs import Attribute
from sparkwhy.plan.nodes import Join, JoinType, OpId, Place, Plan, Project
from sparkwhy.plan.types import BOOLEAN, Field
from sparkwhy.spark.classic.catalyst import Tree
from sparkwhy.spark.classic.read.reading import Bound, Reading
from sparkwhy.spark.classic.read.scope import Scope


@dataclass(frozen=True)
class Joined:
    """An input with the columns that the subqueries of the operator above it bring, and the step of that operator.

    Without subqueries there is no step yet.
    """

    bound: Bound
    scope: Scope
    step: OpId | None = None


def join_subqueries(reading: Reading, tree: Tree, exprs: Iterable[Tree], before: Bound) -> Joined:
    """Return the input joined with the subqueries in some expressions of an operator, as parts of its step.

    `where amount > (select avg(amount) from o)` becomes a left join with the one row of the subquery, and a filter;
    `where n = 1 or exists (...)` becomes an existence join and a filter.
    """
    found = subqueries_in(exprs)
    if not found:
        return Joined(before, reading.scope(before))
    step, joined = reading.step(tree), before.plan
    added = {key: add_subquery(reading, step, part) for key, part in found.items()}
    for join in added.values():
        joined = join.to(joined)
    values = {key: join.value for key, join in added.items()}
    unread = tuple(-attribute.id for attribute in joined.output[len(before.ids) :])
    return Joined(Bound(joined, before.ids + unread), reading.scope(before, scalars=values), step)


def subqueries_in(exprs: Iterable[Tree]) -> dict[int, Tree]:
    """Return the scalar and EXISTS subqueries in some expressions, by their ids."""
    return {part.expr_id: part for expr in exprs for part in expr.walk() if _is_single(part)}


def _is_single(tree: Tree) -> bool:
    return tree.name == "ScalarSubquery" or is_exists(tree)


def is_exists(tree: Tree) -> bool:
    """Return whether this is an EXISTS that reads no row of the outer query."""
    return tree.name == "Exists" and not tree.children


@dataclass(frozen=True)
class AddedSubquery:
    """The value of a subquery as a column, which a join adds to every row."""

    id: OpId
    plan: Plan
    value: Attribute
    exists: Attribute | None = None

    def to(self, input: Plan) -> Join:
        """Return the input with the value of the subquery in each row; a scalar subquery without rows is null."""
        how: JoinType = "left" if self.exists is None else "existence"
        return Join(id=self.id, left=input, right=self.plan, how=how, exists=self.exists)


def add_subquery(reading: Reading, step: OpId, subquery: Tree) -> AddedSubquery:
    """Return how a subquery is added to the rows that an operator reads, as a part of its step."""
    plan, part = read_subquery(reading, subquery), reading.part(step)
    if is_exists(subquery):
        flag = reading.attribute(Field("exists", BOOLEAN, nullable=False))
        return AddedSubquery(part, plan, flag, flag)
    return AddedSubquery(part, plan, replace(plan.output[0], nullable=True))


def read_subquery(reading: Reading, subquery: Tree) -> Plan:
    return reading.read_query(reading, _query_of(subquery)).plan


def _query_of(subquery: Tree) -> Tree:
    plan = subquery.expr("plan")
    assert plan is not None
    return plan


def place_of_exists(reading: Reading, filter: Tree, subquery: Tree) -> Place | None:
    """Return where EXISTS or NOT EXISTS is written: Spark gives it the place of all conditions."""
    return reading.subquery_place(_query_of(subquery)) or reading.place(filter, subquery)


def narrow(reading: Reading, plan: Plan, attributes: tuple[Attribute, ...]) -> Plan:
    """Return the plan with these attributes only: what a subquery brought along is dropped again."""
    return Project(id=reading.part(plan.id), input=plan, columns=carry(attributes))


def required_parts(condition: Tree) -> Iterator[Tree]:
    """Yield the parts of a condition that all have to be true."""
    todo = [condition]
    while todo:
        current = todo.pop()
        if current.name == "And":
            todo.extend(reversed(current.children))
        else:
            yield current


def required_exists(condition: Tree) -> tuple[Tree, bool] | None:
    """Return the EXISTS that a part of a condition consists of, and whether it is wanted: NOT EXISTS is not."""
    if is_exists(condition):
        return condition, True
    if condition.name == "Not" and is_exists(condition.children[0]):
        return condition.children[0], False
    return None
