"""A traced plan: a plan whose rows say in which sets of relaxed operators they are alive."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from sparkwhy.plan.build import Fresh, all_of, call, carry, either, integer, long
from sparkwhy.plan.exprs import Attribute, Expr, IsNotNull, Or, Ref
from sparkwhy.plan.nodes import Column, Filter, Plan, Project, SortKey
from sparkwhy.plan.types import INTEGER, LONG, Type
from sparkwhy.plan.walk_exprs import attributes_of
from sparkwhy.trace.bits import Bits
from sparkwhy.trace.bounds import Bounds, can_hold, reads_bounded
from sparkwhy.trace.terms import SETS, no_sets, term, union
from sparkwhy.trace.trails import TRAIL, no_trail, recorded


@dataclass(frozen=True)
class Traced:
    """A plan with the columns that tell when a row is alive; a column that is None is the same on all rows.

    `blame` None: no operator needs to be relaxed. `unless` None: nothing takes a row away. `notes` None: nothing to
    say. `trail` None: nothing was recorded. `order` is how the rows are sorted, as far as a limit above may ask.
    `maybe` is the blame under which bounded values could be as the conditions above want them; null: under none.
    """

    plan: Plan
    blame: Attribute | None = None
    unless: Attribute | None = None
    notes: Attribute | None = None
    trail: Attribute | None = None
    maybe: Attribute | None = None
    order: tuple[SortKey, ...] = ()
    bounds: Bounds = field(default_factory=dict)

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


_TYPES: Mapping[str, Type] = {"blame": LONG, "unless": SETS, "notes": INTEGER, "trail": TRAIL, "maybe": LONG}


@dataclass(frozen=True)
class Tracing:
    """What the rules of one tracing share."""

    fresh: Fresh
    bits: Bits
    records: bool = False
    """Whether rows record what happened to them at the operators that they blame."""

    read: frozenset[Attribute] = frozenset()
    """The attributes that the question or a filter reads."""

    def project(
        self,
        op: Plan,
        rows: Traced,
        columns: Iterable[Column],
        *,
        blame: Expr | None = None,
        unless: Expr | None = None,
        notes: Expr | None = None,
        trail: Expr | None = None,
        maybe: Expr | None = None,
    ) -> Traced:
        """Columns over traced rows. Marks that are not given are carried along."""
        made: list[Column] = []
        marks = {
            "blame": self._mark(made, rows.blame, blame, "blame"),
            "unless": self._mark(made, rows.unless, unless, "unless"),
            "notes": self._mark(made, rows.notes, notes, "notes"),
            "trail": self._mark(made, rows.trail, trail, "trail"),
            "maybe": self._mark(made, rows.maybe, maybe, "maybe"),
        }
        listed = (*columns, *made)
        bounds = _renamed_bounds(rows.bounds, listed)
        hidden = _hidden(rows.order, bounds, listed)
        plan = Project(id=self.fresh.part(op), where=op.where, input=rows.plan, columns=(*listed, *carry(hidden)))
        return Traced(plan, order=rows.order, bounds=bounds, **marks)

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
        self, op: Plan, rows: Traced, columns: Iterable[Column], kept: Expr, record: Sequence[tuple[str, Expr]]
    ) -> Traced:
        """All rows; those that the operator would not keep blame it, and record why."""
        dropped = either(kept, long(0), long(self.bits.bit(op.id)))
        blame = dropped if rows.blame is None else union(rows.blame_expr, dropped)
        trail = None
        if self.records:
            steps = either(kept, no_trail(), recorded(op, record))
            trail = steps if rows.trail is None else call("concat", rows.trail_expr, steps)
        maybe = None if rows.maybe is None else self._possibly_kept(op, rows, kept)
        return self.project(op, rows, columns, blame=blame, trail=trail, maybe=maybe)

    def _possibly_kept(self, op: Plan, rows: Traced, kept: Expr) -> Expr:
        """The blame of bounded values: the operator keeps the row if they can be as it wants them."""
        assert rows.maybe is not None
        condition = op.condition if isinstance(op, Filter) else kept
        possible = can_hold(condition, rows.bounds)
        return union(Ref(rows.maybe), either(possible, long(0), long(self.bits.bit(op.id))))

    def where(self, op: Plan, rows: Traced, conditions: Iterable[Expr]) -> Traced:
        """The rows that meet all conditions."""
        found = tuple(_or_possible(rows, condition) for condition in conditions)
        if not found:
            return rows
        plan = Filter(id=self.fresh.part(op), where=op.where, input=rows.plan, condition=all_of(found))
        return replace(rows, plan=plan)


def certain_values(rows: Traced) -> Traced:
    """The rows with the values that they have: what they could be is not followed any further."""
    return replace(rows, maybe=None, bounds={})


def query_columns(rows: Traced) -> tuple[Attribute, ...]:
    """The columns of the query itself, among them what only the order still needs."""
    marks = {mark.id for mark in rows.marks}
    return tuple(attribute for attribute in rows.plan.output if attribute.id not in marks)


def _or_possible(rows: Traced, condition: Expr) -> Expr:
    """The condition, or that bounded values could meet it."""
    if rows.maybe is None or not reads_bounded(condition, rows.bounds):
        return condition
    return Or((condition, all_of((IsNotNull(Ref(rows.maybe)), can_hold(condition, rows.bounds)))))


def _renamed_bounds(bounds: Bounds, listed: tuple[Column, ...]) -> Bounds:
    """The bounds under the names that the columns give to bounded attributes."""
    refs = [(column.attribute, column.expr) for column in listed]
    return {a: bounds[e.attribute] for a, e in refs if isinstance(e, Ref) and e.attribute in bounds}


def _hidden(order: tuple[SortKey, ...], bounds: Bounds, listed: tuple[Column, ...]) -> tuple[Attribute, ...]:
    """What order and bounds read and the columns do not have: carried along for what is above."""
    known = {column.attribute.id for column in listed}
    exprs = [key.expr for key in order] + [expr for range in bounds.values() for expr in range]
    needed = {a.id: a for expr in exprs for a in attributes_of(expr)}
    return tuple(attribute for id, attribute in needed.items() if id not in known)
