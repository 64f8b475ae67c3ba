"""Plan to traced plan: the query with nobody allowed to drop a row, each row saying who would have.

This is the paper's step 3.

The law, as bags, for every set E of droppers: the rows that are alive in E are the rows of the query with exactly
the operators of E relaxed. With conditions of a question, the law holds for the rows that meet them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from sparkwhy.errors import assert_never
from sparkwhy.plan.build import Fresh, call, carry, either, integer
from sparkwhy.plan.exprs import Attribute, Compare, IsNull, Literal, is_true
from sparkwhy.plan.nodes import (
    Aggregate,
    Distinct,
    Filter,
    Flatten,
    Join,
    Limit,
    OneRow,
    OpId,
    Plan,
    Project,
    Sample,
    SetOperation,
    Sort,
    Table,
    Union,
    Window,
)
from sparkwhy.plan.show import show_expr
from sparkwhy.plan.types import STRING
from sparkwhy.plan.walk import fold, walk
from sparkwhy.plan.walk_exprs import attributes_of
from sparkwhy.trace.bits import Bits, assign_bits
from sparkwhy.trace.groups import trace_aggregate, trace_distinct, trace_distinct_by, trace_limit, trace_window
from sparkwhy.trace.joins import trace_join, trace_membership
from sparkwhy.trace.sets import trace_set_operation
from sparkwhy.trace.traced import Traced, Tracing, query_columns
from sparkwhy.trace.trails import verdicts
from sparkwhy.trace.unions import trace_union
from sparkwhy.trace.wanted import Conditions, backtrace, pushed


@dataclass(frozen=True)
class TracedQuery:
    """A traced plan with the meaning of its bits, and what was wanted of each operator of the query."""

    rows: Traced
    bits: Bits
    wanted: Mapping[OpId, Conditions]


def trace(plan: Plan, conditions: Conditions = (), *, records: bool = False) -> TracedQuery:
    """The traced query; with conditions, only rows that can contribute to one that meets them.

    With `records` each row has a trail of what it met at the operators that it blames.
    """
    wanted = backtrace(plan, conditions)
    tracing = Tracing(Fresh(plan), assign_bits(plan), records, _read(plan, wanted))

    def combine(op: Plan, inputs: tuple[Traced, ...]) -> Traced:
        rows = annotate(tracing, op, inputs, wanted[op.id])
        return tracing.where(op, rows, _unchecked(op, wanted[op.id]))

    return TracedQuery(fold(plan, combine), tracing.bits, wanted)


def _read(plan: Plan, wanted: Mapping[OpId, Conditions]) -> frozenset[Attribute]:
    """The attributes on which the question, or a filter, depends."""
    filters = (node.condition for node in walk(plan) if isinstance(node, Filter))
    asked = (condition for conditions in wanted.values() for condition in conditions)
    return frozenset(attribute for expr in (*filters, *asked) for attribute in attributes_of(expr))


def _unchecked(op: Plan, wanted: Conditions) -> Conditions:
    """The conditions that no input has checked already in the same form; above a join all are checked again."""
    if isinstance(op, Table | OneRow | Join):
        return wanted
    if isinstance(op, Filter | Sort | Union | SetOperation) or (isinstance(op, Distinct) and op.keys is None):
        return ()
    if isinstance(op, Project):
        return wanted if len(pushed(op, wanted)[0]) < len(wanted) else ()
    below = {id(condition) for conditions in pushed(op, wanted) for condition in conditions}
    return tuple(condition for condition in wanted if id(condition) not in below)


def annotate(tracing: Tracing, op: Plan, inputs: tuple[Traced, ...], wanted: Conditions) -> Traced:
    """One operator over traced inputs."""
    match op:
        case Table() | OneRow():
            return Traced(op)
        case Project():
            return tracing.project(op, inputs[0], op.columns)
        case Filter():  # keep the row; remember whether the filter would have
            if not tracing.bits.has(op.id):
                return inputs[0]
            columns = carry(query_columns(inputs[0]))
            return tracing.unless_kept(op, inputs[0], columns, is_true(op.condition), verdicts(op))
        case Flatten():
            return _trace_flatten(tracing, op, inputs[0])
        case Join(how="semi" | "anti" | "existence"):
            return trace_membership(tracing, op, inputs[0], inputs[1])
        case Join():
            return trace_join(tracing, op, inputs[0], inputs[1], wanted)
        case Aggregate():
            return trace_aggregate(tracing, op, inputs[0])
        case Window():
            return trace_window(tracing, op, inputs[0])
        case Union():
            return trace_union(tracing, op, inputs)
        case SetOperation():
            return trace_set_operation(tracing, op, inputs[0], inputs[1])
        case Distinct(keys=None):
            return trace_distinct(tracing, op, inputs[0])
        case Distinct():
            return trace_distinct_by(tracing, op, inputs[0])
        case Sort():  # a bag has no order; a limit above asks for it
            return replace(inputs[0], order=op.order)
        case Limit():
            return trace_limit(tracing, op, inputs[0])
        case Sample():
            raise AssertionError("a sample has no bit")
        case _:
            assert_never(op)


def _trace_flatten(tracing: Tracing, op: Flatten, rows: Traced) -> Traced:
    """As an outer flatten; the padded row blames the flatten."""
    flat = Flatten(
        id=tracing.fresh.part(op),
        where=op.where,
        input=rows.plan,
        collection=op.collection,
        elements=op.elements,
        outer=True,
        inline=op.inline,
        position=op.position,
    )
    has_elements = Compare(">", call("coalesce", call("size", op.collection), integer(0)), integer(0))
    traced = replace(rows, plan=flat)
    if not tracing.bits.has(op.id):
        return traced
    state = either(IsNull(op.collection), Literal("null", STRING), Literal("empty", STRING))
    return tracing.unless_kept(
        op, traced, carry(query_columns(traced)), has_elements, [(show_expr(op.collection), state)]
    )
