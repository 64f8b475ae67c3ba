"""The trail of a group: that of its nearest row, the one that misses by least, or a reference to it.

Trails are long, and Spark sorts all rows to find the least of something long. Where trails are not recorded in full,
only the distance is aggregated, and the group refers to its nearest row. Where any row with the same blame will do,
nothing is aggregated at all.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from sparkwhy.plan.build import carry
from sparkwhy.plan.exprs import AggCall, Expr, Ref
from sparkwhy.plan.nodes import Aggregate, Column, Plan
from sparkwhy.trace.context import TraceContext
from sparkwhy.trace.observe import NO_WAY, TRAIL, far_of, mark, refer
from sparkwhy.trace.rows import Learned, Referred, TracedRows, query_columns
from sparkwhy.trace.variants.merge import columns_in_variants


@dataclass(frozen=True)
class NearestRow:
    """What is aggregated over the rows of a group, to give the group a trail: `columns`."""

    rows: TracedRows
    columns: tuple[Column, ...]

    @classmethod
    def of(cls, tracing: TraceContext, op: Plan, rows: TracedRows) -> NearestRow:
        """Return the columns to aggregate at an operator that makes groups of these rows."""
        if rows.trail is None or op.id in tracing.by_blame:
            return cls(rows, ())
        if op.id not in tracing.referring:
            return cls(rows, (Column(tracing.fresh.attribute("trail", TRAIL), AggCall("min", (Ref(rows.trail),))),))
        far = AggCall("min", (far_of(Ref(rows.trail)),))
        return cls(rows, (Column(tracing.fresh.attribute("far", far.type), far),))

    def give_trail(self, tracing: TraceContext, op: Plan, groups: TracedRows, keys: tuple[Column, ...]) -> TracedRows:
        """Return the groups with their trails; `keys` is what they are grouped by."""
        if op.id in tracing.by_blame and self.rows.blame is not None:
            return self._refer(tracing, op, groups, keys, NO_WAY, NO_WAY)
        if self.rows.trail is None:
            return groups
        (found,) = self.columns
        if op.id not in tracing.referring:
            return replace(groups, trail=found.attribute)
        return self._refer(tracing, op, groups, keys, far_of(Ref(self.rows.trail)), Ref(found.attribute))

    def _refer(
        self, tracing: TraceContext, op: Plan, groups: TracedRows, keys: tuple[Column, ...], below: Expr, far: Expr
    ) -> TracedRows:
        """Return the groups with references to their rows; `below` is the distance of a row, `far` that of a group."""
        referred = {op.id: Referred(self.rows, mark((*(key.expr for key in keys), below)))}
        differing = {held for each in groups.variants.values() for held in each}
        same = carry(key.attribute for key in keys if key.attribute not in differing)
        own = mark((*(Ref(key.attribute) for key in keys), far))
        legend, trail = refer(self.rows.learned.legend, op.id, far, own, same)
        groups = groups.learning(Learned(legend, referred=referred))
        made = {column.attribute for column in self.columns}
        given = [a for a in query_columns(groups) if a not in made]
        return tracing.project(op, groups, carry(given), trail=trail)


def refer_to_rows(tracing: TraceContext, op: Aggregate, rows: TracedRows) -> TracedRows:
    """Give each row a reference to itself, where trails are not recorded in full: all rows come to the groups."""
    if op.id not in tracing.referring or (rows.trail is None and op.id not in tracing.by_blame):
        return rows
    keys, differing = columns_in_variants(tracing, rows, op.keys)
    far = NO_WAY if rows.trail is None or op.id in tracing.by_blame else far_of(Ref(rows.trail))
    own = mark((*(key.expr for key in keys), rows.blame_expr, far))
    same = [key for key in op.keys if key.attribute not in differing]
    legend, trail = refer(rows.learned.legend, op.id, far, own, same)
    learned = Learned(legend, referred={op.id: Referred(rows, own)})
    return tracing.project(op, rows.learning(learned), carry(query_columns(rows)), trail=trail)
