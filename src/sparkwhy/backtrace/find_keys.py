"""Find the keys that join partners must have, with jobs of the engine, where that spares more than it costs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from sparkwhy.backtrace.backtrace import Conditions, KeySets, backtrace
from sparkwhy.backtrace.partner_keys import Lookup, possible_lookups
from sparkwhy.limits import DEFAULT_LIMITS, Limits
from sparkwhy.plan.exprs import Expr
from sparkwhy.plan.nodes import OpId, Plan, Table
from sparkwhy.plan.walk import inputs, walk
from sparkwhy.rewrite.prune_columns import prune_columns
from sparkwhy.spark.engine import Engine

FindKeys: TypeAlias = Callable[[Sequence[Plan], Conditions], tuple[KeySets, ...]]
"""Finds keys for variants of a query, given the conditions on its result."""


def find_no_keys(_: Sequence[Plan], __: Conditions) -> tuple[KeySets, ...]:
    """Find nothing: for small data, where a job more costs more than it spares."""
    return ()


def key_finder(engine: Engine, limits: Limits) -> KeyFinder:
    """Return what finds keys with an engine, where a source above `limits.large_side_bytes` is read in part by that."""

    def is_worthwhile(lookup: Lookup) -> bool:
        side = inputs(lookup.join)[lookup.side]
        sizes = (engine.table_bytes(node) for node in walk(side) if isinstance(node, Table))
        return max(sizes, default=0) > max(limits.large_side_bytes, engine.table_bytes(lookup.table))

    return KeyFinder(engine.collect, is_worthwhile, limits)


@dataclass(frozen=True)
class KeyFinder:
    """Looks keys up where `is_worthwhile` says so. Each look-up runs once, however many plans need it."""

    collect: Callable[[Plan], Iterable[Sequence[Any]]]
    is_worthwhile: Callable[[Lookup], bool]
    limits: Limits = DEFAULT_LIMITS
    _known: dict[tuple[OpId, Expr, Conditions], tuple[Any, ...] | None] = field(default_factory=dict, repr=False)

    def __call__(self, plans: Sequence[Plan], conditions: Conditions) -> tuple[KeySets, ...]:
        """Return for each variant the conditions on the keys of the sides of its joins.

        The variants are pruned first, as tracing does it: what no variant reads needs no partner.
        """
        wanted = (backtrace(plan, conditions)[plan.id] for plan in plans)
        return tuple(self._keys(*each) for each in zip(prune_columns(plans), wanted, strict=True))

    def _keys(self, plan: Plan, conditions: Conditions) -> KeySets:
        found: dict[tuple[OpId, int], Conditions] = {}
        while lookup := next(filter(self.is_worthwhile, possible_lookups(plan, conditions, found)), None):
            values = self._values(lookup)
            found[lookup.join.id, lookup.side] = () if values is None else (lookup.condition(values),)
        return found

    def _values(self, lookup: Lookup) -> tuple[Any, ...] | None:
        """Collect the values of a look-up, or return None if there are more than `limits.partner_keys`."""
        place = lookup.table.id, lookup.value, lookup.conditions
        if place not in self._known:
            values = tuple(value for (value,) in self.collect(lookup.plan(self.limits.partner_keys)))
            self._known[place] = values if len(values) <= self.limits.partner_keys else None
        return self._known[place]
