"""Plan to traced plan: the query with nobody allowed to drop a row, each row saying who would have.

This is the paper's step 3, for all alternatives of a query at once. They have the same operators, which may read
other attributes.

The law, as bags, for every alternative and every set E of droppers: the rows that are alive in E are the rows of the
alternative with exactly the operators of E relaxed. With conditions of a question, the law holds for the rows that
meet them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar, cast

from sparkwhy.backtrace.backtrace import Conditions, KeySets, backtrace, backtrace_with_keys, substitute_attributes
from sparkwhy.backtrace.null_rejection import rejects_null
from sparkwhy.backtrace.remaining_conditions import remaining_conditions
from sparkwhy.backtrace.selectivity import is_selective
from sparkwhy.errors import assert_never
from sparkwhy.plan.build import Fresh, call, carry, either, integer, long
from sparkwhy.plan.exprs import AggCall, Attribute, Compare, Expr, In, IsNotNull, IsNull, Literal, Ref
from sparkwhy.plan.nodes import (
    Aggregate,
    Column,
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
from sparkwhy.plan.traits import is_grouping
from sparkwhy.plan.types import INTEGER, LONG, STRING
from sparkwhy.plan.walk import fold, inputs, walk
from sparkwhy.plan.walk_exprs import attributes_of
from sparkwhy.rewrite.prune_columns import prune_columns
from sparkwhy.trace.blame import Bits, drops
from sparkwhy.trace.observe import TRAIL, Recording, distance, filter_recordings, record_as
from sparkwhy.trace.recorded import CollectionState, Legend
from sparkwhy.trace.rows import TraceContext, TracedRows, Verdict, query_columns, told_apart
from sparkwhy.trace.rules.aggregate import trace_aggregate, trace_distinct
from sparkwhy.trace.rules.join import trace_join
from sparkwhy.trace.rules.join_counts import counting
from sparkwhy.trace.rules.ranks import trace_distinct_by, trace_limit, trace_window
from sparkwhy.trace.rules.semi_join import trace_membership
from sparkwhy.trace.rules.set_operation import trace_set_operation
from sparkwhy.trace.rules.union import trace_union
from sparkwhy.trace.supported import refusal_of
from sparkwhy.trace.variants.common import split_by_function
from sparkwhy.trace.variants.merge import lifted, variant_columns, with_columns
from sparkwhy.trace.variants.partitions import agreement, first_of, refined
from sparkwhy.trace.variants.split import split
from sparkwhy.trace.witness import WitnessRef

Op = TypeVar("Op", bound=Plan)
Wanted = Mapping[OpId, Conditions]


@dataclass(frozen=True)
class TracedQuery:
    """A traced plan with the meaning of its bits, the alternatives of the query, and what each wants of its operators.

    Number 0 is the query as written.
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
    together: Sequence[Set[OpId]] = (),
    keys: Sequence[KeySets] = (),
) -> TracedQuery:
    """The traced query; with conditions, only rows that can contribute to one that meets them.

    `alternatives` are further readings of the query: the same operators with other expressions. With `records` each
    row has a trail of what it met at the operators that it blames. With `references` a group has only a reference to
    the trail of a row below it, which `recalled` looks up. Operators that are taken `together` are relaxed all at once.
    `keys` has for each reading the keys that partners in its joins must have, as `KeyFinder` finds them.
    """
    plans = (plan, *alternatives)
    wanted = tuple(backtrace(each, conditions) for each in plans)
    tracing = TraceContext(Fresh(plan), Bits(len(plans), together=together), records, _read_in_all(plans, wanted))
    if references:
        groupings = _groupings_of_many(plans, wanted)
        tracing = replace(tracing, much=True).referring_below((plan,), groupings)
        tracing = tracing.referring_by_blame(_of_single_rows(plans, groupings), (plan,))
    return _traced(tracing, plans, wanted, keys)


@dataclass(frozen=True)
class Recalled:
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
        """The marks of these references, each with the trail of the nearest row, of such a share of the rows."""
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


def recalled(query: TracedQuery, at: OpId, references: Sequence[WitnessRef]) -> Recalled | None:
    """The rows to which these references refer, and others; `at` is the grouping.

    What is below the grouping is traced once more, under the same bits, so that rows have the same marks. Trails may
    have references to groupings below. None if no row with such keys blames anything.
    """
    plans, wanted = query.plans, query.wanted
    tracing = TraceContext(Fresh(plans[0]), query.bits, True, _read_in_all(plans, wanted), much=True)
    narrow = prune_columns(
        plans
    )  # as it was traced: a grouping of which only the keys are read is traced in another way
    groupings = tuple(next(node for node in walk(plan) if node.id == at) for plan in narrow)
    grouping, referring = groupings[0], _groupings_of_many(plans, wanted)
    tracing = tracing.referring_below(inputs(grouping), referring)
    tracing = tracing.referring_by_blame(_of_single_rows(plans, referring), inputs(grouping))
    known = _keys_among(grouping, references)
    traced = _traced(tracing, groupings, tuple({**each, at: each[at] + known} for each in wanted), ())
    referred = traced.rows.learned.referred
    if at not in referred:
        return None
    rows, mark = referred[at]
    return Recalled(grouping, tracing.fresh, rows, mark, at in tracing.by_blame, bool(known))


def _keys_among(grouping: Plan, references: Sequence[WitnessRef]) -> Conditions:
    """That the groups have keys that some reference names, where all of them name one."""
    found = []
    for key in grouping.output:
        values = {dict(each.keys)[key.id] for each in references if key.id in dict(each.keys)}
        if values and all(key.id in dict(each.keys) for each in references):
            found.append(In(Ref(key), tuple(Literal(value, key.type) for value in sorted(values))))
    return tuple(found)


def _groupings_of_many(plans: Sequence[Plan], wanted: Sequence[Wanted]) -> frozenset[OpId]:
    """The groupings of which the question does not ask for certain values of something: many rows come to these."""
    found = [node for node in walk(plans[0]) if is_grouping(node)]

    def is_pinned(node: Plan) -> bool:
        return all(any(is_selective(c) for below in inputs(node) for c in each[below.id]) for each in wanted)

    return frozenset(node.id for node in found if not is_pinned(node))


def _of_single_rows(plans: Sequence[Plan], groupings: frozenset[OpId]) -> frozenset[OpId]:
    """Those of some groupings whose rows come from one source, and whose story depends on nothing but themselves."""
    narrow = {node.id: node for node in walk(prune_columns(plans)[0]) if node.id in groupings}
    rowwise = Project | Filter | Flatten | Sort | Table
    return frozenset(
        id
        for id, node in narrow.items()
        if isinstance(node, Aggregate) and node.aggregates and all(isinstance(n, rowwise) for n in walk(node.input))
    )


def _traced(
    tracing: TraceContext, plans: tuple[Plan, ...], wanted: tuple[Wanted, ...], keys: Sequence[KeySets]
) -> TracedQuery:
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
        known = [rows.learned for rows in below]
        rows = annotate(tracing, ops, below, asked).learning(*known)
        return tracing.where(op, rows, [remaining_conditions(*each) for each in zip(ops, asked, strict=True)])

    return TracedQuery(fold(narrow[0], combine), tracing.bits, plans, wanted)


def _read_in_all(plans: Sequence[Plan], wanted: Sequence[Wanted]) -> frozenset[Attribute]:
    return frozenset().union(*(_read(*each) for each in zip(plans, wanted, strict=True)))


def _read(plan: Plan, wanted: Wanted) -> frozenset[Attribute]:
    """The attributes on which the question, or a filter, depends."""
    filters = (node.condition for node in walk(plan) if isinstance(node, Filter))
    asked = (condition for conditions in wanted.values() for condition in conditions)
    return frozenset(attribute for expr in (*filters, *asked) for attribute in attributes_of(expr))


def annotate(
    tracing: TraceContext, ops: tuple[Plan, ...], inputs: tuple[TracedRows, ...], wanted: tuple[Conditions, ...]
) -> TracedRows:
    """One operator over traced inputs, in all its alternatives."""
    match ops[0]:
        case Table() | OneRow():
            return tracing.traced(ops[0])
        case Project():
            return _trace_project(tracing, _alike(ops, Project), inputs[0])
        case Filter():
            return _trace_filter(tracing, _alike(ops, Filter), inputs[0])
        case Sort():  # a bag has no order; a limit above asks for it
            sort, (rows,) = lifted(tracing, _alike(ops, Sort), inputs)
            return replace(rows, order=sort.order)
        case Sample():
            raise refusal_of(ops[0])
        case Union():
            return trace_union(tracing, ops[0], inputs)
        case Flatten():
            return _trace_flatten(tracing, _alike(ops, Flatten), inputs, wanted)
        case Join():
            join, (left, right) = lifted(tracing, _alike(ops, Join), inputs)
            if join.traits.pairs:
                return trace_join(tracing, join, left, right, wanted)
            return trace_membership(tracing, join, left, right)
        case Aggregate():
            return _trace_aggregate(tracing, _alike(ops, Aggregate), inputs)
        case Window():
            window, (rows,) = lifted(tracing, _alike(ops, Window), inputs)
            return trace_window(tracing, window, rows)
        case Distinct():
            distinct, (rows,) = lifted(tracing, _alike(ops, Distinct), inputs)
            return (trace_distinct if distinct.keys is None else trace_distinct_by)(tracing, distinct, rows)
        case SetOperation():
            return trace_set_operation(tracing, ops[0], inputs[0], inputs[1])
        case Limit():
            return trace_limit(tracing, _alike(ops, Limit), inputs[0])
        case _:
            assert_never(ops[0])


def _alike(ops: tuple[Plan, ...], kind: type[Op]) -> tuple[Op, ...]:
    """The alternatives of one operator: they differ only in their expressions."""
    assert all(isinstance(op, kind) for op in ops)
    return cast(tuple[Op, ...], ops)


def _trace_project(tracing: TraceContext, ops: tuple[Project, ...], rows: TracedRows) -> TracedRows:
    """The columns of all alternatives, side by side where they differ."""
    rows = _with_own_order(tracing, ops, rows)
    columns: list[Column] = []
    variants: dict[Attribute, tuple[Attribute, ...]] = {}
    for each in zip(*(op.columns for op in ops), strict=True):
        made, held = variant_columns(tracing, rows, each[0].attribute, [column.expr for column in each])
        columns.extend(made)
        if len(made) > 1:
            variants[each[0].attribute] = held
    others = {a: held for a, held in rows.variants.items() if a not in set(ops[0].output)}
    found = tracing.project(ops[0], replace(rows, variants=others), columns)
    return replace(found, variants={**found.variants, **variants})


def _with_own_order(tracing: TraceContext, ops: tuple[Project, ...], rows: TracedRows) -> TracedRows:
    """The rows, ordered by copies of attributes under whose names an alternative puts something else."""
    replaced = {c.attribute for op in ops for c in op.columns if not c.is_carried}
    stale = replaced & {a for key in rows.order for a in attributes_of(key.expr)}
    if not stale:
        return rows
    copies = {a: tracing.fresh.attribute(a.name, a.type, nullable=True) for a in stale}
    given = [(copy, tuple(Ref(a) for _ in ops)) for a, copy in copies.items()]
    order = tuple(
        replace(k, expr=substitute_attributes(k.expr, {a: Ref(c) for a, c in copies.items()})) for k in rows.order
    )
    return replace(with_columns(tracing, ops[0], rows, given), order=order)


def _trace_filter(tracing: TraceContext, ops: tuple[Filter, ...], rows: TracedRows) -> TracedRows:
    """Keeps the row; remembers whether the filter would have, in each form that its condition has."""
    conditions = [rows.read_in(i, op.condition) for i, op in enumerate(ops)]
    blocks = [block for block in agreement(conditions) if drops(ops[first_of(block)])]
    if not blocks:
        return rows

    verdicts = []
    for block in blocks:
        at = first_of(block)
        bit = tracing.bits.claim(ops[0].id, within=block)
        far = distance(ops[at], partial(rows.read_in, at))
        rows, trail = tracing.record(ops[0], rows, tuple(_filter_recordings(tracing, ops, rows, block)), far)
        verdicts.append(Verdict(bit, conditions[at], trail))
    judged = tracing.judged(ops[0], rows, carry(query_columns(rows)), verdicts)
    return replace(judged, parts=refined([judged.parts, agreement(conditions)]))


def _filter_recordings(
    tracing: TraceContext, ops: tuple[Filter, ...], rows: TracedRows, block: int
) -> Iterator[Recording]:
    """Yield what a filter records in a block of variants that read the same values, by the expressions of each."""
    if not tracing.records_at(ops[0]):
        return
    for same in agreement([op.condition for op in ops]):
        if same & block:
            at = first_of(same & block)
            for each in filter_recordings(ops[at]):
                yield each._replace(value=rows.read_in(at, each.value), variants=same & block)


def _trace_aggregate(tracing: TraceContext, ops: tuple[Aggregate, ...], inputs: tuple[TracedRows, ...]) -> TracedRows:
    """The groups; an aggregate that is another function in another alternative stands beside the first."""
    ops, held = split_by_function(tracing.fresh, ops)
    group, (rows,) = lifted(tracing, ops, inputs)
    found = trace_aggregate(tracing, group, rows)
    return replace(found, variants={**found.variants, **held})


def _trace_flatten(
    tracing: TraceContext, ops: tuple[Flatten, ...], inputs: tuple[TracedRows, ...], wanted: tuple[Conditions, ...]
) -> TracedRows:
    """As an outer flatten; the padded row blames the flatten. Where no padded row is wanted, there is none."""
    op, (rows,) = lifted(tracing, ops, inputs)
    rows = split(tracing, op, rows, told_apart(rows, (op.collection,)))
    made = frozenset(attribute.id for attribute in op.output if attribute not in op.input.output)
    unwanted = all(any(rejects_null(condition, made) for condition in conditions) for conditions in wanted)
    blamed = drops(op) and not unwanted
    position = op.position
    if blamed and position is None and not op.inline:  # only a padded row has none
        position = tracing.fresh.attribute("position", INTEGER, nullable=True)
    state = tracing.fresh.attribute("state", STRING)
    if blamed and tracing.records_in_full(op):  # told before: later Spark would have to keep the whole collection
        reason = either(IsNull(op.collection), Literal("null", STRING), Literal("empty", STRING))
        rows = tracing.project(op, rows, (*carry(query_columns(rows)), Column(state, reason)))
    flat = Flatten(
        id=tracing.fresh.part(op),
        where=op.where,
        input=rows.plan,
        collection=op.collection,
        elements=op.elements,
        outer=not unwanted,
        inline=op.inline,
        position=position,
    )
    traced = replace(rows, plan=flat, unique=None)
    if not blamed:
        return traced
    size = call("coalesce", call("size", op.collection), integer(0))
    has_elements = Compare(">", size, integer(0)) if position is None else IsNotNull(Ref(position))
    known = traced.learned.stands_for
    full = tracing.records_in_full(op)
    recordings = record_as(CollectionState, op.collection, Ref(state), known) if full else ()
    helping = {state} if position == op.position else {state, position}
    kept = [attribute for attribute in query_columns(traced) if attribute not in helping]
    return tracing.unless_kept(op, traced, carry(kept), has_elements, recordings)
