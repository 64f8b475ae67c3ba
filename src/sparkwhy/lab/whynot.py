"""The lineage baseline: Why-Not of Chapman and Jagadish (SIGMOD 2009), and WN++, the paper's extension to nested data.

**What is implemented.** A source row is *compatible* if it meets the conditions of the pattern on its attributes,
traced back through renames, projections, flattens and grouping keys, not through join conditions. Sources without such
conditions are not followed, unless no source has any: then all rows of all sources are compatible.

A *successor* of compatible rows is a row that an operator of the query as it is, unrelaxed, makes of them. A join makes
one of two successors if both sides are followed, else of a successor and any row. A group is one if any of its rows is.
On nested data (WN++) elements are followed: a flatten keeps on only with the elements that the pattern asks for, and in
a nested collection the successor is the element that a row becomes, so that a null, which Spark does not collect, has
none. There is no re-validation: conditions of the pattern on computed values are never tested again.

An operator that may drop rows (filter, join, inner flatten) is *picky* for a successor in its input that has no
successor in its output. The answer is the *frontier*: the first operator in reading order after which no successor is
left; there the tracing ends. If successors reach the result and none of them matches, it is the last picky operator.
There is no answer if a followed source has no compatible row, if nothing is picky, or if the result has a match.

So an answer has one set of one operator at most, on flat data as on nested.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from sparkwhy.backtrace.backtrace import Conditions, push_through
from sparkwhy.backtrace.null_rejection import rejects_null
from sparkwhy.errors import UnsupportedOperator, assert_never
from sparkwhy.explain.model import Operator
from sparkwhy.plan.build import Fresh, all_of, boolean, call, carry, integer
from sparkwhy.plan.exprs import AggCall, And, Attribute, Compare, Expr, IsNotNull, IsNull, Not, Or, Ref, is_true
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
from sparkwhy.plan.types import BOOLEAN
from sparkwhy.plan.walk import inputs, push_down, walk, with_inputs
from sparkwhy.plan.walk_exprs import attributes_of, reads_only

Answers: TypeAlias = tuple[frozenset[Operator], ...]
"""What a baseline returns: sets of operators, in its order."""

Collect: TypeAlias = Callable[[Plan], Sequence[Sequence[Any]]]
"""Runs a plan and returns its rows: Spark, or the reference engine."""


def frontier_picky(plan: Plan, asked: Conditions, collect: Collect) -> Answers:
    """Return the frontier picky operator, if there is one."""
    if has_rows(collect, Filter(id=Fresh(plan).part(plan), input=plan, condition=all_of(asked))):
        return ()
    tracing = _Tracing(plan, asked)
    if not all(has_rows(collect, tracing.successors(table)) for table in tracing.followed_tables):
        return ()
    reached: list[Plan] = []
    for node in tracing.followed:
        if _drops(node):
            reached.append(node)
        if (_drops(node) or _nests(node)) and not has_rows(collect, tracing.successors(node)):
            if _drops(node):
                return (frozenset({Operator.of(node)}),)
            break
    for node in reversed(reached):
        if any(has_rows(collect, lost) for lost in tracing.lost_rows(node)):
            return (frozenset({Operator.of(node)}),)
    return ()


def has_rows(collect: Collect, plan: Plan) -> bool:
    """Return whether the plan has a row; only one is looked for, and no column of it."""
    fresh = Fresh(plan)
    one = fresh.attribute("one", BOOLEAN)
    bare = Project(id=fresh.part(plan), input=plan, columns=(Column(one, boolean(True)),))
    return len(collect(Limit(id=fresh.part(plan), input=bare, count=1))) > 0


# --- what is compatible ---


def backtrace_directly(plan: Plan, asked: Conditions) -> Mapping[OpId, Conditions]:
    """Return the conditions of the pattern on each operator's rows, with nothing inferred from join conditions."""
    return push_down(plan, asked, _push_through)


def _push_through(node: Plan, wanted: Conditions) -> tuple[Conditions, ...]:
    if not isinstance(node, Join):
        return push_through(node, wanted)
    return _restrict_to_side(node.left, wanted), _restrict_to_side(node.right, wanted)


def _restrict_to_side(side: Plan, wanted: Conditions) -> Conditions:
    ids = frozenset(attribute.id for attribute in side.output)
    return tuple(c for c in wanted if reads_only(c, side.output) and rejects_null(c, ids))


def compatible_rows(plan: Plan, wanted: Mapping[OpId, Conditions]) -> Mapping[OpId, Conditions]:
    """Return the conditions of compatible rows for each source that is followed."""
    tables = [node.id for node in walk(plan) if isinstance(node, Table)]
    conditions = {table: wanted[table] for table in tables if wanted[table]}
    return conditions or dict.fromkeys(tables, ())


def element_conditions(node: Flatten, wanted: Conditions) -> Conditions:
    """Return the conditions of the pattern on the elements of a flatten, as far as the source was tested for them."""
    made = frozenset(element.id for element in node.elements)
    known = (*node.input.output, *node.elements)
    return tuple(
        condition
        for condition in wanted
        if any(a.id in made for a in attributes_of(condition))
        and reads_only(condition, known)
        and rejects_null(condition, made)
    )


# --- what becomes of it ---


def _drops(node: Plan) -> bool:
    """Return whether the operator may drop rows, and so may be picky."""
    return tests_rows(node)


def _nests(node: Plan) -> bool:
    return isinstance(node, Aggregate) and node.kind == "nest"


@dataclass(frozen=True)
class _Marked:
    """Rows of the query with a column that says which are successors; without one, rows that are not followed."""

    rows: Plan
    mark: Attribute | None

    @property
    def is_marked(self) -> Expr:
        return boolean(True) if self.mark is None else is_true(Ref(self.mark))


class _Tracing:
    """The query with marks, operator by operator."""

    def __init__(self, plan: Plan, asked: Conditions) -> None:
        self._fresh = Fresh(plan)
        self._wanted = backtrace_directly(plan, asked)
        self._compatible = compatible_rows(plan, self._wanted)
        self._done: dict[OpId, _Marked] = {}
        for node in walk(plan):
            self._done[node.id] = self._mark(node, tuple(self._done[below.id] for below in inputs(node)))
        self.followed = tuple(node for node in walk(plan) if self._done[node.id].mark is not None)
        self.followed_tables = tuple(node for node in self.followed if isinstance(node, Table))

    def successors(self, node: Plan) -> Plan:
        """Return the marked rows of an operator's output."""
        return self._keep_marked(node, self._done[node.id])

    def lost_rows(self, node: Plan) -> tuple[Plan, ...]:
        """Return the successors in the input of an operator that have none in its output."""
        match node:
            case Filter():
                return (self._find_lost(node, Not(is_true(node.condition))),)
            case Flatten():
                empty = Compare("<=", call("size", node.collection), integer(0))
                return (self._find_lost(node, Or((IsNull(node.collection), empty))),)
            case Join():
                return self._find_lost_by_join(node)
            case _:
                return ()

    def _keep_marked(self, node: Plan, found: _Marked) -> Plan:
        return Filter(id=self._fresh.part(node), input=found.rows, condition=found.is_marked)

    def _find_lost(self, node: Filter | Flatten, fails: Expr) -> Plan:
        below = self._done[node.input.id]
        return Filter(id=self._fresh.part(node), input=below.rows, condition=And((below.is_marked, fails)))

    def _find_lost_by_join(self, join: Join) -> tuple[Plan, ...]:
        left, right = self._done[join.left.id], self._done[join.right.id]
        of_left, of_right = self._keep_marked(join, left), self._keep_marked(join, right)
        match join.how:
            case "anti":
                return (self._join_partners(join, of_left, right.rows, "semi"),)
            case "existence":
                return ()
            case _:
                drops_left = left.mark is not None and "left" in join.traits.drops
                drops_right = right.mark is not None and "right" in join.traits.drops
                lost_left = [self._join_partners(join, of_left, of_right, "anti")] if drops_left else []
                lost_right = [self._join_partners(join, of_right, of_left, "anti")] if drops_right else []
                return (*lost_left, *lost_right)

    def _join_partners(self, join: Join, rows: Plan, partners: Plan, how: Any) -> Plan:
        return Join(id=self._fresh.part(join), left=rows, right=partners, how=how, condition=join.condition)

    def _mark(self, node: Plan, below: tuple[_Marked, ...]) -> _Marked:
        if isinstance(node, Table):
            return self._source(node)
        if all(each.mark is None for each in below):
            return _Marked(node, None)
        match node:
            case Project():
                (rows,) = below
                return _Marked(replace(node, input=rows.rows, columns=node.columns + _carry_mark(rows)), rows.mark)
            case Filter() | Sort() | Limit() | Sample() | Window():
                (rows,) = below
                return _Marked(with_inputs(node, (rows.rows,)), rows.mark)
            case Flatten():
                return self._flatten(node, *below)
            case Join():
                return self._join(node, *below)
            case Aggregate():
                return self._group(node, below[0], node.keys, node.aggregates)
            case Distinct():
                return self._distinct(node, below[0])
            case Union():
                return self._union(node, below)
            case SetOperation():
                raise UnsupportedOperator(node.kind, hint="lineage baselines follow unions, not differences.")
            case OneRow():
                raise AssertionError("one row has no input")
            case _:
                assert_never(node)

    def _source(self, table: Table) -> _Marked:
        if table.id not in self._compatible:
            return _Marked(table, None)
        return self._with_mark(table, table, is_true(all_of(self._compatible[table.id])), table.output)

    def _with_mark(self, node: Plan, rows: Plan, marked: Expr, output: Sequence[Attribute]) -> _Marked:
        mark = self._fresh.attribute("mark", BOOLEAN)
        columns = (*carry(output), Column(mark, marked))
        return _Marked(Project(id=self._fresh.part(node), input=rows, columns=columns), mark)

    def _flatten(self, node: Flatten, below: _Marked) -> _Marked:
        """Return the elements that the pattern asks for are followed, not those beside them."""
        rows = with_inputs(node, (below.rows,))
        asked = element_conditions(node, self._wanted[node.id])
        if not asked:
            return _Marked(rows, below.mark)
        return self._with_mark(node, rows, And((below.is_marked, is_true(all_of(asked)))), node.output)

    def _join(self, node: Join, left: _Marked, right: _Marked) -> _Marked:
        """Mark pairs of successors, or a successor with any row; padded rows are not marked for the padded side."""
        rows = with_inputs(node, (left.rows, right.rows))
        if not node.traits.pairs:
            return _Marked(rows, left.mark)
        marks = tuple(
            is_true(call("coalesce", Ref(side.mark), boolean(True))) for side in (left, right) if side.mark is not None
        )
        return self._with_mark(node, rows, all_of(marks), node.output)

    def _group(self, node: Plan, below: _Marked, keys: tuple[Column, ...], others: tuple[Column, ...]) -> _Marked:
        some = self._fresh.attribute("some", BOOLEAN, nullable=True)
        becomes = _becomes_an_element(others) if _nests(node) else boolean(True)
        found = Column(some, AggCall("bool_or", (And((below.is_marked, becomes)),)))
        rows = Aggregate(id=self._fresh.part(node), input=below.rows, keys=keys, aggregates=(*others, found))
        return self._with_mark(node, rows, call("coalesce", Ref(some), boolean(False)), node.output)

    def _distinct(self, node: Distinct, below: _Marked) -> _Marked:
        keys = node.output if node.keys is None else node.keys
        others = tuple(Column(a, AggCall("first", (Ref(a),))) for a in node.output if a not in keys)
        return self._group(node, below, carry(keys), others)

    def _union(self, node: Union, below: tuple[_Marked, ...]) -> _Marked:
        mark = self._fresh.attribute("mark", BOOLEAN)
        marks = [boolean(False) if side.mark is None else side.is_marked for side in below]
        branches = [
            self._with_mark(node, side.rows, marked, branch.output).rows
            for branch, side, marked in zip(node.branches, below, marks, strict=True)
        ]
        return _Marked(replace(node, branches=tuple(branches), attributes=(*node.attributes, mark)), mark)


def _carry_mark(rows: _Marked) -> tuple[Column, ...]:
    return () if rows.mark is None else carry((rows.mark,))


def _becomes_an_element(collected: tuple[Column, ...]) -> Expr:
    """Return a row is nested if one of its collected values is there."""
    values = [arg for column in collected if isinstance(column.expr, AggCall) for arg in column.expr.args]
    return Or(tuple(IsNotNull(value) for value in values)) if values else boolean(True)
