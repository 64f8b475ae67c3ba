"""Trace joins of pairs.

The law for one query: every pair of partners, alive where both rows are; and every row of a side that is padded, by the
join or where it is relaxed, alive where the row is and none of its partners.

    join on l.k = r.k; bits 0b010 for left rows without a partner, 0b100 for right rows

    before                        after
    l.k  blame      r.k  blame    l.k   r.k   blame  unless
    1    0b000      1    0b001    1     1     0b001  {}
    2    0b000                    1     null  0b010  {0b001}
                                  2     null  0b010  {}

The join is run once, as an outer join on the sides whose padded rows are wanted. It pads rows that have no partner at
all. A row whose partners exist only where something is relaxed also exists without them: such padded rows are made
beside the pair with the row's first partner, which knows all partners with the same key. How much a side brings along
for that is a choice among strategies (`join_strategies.py`).
"""

from __future__ import annotations

from collections.abc import Sequence

from sparkwhy.backtrace.backtrace import Conditions
from sparkwhy.plan.join_types import SIDES, Side, join_type_that_keeps
from sparkwhy.plan.nodes import Join
from sparkwhy.trace.blame import drops
from sparkwhy.trace.context import TraceContext
from sparkwhy.trace.joins.counts import count_partners_first
from sparkwhy.trace.joins.inputs import JoinInput, defer_trail, split_sides_by_variant
from sparkwhy.trace.joins.rows import list_cases, mark_rows
from sparkwhy.trace.rows import TracedRows
from sparkwhy.trace.rules.join_strategies import JoinCase, choose_join_strategy


def trace_join(
    tracing: TraceContext, op: Join, left: TracedRows, right: TracedRows, wanted: Sequence[Conditions]
) -> TracedRows:
    """Join the sides once, and make the padded rows that their partners do not always prevent."""
    op, left, right = split_sides_by_variant(tracing, *count_partners_first(tracing, op, left, right, wanted))
    a = _prepare(tracing, op, "left", left, wanted)
    b = _prepare(tracing, op, "right", right, wanted)
    plan = Join(
        id=tracing.fresh.part(op),
        where=op.where,
        left=a.rows.plan,
        right=b.rows.plan,
        how=join_type_that_keeps(left=b.here is not None, right=a.here is not None),
        condition=op.condition,
    )
    is_plain = a.rank is None and b.rank is None
    found = (mark_rows if is_plain else list_cases)(tracing, op, plan, a, b)
    for side in [each for each in SIDES if drops(op, each)]:  # every dropper has a bit, also one that pads no row
        tracing.bits.bit_of(op.first_use, side)
    return found


def _prepare(tracing: TraceContext, op: Join, side: Side, rows: TracedRows, wanted: Sequence[Conditions]) -> JoinInput:
    """Return a side with what the padded rows of the other side need to know about it."""
    case = JoinCase(tracing, op, defer_trail(JoinInput(side, rows)), wanted)
    return choose_join_strategy(case).construct(case)
