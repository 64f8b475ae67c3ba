"""Traced rows: a plan whose rows have marks that say in which sets of relaxed operators they are alive."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import reduce as reduce_with
from typing import NamedTuple, TypeVar

from sparkwhy.plan.build import integer, long
from sparkwhy.plan.exprs import Attribute, Expr, Ref
from sparkwhy.plan.nodes import OpId, Plan, SortKey
from sparkwhy.plan.walk_exprs import attributes_of
from sparkwhy.trace.attainable import Bounds
from sparkwhy.trace.liveness import liveness, no_sets
from sparkwhy.trace.observe import (
    StandsFor,
    no_trail,
)
from sparkwhy.trace.recorded import Legend
from sparkwhy.trace.variants.columns import list_holders, read_variant
from sparkwhy.trace.variants.partitions import Partition, agreement, refine

K = TypeVar("K")
V = TypeVar("V")


@dataclass(frozen=True)
class Learned:
    """What rules learn beside the plan that they make; each rule adds to what its inputs know.

    `legend` says what the slots of trails hold. `stands_for` gives the query's expressions for attributes that tracing
    made in their place. `referred` has what the references of each grouping refer to. `counted` has what holds the
    numbers that a count adds up, where rows were counted before they were joined.
    """

    legend: Legend = field(default_factory=dict)
    stands_for: StandsFor = field(default_factory=dict)
    referred: Mapping[OpId, Referred] = field(default_factory=dict)
    counted: Mapping[Attribute, Attribute] = field(default_factory=dict)

    def merge(self, other: Learned) -> Learned:
        """Return what both know."""
        return Learned(
            _merge(self.legend, other.legend),
            _merge(self.stands_for, other.stands_for),
            _merge(self.referred, other.referred),
            _merge(self.counted, other.counted),
        )


def _merge(one: Mapping[K, V], other: Mapping[K, V]) -> Mapping[K, V]:
    if not other or one is other:
        return one
    return {**one, **other} if one else other


@dataclass(frozen=True)
class TracedRows:
    """A plan with marks: columns that say when a row is alive. A mark that is None is the same on all rows.

    `blame`: the operators that must be relaxed; None: none. `unless`: sets of operators of which each takes the row
    away; None: nothing does. `flags`: what is special about the row; None: nothing. `trail`: what was recorded.
    `maybe`: the blame under which values with `bounds` could be as the conditions above want them, if one of the
    operators in it, or one of the `stricter` filters, keeps only some of the rows. `order`: how the rows are sorted, as
    far as a limit above may ask.

    One row stands for itself in all variants whose bits are not in its blame. `variants`: the columns that hold an
    attribute of the query in each variant, where these differ. `marks_differ_between`: variants in one block have the
    same marks. `rows_split_by`: no row exists in two of these blocks. `everywhere`: every row exists in all variants.
    `unique`: attributes on which no two rows agree, where such are known. `learned`: what the rules below found out.
    """

    plan: Plan
    blame: Attribute | None = None
    unless: Attribute | None = None
    flags: Attribute | None = None
    trail: Attribute | None = None
    maybe: Attribute | None = None
    order: tuple[SortKey, ...] = ()
    bounds: Bounds = field(default_factory=dict)
    stricter: tuple[OpId, ...] = ()
    variants: Mapping[Attribute, tuple[Attribute, ...]] = field(default_factory=dict)
    marks_differ_between: Partition = (1,)
    rows_split_by: Partition = (1,)
    everywhere: bool = False
    unique: frozenset[Attribute] | None = None
    learned: Learned = Learned()

    def learning(self, *others: Learned) -> TracedRows:
        """Return the rows, which know also what the others do."""
        return replace(self, learned=reduce_with(Learned.merge, [self.learned, *others]))

    def read_in(self, variant: int, expr: Expr) -> Expr:
        """Return an expression over attributes of the query as one over the columns that hold them in a variant."""
        return read_variant(self.variants, variant, expr)

    def holders(self, attributes: Iterable[Attribute]) -> tuple[Attribute, ...]:
        """Return the columns that hold these attributes in any variant."""
        return list_holders(self.variants, attributes)

    @property
    def is_certain(self) -> bool:
        """Whether every row is there whatever is relaxed."""
        return self.blame is None and self.unless is None

    @property
    def blame_expr(self) -> Expr:
        return long(0) if self.blame is None else Ref(self.blame)

    @property
    def unless_expr(self) -> Expr:
        return no_sets() if self.unless is None else Ref(self.unless)

    @property
    def flags_expr(self) -> Expr:
        return integer(0) if self.flags is None else Ref(self.flags)

    @property
    def trail_expr(self) -> Expr:
        return no_trail() if self.trail is None else Ref(self.trail)

    @property
    def liveness(self) -> Expr:
        return liveness(self.blame_expr, self.unless_expr)

    @property
    def marks(self) -> tuple[Attribute, ...]:
        """The columns that are not the query's own."""
        return tuple(mark for mark in (self.blame, self.unless, self.flags, self.trail, self.maybe) if mark is not None)


class Referred(NamedTuple):
    """The rows of a grouping, and the mark by which a reference finds the nearest of a group again."""

    rows: TracedRows
    mark: Expr


def partition_by_reads(rows: TracedRows, exprs: Iterable[Expr]) -> Partition:
    """Return the blocks of variants that hold all attributes of these expressions in the same columns."""
    read = {attribute for expr in exprs for attribute in attributes_of(expr)}
    return refine([whole_of(rows), *(agreement(rows.variants[a]) for a in read if a in rows.variants)])


def whole_of(rows: TracedRows) -> Partition:
    """Return the partition with all variants in one block."""
    return (sum(rows.marks_differ_between),)


def certain_values(rows: TracedRows) -> TracedRows:
    """Return the rows without bounds: values that an aggregate could take are not followed any further."""
    return replace(rows, maybe=None, bounds={}, stricter=())


def query_columns(rows: TracedRows) -> tuple[Attribute, ...]:
    """Return the columns that are not marks, among them those that only the order still needs."""
    marks = {mark.id for mark in rows.marks}
    return tuple(attribute for attribute in rows.plan.output if attribute.id not in marks)
