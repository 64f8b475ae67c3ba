"""Plan the look-ups of keys that join partners must have; `find_keys` runs them.

Tracing makes joins outer, and Spark then reads and sorts all rows of both sides. But a row that can be in the answer
only as a partner is in it only beside a row that the question allows. The keys of these are looked up first, in the
source where they stand. If they are few they are a condition like any other, which reaches the scan of the other side.

The law: a query that is traced with such conditions gives the same candidates, and changed queries that are evaluated
with them return the same row.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sparkwhy.backtrace.backtrace import (
    Conditions,
    KeySets,
    backtrace_with_keys,
    partner_sides,
    pins_value,
    push_through,
)
from sparkwhy.plan.build import Fresh, all_of, boolean
from sparkwhy.plan.exprs import Expr, In, IsNotNull, Literal
from sparkwhy.plan.join_keys import equal_keys
from sparkwhy.plan.nodes import Aggregate, Column, Filter, Join, Limit, OpId, Plan, Table
from sparkwhy.plan.traits import is_positional
from sparkwhy.plan.types import INTEGRALS, STRING
from sparkwhy.plan.walk import inputs, push_down, walk
from sparkwhy.plan.walk_exprs import is_random, reads_only


@dataclass(frozen=True)
class Lookup:
    """Where the keys stand that rows of one side of a join must have: `key` must be one of the values of `value`."""

    join: Join
    side: int
    key: Expr
    table: Table
    value: Expr
    conditions: Conditions

    def plan(self, most: int) -> Plan:
        """Return a plan of the distinct values, at most one more than `most`."""
        fresh = Fresh(self.table)
        rows = Filter(id=fresh.part(self.table), input=self.table, condition=all_of(self.conditions))
        column = Column(fresh.attribute("key", self.value.type, nullable=True), self.value)
        values = Aggregate(id=fresh.part(self.table), input=rows, keys=(column,), aggregates=())
        return Limit(id=fresh.part(self.table), input=values, count=most + 1)

    def condition(self, values: Sequence[Any]) -> Expr:
        """Return the condition that the key is one of these values."""
        return In(self.key, tuple(Literal(v, self.key.type) for v in values)) if values else boolean(False)


def possible_lookups(plan: Plan, conditions: Conditions, known: KeySets) -> Iterator[Lookup]:
    """Return the look-ups for the sides of joins that are not known yet. The more is known, the more are possible."""
    needed = backtrace_with_keys(plan, conditions, known)
    for join in walk(plan):
        if isinstance(join, Join):
            for side in partner_sides(join, needed[join.id]):
                if (join.id, side) not in known:
                    yield from _lookup(join, side, needed)


def _lookup(join: Join, side: int, needed: Mapping[OpId, Conditions]) -> Iterator[Lookup]:
    """Find the first key that comes from a source of the other side in which the question pins some value."""
    other = inputs(join)[1 - side]
    if any(map(is_positional, walk(other))):
        return  # a row is of one branch or another
    for key in equal_keys(join):
        own, theirs = (key.left, key.right) if side == 0 else (key.right, key.left)
        if key.null_safe or own.type != theirs.type or not _is_known_to_python(own) or is_random(theirs):
            continue
        for table, value in _origins(other, theirs):
            if any(map(pins_value, needed[table.id])):
                yield Lookup(join, side, own, table, value, (*needed[table.id], IsNotNull(value)))
                return


def _is_known_to_python(expr: Expr) -> bool:
    """Return whether Python has all values of its type: it has no dates after the year 9999."""
    return expr.type in (*INTEGRALS, STRING)


def _origins(plan: Plan, expr: Expr) -> Iterator[tuple[Table, Expr]]:
    """Return the sources that an expression comes from unchanged, each with the expression there."""
    here: Conditions = (IsNotNull(expr),)
    arrived = push_down(plan, here, _pass_on)
    for table in walk(plan):
        if isinstance(table, Table):
            yield from ((table, c.input) for c in arrived[table.id] if isinstance(c, IsNotNull))


def _pass_on(node: Plan, conditions: Conditions) -> tuple[Conditions, ...]:
    """Push conditions on the rows of an operator to the inputs that the values come from.

    A partner in a join has an equal value, but a row may be there without one, if the join is relaxed, or just because
    it has none.
    """
    if not isinstance(node, Join):
        return push_through(node, conditions)
    return tuple(tuple(c for c in conditions if reads_only(c, side.output)) for side in inputs(node))
