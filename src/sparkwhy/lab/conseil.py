"""Baselines that go on where Why-Not ends: the query-based part of Conseil (Herschel, JDIQ 2015), and a second Why-Not.

Both follow compatible rows (see `whynot`) through the query with every operator relaxed, and note on each row which
operators would have dropped it, as a set of bits. A compatible row that finds no partner in a join goes on beside a
*fictive* partner, with that join noted; what is known of no value, because it is fictive or comes out of a grouping or
a window, meets every condition. Rows of sources that the pattern does not name take part, and are never padded.

**Conseil** (`conseil`): the explanations are the smallest of these sets, fewest operators first. There is none if a
compatible row gets through with nothing noted, since its query-based part explains rows that are dropped, no values.

**Why-Not with joined compatible rows** (`why_not_joined`): the paper counts "compatible customers" where the pattern
only names an order (Q3F). That is another notion of compatible than that of `whynot`: rows of *all* sources count that
join to what was asked for. The answer is the first operator in reading order after which all of them are gone, where
those that needed no fictive partner decide if there are any; if some reach the result, the last operator that drops
one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from sparkwhy.backtrace.backtrace import Conditions
from sparkwhy.errors import UnsupportedOperator, assert_never
from sparkwhy.explain.model import Operator
from sparkwhy.lab.whynot import Answers, Collect, backtrace_directly, compatible_rows, element_conditions, has_rows
from sparkwhy.plan.build import Fresh, all_of, boolean, call, carry, either, integer, long, null
from sparkwhy.plan.exprs import Attribute, AttrId, Compare, Expr, IsNull, Not, Or, Ref, is_true
from sparkwhy.plan.join_types import SIDES, join_type_that_keeps
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
from sparkwhy.plan.traits import tests_rows
from sparkwhy.plan.types import BOOLEAN, LONG
from sparkwhy.plan.walk import fold, walk
from sparkwhy.plan.walk_exprs import attributes_of

Dropped: TypeAlias = frozenset[OpId]
Unknown: TypeAlias = Mapping[AttrId, frozenset[Attribute]]
"""For an attribute, the columns that say of a row that its value is not known."""


def conseil(plan: Plan, asked: Conditions, collect: Collect) -> Answers:
    """Return the smallest sets of operators that stop a compatible row."""
    found = _dropped_sets(plan, asked, collect)
    smallest = [each for each in found if not any(other < each for other in found)]
    place = {node.id: i for i, node in enumerate(walk(plan))}
    ordered = sorted(smallest, key=lambda each: (len(each), sorted(place[op] for op in each)))
    return tuple(_operators(plan, each) for each in ordered if each)


def why_not_joined(plan: Plan, asked: Conditions, collect: Collect) -> Answers:
    """Return the first operator after which no row is left that joins to what was asked for."""
    found = _dropped_sets(plan, asked, collect)
    order = [node for node in walk(plan) if any(node.id in each for each in found)]
    joins = {node.id for node in order if isinstance(node, Join)}
    deciding = {each for each in found if not each & joins} or found
    if frozenset() in deciding:
        return tuple(_operators(plan, {node.id}) for node in order[-1:])
    for node in order:
        deciding = {each for each in deciding if node.id not in each}
        if not deciding:
            return (_operators(plan, {node.id}),)
    return ()


def _operators(plan: Plan, ops: Iterable[OpId]) -> frozenset[Operator]:
    wanted = frozenset(ops)
    return frozenset(Operator.of(node) for node in walk(plan) if node.id in wanted)


def _dropped_sets(plan: Plan, asked: Conditions, collect: Collect) -> set[Dropped]:
    """Return which operators would have dropped a row that was asked for: one set for each way."""
    if has_rows(collect, Filter(id=Fresh(plan).part(plan), input=plan, condition=all_of(asked))):
        return set()
    relaxing = _Relaxer(plan, asked)
    rows = collect(relaxing.sets())
    return {frozenset(op for op, bit in relaxing.bits.items() if row[0] & bit) for row in rows}


# --- the relaxed query ---


@dataclass(frozen=True)
class _RelaxedRows:
    """Rows with the set of operators that would have dropped them; `followed`: some source of theirs is followed."""

    rows: Plan
    dropped: Attribute
    followed: bool
    unknown: Unknown = field(default_factory=dict)

    @property
    def flags(self) -> tuple[Attribute, ...]:
        return tuple(sorted({flag for flags in self.unknown.values() for flag in flags}, key=lambda flag: flag.id))

    def may_hold(self, condition: Expr) -> Expr:
        """Return the condition, or that it reads an unknown value. An equality alone stays one: joins need it."""
        flags = sorted(_unknown_in(condition, self.unknown), key=lambda flag: flag.id)
        return Or((condition, *(is_true(Ref(flag)) for flag in flags))) if flags else condition


class _Relaxer:
    """The query with no operator allowed to drop a row."""

    def __init__(self, plan: Plan, asked: Conditions) -> None:
        self._fresh = Fresh(plan)
        self._plan = plan
        self._asked = asked
        self._wanted = backtrace_directly(plan, asked)
        self._compatible = compatible_rows(plan, self._wanted)
        self.bits = {node.id: 1 << i for i, node in enumerate(n for n in walk(plan) if _drops(n))}

    def sets(self) -> Plan:
        """Return the different sets of operators that stand between a compatible row and the result."""
        top = fold(self._plan, self._relax)
        meets = all_of(top.may_hold(condition) for condition in self._asked)
        rows = Filter(id=self._fresh.part(self._plan), input=top.rows, condition=meets)
        return Aggregate(id=self._fresh.part(self._plan), input=rows, keys=carry((top.dropped,)), aggregates=())

    def _relax(self, node: Plan, below: tuple[_RelaxedRows, ...]) -> _RelaxedRows:
        match node:
            case Table():
                return self._source(node)
            case Project():
                return self._project(node, below[0], node.columns)
            case Filter():
                (rows,) = below
                return self._note(node, rows, Not(is_true(rows.may_hold(node.condition))), rows.rows)
            case Flatten():
                return self._flatten(node, below[0])
            case Join():
                return self._join(node, *below)
            case Aggregate():
                return self._project(node, below[0], node.keys, node.aggregates)
            case Window():
                return self._project(node, below[0], carry(node.input.output), node.columns)
            case Union():
                return self._union(node, below)
            case Sort() | Distinct():
                return below[0]
            case OneRow() | Limit() | Sample() | SetOperation():
                raise UnsupportedOperator(node.kind, hint="lineage baselines follow selections, joins and unions.")
            case _:
                assert_never(node)

    def _source(self, table: Table) -> _RelaxedRows:
        followed = table.id in self._compatible
        condition = all_of(self._compatible.get(table.id, ()))
        rows = Filter(id=self._fresh.part(table), input=table, condition=condition)
        dropped = self._fresh.attribute("dropped", LONG)
        columns = (*carry(table.output), Column(dropped, long(0)))
        return _RelaxedRows(self._select(table, rows, columns), dropped, followed)

    def _select(self, node: Plan, rows: Plan, columns: Sequence[Column]) -> Plan:
        return Project(id=self._fresh.part(node), input=rows, columns=tuple(columns))

    def _note(self, node: Plan, rows: _RelaxedRows, fails: Expr, plan: Plan) -> _RelaxedRows:
        """Return the rows, with the operator noted on those that it would have dropped."""
        dropped = self._fresh.attribute("dropped", LONG)
        noted = call("|", Ref(rows.dropped), either(fails, long(self.bits[node.id]), long(0)))
        kept = [a for a in plan.output if a != rows.dropped]
        return replace(rows, rows=self._select(node, plan, (*carry(kept), Column(dropped, noted))), dropped=dropped)

    def _project(
        self, node: Plan, below: _RelaxedRows, columns: tuple[Column, ...], made: tuple[Column, ...] = ()
    ) -> _RelaxedRows:
        """Computed columns; what is `made` of several rows is not known."""
        unknown = {c.attribute.id: _unknown_in(c.expr, below.unknown) for c in columns}
        extra: tuple[Column, ...] = ()
        if made:
            flag = self._fresh.attribute("unknown", BOOLEAN)
            extra = (*(Column(c.attribute, null(c.expr.type)) for c in made), Column(flag, boolean(True)))
            unknown |= {c.attribute.id: frozenset({flag}) for c in made}
        kept = carry((below.dropped, *below.flags))
        rows = self._select(node, below.rows, (*columns, *extra, *kept))
        return replace(below, rows=rows, unknown={id: flags for id, flags in unknown.items() if flags})

    def _flatten(self, node: Flatten, below: _RelaxedRows) -> _RelaxedRows:
        """Return the elements that the pattern asks for; none at all is noted, and leaves an unknown element."""
        empty = Or((IsNull(node.collection), Compare("<=", call("size", node.collection), integer(0))))
        rows: Plan = replace(node, input=below.rows, outer=True)
        asked = element_conditions(node, self._wanted[node.id])
        if asked:
            chosen = Or((is_true(all_of(asked)), is_true(empty)))
            rows = Filter(id=self._fresh.part(node), input=rows, condition=chosen)
        if node.outer:
            return replace(below, rows=rows)
        flag = self._fresh.attribute("unknown", BOOLEAN)
        flagged = self._select(node, rows, (*carry(rows.output), Column(flag, is_true(empty))))
        unknown = {**below.unknown, **{element.id: frozenset({flag}) for element in node.elements}}
        return self._note(node, replace(below, unknown=unknown), is_true(Ref(flag)), flagged)

    def _join(self, node: Join, left: _RelaxedRows, right: _RelaxedRows) -> _RelaxedRows:
        both = _RelaxedRows(left.rows, left.dropped, left.followed or right.followed, {**left.unknown, **right.unknown})
        condition = None if node.condition is None else both.may_hold(node.condition)
        if not node.traits.pairs:
            return self._membership(node, left, right, condition)
        pads_left, pads_right = (side in node.traits.keeps for side in SIDES)
        how = join_type_that_keeps(left=pads_left or left.followed, right=pads_right or right.followed)
        rows = Join(id=self._fresh.part(node), left=left.rows, right=right.rows, how=how, condition=condition)
        return self._pad_sides(node, rows, left, right, pads_left=pads_left, pads_right=pads_right)

    def _pad_sides(
        self, node: Join, rows: Plan, left: _RelaxedRows, right: _RelaxedRows, *, pads_left: bool, pads_right: bool
    ) -> _RelaxedRows:
        """Return where a row stands alone, and the join as it is would drop it, the other side is fictive."""
        fictive_left, fictive_right = (self._fresh.attribute("fictive", BOOLEAN) for _ in range(2))
        dropped = self._fresh.attribute("dropped", LONG)
        alone_right = boolean(False) if pads_right else IsNull(Ref(left.dropped))
        alone_left = boolean(False) if pads_left else IsNull(Ref(right.dropped))
        noted = either(Or((alone_left, alone_right)), long(self.bits[node.id]), long(0))
        before = (call("coalesce", Ref(side.dropped), long(0)) for side in (left, right))
        columns = (
            *carry(a for a in rows.output if a not in (left.dropped, right.dropped)),
            Column(fictive_left, alone_right),
            Column(fictive_right, alone_left),
            Column(dropped, call("|", call("|", *before), noted)),
        )
        unknown = {
            **_add_flag(node.left.output, left.unknown, fictive_left),
            **_add_flag(node.right.output, right.unknown, fictive_right),
        }
        return _RelaxedRows(self._select(node, rows, columns), dropped, left.followed or right.followed, unknown)

    def _membership(self, node: Join, left: _RelaxedRows, right: _RelaxedRows, condition: Expr | None) -> _RelaxedRows:
        """Return whether there is a partner at all, however far it would have come."""
        exists = node.exists or self._fresh.attribute("exists", BOOLEAN)
        rows = Join(
            id=self._fresh.part(node),
            left=left.rows,
            right=right.rows,
            how="existence",
            condition=condition,
            exists=exists,
        )
        if not node.traits.drops:
            return replace(left, rows=rows)
        return self._note(node, left, Ref(exists) if node.traits.rejects_partners else Not(Ref(exists)), rows)

    def _union(self, node: Union, below: tuple[_RelaxedRows, ...]) -> _RelaxedRows:
        dropped = self._fresh.attribute("dropped", LONG)
        branches = tuple(
            self._select(node, side.rows, carry((*branch.output, side.dropped)))
            for branch, side in zip(node.branches, below, strict=True)
        )
        rows = replace(node, branches=branches, attributes=(*node.attributes, dropped))
        return _RelaxedRows(rows, dropped, any(side.followed for side in below))


def _drops(node: Plan) -> bool:
    return tests_rows(node)


def _unknown_in(expr: Expr, unknown: Unknown) -> frozenset[Attribute]:
    return frozenset(flag for attribute in attributes_of(expr) for flag in unknown.get(attribute.id, ()))


def _add_flag(attributes: Iterable[Attribute], unknown: Unknown, flag: Attribute) -> Unknown:
    return {a.id: unknown.get(a.id, frozenset()) | {flag} for a in attributes}
