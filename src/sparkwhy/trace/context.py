"""The context of one tracing: what all rules read, and what they do to traced rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from sparkwhy.backtrace.backtrace import Conditions
from sparkwhy.limits import DEFAULT_LIMITS, Limits
from sparkwhy.plan.build import Fresh, all_of, carry, either, long
from sparkwhy.plan.exprs import Attribute, Expr, Or, Ref
from sparkwhy.plan.nodes import Column, Filter, OpId, Plan, Project
from sparkwhy.plan.types import BOOLEAN, INTEGER, LONG, Type
from sparkwhy.plan.walk import inputs, walk
from sparkwhy.plan.walk_exprs import attributes_of, paths_of
from sparkwhy.rewrite.inline_structs import inline_structs
from sparkwhy.trace.attainable import Bounds, can_hold, reads_bounded
from sparkwhy.trace.blame import Bits
from sparkwhy.trace.liveness import SETS, unite_sets
from sparkwhy.trace.observe import (
    NO_WAY,
    TRAIL,
    Recording,
    drop_entries,
    join_trails,
    no_trail,
    record_at,
    record_unless,
    separate_ties,
)
from sparkwhy.trace.rows import TracedRows
from sparkwhy.trace.variants.partitions import Partition, agreement, first_of, whole

_TYPES: Mapping[str, Type] = {"blame": LONG, "unless": SETS, "flags": INTEGER, "trail": TRAIL, "maybe": LONG}


@dataclass(frozen=True)
class TraceContext:
    """What the rules of one tracing read. It is immutable but for the numbers that `fresh` and `bits` hand out."""

    fresh: Fresh
    bits: Bits
    records: bool = False
    """Whether rows record what happened to them at the operators that they blame."""

    read: frozenset[Attribute] = frozenset()
    """The attributes that the question or a filter reads."""

    large: bool = False
    """Whether the data is large."""

    in_full: frozenset[OpId] | None = None
    """The operators at which rows record everything, at others only how far they are from being kept; None: all
    operators."""

    referring: frozenset[OpId] = frozenset()
    """The groupings whose groups have a reference to the nearest of their rows."""

    by_blame: frozenset[OpId] = frozenset()
    """The groupings whose groups refer to any of their rows with the same blame, rather than to the nearest."""

    silent: frozenset[OpId] = frozenset()
    """The operators at which rows record nothing."""

    tested: Mapping[OpId, Conditions] = field(default_factory=dict)
    """What filters further up ask of the rows of a projection: rows that fail it record what their values are made
    of."""

    counting: Mapping[OpId, tuple[Column, ...]] = field(default_factory=dict)
    """The joins above which rows of one side are counted, and nothing else is read of them, with these counts."""

    limits: Limits = DEFAULT_LIMITS

    @property
    def alternatives(self) -> range:
        return range(self.bits.alternatives)

    @property
    def whole(self) -> Partition:
        return whole(self.bits.alternatives)

    def referring_below(self, tops: Iterable[Plan], groupings: frozenset[OpId]) -> TraceContext:
        """Return the context in which rows record in full from these groupings up to the operators on top."""
        found: set[OpId] = set()
        todo = list(tops)
        while todo:
            node = todo.pop()
            found.add(node.id)
            todo.extend(inputs(node) if node.id not in groupings else ())
        return replace(self, in_full=frozenset(found), referring=groupings)

    def referring_by_blame(self, groupings: frozenset[OpId], plans: Iterable[Plan]) -> TraceContext:
        """Return the context in which these groupings refer to rows by blame; below them rows record nothing."""
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

    def rows_of(self, plan: Plan) -> TracedRows:
        """Return the rows of a plan without any marks: there whatever is relaxed, in all variants."""
        return TracedRows(plan, marks_differ_between=self.whole, rows_split_by=self.whole, everywhere=True)

    def project(
        self,
        op: Plan,
        rows: TracedRows,
        columns: Iterable[Column],
        *,
        blame: Expr | None = None,
        unless: Expr | None = None,
        flags: Expr | None = None,
        trail: Expr | None = None,
        maybe: Expr | None = None,
    ) -> TracedRows:
        """Compute columns over traced rows. Marks that are not given are carried along."""
        made: list[Column] = []
        marked = replace(
            rows,
            blame=self._mark(made, rows.blame, blame, "blame"),
            unless=self._mark(made, rows.unless, unless, "unless"),
            flags=self._mark(made, rows.flags, flags, "flags"),
            trail=self._mark(made, rows.trail, trail, "trail"),
            maybe=self._mark(made, rows.maybe, maybe, "maybe"),
        )
        listed = (*columns, *made)
        bounds = _renamed_bounds(rows.bounds, listed)
        hidden = _attributes_hidden(rows, bounds, listed)
        plan = Project(id=self.fresh.part(op), where=op.where, input=rows.plan, columns=(*listed, *carry(hidden)))
        carried = _attributes_carried(listed)
        kept = {a: held for a, held in rows.variants.items() if a in carried}
        assert all(set(held) <= set(plan.output) for held in kept.values()), "an alternative lost its column"
        unique = rows.unique if rows.unique is not None and rows.unique <= carried else None
        return replace(marked, plan=plan, bounds=bounds, variants=kept, unique=unique)

    def _mark(self, made: list[Column], old: Attribute | None, new: Expr | None, name: str) -> Attribute | None:
        """Carry a mark along, or make it anew."""
        if new is None:
            if old is not None:
                made.extend(carry((old,)))
            return old
        attribute = self.fresh.attribute(name, _TYPES[name])
        made.append(Column(attribute, new))
        return attribute

    def blame_dropped(
        self, op: Plan, rows: TracedRows, columns: Iterable[Column], kept: Expr, recordings: Sequence[Recording]
    ) -> TracedRows:
        """Keep all rows; those that the operator would not keep blame it, and record why."""
        rows, trail = self.record(op, rows, recordings)
        return self.judge(op, rows, columns, [Verdict(self.bits.bit_of(op.first_use), kept, trail)])

    def judge(self, op: Plan, rows: TracedRows, columns: Iterable[Column], verdicts: Sequence[Verdict]) -> TracedRows:
        """Keep all rows; one for which a verdict is not true blames its bit, and records why."""
        rows, decided = self._decide_once(op, rows, verdicts)
        blame = _combine(unite_sets, [*_refs(rows.blame), *(either(v.kept, long(0), long(v.bit)) for v in decided)])
        trail = maybe = None
        if self.records_at(op):
            parts = [self.recorded_part(op, v.record, paths_of(v.kept)) for v in verdicts]
            steps = [record_unless(v.kept, each) for v, each in zip(decided, parts, strict=True)]
            trail = join_trails([*_refs(rows.trail), *steps])
        if rows.maybe is not None:
            missed = [either(can_hold(v.kept, rows.bounds), long(0), long(v.bit)) for v in verdicts]
            maybe = _combine(unite_sets, [Ref(rows.maybe), *missed])
        found = self.project(op, rows, columns, blame=blame, trail=trail, maybe=maybe)
        return replace(found, plan=inline_structs(found.plan, set(rows.marks)))

    def _decide_once(self, op: Plan, rows: TracedRows, verdicts: Sequence[Verdict]) -> tuple[TracedRows, list[Verdict]]:
        """Add a column for each verdict, where data is large: each is computed once and read several times."""
        if self.in_full is None:
            return rows, list(verdicts)
        columns = [Column(self.fresh.attribute("kept", BOOLEAN, nullable=True), v.kept) for v in verdicts]
        plan = Project(id=self.fresh.part(op), input=rows.plan, columns=(*carry(rows.plan.output), *columns))
        decided = [replace(v, kept=Ref(column.attribute)) for v, column in zip(verdicts, columns, strict=True)]
        return replace(rows, plan=plan), decided

    def is_one_set_enough(self, below: Iterable[Plan], rows: TracedRows) -> bool:
        """Return whether one set says when any of several rows is there: in each variant at most one dropper is below.

        `below` are the inputs of the operator in the query.
        """
        if rows.unless is not None:
            return False
        known = {node.first_use for plan in below for node in walk(plan)}
        return rows.everywhere and all(len(self.bits.droppers_of(known, i)) <= 1 for i in self.alternatives)

    def keep_wanted(self, op: Plan, rows: TracedRows, conditions: Sequence[Sequence[Expr]]) -> TracedRows:
        """Keep the rows that meet, in some variant, all conditions of the question on attributes of that variant."""
        read = [[rows.read_in(i, c) for c in conditions[i]] for i in self.alternatives]
        shared = [c for c in read[0] if all(c in other for other in read[1:])]
        others = [[c for c in each if c not in shared] for each in read]
        found = [_allow_bounds(rows, condition) for condition in shared]
        if all(others):
            ways = [others[first_of(block)] for block in agreement(others)]
            found.append(Or(tuple(all_of(_allow_bounds(rows, c) for c in way) for way in ways)))
        return self.keep_rows(op, rows, found)

    def keep_rows(self, op: Plan, rows: TracedRows, conditions: Sequence[Expr]) -> TracedRows:
        """Keep the rows that meet the conditions."""
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


def _refs(mark: Attribute | None) -> list[Expr]:
    return [] if mark is None else [Ref(mark)]


def _combine(combine: Callable[[Expr, Expr], Expr], exprs: Sequence[Expr]) -> Expr:
    first, *others = exprs
    for other in others:
        first = combine(first, other)
    return first


def _allow_bounds(rows: TracedRows, condition: Expr) -> Expr:
    """Return the condition, or that values within the bounds could meet it."""
    if rows.maybe is None or not reads_bounded(condition, rows.bounds):
        return condition
    return Or((condition, can_hold(condition, rows.bounds)))


def _renamed_bounds(bounds: Bounds, listed: tuple[Column, ...]) -> Bounds:
    """Return the bounds under the names that the columns give to attributes with bounds."""
    refs = [(column.attribute, column.expr) for column in listed]
    return {a: bounds[e.attribute] for a, e in refs if isinstance(e, Ref) and e.attribute in bounds}


def _attributes_carried(columns: Iterable[Column]) -> set[Attribute]:
    return {column.attribute for column in columns if column.is_carried}


def _attributes_hidden(rows: TracedRows, bounds: Bounds, listed: tuple[Column, ...]) -> tuple[Attribute, ...]:
    """Return what order and bounds read and the columns lack: it is carried along for operators above."""
    known = {column.attribute.id for column in listed}
    exprs = [key.expr for key in rows.order] + [expr for range in bounds.values() for expr in range]
    needed = rows.holders(a for expr in exprs for a in attributes_of(expr))
    return tuple(attribute for attribute in needed if attribute.id not in known)
