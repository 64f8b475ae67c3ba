"""Keys that partners must have: few, where the question leaves few rows on the other side of a join.

Tracing makes joins outer, and Spark then reads and sorts all rows of both sides. But a row that can be in the answer
only as a partner is in it only beside a row that the question allows. The keys of these are looked up first, in the
source where they stand. If they are few they are a condition like any other, which reaches the scan of the other side.

The law: a query that is traced with such conditions gives the same candidates, and changed queries that are evaluated
with them return the same row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

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
from sparkwhy.plan.nodes import Aggregate, Column, Filter, Join, Limit, OpId, Plan, SetOperation, Table, Union
from sparkwhy.plan.types import INTEGRALS, STRING
from sparkwhy.plan.walk import inputs, push_down, walk
from sparkwhy.plan.walk_exprs import is_random, reads_only

LookUp: TypeAlias = Callable[[Plan, Conditions], KeySets]
"""What looks up keys for a plan, given what is wanted of it."""

MOST = 200
"""So many keys may be on the side that the question leaves few rows of."""


@dataclass(frozen=True)
class Lookup:
    """Where the keys stand that rows of one side of a join must have: what `key` must be one of."""

    join: Join
    side: int
    key: Expr
    table: Table
    value: Expr
    conditions: Conditions

    @property
    def plan(self) -> Plan:
        """The different values, one more than are of use at most."""
        fresh = Fresh(self.table)
        rows = Filter(id=fresh.part(self.table), input=self.table, condition=all_of(self.conditions))
        column = Column(fresh.attribute("key", self.value.type, nullable=True), self.value)
        values = Aggregate(id=fresh.part(self.table), input=rows, keys=(column,), aggregates=())
        return Limit(id=fresh.part(self.table), input=values, count=MOST + 1)


@dataclass(frozen=True)
class PartnerKeys:
    """Looks keys up where it is worth while, each but once.

    `collect` runs a plan, `spares` says whether a side of a join is worth a look at that source.
    """

    collect: Callable[[Plan], Iterable[Sequence[Any]]]
    spares: Callable[[Plan, Table], bool]
    _known: dict[tuple[OpId, Expr, Conditions], tuple[Any, ...] | None] = field(default_factory=dict, repr=False)

    def __call__(self, plan: Plan, conditions: Conditions) -> KeySets:
        found: dict[tuple[OpId, int], Conditions] = {}
        while lookup := next(self._lookups(plan, conditions, found), None):
            values = self._values(lookup)
            found[lookup.join.id, lookup.side] = () if values is None else (_one_of(lookup.key, values),)
        return found

    def _lookups(self, plan: Plan, conditions: Conditions, known: KeySets) -> Iterator[Lookup]:
        """What can be looked up; more, the more is known."""
        needed = backtrace_with_keys(plan, conditions, known)
        for join in walk(plan):
            if isinstance(join, Join):
                for side in partner_sides(join, needed[join.id]):
                    if (join.id, side) not in known:
                        yield from self._worth_while(_lookup(join, side, needed))

    def _worth_while(self, lookups: Iterable[Lookup]) -> Iterator[Lookup]:
        return (each for each in lookups if self.spares(inputs(each.join)[each.side], each.table))

    def _values(self, lookup: Lookup) -> tuple[Any, ...] | None:
        place = lookup.table.id, lookup.value, lookup.conditions
        if place not in self._known:
            values = tuple(value for (value,) in self.collect(lookup.plan))
            self._known[place] = values if len(values) <= MOST else None
        return self._known[place]


def _one_of(key: Expr, values: Sequence[Any]) -> Expr:
    return In(key, tuple(Literal(value, key.type) for value in values)) if values else boolean(False)


def no_keys(_: Plan, __: Conditions) -> KeySets:
    """Nothing is looked up."""
    return {}


def _lookup(join: Join, side: int, needed: Mapping[OpId, Conditions]) -> Iterator[Lookup]:
    """The first key that stands in a source of the other side of which the question asks for one value of something."""
    other = inputs(join)[1 - side]
    if any(isinstance(node, Union | SetOperation) for node in walk(other)):
        return  # a row is of one branch or another
    for key in equal_keys(join):
        own, theirs = (key.left, key.right) if side == 0 else (key.right, key.left)
        if key.null_safe or own.type != theirs.type or not _is_told(own) or is_random(theirs):
            continue
        for table, value in _origins(other, theirs):
            if any(map(pins_value, needed[table.id])):
                yield Lookup(join, side, own, table, value, (*needed[table.id], IsNotNull(value)))
                return


def _is_told(expr: Expr) -> bool:
    """Whether Python has all values of its type: it has no dates after the year 9999."""
    return expr.type in (*INTEGRALS, STRING)


def _origins(plan: Plan, expr: Expr) -> Iterator[tuple[Table, Expr]]:
    """The sources that an expression comes from as it is, and what it is there."""
    here: Conditions = (IsNotNull(expr),)
    arrived = push_down(plan, here, _passed_on)
    for table in walk(plan):
        if isinstance(table, Table):
            yield from ((table, c.input) for c in arrived[table.id] if isinstance(c, IsNotNull))


def _passed_on(node: Plan, conditions: Conditions) -> tuple[Conditions, ...]:
    """What is said of the rows of an operator, said of the inputs that these values come from.

    A partner in a join has an equal value, but a row may be there without one, if the join is relaxed, or just because
    it has none.
    """
    if not isinstance(node, Join):
        return push_through(node, conditions)
    return tuple(tuple(c for c in conditions if reads_only(c, side.output)) for side in inputs(node))
