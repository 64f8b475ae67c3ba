"""Rows of several queries at once, each with the set of the queries that have it.

    query 0: filter x > 1      x  present
    query 1: filter x > 5      3  0b01
                               9  0b11

Queries are variants of one: the same operators with other expressions. Bit i of `present` is set if the row is in
query i.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from sparkwhy.plan.build import Fresh, all_of, call, carry, long
from sparkwhy.plan.exprs import Attribute, Compare, Expr, Or, Ref
from sparkwhy.plan.join_types import Side
from sparkwhy.plan.nodes import Column, Filter, OpId, Plan, Project, SortKey
from sparkwhy.plan.types import LONG
from sparkwhy.plan.walk_exprs import attributes_of
from sparkwhy.trace.blame import Dropper
from sparkwhy.trace.variants.columns import Holders, list_holders, read_variant
from sparkwhy.trace.variants.partitions import Partition, agreement, first_of, refine, whole

# --- sets of queries ---


def intersect(one: Expr, other: Expr) -> Expr:
    return call("&", one, other)


def subtract(one: Expr, other: Expr) -> Expr:
    return call("&", one, call("~", other))


def unite(one: Expr, other: Expr) -> Expr:
    return call("|", one, other)


def is_any(queries: Expr) -> Expr:
    """Return the condition that a set of queries is not empty."""
    return Compare("<>", queries, long(0))


# --- rows ---


@dataclass(frozen=True)
class EvaluatedRows:
    """A plan whose rows have a set of queries; `present` None: every row is in all queries."""

    plan: Plan
    count: int
    """The number of queries."""

    present: Attribute | None = None
    order: tuple[SortKey, ...] = ()
    """How the rows are sorted, as far as a limit above needs to know."""

    variants: Holders = field(default_factory=dict)
    """The columns that hold an attribute in each query, where these differ."""

    present_differs_between: Partition = (1,)
    """Queries in one block have the same rows."""

    rows_split_by: Partition = (1,)
    """No row is in queries of two blocks."""

    unique: frozenset[Attribute] | None = None
    """Attributes on which no two rows agree, where such are known."""

    counts: Mapping[Attribute, Attribute] = field(default_factory=dict)
    """The partial counts of the grouping above, where rows were counted before a join: {count: partial count}."""

    @property
    def query_mask(self) -> int:
        return (1 << self.count) - 1

    @property
    def present_expr(self) -> Expr:
        return long(self.query_mask) if self.present is None else Ref(self.present)

    def read_in(self, query: int, expr: Expr) -> Expr:
        """Return an expression over attributes of the query as one over the columns that hold them."""
        return read_variant(self.variants, query, expr)

    def holders(self, attributes: Iterable[Attribute]) -> tuple[Attribute, ...]:
        """Return the columns that hold these attributes in any query."""
        return list_holders(self.variants, attributes)

    @property
    def columns(self) -> tuple[Attribute, ...]:
        """The columns of the queries themselves, among them those that only the order needs."""
        return tuple(a for a in self.plan.output if a != self.present)

    def differ_by(self, sets: Iterable[int]) -> EvaluatedRows:
        """Return the rows, of which some were dropped in these sets of queries and not in the others."""
        every = self.query_mask
        found = [(each, every & ~each) for each in sets if each and every & ~each]
        between = refine([self.present_differs_between, *found])
        return replace(self, present_differs_between=between)


def differences_in(rows: EvaluatedRows, exprs: Iterable[Expr]) -> Partition:
    """Return the blocks of queries that hold all attributes of these expressions in the same columns."""
    read = {attribute for expr in exprs for attribute in attributes_of(expr)}
    found = (agreement(rows.variants[a]) for a in read if a in rows.variants)
    return refine([whole(rows.count), *found])


# --- what the rules share ---


@dataclass(frozen=True)
class Evaluation:
    """What the rules of one evaluation read: the droppers that each query relaxes, and how large the data is."""

    fresh: Fresh
    relaxed: tuple[frozenset[Dropper], ...]
    large: bool = False
    counts: Mapping[OpId, tuple[Column, ...]] = field(default_factory=dict)
    """The joins of which only the rows of one side are counted, with these counts."""

    @property
    def queries(self) -> range:
        return range(len(self.relaxed))

    @property
    def query_mask(self) -> int:
        return (1 << len(self.relaxed)) - 1

    def queries_that_drop(self, op: OpId, side: Side | None = None) -> int:
        """Return the queries in which this dropper is not relaxed."""
        return sum(1 << i for i, relaxed in enumerate(self.relaxed) if Dropper(op, side) not in relaxed)

    def rows_of(self, plan: Plan) -> EvaluatedRows:
        """Return the rows of a plan that is the same in all queries."""
        everywhere = whole(len(self.relaxed))
        return EvaluatedRows(plan, len(self.relaxed), present_differs_between=everywhere, rows_split_by=everywhere)

    def project(
        self, op: Plan, rows: EvaluatedRows, columns: Iterable[Column], *, present: Expr | None = None
    ) -> EvaluatedRows:
        """Compute columns over the rows; `present` is carried along if it is not given."""
        marks: tuple[Column, ...] = () if rows.present is None else carry((rows.present,))
        attribute = rows.present
        if present is not None:
            attribute = self.fresh.attribute("present", LONG)
            marks = (Column(attribute, present),)
        listed = (*columns, *marks)
        plan = Project(
            id=self.fresh.part(op),
            where=op.where,
            input=rows.plan,
            columns=(*listed, *carry(_attributes_hidden(rows, listed))),
        )
        carried = {column.attribute for column in listed if column.is_carried}
        kept = {a: held for a, held in rows.variants.items() if a in carried}
        assert all(set(held) <= set(plan.output) for held in kept.values()), "a query lost its column"
        unique = rows.unique if rows.unique is not None and rows.unique <= carried else None
        return replace(rows, plan=plan, present=attribute, variants=kept, unique=unique)

    def mark(self, op: Plan, rows: EvaluatedRows, present: Expr) -> EvaluatedRows:
        """Return the same rows in other queries."""
        return self.project(op, rows, carry(rows.columns), present=present)

    def keep_rows(self, op: Plan, rows: EvaluatedRows, conditions: Sequence[Expr]) -> EvaluatedRows:
        """Keep the rows that meet the conditions, in all queries."""
        if not conditions:
            return rows
        plan = Filter(id=self.fresh.part(op), where=op.where, input=rows.plan, condition=all_of(conditions))
        return replace(rows, plan=plan)

    def drop_absent(self, op: Plan, rows: EvaluatedRows) -> EvaluatedRows:
        """Drop the rows that no query has, unless that was done last."""
        if rows.present is None:
            return rows
        exists = is_any(Ref(rows.present))
        is_done = isinstance(rows.plan, Filter) and rows.plan.condition == exists
        return rows if is_done else self.keep_rows(op, rows, (exists,))

    def keep_wanted(self, op: Plan, rows: EvaluatedRows, wanted: Sequence[Sequence[Expr]]) -> EvaluatedRows:
        """Keep the rows that meet, in some query, all conditions that are wanted of them there."""
        read = [[rows.read_in(i, c) for c in wanted[i]] for i in self.queries]
        shared = [c for c in read[0] if all(c in other for other in read[1:])]
        others = [[c for c in each if c not in shared] for each in read]
        found = list(shared)
        if all(others):
            found.append(Or(tuple(all_of(others[first_of(block)]) for block in agreement(others))))
        return self.keep_rows(op, rows, found)


def _attributes_hidden(rows: EvaluatedRows, listed: tuple[Column, ...]) -> tuple[Attribute, ...]:
    """Return what the order reads and the columns do not have: carried along for a limit above."""
    known = {column.attribute.id for column in listed}
    needed = rows.holders(a for key in rows.order for a in attributes_of(key.expr))
    return tuple(attribute for attribute in needed if attribute.id not in known)
