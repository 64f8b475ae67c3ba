"""Trace `except` and `intersect`, by the operators that they are made of.

The law for one query: each row of the left once, blaming the operator where the right has it (`except`) or has not
(`intersect`); with `all`, each copy by its number.

    except, bit 0b10

    before                    after
    x  blame      x  blame    x  blame  unless
    1  0b00       1  0b01     1  0b00   {0b01}        nothing relaxed: the right has no 1
                              1  0b11   {}            filter 0b01 relaxed: the right has it
"""

from __future__ import annotations

from dataclasses import replace

from sparkwhy.plan.build import all_of, call, carry, either, empty_array, equal, long
from sparkwhy.plan.exprs import AggCall, Compare, Expr, Ref
from sparkwhy.plan.nodes import Aggregate, Column, Distinct, Flatten, Join, Project, SetOperation, Union
from sparkwhy.plan.types import LONG
from sparkwhy.trace.context import TraceContext
from sparkwhy.trace.observe import Recording
from sparkwhy.trace.recorded import Copies
from sparkwhy.trace.rows import TracedRows
from sparkwhy.trace.rules.aggregate import trace_aggregate
from sparkwhy.trace.rules.distinct import trace_distinct
from sparkwhy.trace.rules.semi_join import trace_semi_join
from sparkwhy.trace.rules.union import trace_union


def trace_set_operation(tracing: TraceContext, op: SetOperation, left: TracedRows, right: TracedRows) -> TracedRows:
    if op.all:
        return _trace_with_multiplicity(tracing, op, left, right)
    return _trace_once(tracing, op, left, right)


def _trace_once(tracing: TraceContext, op: SetOperation, left: TracedRows, right: TracedRows) -> TracedRows:
    """Trace `distinct` of the left, then a semi or anti join with the right on all columns."""
    once = Distinct(id=op.id, where=op.where, input=op.left)
    pairs = zip(op.left.output, op.right.output, strict=True)
    join = Join(
        id=op.id,
        where=op.where,
        use_of=op.use_of,
        left=once,
        right=op.right,
        how="anti" if op.operation == "except" else "semi",
        condition=all_of(Compare("<=>", Ref(a), Ref(b)) for a, b in pairs),
    )
    return trace_semi_join(tracing, join, trace_distinct(tracing, once, left), right)


def _trace_with_multiplicity(
    tracing: TraceContext, op: SetOperation, left: TracedRows, right: TracedRows
) -> TracedRows:
    """Number the copies of a row on the left; those up to its count on the right are dropped, or kept.

    `except all` of `1, 1, 1` and `1`: copies 2 and 3 stay, copy 1 blames the operator.
    """
    fresh = tracing.fresh
    counted, here, there = _count_copies(tracing, op, left, right)
    copy = fresh.attribute("copy", LONG)
    copies = either(Compare(">", here, long(0)), call("sequence", long(1), here), empty_array(LONG))
    flat = Flatten(id=fresh.part(op), where=op.where, input=counted.plan, collection=copies, elements=(copy,))
    kept = Compare(">" if op.operation == "except" else "<=", Ref(copy), there)
    counts = [Recording(Copies("left"), here), Recording(Copies("right"), there)]
    return tracing.blame_dropped(op, replace(counted, plan=flat, unique=None), carry(op.output), kept, counts)


def _count_copies(
    tracing: TraceContext, op: SetOperation, left: TracedRows, right: TracedRows
) -> tuple[TracedRows, Expr, Expr]:
    """Return each row once in every world, with the numbers of its copies on the left and on the right."""
    fresh = tracing.fresh
    side = fresh.attribute("side", LONG)
    branches = []
    for plan, rows, number in ((op.left, left, 1), (op.right, right, 2)):
        given = Column(fresh.attribute("side", LONG), long(number))
        labelled = tracing.project(op, rows, (*carry(rows.holders(plan.output)), given))
        shape = Project(id=fresh.part(op), input=plan, columns=(*carry(plan.output), given))
        branches.append((labelled, shape))
    both = Union(id=fresh.part(op), branches=tuple(shape for _, shape in branches), attributes=(*op.output, side))
    rows = trace_union(tracing, both, tuple(labelled for labelled, _ in branches))
    here, there = fresh.attribute("here", LONG), fresh.attribute("there", LONG)
    counts = [AggCall("count", (long(1),), condition=equal(Ref(side), long(n))) for n in (1, 2)]
    grouped = Aggregate(
        id=op.id,
        input=rows.plan,
        keys=carry(op.output),
        aggregates=(Column(here, counts[0]), Column(there, counts[1])),
    )
    return trace_aggregate(tracing, grouped, rows), Ref(here), Ref(there)
