"""Find the rows that witness references name: those below a grouping of large data, traced once more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sparkwhy.backtrace.backtrace import Conditions
from sparkwhy.plan.build import Fresh, carry, long
from sparkwhy.plan.exprs import AggCall, Expr, In, Literal, Ref
from sparkwhy.plan.nodes import Aggregate, Column, Filter, OpId, Plan, Project, Sample
from sparkwhy.plan.types import LONG
from sparkwhy.plan.walk import inputs, walk
from sparkwhy.rewrite.prune_columns import prune_columns
from sparkwhy.trace.context import TraceContext
from sparkwhy.trace.observe import TRAIL
from sparkwhy.trace.references import refer_in_groupings
from sparkwhy.trace.rows import TracedRows
from sparkwhy.trace.trace import TracedQuery, attributes_read, conditions_on_projections, trace_plans
from sparkwhy.trace.witness import WitnessRef


@dataclass(frozen=True)
class WitnessRows:
    """The rows of a grouping with their trails, each with a mark by which it is found again.

    If `any_will_do` there may be many rows with a mark, and some of the data may be enough to find one of each. If
    `keyed` only groups with certain keys are looked at.
    """

    grouping: Plan
    fresh: Fresh
    rows: TracedRows
    mark: Expr
    any_will_do: bool
    keyed: bool

    def nearest(self, references: Sequence[WitnessRef], share: float = 1.0) -> Plan:
        """Return the plan that finds the nearest row of each of these references, in a share of the rows."""
        fresh, grouping = self.fresh, self.grouping
        looked_for = In(self.mark, tuple(long(number) for number in sorted({each.mark for each in references})))
        found: Plan = Filter(id=fresh.part(grouping), input=self.rows.plan, condition=looked_for)
        if share < 1:
            found = Sample(id=fresh.part(grouping), input=found, lower=0.0, upper=share, replacement=False, seed=0)
        columns = (
            Column(fresh.attribute("mark", LONG), self.mark),
            Column(fresh.attribute("trail", TRAIL), self.rows.trail_expr),
        )
        if self.any_will_do:  # rows of all kinds: to tell them apart first would only take longer
            each: Plan = Project(id=fresh.part(grouping), input=found, columns=columns)
        else:
            each = Aggregate(id=fresh.part(grouping), input=found, keys=columns, aggregates=())
        key, trail = each.output
        least = Column(fresh.attribute("trail", TRAIL), AggCall("min", (Ref(trail),)))
        return Aggregate(id=fresh.part(grouping), input=each, keys=carry((key,)), aggregates=(least,))


def trace_witness_rows(query: TracedQuery, at: OpId, references: Sequence[WitnessRef]) -> WitnessRows | None:
    """Trace the rows below a grouping, `at`, to which these references refer.

    What is below the grouping is traced once more, under the same bits, so that rows have the same marks. Trails may
    have references to groupings below. None if no row with such keys blames anything.
    """
    plans, wanted = query.plans, query.wanted
    narrow = prune_columns(plans)  # as it was traced: a grouping of which only the keys are read has another rule
    groupings = tuple(next(node for node in walk(plan) if node.id == at) for plan in narrow)
    tested = conditions_on_projections(plans[0])
    context = TraceContext(Fresh(plans[0]), query.bits, True, attributes_read(plans, wanted), tested=tested)
    tracing = refer_in_groupings(context, plans, wanted, inputs(groupings[0]))
    known = _keys_among(groupings[0], references)
    traced = trace_plans(tracing, groupings, tuple({**each, at: each[at] + known} for each in wanted), ())
    referred = traced.rows.learned.referred
    if at not in referred:
        return None
    rows, mark = referred[at]
    return WitnessRows(groupings[0], tracing.fresh, rows, mark, at in tracing.by_blame, bool(known))


def _keys_among(grouping: Plan, references: Sequence[WitnessRef]) -> Conditions:
    """Return the conditions that groups have keys which some reference names, where all references name one."""
    found = []
    for key in grouping.output:
        values = {dict(each.keys)[key.id] for each in references if key.id in dict(each.keys)}
        if values and all(key.id in dict(each.keys) for each in references):
            found.append(In(Ref(key), tuple(Literal(value, key.type) for value in sorted(values))))
    return tuple(found)
