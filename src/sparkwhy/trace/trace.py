"""Plan to traced plan: the query with no operator allowed to drop a row, each row with the operators that would have.

This is the paper's step 3, for all variants of a query at once. They have the same operators, which may read other
attributes.

The law, as bags, for every variant and every set E of droppers: the rows that are alive in E are the rows of the
variant with exactly the operators of E relaxed. With conditions of a question, the law holds for the rows that meet
them. Each operator has a rule in `rules/`, which states the law for one query.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import TypeVar, cast

from sparkwhy.backtrace.backtrace import Conditions, KeySets, backtrace, backtrace_with_keys
from sparkwhy.backtrace.remaining_conditions import remaining_conditions
from sparkwhy.errors import assert_never
from sparkwhy.limits import DEFAULT_LIMITS, Limits
from sparkwhy.plan.build import Fresh
from sparkwhy.plan.exprs import Attribute, Expr, conjuncts
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
from sparkwhy.plan.walk import fold, walk
from sparkwhy.plan.walk_exprs import attributes_of
from sparkwhy.rewrite.prune_columns import prune_columns
from sparkwhy.trace.blame import Bits
from sparkwhy.trace.context import TraceContext
from sparkwhy.trace.joins.counts import counting
from sparkwhy.trace.recorded import Legend
from sparkwhy.trace.references import Wanted, refer_in_groupings
from sparkwhy.trace.rows import TracedRows
from sparkwhy.trace.rules.aggregate import trace_aggregate
from sparkwhy.trace.rules.distinct import trace_distinct
from sparkwhy.trace.rules.distinct_by import trace_distinct_by
from sparkwhy.trace.rules.filter import trace_filter
from sparkwhy.trace.rules.flatten import trace_flatten
from sparkwhy.trace.rules.join import trace_join
from sparkwhy.trace.rules.limit import trace_limit
from sparkwhy.trace.rules.project import trace_project
from sparkwhy.trace.rules.semi_join import trace_semi_join
from sparkwhy.trace.rules.set_operation import trace_set_operation
from sparkwhy.trace.rules.sort import trace_sort
from sparkwhy.trace.rules.union import trace_union
from sparkwhy.trace.rules.window import trace_window
from sparkwhy.trace.supported import refusal_of
from sparkwhy.trace.variants.common import split_by_function
from sparkwhy.trace.variants.merge import merge_variants

Op = TypeVar("Op", bound=Plan)


@dataclass(frozen=True)
class TracedQuery:
    """A traced plan with the meaning of its bits, the variants of the query, and the conditions on their operators.

    Variant 0 is the query as written.
    """

    rows: TracedRows
    bits: Bits
    plans: tuple[Plan, ...]
    wanted: tuple[Wanted, ...]

    @property
    def legend(self) -> Legend:
        """What the slots of the rows' trails hold."""
        return self.rows.learned.legend


def trace(
    plan: Plan,
    conditions: Conditions = (),
    *,
    alternatives: Sequence[Plan] = (),
    records: bool = False,
    references: bool = False,
    coarse: Sequence[Set[OpId]] = (),
    keys: Sequence[KeySets] = (),
    limits: Limits = DEFAULT_LIMITS,
) -> TracedQuery:
    """Trace a query; with conditions, only rows that can contribute to one that meets them.

    `alternatives` are further variants of the query: the same operators with other expressions. With `records` each
    row has a trail of what happened to it at the operators that it blames. With `references` a group has only a
    reference to the trail of a row below it, which `trace_witness_rows` finds. Operators that are taken `together` are
    relaxed all at once. `keys` has for each variant the keys that partners in its joins must have, as `KeyFinder` finds
    them.
    """
    plans = (plan, *alternatives)
    wanted = tuple(backtrace(each, conditions) for each in plans)
    bits = Bits(len(plans), coarse=coarse)
    tracing = TraceContext(Fresh(plan), bits, records, attributes_read(plans, wanted), limits=limits)
    if records:
        tracing = replace(tracing, tested=conditions_on_projections(plan))
    tracing = refer_in_groupings(tracing, plans, wanted, (plan,)) if references else tracing
    return trace_plans(tracing, plans, wanted, keys)


def trace_plans(
    tracing: TraceContext, plans: tuple[Plan, ...], wanted: tuple[Wanted, ...], keys: Sequence[KeySets]
) -> TracedQuery:
    """Trace variants of a query in a context, from their tables upwards."""
    narrow = prune_columns(plans)
    tracing = replace(tracing, counting=counting(narrow))
    known = keys or [{} for _ in plans]
    needed = [
        backtrace_with_keys(each, asked[each.id], own) for each, asked, own in zip(narrow, wanted, known, strict=True)
    ]
    nodes = [{node.id: node for node in walk(each)} for each in narrow]

    def combine(op: Plan, below: tuple[TracedRows, ...]) -> TracedRows:
        ops = tuple(own[op.id] for own in nodes)
        asked = tuple(each[op.id] for each in needed)
        rows = trace_operator(tracing, ops, below, asked).learning(*(rows.learned for rows in below))
        return tracing.keep_wanted(op, rows, [remaining_conditions(*each) for each in zip(ops, asked, strict=True)])

    return TracedQuery(fold(narrow[0], combine), tracing.bits, plans, wanted)


def attributes_read(plans: Sequence[Plan], wanted: Sequence[Wanted]) -> frozenset[Attribute]:
    """Return the attributes that the question, or a filter, reads in any variant."""
    filters = (node.condition for plan in plans for node in walk(plan) if isinstance(node, Filter))
    asked = (condition for each in wanted for conditions in each.values() for condition in conditions)
    return frozenset(attribute for expr in (*filters, *asked) for attribute in attributes_of(expr))


def conditions_on_projections(plan: Plan) -> Mapping[OpId, Conditions]:
    """Return what filters ask of the rows of each projection below them, as conditions on its output.

    `filter cls = 'hi'` over `project when v > 8 then 'hi' as cls` asks `cls = 'hi'` of the projection.
    """
    found: dict[OpId, list[Expr]] = {}
    filters = (node for node in walk(plan) if isinstance(node, Filter))
    for filter in filters:
        for id, conditions in backtrace(filter.input, conjuncts(filter.condition)).items():
            found.setdefault(id, []).extend(conditions)
    projections = (node.id for node in walk(plan) if isinstance(node, Project))
    return {id: tuple(found[id]) for id in projections if id in found}


def trace_operator(
    tracing: TraceContext, ops: tuple[Plan, ...], inputs: tuple[TracedRows, ...], wanted: tuple[Conditions, ...]
) -> TracedRows:
    """Trace one operator over traced inputs, in all its variants.

    Filters, projections, limits and unions have a rule for several variants; the variants of the others are merged into
    one operator first.
    """
    match ops[0]:
        case Table() | OneRow():
            return tracing.rows_of(ops[0])
        case Project():
            return trace_project(tracing, _same_kind(ops, Project), inputs[0])
        case Filter():
            return trace_filter(tracing, _same_kind(ops, Filter), inputs[0])
        case Sort():
            return trace_sort(*_merge_one(tracing, _same_kind(ops, Sort), inputs))
        case Sample():
            raise refusal_of(ops[0])
        case Union():
            return trace_union(tracing, ops[0], inputs)
        case Flatten():
            return trace_flatten(tracing, *_merge_one(tracing, _same_kind(ops, Flatten), inputs), wanted)
        case Join():
            join, (left, right) = merge_variants(tracing, _same_kind(ops, Join), inputs)
            if join.traits.pairs:
                return trace_join(tracing, join, left, right, wanted)
            return trace_semi_join(tracing, join, left, right)
        case Aggregate():
            groupings, held = split_by_function(tracing.fresh, _same_kind(ops, Aggregate))
            groups = trace_aggregate(tracing, *_merge_one(tracing, groupings, inputs), wanted[0])
            return replace(groups, variants={**groups.variants, **held})
        case Window():
            return trace_window(tracing, *_merge_one(tracing, _same_kind(ops, Window), inputs))
        case Distinct():
            distinct, rows = _merge_one(tracing, _same_kind(ops, Distinct), inputs)
            return (trace_distinct if distinct.keys is None else trace_distinct_by)(tracing, distinct, rows)
        case SetOperation():
            return trace_set_operation(tracing, ops[0], inputs[0], inputs[1])
        case Limit():
            return trace_limit(tracing, _same_kind(ops, Limit), inputs[0])
        case _:
            assert_never(ops[0])


def _same_kind(ops: tuple[Plan, ...], kind: type[Op]) -> tuple[Op, ...]:
    """Return the variants of one operator, which differ only in their expressions."""
    assert all(isinstance(op, kind) for op in ops)
    return cast(tuple[Op, ...], ops)


def _merge_one(tracing: TraceContext, ops: tuple[Op, ...], inputs: tuple[TracedRows, ...]) -> tuple[Op, TracedRows]:
    """Merge the variants of an operator with one input."""
    op, (rows,) = merge_variants(tracing, ops, inputs)
    return op, rows
