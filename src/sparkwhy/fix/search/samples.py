"""The values that filters compare: those of all filters that follow one another, in one pass over the data.

A filter reads the rows that the filters below it let through, and in another alternative these are others. So each look
is a reading of the query that ends at its filter: from there on it keeps all rows. The readings are evaluated together,
as changed queries are (`trace/trace.py`), and each row says to which of the filters it came.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

from sparkwhy.backtrace.backtrace import Conditions, backtrace
from sparkwhy.fix.context import FixContext
from sparkwhy.fix.search.constants import ComparedConstant
from sparkwhy.fix.verify import AT_ONCE, bit_of_query, present_in
from sparkwhy.limits import Limits
from sparkwhy.plan.build import Fresh, all_of, boolean, call, carry, either, long, null
from sparkwhy.plan.exprs import Attribute, Compare, Ref
from sparkwhy.plan.nodes import Column, Filter, OpId, Plan, Project, Table
from sparkwhy.plan.traits import is_rowwise
from sparkwhy.plan.uses import is_used_again
from sparkwhy.plan.walk import fold, inputs, push_down, walk, with_inputs
from sparkwhy.spark.engine import Engine
from sparkwhy.trace.evaluate import evaluate


@dataclass(frozen=True)
class SampleRequest:
    """Comparisons of one filter whose values are looked at, in an alternative, on rows that meet these conditions."""

    alternative: int
    compared: tuple[ComparedConstant, ...]
    further: Conditions = ()

    @property
    def filter(self) -> Filter:
        return self.compared[0].filter


class Looking(NamedTuple):
    """A plan with the values of some looks: as many columns for each as it has comparisons, one after the other."""

    plan: Plan
    looks: tuple[int, ...]


def looking(query: FixContext, looks: Sequence[SampleRequest], conditions: Conditions) -> Iterator[Looking]:
    """Return plans with the values of all requests, on rows that match the question."""
    together: dict[OpId, list[int]] = {}
    for at, look in enumerate(looks):
        together.setdefault(_end(query.alternatives[look.alternative].plan, look.filter.id), []).append(at)
    for end, places in together.items():
        for start in range(0, len(places), AT_ONCE):
            some = tuple(places[start : start + AT_ONCE])
            yield Looking(_Readings(query, end, tuple(looks[at] for at in some), conditions).values(), some)


def sampled_share(engine: Engine, plan: Plan, limits: Limits) -> float:
    """Return the share of a plan's values to take quantiles from: about `limits.sampled_bytes` of its sources."""
    size = sum(engine.table_bytes(node) for node in walk(plan) if isinstance(node, Table))
    return min(1.0, limits.sampled_bytes / max(size, 1))


def _end(plan: Plan, filter: OpId) -> OpId:
    """Return the last of the steps after a filter that read each row by itself."""

    def split(node: Plan, above: OpId | None) -> tuple[OpId | None, ...]:
        here = (above or node.id) if is_rowwise(node) else None
        return tuple(here for _ in inputs(node))

    return push_down(plan, None, split)[filter] or filter


@dataclass(frozen=True)
class _Readings:
    """Looks at filters of a chain of steps that read each row by itself, up to its end."""

    query: FixContext
    end: OpId
    looks: tuple[SampleRequest, ...]
    conditions: Conditions

    def values(self) -> Plan:
        """Return what each comparison reads, null on rows that do not come to its filter."""
        evaluated = evaluate([self._reading(i) for i in range(len(self.looks))], [frozenset()] * len(self.looks))
        rows, fresh = evaluated.rows, Fresh(evaluated.rows.plan)

        def sample_column(i: int, side: Attribute) -> Column:
            comes = Compare("<>", call("&", present_in(evaluated), long(bit_of_query(i))), long(0))
            value = either(comes, rows.read_in(i, Ref(side)), null(side.type))
            return Column(fresh.attribute("side", side.type, nullable=True), value)

        columns = tuple(sample_column(i, side) for i, sides in enumerate(self._sides) for side in sides)
        return Project(id=fresh.part(evaluated.plans[0]), input=rows.plan, columns=columns)

    def _reading(self, at: int) -> Plan:
        """Return the query up to the end of the chain, with what is compared. All rows that come to its filter stay."""
        plan, fresh = self.query.alternatives[self.looks[at].alternative].plan, Fresh(self.query.plan)
        end = next(node for node in walk(plan) if node.id == self.end)
        passed = _from(end, self.looks[at].filter.id)

        def combine(node: Plan, below: tuple[Plan, ...]) -> Plan:
            if isinstance(node, Project):
                return replace(node, input=below[0], columns=node.columns + carry(self._sides_in(below[0])))
            if not isinstance(node, Filter):
                return with_inputs(node, below)
            input = below[0]
            for i, look in enumerate(self.looks):
                if look.filter.id == node.id:
                    input = self._rows_for_request(fresh, input, i, at)
            condition = boolean(True) if node.id in passed else node.condition
            return replace(node, input=input, condition=condition)

        rows = fold(end, combine)
        return Project(id=fresh.part(end), input=rows, columns=carry(self._sides_in(rows)))

    def _rows_for_request(self, fresh: Fresh, rows: Plan, look: int, reading: int) -> Plan:
        """Return the rows with what a look asks for; in its own reading, only those that it looks at."""
        compared = self.looks[look].compared
        asked = all_of(self._conditions_at(look)) if look == reading else boolean(True)
        some = Filter(id=fresh.part(rows), input=rows, condition=asked)
        sides = (Column(side, each.side) for side, each in zip(self._sides[look], compared, strict=True))
        return Project(id=fresh.part(rows), input=some, columns=(*carry(rows.output), *sides))

    def _conditions_at(self, at: int) -> Conditions:
        look = self.looks[at]
        plan = self.query.alternatives[look.alternative].plan
        if is_used_again(plan, look.filter.id):  # rows that matter to another use need not match the question here
            return look.further
        return backtrace(plan, self.conditions)[look.filter.input.id] + look.further

    @cached_property
    def _sides(self) -> tuple[tuple[Attribute, ...], ...]:
        """What holds the values, of each look."""
        fresh = Fresh(self.query.plan)
        return tuple(
            tuple(fresh.attribute("side", each.side.type, nullable=True) for each in look.compared)
            for look in self.looks
        )

    def _sides_in(self, rows: Plan) -> tuple[Attribute, ...]:
        known = {side for sides in self._sides for side in sides}
        return tuple(attribute for attribute in rows.output if attribute in known)


def _from(end: Plan, filter: OpId) -> frozenset[OpId]:
    """Return the steps of a chain from this filter to its end."""
    found: list[OpId] = []
    while end.id != filter:
        found.append(end.id)
        (end,) = inputs(end)
    return frozenset((*found, filter))
