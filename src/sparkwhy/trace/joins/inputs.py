"""The sides of a join: their rows, split by variants, and what is recorded of a row."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sparkwhy.plan.build import all_of, boolean, call, carry, either, element_of, equal, integer, long, transform
from sparkwhy.plan.exprs import Attribute, Expr, IsNotNull, MakeStruct, Ref, conjuncts
from sparkwhy.plan.join_keys import equal_keys, residual_conditions, strip_casts
from sparkwhy.plan.join_types import Side, join_type_with_condition
from sparkwhy.plan.nodes import Aggregate, Column, Filter, Join, Plan, Project
from sparkwhy.plan.types import INTEGER, LONG
from sparkwhy.plan.walk_exprs import attributes_of, paths_of
from sparkwhy.trace.context import TraceContext
from sparkwhy.trace.joins.partners import read_by_residual
from sparkwhy.trace.liveness import blame_of, liveness, no_sets, unless_of
from sparkwhy.trace.observe import Recording, StandsFor, no_trail, read_values
from sparkwhy.trace.rows import Learned, TracedRows, partition_by_reads, query_columns
from sparkwhy.trace.variants.partitions import coarsen, refine
from sparkwhy.trace.variants.split import block_number, split


@dataclass(frozen=True)
class JoinInput:
    """One side of a join: its rows, and what it brings along for the padded rows of the other side."""

    side: Side
    rows: TracedRows
    here: Attribute | None = None
    rank: Attribute | None = None
    partners: Attribute | None = None
    common: Attribute | None = None
    """Where one set is enough: what all rows of the same key need, without which none of them exists."""

    deferred: Expr | None = None
    """The trail of a row, where it is made only after the join."""

    @property
    def is_here(self) -> Expr:
        return boolean(True) if self.here is None else IsNotNull(Ref(self.here))

    def holders(self, below: Plan) -> tuple[Attribute, ...]:
        """Return the columns that hold the query's attributes of this side."""
        return self.rows.holders(below.output)

    @property
    def blame(self) -> Expr:
        return _coalesce(self.rows.blame, long(0))

    @property
    def unless(self) -> Expr:
        return _coalesce(self.rows.unless, no_sets())

    @property
    def flags(self) -> Expr:
        return _coalesce(self.rows.flags, integer(0))

    @property
    def trail(self) -> Expr:
        if self.deferred is None:
            return _coalesce(self.rows.trail, no_trail())
        return self.deferred if self.here is None else either(self.is_here, self.deferred, no_trail())


def defer_trail(side: JoinInput) -> JoinInput:
    """Return a side whose groups make references to their rows after the join: most groups may have no partner."""
    filters: list[Filter] = []
    plan = side.rows.plan
    while isinstance(plan, Filter):
        filters.append(plan)
        plan = plan.input
    if not isinstance(plan, Project) or not isinstance(plan.input, Aggregate):
        return side
    made = {column.attribute: column for column in plan.columns}
    trail = side.rows.trail
    if trail is None or made[trail].is_carried:
        return side
    deferred = made.pop(trail).expr
    read = dict.fromkeys(attributes_of(deferred))
    if not all(made[a].is_carried for a in read if a in made):
        return side
    columns = (*made.values(), *carry(a for a in read if a not in made))
    plan = replace(plan, columns=columns)
    for filter in reversed(filters):
        plan = replace(filter, input=plan)
    return replace(side, rows=replace(side.rows, plan=plan, trail=None), deferred=deferred)


def _coalesce(mark: Attribute | None, default: Expr) -> Expr:
    """Return a mark of a side that may be padded."""
    return default if mark is None else call("coalesce", Ref(mark), default)


def split_sides_by_variant(
    tracing: TraceContext, op: Join, left: TracedRows, right: TracedRows
) -> tuple[Join, TracedRows, TracedRows]:
    """Split the sides as far as the condition reads them differently; rows of other variants are no partners."""
    read = () if op.condition is None else (op.condition,)
    left = split(tracing, op, left, partition_by_reads(left, read))
    right = split(tracing, op, right, partition_by_reads(right, read))
    both = refine([left.rows_split_by, right.rows_split_by])  # rows of other blocks are never partners
    left, right = split(tracing, op, left, both), split(tracing, op, right, both)
    shared = coarsen(left.rows_split_by, right.rows_split_by)
    if len(shared) == 1:
        return op, left, right
    sides = [(op.left, left), (op.right, right)]
    blocks = [tracing.fresh.attribute("block", INTEGER) for _ in sides]
    shapes, rows = [], []
    for block, (below, side) in zip(blocks, sides, strict=True):
        internal = Learned(stands_for={block.id: (None,) * tracing.bits.alternatives})
        shapes.append(_with(tracing, op, below, Column(block, integer(0))))
        columns = (*carry(query_columns(side)), Column(block, block_number(side, shared)))
        rows.append(tracing.project(op, side, columns).learning(internal))
    same = equal(Ref(blocks[0]), Ref(blocks[1]))
    condition = same if op.condition is None else all_of((same, *conjuncts(op.condition)))
    how = join_type_with_condition(op.how)
    return replace(op, left=shapes[0], right=shapes[1], how=how, condition=condition), rows[0], rows[1]


def _with(tracing: TraceContext, op: Join, below: Plan, column: Column) -> Plan:
    return Project(id=tracing.fresh.part(op), input=below, columns=(*carry(below.output), column))


def partner_of(op: Join, side: JoinInput, rank: Attribute | None) -> Expr:
    """Return what is listed of a partner: its liveness, what the condition reads of it besides keys, and its number."""
    read = read_by_residual(op, side.side)
    if not residual_conditions(op):
        return side.rows.blame_expr if side.rows.unless is None else side.rows.liveness
    names = tuple(f"c{i}" for i in range(len(read)))
    number: tuple[Expr, ...] = () if rank is None else (Ref(rank),)
    label = () if rank is None else ("rank",)
    return MakeStruct(
        ("blame", "unless", *label, *names),
        (side.rows.blame_expr, side.rows.unless_expr, *number, *(Ref(a) for a in read)),
    )


def liveness_of(partners: Expr) -> Expr:
    if element_of(partners) == LONG:  # where nothing takes a row away its blame says all
        return transform(partners, lambda blame: liveness(blame, no_sets()))
    return transform(partners, lambda p: liveness(blame_of(p), unless_of(p)))


def read_by_join(op: Join, side: Side, stands_for: StandsFor) -> tuple[Recording, ...]:
    """Return recordings of what a join reads of a row of this side: attributes, and keys computed from them."""
    rows = op.left if side == "left" else op.right
    own = {attribute.id for attribute in rows.output}
    read = () if op.condition is None else paths_of(op.condition)
    paths = [path for path in read if all(attribute.id in own for attribute in attributes_of(path))]
    keys = [key.left if side == "left" else key.right for key in equal_keys(op)]
    return read_values((*paths, *map(strip_casts, keys), *keys), stands_for)
