"""How the groups of all worlds are computed: several constructions of the same rows, the cheapest first.

`general` is the rule itself. The others construct the same rows with less work where they apply; a law test forces each
of them on generated queries and compares it with `general`.

    certain           every row is there whatever is relaxed: an ordinary grouping
    one_set_per_key   only the keys are read, and one set says when a key is there
    keys_only         only the keys are read: each key once for each way in which a row of it is alive
    two_stages        rows that are alive together are aggregated first; only these parts are put into worlds
    general           every row is put into every world in which it is alive, and each world is grouped
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from sparkwhy.plan.build import all_of, boolean, carry, null
from sparkwhy.plan.exprs import AggCall, Attribute, Expr, Ref
from sparkwhy.plan.nodes import Aggregate, Column, Distinct, OneRow, Project, Union
from sparkwhy.plan.types import BOOLEAN, INTEGER, Array
from sparkwhy.plan.walk_exprs import attributes_of, operands, rewrite
from sparkwhy.rewrite.decimals_as_integers import split_decimal_sum
from sparkwhy.rewrite.partial_aggregates import Stages, add_counts, split_aggregate
from sparkwhy.trace.context import TraceContext
from sparkwhy.trace.groups.merge import group_by_liveness, is_one_set_enough, merge_keys
from sparkwhy.trace.groups.nearest import refer_to_rows
from sparkwhy.trace.observe import TRAIL, nearest_of
from sparkwhy.trace.rows import TracedRows, query_columns
from sparkwhy.trace.rules.distinct import list_ways
from sparkwhy.trace.rules.union import trace_union
from sparkwhy.trace.variants.partitions import Partition
from sparkwhy.trace.variants.split import split
from sparkwhy.trace.worlds import with_worlds


@dataclass(frozen=True)
class AggregateCase:
    """A grouping over traced rows; `apart` are the blocks of variants that have other rows or read other values."""

    tracing: TraceContext
    op: Aggregate
    rows: TracedRows
    apart: Partition


@dataclass(frozen=True)
class AggregateStrategy:
    """A construction of the traced groups, and the cases in which it is the right one."""

    name: str
    applies: Callable[[AggregateCase], bool]
    construct: Callable[[AggregateCase], TracedRows]


def choose_aggregate_strategy(case: AggregateCase) -> AggregateStrategy:
    """Return the first strategy that applies."""
    return next(strategy for strategy in AGGREGATE_STRATEGIES if strategy.applies(case))


# --- certain ---


def is_certain(case: AggregateCase) -> bool:
    """Return whether all groups are the same whatever is relaxed, and in all variants."""
    return case.rows.is_certain and len(case.apart) == 1


def _group_once(case: AggregateCase) -> TracedRows:
    """Group as the query does: `count(*) as n by k`.

    before    after
    k         k  n
    1         1  2
    1
    """
    op, fresh = case.op, case.tracing.fresh
    plan = Aggregate(id=fresh.part(op), where=op.where, input=case.rows.plan, keys=op.keys, aggregates=op.aggregates)
    return case.tracing.rows_of(plan)


# --- only keys ---


def _has_only_keys(case: AggregateCase) -> bool:
    return not case.op.aggregates


def _is_one_set_per_key_enough(case: AggregateCase) -> bool:
    keys = (column.expr for column in case.op.keys)
    return _has_only_keys(case) and is_one_set_enough(case.tracing, case.op, case.rows, keys)


def _merge_keys(case: AggregateCase) -> TracedRows:
    return merge_keys(case.tracing, case.op, case.rows, case.op.keys)


def _list_keys(case: AggregateCase) -> TracedRows:
    """Return each key once for each way in which a row of it is alive: `distinct` over the keys."""
    tracing, op = case.tracing, case.op
    groups = split(tracing, op, group_by_liveness(tracing, op, case.rows), case.apart)
    keys = Project(id=tracing.fresh.part(op), input=op.input, columns=op.keys)
    return list_ways(tracing, Distinct(id=op.id, where=op.where, input=keys), groups)


# --- two stages ---


def _is_splittable(case: AggregateCase) -> bool:
    return all(stages is not None for stages in _split_aggregates(case))


def _split_aggregates(case: AggregateCase) -> Iterator[Stages | None]:
    """Return the two stages of each aggregate, None for one that needs all rows at once."""
    counted, fresh = case.rows.learned.counted, case.tracing.fresh
    for column in case.op.aggregates:
        if not isinstance(column.expr, AggCall):
            yield None
        elif column.attribute in counted:  # rows were counted below a join
            yield add_counts(fresh, column.expr, Ref(counted[column.attribute]))
        else:
            by_numbers = split_decimal_sum(fresh, column.expr) if case.tracing.large else None
            yield by_numbers or split_aggregate(fresh, column.expr)


def _group_in_two_stages(case: AggregateCase) -> TracedRows:
    """Aggregate rows that are alive together, put these parts into worlds, and merge the parts of each world.

    before           in between          after
    k  v  blame      k  part  blame      k  sum(v)  blame  unless
    1  2  0b00       1  5     0b00       1  5       0b00   {0b01}
    1  3  0b00       1  7     0b01       1  12      0b01   {}
    1  7  0b01
    """
    tracing, op = case.tracing, case.op
    stages = tuple(each for each in _split_aggregates(case) if each is not None)
    parts = split(tracing, op, group_by_liveness(tracing, op, case.rows, stages), case.apart)
    rows = parts if op.keys else _add_row_of_nulls(tracing, op, parts)[0]
    second = tuple(column for stage in stages for column in stage.second)
    values = {column.attribute: stage.value for column, stage in zip(op.aggregates, stages, strict=True)}
    made = tuple(Column(c.attribute, values[c.attribute]) for c in op.aggregates)
    return _group_worlds(tracing, op, rows, second, made)


# --- all rows in all worlds ---


def _has_all_rows(case: AggregateCase) -> bool:
    """Return whether the rows are those of the query: none were counted below a join."""
    return not any(column.attribute in case.rows.learned.counted for column in case.op.aggregates)


def _group_each_world(case: AggregateCase) -> TracedRows:
    """Put every row into every world in which it is alive, and group each world.

    before           in between       after
    k  v  blame      k  v  blame      k  sum(v)  blame  unless
    1  2  0b00       1  2  0b00       1  2       0b00   {0b01}
    1  7  0b01       1  2  0b01       1  9       0b01   {}
                     1  7  0b01
    """
    tracing = case.tracing
    rows = split(tracing, case.op, refer_to_rows(tracing, case.op, case.rows), case.apart)
    op, rows = _compute_keys(tracing, case.op, rows)
    aggregates = op.aggregates
    if not op.keys:
        rows, here = _add_row_of_nulls(tracing, op, rows)
        aggregates = tuple(Column(c.attribute, _restrict(c.expr, Ref(here))) for c in aggregates)
    return _group_worlds(tracing, op, rows, aggregates, carry(c.attribute for c in aggregates))


def _compute_keys(tracing: TraceContext, op: Aggregate, rows: TracedRows) -> tuple[Aggregate, TracedRows]:
    """Compute keys and arguments beforehand: a key may take the place of a column that an aggregate reads."""
    read = [operand for column in op.aggregates for operand in operands(column.expr)]
    arguments = dict.fromkeys(e for e in read if any(attributes_of(e)))
    made = tuple(Column(tracing.fresh.attribute("value", e.type, nullable=True), e) for e in arguments)
    known = {column.expr: Ref(column.attribute) for column in made}
    aggregates = tuple(Column(c.attribute, rewrite(c.expr, known.get)) for c in op.aggregates)
    shape = Project(id=tracing.fresh.part(op), input=op.input, columns=(*op.keys, *made))
    keys = carry(column.attribute for column in op.keys)
    ready = tracing.project(op, rows, (*op.keys, *made))
    return replace(op, input=shape, keys=keys, aggregates=aggregates), ready


def _restrict(expr: Expr, condition: Expr) -> Expr:
    """Restrict an aggregate to the rows that meet the condition; one that only Spark knows sees nulls in the others."""
    if not isinstance(expr, AggCall):
        return expr
    both = condition if expr.condition is None else all_of((condition, expr.condition))
    return AggCall(expr.function, expr.args, expr.distinct, both, expr.mode)


# --- worlds ---


def _group_worlds(
    tracing: TraceContext, op: Aggregate, rows: TracedRows, aggregates: tuple[Column, ...], made: tuple[Column, ...]
) -> TracedRows:
    """Group the rows of each world by the keys and compute these aggregates, and `made` from them."""
    keys = carry(column.attribute for column in op.keys)
    rows = with_worlds(tracing, op, rows, tuple(Ref(column.attribute) for column in op.keys))
    flags = tracing.fresh.attribute("flags", INTEGER)
    marks = carry(mark for mark in (rows.blame, rows.unless) if mark is not None)
    trails = tracing.fresh.attribute("trails", Array(TRAIL))
    recorded = () if rows.trail is None else (Column(trails, AggCall("collect_list", (Ref(rows.trail),))),)
    grouped = Aggregate(
        id=tracing.fresh.part(op),
        where=op.where,
        input=rows.plan,
        keys=keys + marks,
        aggregates=(*aggregates, Column(flags, AggCall("bit_or", (rows.flags_expr,))), *recorded),
    )
    groups = TracedRows(
        grouped,
        rows.blame,
        rows.unless,
        flags,
        marks_differ_between=rows.marks_differ_between,
        rows_split_by=rows.rows_split_by,
        everywhere=rows.everywhere,
        learned=rows.learned,
    )
    trail = nearest_of(Ref(trails), tracing.limits.recorded_entries) if recorded else None
    return tracing.project(op, groups, keys + made, trail=trail)


def _add_row_of_nulls(tracing: TraceContext, op: Aggregate, rows: TracedRows) -> tuple[TracedRows, Attribute]:
    """Add one row of nulls that is always there: without keys there is a group in every world, even one without rows.

    The attribute that comes with the rows is true for rows of the data and false for the row of nulls.
    """
    fresh = tracing.fresh
    output, here = query_columns(rows), fresh.attribute("here", BOOLEAN)
    labelled = tracing.project(op, rows, (*carry(output), Column(here, boolean(True))))
    nulls = tuple(Column(fresh.attribute(a.name, a.type, nullable=True), null(a.type)) for a in output)
    absent = Column(fresh.attribute("here", BOOLEAN), boolean(False))
    one = split(tracing, op, tracing.rows_of(OneRow(id=fresh.part(op))), rows.rows_split_by)
    dummy = tracing.project(op, one, (*nulls, absent))
    shapes = (
        Project(id=fresh.part(op), input=labelled.plan, columns=carry((*output, here))),
        Project(id=fresh.part(op), input=dummy.plan, columns=carry(c.attribute for c in (*nulls, absent))),
    )
    both = Union(id=fresh.part(op), branches=shapes, attributes=(*output, here))
    return trace_union(tracing, both, (labelled, dummy)), here


AGGREGATE_STRATEGIES = (
    AggregateStrategy("certain", is_certain, _group_once),
    AggregateStrategy("one_set_per_key", _is_one_set_per_key_enough, _merge_keys),
    AggregateStrategy("keys_only", _has_only_keys, _list_keys),
    AggregateStrategy("two_stages", _is_splittable, _group_in_two_stages),
    AggregateStrategy("general", _has_all_rows, _group_each_world),
)
