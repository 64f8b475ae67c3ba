"""Tracing through operators that make one row of several: grouping, and duplicates that count once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from sparkwhy.plan.build import all_of, boolean, carry, long, null
from sparkwhy.plan.exprs import AggCall, Attribute, Expr, Ref
from sparkwhy.plan.node_exprs import exprs_of
from sparkwhy.plan.nodes import (
    Aggregate,
    Column,
    Distinct,
    Filter,
    Flatten,
    OneRow,
    Plan,
    Project,
    Union,
)
from sparkwhy.plan.types import BOOLEAN, INTEGER, LONG, Array
from sparkwhy.plan.walk import inputs, walk
from sparkwhy.plan.walk_exprs import attributes_of, operands, rewrite
from sparkwhy.rewrite.decimals_as_integers import compute_numbers_once, split_decimal_sum
from sparkwhy.rewrite.partial_aggregates import Stages, add_counts, split_aggregate
from sparkwhy.trace.attainable import bounded
from sparkwhy.trace.blame import drops
from sparkwhy.trace.liveness import TERM, blame_of, no_sets, term, unless_of, with_any
from sparkwhy.trace.observe import NO_WAY, TRAIL, far_of, mark, nearest_of, refer
from sparkwhy.trace.rows import Learned, Referred, TraceContext, TracedRows, certain_values, query_columns, told_apart
from sparkwhy.trace.rules.ranks import in_each_alternative
from sparkwhy.trace.rules.union import trace_union
from sparkwhy.trace.variants.merge import variant_columns
from sparkwhy.trace.variants.partitions import Partition, refined
from sparkwhy.trace.variants.split import gates_of, split
from sparkwhy.trace.worlds import with_worlds

_MAX_TRAIL = 40
"""How much is recorded of the rows behind one group."""


# --- grouping ---


def trace_aggregate(tracing: TraceContext, op: Aggregate, rows: TracedRows) -> TracedRows:
    """The groups of each world; without keys there is a group in every world, even one without rows."""
    rows = certain_values(rows)
    apart = refined([rows.parts, told_apart(rows, exprs_of(op))])
    if rows.is_certain and len(apart) == 1:
        keys, aggregates = op.keys, op.aggregates
        return tracing.traced(
            Aggregate(id=tracing.fresh.part(op), where=op.where, input=rows.plan, keys=keys, aggregates=aggregates)
        )
    if not op.aggregates:
        return _trace_keys(tracing, op, rows, apart)
    extra, bounds = bounded(tracing.fresh, op, tracing.read)
    query, op = op, replace(op, aggregates=op.aggregates + extra)
    plan = _staged(tracing, op, rows.learned.counted)
    op, ready = _first_stage(tracing, op, rows, plan, apart)
    here: Attribute | None = None
    if not op.keys:
        ready, here = _with_a_row(tracing, op, ready)
    spread = with_worlds(tracing, op, ready, tuple(Ref(column.attribute) for column in op.keys))
    groups = _second_stage(tracing, op, spread, plan, here)
    if not bounds:
        return groups
    stricter = tuple(node.id for node in walk(query) if isinstance(node, Filter) and drops(node))
    return tracing.project(
        query, replace(groups, bounds=bounds, stricter=stricter), carry(query.output), maybe=groups.blame_expr
    )


def _trace_keys(tracing: TraceContext, op: Aggregate, rows: TracedRows, apart: Partition) -> TracedRows:
    """Groups of which only the keys are asked for: each key once, where any of its rows is alive."""
    if _is_one_set_enough(tracing, op, rows, (column.expr for column in op.keys)):
        return _merged_keys(tracing, op, rows, op.keys)
    groups = split(tracing, op, _partial_groups(tracing, op, rows, _Plan((), False)), apart)
    keys = Project(id=tracing.fresh.part(op), input=op.input, columns=op.keys)
    return _distinct(tracing, Distinct(id=op.id, where=op.where, input=keys), groups)


def _is_one_set_enough(tracing: TraceContext, op: Plan, rows: TracedRows, keys: Iterable[Expr]) -> bool:
    """Whether one set can say when any of the rows with a key is there."""
    return len(told_apart(rows, keys)) == 1 and tracing.is_one_set_enough(inputs(op), rows)


def _merged_keys(tracing: TraceContext, op: Plan, rows: TracedRows, keys: tuple[Column, ...]) -> TracedRows:
    """Each key once, with what all of its rows need: if one needs nothing, neither does the key."""
    fresh = tracing.fresh
    blame, notes = fresh.attribute("blame", LONG), fresh.attribute("notes", INTEGER)
    noted = () if rows.notes is None else (Column(notes, AggCall("bit_or", (Ref(rows.notes),))),)
    nearest = _Nearest.of(tracing, op, rows)
    grouped = Aggregate(
        id=fresh.part(op),
        where=op.where,
        input=rows.plan,
        keys=keys,
        aggregates=(Column(blame, AggCall("bit_and", (rows.blame_expr,))), *noted, *nearest.columns),
    )
    traced = TracedRows(
        grouped,
        blame,
        notes=notes if noted else None,
        parts=rows.parts,
        split=tracing.whole,
        everywhere=rows.everywhere,
        learned=rows.learned,
        unique=frozenset(column.attribute for column in keys),
    )
    return nearest.told(tracing, op, traced, keys)


@dataclass(frozen=True)
class _Plan:
    """How the aggregates of an operator are computed: in two stages, or, with `whole`, all at once at the end."""

    stages: tuple[Stages, ...]
    whole: bool


def _staged(tracing: TraceContext, op: Aggregate, counted: Mapping[Attribute, Attribute]) -> _Plan:
    found = [_stages(tracing, column, counted) for column in op.aggregates]
    stages = tuple(stage for stage in found if stage is not None)
    return _Plan(stages, len(stages) < len(found))


def _stages(tracing: TraceContext, column: Column, counted: Mapping[Attribute, Attribute]) -> Stages | None:
    if not isinstance(column.expr, AggCall):
        return None
    if column.attribute in counted:  # rows were counted below a join
        return add_counts(tracing.fresh, column.expr, Ref(counted[column.attribute]))
    by_numbers = split_decimal_sum(tracing.fresh, column.expr) if tracing.much else None
    return by_numbers or split_aggregate(tracing.fresh, column.expr)


def _first_stage(
    tracing: TraceContext, op: Aggregate, rows: TracedRows, plan: _Plan, apart: Partition
) -> tuple[Aggregate, TracedRows]:
    """One row for each group and term, split into alternatives afterwards.

    Aggregates that need all rows at once get them with their keys computed.
    """
    if plan.whole:
        return _with_keys(tracing, op, split(tracing, op, _referring(tracing, op, rows), apart))
    return op, split(tracing, op, _partial_groups(tracing, op, rows, plan), apart)


def _referring(tracing: TraceContext, op: Aggregate, rows: TracedRows) -> TracedRows:
    """The rows, each with a reference to itself, where trails are not recorded in full."""
    if op.id not in tracing.referring or (rows.trail is None and op.id not in tracing.by_blame):
        return rows
    keys, differing = _in_all(tracing, rows, op.keys)
    far = NO_WAY if rows.trail is None or op.id in tracing.by_blame else far_of(Ref(rows.trail))
    own = mark((*(key.expr for key in keys), rows.blame_expr, far))
    same = [key for key in op.keys if key.attribute not in differing]
    legend, trail = refer(rows.learned.legend, op.id, far, own, same)
    learned = Learned(legend, referred={op.id: Referred(rows, own)})
    return tracing.project(op, rows.learning(learned), carry(query_columns(rows)), trail=trail)


def _with_keys(tracing: TraceContext, op: Aggregate, rows: TracedRows) -> tuple[Aggregate, TracedRows]:
    """All rows with their keys; what is aggregated is computed beforehand, for a key may take the place of a column."""
    made = tuple(Column(tracing.fresh.attribute("value", e.type, nullable=True), e) for e in _arguments(op))
    known = {column.expr: Ref(column.attribute) for column in made}
    aggregates = tuple(Column(c.attribute, rewrite(c.expr, known.get)) for c in op.aggregates)
    shape = Project(id=tracing.fresh.part(op), input=op.input, columns=(*op.keys, *made))
    keys = carry(column.attribute for column in op.keys)
    ready = tracing.project(op, rows, (*op.keys, *made))
    return replace(op, input=shape, keys=keys, aggregates=aggregates), ready


def _arguments(op: Aggregate) -> tuple[Expr, ...]:
    """What the aggregates of an operator read of each row."""
    read = [operand for column in op.aggregates for operand in operands(column.expr)]
    return tuple(dict.fromkeys(e for e in read if any(attributes_of(e))))


def _partial_groups(tracing: TraceContext, op: Aggregate, rows: TracedRows, plan: _Plan) -> TracedRows:
    """One row for each term and each group of any alternative, with what is aggregated there in each."""
    fresh = tracing.fresh
    marks = carry(mark for mark in (rows.blame, rows.unless) if mark is not None)
    notes = fresh.attribute("notes", INTEGER)
    noted = () if rows.notes is None else (Column(notes, AggCall("bit_or", (Ref(rows.notes),))),)
    given = dict.fromkeys(op.keys + tuple(key for stage in plan.stages for key in stage.keys))
    keys, held_keys = _in_all(tracing, rows, given)
    first, held_parts = _in_all(tracing, rows, (column for stage in plan.stages for column in stage.first))
    nearest = _Nearest.of(tracing, op, rows)
    below, first = compute_numbers_once(fresh, op, rows.plan, first)
    grouped = Aggregate(
        id=fresh.part(op),
        where=op.where,
        input=below,
        keys=keys + marks,
        aggregates=first + noted + nearest.columns,
    )
    traced = TracedRows(
        grouped,
        rows.blame,
        rows.unless,
        notes if noted else None,
        variants={**held_keys, **held_parts},
        parts=rows.parts,
        split=rows.split,
        everywhere=rows.everywhere,
        learned=rows.learned,
    )
    blame = () if rows.blame is None else carry((rows.blame,))  # what takes rows away depends on what else is looked at
    return nearest.told(tracing, op, traced, keys + blame)


@dataclass(frozen=True)
class _Nearest:
    """The trail of one row of each group and term, the nearest miss: enough to tell why.

    Trails are long, and Spark sorts all rows to find the least of something long. Where they are not recorded in full
    only the distance is aggregated, and the group refers to its nearest row. Where any row that blames the same will
    do, nothing is aggregated at all.
    """

    rows: TracedRows
    columns: tuple[Column, ...]

    @classmethod
    def of(cls, tracing: TraceContext, op: Plan, rows: TracedRows) -> _Nearest:
        if rows.trail is None or op.id in tracing.by_blame:
            return cls(rows, ())
        if op.id not in tracing.referring:
            return cls(rows, (Column(tracing.fresh.attribute("trail", TRAIL), AggCall("min", (Ref(rows.trail),))),))
        far = AggCall("min", (far_of(Ref(rows.trail)),))
        return cls(rows, (Column(tracing.fresh.attribute("far", far.type), far),))

    def told(self, tracing: TraceContext, op: Plan, groups: TracedRows, keys: tuple[Column, ...]) -> TracedRows:
        """The groups with their trails; `keys` is what they are grouped by."""
        if op.id in tracing.by_blame and self.rows.blame is not None:
            return self._referring(tracing, op, groups, keys, NO_WAY, NO_WAY)
        if self.rows.trail is None:
            return groups
        (found,) = self.columns
        if op.id not in tracing.referring:
            return replace(groups, trail=found.attribute)
        return self._referring(tracing, op, groups, keys, far_of(Ref(self.rows.trail)), Ref(found.attribute))

    def _referring(
        self, tracing: TraceContext, op: Plan, groups: TracedRows, keys: tuple[Column, ...], below: Expr, far: Expr
    ) -> TracedRows:
        """The groups with references to their rows, which are so far `below` as these are."""
        referred = {op.id: Referred(self.rows, mark((*(key.expr for key in keys), below)))}
        differing = {held for each in groups.variants.values() for held in each}
        same = carry(key.attribute for key in keys if key.attribute not in differing)
        own = mark((*(Ref(key.attribute) for key in keys), far))
        legend, trail = refer(self.rows.learned.legend, op.id, far, own, same)
        groups = groups.learning(Learned(legend, referred=referred))
        made = {column.attribute for column in self.columns}
        given = [a for a in query_columns(groups) if a not in made]
        return tracing.project(op, groups, carry(given), trail=trail)


def _in_all(
    tracing: TraceContext, rows: TracedRows, columns: Iterable[Column]
) -> tuple[tuple[Column, ...], dict[Attribute, tuple[Attribute, ...]]]:
    """Columns as they are in all alternatives, and which holds each in which alternative where they differ."""
    made: list[Column] = []
    variants: dict[Attribute, tuple[Attribute, ...]] = {}
    for column in columns:
        exprs = [column.expr for _ in tracing.alternatives]
        found, held = variant_columns(tracing, rows, column.attribute, exprs)
        made.extend(found)
        if len(found) > 1:
            variants[column.attribute] = held
    return tuple(made), variants


def _with_a_row(tracing: TraceContext, op: Aggregate, rows: TracedRows) -> tuple[TracedRows, Attribute]:
    """The rows, and one of nulls that is always there: it makes the world where nothing is relaxed exist.

    The attribute that comes with them tells rows of the data from the row of nulls.
    """
    fresh = tracing.fresh
    output, here = query_columns(rows), fresh.attribute("here", BOOLEAN)
    given = (*carry(output), Column(here, boolean(True)))
    labelled = tracing.project(op, rows, given)
    nulls = tuple(Column(fresh.attribute(a.name, a.type, nullable=True), null(a.type)) for a in output)
    absent = Column(fresh.attribute("here", BOOLEAN), boolean(False))
    dummy = tracing.project(op, _one_row(tracing, op, rows), (*nulls, absent))
    shapes = (
        Project(id=fresh.part(op), input=labelled.plan, columns=carry((*output, here))),
        Project(id=fresh.part(op), input=dummy.plan, columns=carry(c.attribute for c in (*nulls, absent))),
    )
    both = Union(id=fresh.part(op), branches=shapes, attributes=(*output, here))
    return trace_union(tracing, both, (labelled, dummy)), here


def _one_row(tracing: TraceContext, op: Aggregate, rows: TracedRows) -> TracedRows:
    """One row without columns in every alternative, split as these rows are."""
    one = tracing.traced(OneRow(id=tracing.fresh.part(op)))
    return split(tracing, op, one, rows.split)


def _second_stage(
    tracing: TraceContext, op: Aggregate, rows: TracedRows, plan: _Plan, here: Attribute | None
) -> TracedRows:
    """The groups of each world, with the values that the query gives them."""
    fresh = tracing.fresh
    second = op.aggregates if plan.whole else tuple(column for stage in plan.stages for column in stage.second)
    if plan.whole and here is not None:
        second = tuple(Column(c.attribute, _only_where(c.expr, Ref(here))) for c in second)
    notes = fresh.attribute("notes", INTEGER)
    noted = Column(notes, AggCall("bit_or", (rows.notes_expr,)))
    keys = carry(column.attribute for column in op.keys)
    marks = carry(mark for mark in (rows.blame, rows.unless) if mark is not None)
    trails = fresh.attribute("trails", Array(TRAIL))
    recorded = () if rows.trail is None else (Column(trails, AggCall("collect_list", (Ref(rows.trail),))),)
    aggregates = (*second, noted, *recorded)
    grouped = Aggregate(id=fresh.part(op), where=op.where, input=rows.plan, keys=keys + marks, aggregates=aggregates)
    marks_of = replace(tracing.traced(grouped), parts=rows.parts, split=rows.split, everywhere=rows.everywhere)
    marks_of = marks_of.learning(rows.learned)
    traced = replace(marks_of, blame=rows.blame, unless=rows.unless, notes=notes)
    trail = nearest_of(Ref(trails), _MAX_TRAIL) if recorded else None
    values = (
        {} if plan.whole else {c.attribute: stage.value for c, stage in zip(op.aggregates, plan.stages, strict=True)}
    )
    made = tuple(Column(c.attribute, values.get(c.attribute, Ref(c.attribute))) for c in op.aggregates)
    return tracing.project(op, traced, keys + made, trail=trail)


def _only_where(expr: Expr, condition: Expr) -> Expr:
    """The aggregate over the rows that meet the condition; one that only Spark knows sees nulls in the others."""
    if not isinstance(expr, AggCall):
        return expr
    both = condition if expr.condition is None else all_of((condition, expr.condition))
    return AggCall(expr.function, expr.args, expr.distinct, both, expr.mode)


# --- duplicates ---


def trace_distinct(tracing: TraceContext, op: Distinct, rows: TracedRows) -> TracedRows:
    """Each value once: where any of its copies is alive."""
    rows = certain_values(rows)
    if not rows.is_certain and _is_one_set_enough(tracing, op, rows, map(Ref, op.output)):
        return _merged_keys(tracing, op, rows, carry(op.output))
    if rows.trail is not None and op.id in tracing.referring:
        shape = Aggregate(id=op.id, where=op.where, input=op.input, keys=carry(op.output), aggregates=())
        rows = _partial_groups(tracing, shape, rows, _Plan((), False))
    return _distinct(tracing, op, rows)


def _distinct(tracing: TraceContext, op: Distinct, rows: TracedRows) -> TracedRows:
    fresh, rows = tracing.fresh, in_each_alternative(tracing, op, rows, map(Ref, op.output))
    if rows.is_certain:
        narrow = tracing.project(op, tracing.traced(rows.plan), carry(op.output))
        return tracing.traced(Distinct(id=fresh.part(op), where=op.where, input=narrow.plan))
    terms, alive = fresh.attribute("terms", Array(TERM)), fresh.attribute("term", TERM)
    notes, trail = fresh.attribute("notes", INTEGER), fresh.attribute("trail", TRAIL)
    recorded = () if rows.trail is None else (Column(trail, AggCall("min", (Ref(rows.trail),))),)
    gates = tuple(Column(fresh.attribute("gates", LONG), expr) for expr in gates_of(tracing, rows))
    grouped = Aggregate(
        id=fresh.part(op),
        where=op.where,
        input=rows.plan,
        keys=carry(op.output) + gates,
        aggregates=(
            Column(terms, AggCall("collect_set", (rows.term,))),
            Column(notes, AggCall("bit_or", (rows.notes_expr,))),
            *recorded,
        ),
    )
    living = with_any(term(long(0), no_sets()), Ref(terms))
    flat = Flatten(id=fresh.part(op), input=grouped, collection=living, elements=(alive,))
    told = trail if recorded else None
    traced = TracedRows(flat, notes=notes, trail=told, parts=rows.parts, split=rows.split, learned=rows.learned)
    return tracing.project(op, traced, carry(op.output), blame=blame_of(Ref(alive)), unless=unless_of(Ref(alive)))
