"""A traced plan: a plan whose rows say in which sets of relaxed operators they are alive."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce as reduce_with
from typing import NamedTuple, TypeVar

from sparkwhy.plan.build import Fresh, all_of, carry, either, integer, long
from sparkwhy.plan.exprs import Attribute, Expr, Or, Ref
from sparkwhy.plan.nodes import Column, Filter, OpId, Plan, Project, SortKey
from sparkwhy.plan.types import BOOLEAN, INTEGER, LONG, Type
from sparkwhy.plan.walk import inputs, walk
from sparkwhy.plan.walk_exprs import attributes_of, paths_of
from sparkwhy.rewrite.inline_structs import inline_structs
from sparkwhy.trace.attainable import Bounds, can_hold, reads_bounded
from sparkwhy.trace.blame import Bits
from sparkwhy.trace.liveness import SETS, no_sets, term, union
from sparkwhy.trace.observe import (
    NO_WAY,
    TRAIL,
    Recording,
    StandsFor,
    drop_entries,
    joined,
    no_trail,
    record_at,
    separate_ties,
    unless_it_holds,
)
from sparkwhy.trace.recorded import Legend
from sparkwhy.trace.variants.columns import list_holders, read_variant
from sparkwhy.trace.variants.partitions import Partition, agreement, first_of, refined, whole

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
    """A plan with the columns that tell when a row is alive; a column that is None is the same on all rows.

    `blame` None: no operator needs to be relaxed. `unless` None: nothing takes a row away. `notes` None: nothing to
    say. `trail` None: nothing was recorded. `order` is how the rows are sorted, as far as a limit above may ask.
    `maybe` is the blame under which bounded values could be as the conditions above want them, if one of the operators
    in it, or one of the `stricter` filters, keeps only some of the rows.

    One row stands for itself in all alternatives whose gates are not in its blame. `variants`: the attributes that hold
    an attribute of the query in each alternative, where these are not all the same. `parts`: the alternatives that the
    marks do not tell apart. `split`: no row exists in two of these blocks. `everywhere`: every row exists in all
    alternatives. `unique`: attributes on which no two rows agree, where such are known.
    """

    plan: Plan
    blame: Attribute | None = None
    unless: Attribute | None = None
    notes: Attribute | None = None
    trail: Attribute | None = None
    maybe: Attribute | None = None
    order: tuple[SortKey, ...] = ()
    bounds: Bounds = field(default_factory=dict)
    stricter: tuple[OpId, ...] = ()
    variants: Mapping[Attribute, tuple[Attribute, ...]] = field(default_factory=dict)
    parts: Partition = (1,)
    split: Partition = (1,)
    everywhere: bool = False
    unique: frozenset[Attribute] | None = None
    learned: Learned = Learned()

    def learning(self, *others: Learned) -> TracedRows:
        """Return the rows, which know also what the others do."""
        return replace(self, learned=reduce_with(Learned.merge, [self.learned, *others]))

    def read_in(self, alternative: int, expr: Expr) -> Expr:
        """An expression over attributes of the query, as one over what holds these in an alternative."""
        return read_variant(self.variants, alternative, expr)

    def holding(self, attributes: Iterable[Attribute]) -> tuple[Attribute, ...]:
        """The attributes that hold these, in any alternative."""
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
    def notes_expr(self) -> Expr:
        return integer(0) if self.notes is None else Ref(self.notes)

    @property
    def trail_expr(self) -> Expr:
        return no_trail() if self.trail is None else Ref(self.trail)

    @property
    def term(self) -> Expr:
        return term(self.blame_expr, self.unless_expr)

    @property
    def marks(self) -> tuple[Attribute, ...]:
        """The columns that are not the query's own."""
        return tuple(mark for mark in (self.blame, self.unless, self.notes, self.trail, self.maybe) if mark is not None)


class Referred(NamedTuple):
    """The rows of a grouping, and the mark by which a reference finds the nearest of a group again."""

    rows: TracedRows
    mark: Expr


_TYPES: Mapping[str, Type] = {"blame": LONG, "unless": SETS, "notes": INTEGER, "trail": TRAIL, "maybe": LONG}


@dataclass(frozen=True)
class TraceContext:
    """What the rules of one tracing share."""

    fresh: Fresh
    bits: Bits
    records: bool = False
    """Whether rows record what happened to them at the operators that they blame."""

    read: frozenset[Attribute] = frozenset()
    """The attributes that the question or a filter reads."""

    much: bool = False
    """Whether there is much data."""

    in_full: frozenset[OpId] | None = None
    """The operators at which rows record all that they met, at others only how far they are from being kept; None: all
    operators."""

    referring: frozenset[OpId] = frozenset()
    """The groupings whose groups have a reference to the nearest of their rows."""

    by_blame: frozenset[OpId] = frozenset()
    """The groupings whose groups refer to any of their rows with the same blame, rather than to the nearest."""

    silent: frozenset[OpId] = frozenset()
    """The operators at which rows record nothing."""

    counting: Mapping[OpId, tuple[Column, ...]] = field(default_factory=dict)
    """The joins above which rows of one side are counted, and nothing else is read of them, with these counts."""

    @property
    def alternatives(self) -> range:
        return range(self.bits.alternatives)

    @property
    def whole(self) -> Partition:
        return whole(self.bits.alternatives)

    def referring_below(self, tops: Iterable[Plan], groupings: frozenset[OpId]) -> TraceContext:
        """Rows record in full from these groupings upwards to the operators on top, and not below or above."""
        found: set[OpId] = set()
        todo = list(tops)
        while todo:
            node = todo.pop()
            found.add(node.id)
            todo.extend(inputs(node) if node.id not in groupings else ())
        return replace(self, in_full=frozenset(found), referring=groupings)

    def referring_by_blame(self, groupings: frozenset[OpId], plans: Iterable[Plan]) -> TraceContext:
        """The groups of these groupings refer by blame; below those of them in these plans rows record nothing."""
        tops = [node for plan in plans for node in walk(plan) if node.id in groupings]
        silent = frozenset(node.id for top in tops for node in walk(top) if node is not top)
        return replace(self, by_blame=groupings, silent=silent)

    def records_at(self, op: Plan) -> bool:
        return self.records and op.id not in self.silent

    def records_in_full(self, op: Plan) -> bool:
        return self.records_at(op) and (self.in_full is None or op.id in self.in_full)

    def recorded_part(self, op: Plan, trail: Expr, read: Iterable[Expr]) -> Expr:
        """Return the trail as far as it is recorded at this operator, which read these values."""
        if self.in_full is None:
            return trail
        return separate_ties(trail if op.id in self.in_full else drop_entries(trail), read)

    def record(
        self, op: Plan, rows: TracedRows, recordings: Sequence[Recording], far: Expr = NO_WAY
    ) -> tuple[TracedRows, Expr]:
        """Return the rows, whose legend has slots for these recordings, and the trail that fills them."""
        if not self.records_at(op):
            return rows, no_trail()
        legend, trail = record_at(rows.learned.legend, op.id, recordings, far)
        return replace(rows, learned=replace(rows.learned, legend=legend)), trail

    def traced(self, plan: Plan) -> TracedRows:
        """Rows without any marks, the same in all alternatives."""
        return TracedRows(plan, parts=self.whole, split=self.whole, everywhere=True)

    def project(
        self,
        op: Plan,
        rows: TracedRows,
        columns: Iterable[Column],
        *,
        blame: Expr | None = None,
        unless: Expr | None = None,
        notes: Expr | None = None,
        trail: Expr | None = None,
        maybe: Expr | None = None,
    ) -> TracedRows:
        """Columns over traced rows. Marks that are not given are carried along."""
        made: list[Column] = []
        marked = replace(
            rows,
            blame=self._mark(made, rows.blame, blame, "blame"),
            unless=self._mark(made, rows.unless, unless, "unless"),
            notes=self._mark(made, rows.notes, notes, "notes"),
            trail=self._mark(made, rows.trail, trail, "trail"),
            maybe=self._mark(made, rows.maybe, maybe, "maybe"),
        )
        listed = (*columns, *made)
        bounds = _renamed_bounds(rows.bounds, listed)
        hidden = _hidden(rows, bounds, listed)
        plan = Project(id=self.fresh.part(op), where=op.where, input=rows.plan, columns=(*listed, *carry(hidden)))
        carried = _carried(listed)
        kept = {a: held for a, held in rows.variants.items() if a in carried}
        assert all(set(held) <= set(plan.output) for held in kept.values()), "an alternative lost its column"
        unique = rows.unique if rows.unique is not None and rows.unique <= carried else None
        return replace(marked, plan=plan, bounds=bounds, variants=kept, unique=unique)

    def _mark(self, made: list[Column], old: Attribute | None, new: Expr | None, name: str) -> Attribute | None:
        """Carries a mark along, or makes it anew."""
        if new is None:
            if old is not None:
                made.extend(carry((old,)))
            return old
        attribute = self.fresh.attribute(name, _TYPES[name])
        made.append(Column(attribute, new))
        return attribute

    def unless_kept(
        self, op: Plan, rows: TracedRows, columns: Iterable[Column], kept: Expr, recordings: Sequence[Recording]
    ) -> TracedRows:
        """All rows; those that the operator would not keep blame it, and record why."""
        rows, trail = self.record(op, rows, recordings)
        return self.judged(op, rows, columns, [Verdict(self.bits.claim(op.id), kept, trail)])

    def judged(self, op: Plan, rows: TracedRows, columns: Iterable[Column], verdicts: Sequence[Verdict]) -> TracedRows:
        """All rows, each with what the verdicts say of it."""
        rows, decided = self._decided(op, rows, verdicts)
        blame = _all(union, [*_known(rows.blame), *(either(v.kept, long(0), long(v.bit)) for v in decided)])
        trail = maybe = None
        if self.records_at(op):
            told = [self.recorded_part(op, v.record, paths_of(v.kept)) for v in verdicts]
            steps = [unless_it_holds(v.kept, each) for v, each in zip(decided, told, strict=True)]
            trail = joined([*_known(rows.trail), *steps])
        if rows.maybe is not None:
            missed = [either(can_hold(v.kept, rows.bounds), long(0), long(v.bit)) for v in verdicts]
            maybe = _all(union, [Ref(rows.maybe), *missed])
        found = self.project(op, rows, columns, blame=blame, trail=trail, maybe=maybe)
        return replace(found, plan=inline_structs(found.plan, set(rows.marks)))

    def _decided(self, op: Plan, rows: TracedRows, verdicts: Sequence[Verdict]) -> tuple[TracedRows, list[Verdict]]:
        """The rows, with a column that says how each verdict comes out: on much data it is computed only once."""
        if self.in_full is None:
            return rows, list(verdicts)
        columns = [Column(self.fresh.attribute("kept", BOOLEAN, nullable=True), v.kept) for v in verdicts]
        plan = Project(id=self.fresh.part(op), input=rows.plan, columns=(*carry(rows.plan.output), *columns))
        decided = [replace(v, kept=Ref(column.attribute)) for v, column in zip(verdicts, columns, strict=True)]
        return replace(rows, plan=plan), decided

    def is_one_set_enough(self, below: Iterable[Plan], rows: TracedRows) -> bool:
        """Whether one set can say when any of several rows is there: in each alternative they have one reason to miss.

        `below` is what the query has up to here.
        """
        if rows.unless is not None:
            return False
        known = {node.id for plan in below for node in walk(plan)}
        return rows.everywhere and all(len(self.bits.droppers_of(known, i)) <= 1 for i in self.alternatives)

    def where(self, op: Plan, rows: TracedRows, conditions: Sequence[Sequence[Expr]]) -> TracedRows:
        """The rows that meet, in some alternative, all its conditions on attributes of the query."""
        read = [[rows.read_in(i, c) for c in conditions[i]] for i in self.alternatives]
        shared = [c for c in read[0] if all(c in other for other in read[1:])]
        others = [[c for c in each if c not in shared] for each in read]
        found = [_or_possible(rows, condition) for condition in shared]
        if all(others):
            ways = [others[first_of(block)] for block in agreement(others)]
            found.append(Or(tuple(all_of(_or_possible(rows, c) for c in way) for way in ways)))
        return self.only(op, rows, found)

    def only(self, op: Plan, rows: TracedRows, conditions: Sequence[Expr]) -> TracedRows:
        """The rows that meet the conditions."""
        if not conditions:
            return rows
        plan = Filter(id=self.fresh.part(op), where=op.where, input=rows.plan, condition=all_of(conditions))
        return replace(rows, plan=plan)


@dataclass(frozen=True)
class Verdict:
    """A condition under which an operator keeps a row, the bit to blame otherwise, and what is recorded then."""

    bit: int
    kept: Expr
    record: Expr


def _known(mark: Attribute | None) -> list[Expr]:
    return [] if mark is None else [Ref(mark)]


def _all(combine: Callable[[Expr, Expr], Expr], exprs: Sequence[Expr]) -> Expr:
    first, *others = exprs
    for other in others:
        first = combine(first, other)
    return first


def told_apart(rows: TracedRows, exprs: Iterable[Expr]) -> Partition:
    """The alternatives that read the same in all these expressions over attributes of the query."""
    read = {attribute for expr in exprs for attribute in attributes_of(expr)}
    return refined([whole_of(rows), *(agreement(rows.variants[a]) for a in read if a in rows.variants)])


def whole_of(rows: TracedRows) -> Partition:
    """All alternatives in one block."""
    return (sum(rows.parts),)


def certain_values(rows: TracedRows) -> TracedRows:
    """The rows with the values that they have: what they could be is not followed any further."""
    return replace(rows, maybe=None, bounds={}, stricter=())


def query_columns(rows: TracedRows) -> tuple[Attribute, ...]:
    """The columns of the query itself, among them what only the order still needs."""
    marks = {mark.id for mark in rows.marks}
    return tuple(attribute for attribute in rows.plan.output if attribute.id not in marks)


def _or_possible(rows: TracedRows, condition: Expr) -> Expr:
    """The condition, or that bounded values could meet it."""
    if rows.maybe is None or not reads_bounded(condition, rows.bounds):
        return condition
    return Or((condition, can_hold(condition, rows.bounds)))


def _renamed_bounds(bounds: Bounds, listed: tuple[Column, ...]) -> Bounds:
    """The bounds under the names that the columns give to bounded attributes."""
    refs = [(column.attribute, column.expr) for column in listed]
    return {a: bounds[e.attribute] for a, e in refs if isinstance(e, Ref) and e.attribute in bounds}


def _carried(columns: Iterable[Column]) -> set[Attribute]:
    return {column.attribute for column in columns if column.is_carried}


def _hidden(rows: TracedRows, bounds: Bounds, listed: tuple[Column, ...]) -> tuple[Attribute, ...]:
    """What order and bounds read and the columns do not have: carried along for what is above."""
    known = {column.attribute.id for column in listed}
    exprs = [key.expr for key in rows.order] + [expr for range in bounds.values() for expr in range]
    needed = rows.holding(a for expr in exprs for a in attributes_of(expr))
    return tuple(attribute for attribute in needed if attribute.id not in known)
