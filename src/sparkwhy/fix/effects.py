"""What else a repair does: the rows that enter and leave the result, counted for all repairs in one pass.

Results are bags; nested values are compared without order. Rows that match the question do not count: they are what
was asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from sparkwhy.explain.candidates import named
from sparkwhy.explain.explanation import SideEffects
from sparkwhy.explain.nested import outgoing
from sparkwhy.fix.propose import Repair
from sparkwhy.fix.verify import alike, gate_of, is_in, present, reading_of
from sparkwhy.plan.build import (
    Fresh,
    all_of,
    boolean,
    call,
    carry,
    either,
    empty_array,
    equal,
    integer,
    long,
    null,
    transform,
)
from sparkwhy.plan.exprs import AggCall, Case, Cast, Compare, Expr, FieldOf, IsNull, MakeStruct, Ref, is_true
from sparkwhy.plan.nodes import Aggregate, Column, Flatten, Plan, Project
from sparkwhy.plan.types import INTEGER, LONG, STRING, UNCOMPARABLE, Array, Atom, Field, Map, Struct, Type
from sparkwhy.trace.annotate import TracedQuery, evaluate
from sparkwhy.trace.wanted import Conditions


def effects_plan(plan: Plan, repairs: Sequence[Repair], conditions: Conditions, *, examples: bool = True) -> Plan:
    """One row for each repair that has side effects: how many rows enter and leave, and the first and last of them.

    To carry examples along Spark sorts all rows that move; without them it only counts.
    """
    evaluated = evaluate([plan, *(r.plan for r in repairs)], [frozenset(), *(r.relaxed for r in repairs)])
    fresh = Fresh(evaluated.rows.plan)
    groups = alike(evaluated, plan.output)
    moves = call("concat", *(move for i in range(len(groups)) for move in _moves(evaluated, groups, i, conditions)))
    move = fresh.attribute("move", _MOVE)
    flat = Flatten(id=fresh.part(plan), input=evaluated.rows.plan, collection=moves, elements=(move,))
    told = _told(fresh, flat, evaluated, [group[0] for group in groups], Ref(move), examples=examples)
    return _counted(fresh, plan, _netted(fresh, plan, told))


_MOVE = Struct((Field("gate", LONG), Field("sign", LONG), Field("group", INTEGER)))
"""A row enters the result of a query or leaves it; it is held as in that group of queries."""


def _moves(evaluated: TracedQuery, groups: Sequence[Sequence[int]], at: int, conditions: Conditions) -> Iterator[Expr]:
    """A row leaves if only the query has it, and enters if only the repair has it; for the repairs of one group.

    A repair that holds its rows in other columns than the query has none of the query's: what is the same in both
    enters and leaves, and is netted.
    """
    repairs = [i for i in groups[at] if i]
    if not repairs:
        return
    before, none = is_in(evaluated, long(gate_of(0))), empty_array(LONG)
    entering, leaving = present(evaluated, repairs), call("array", *(long(gate_of(i)) for i in repairs))
    if 0 in groups[at]:
        entering, leaving = either(before, none, entering), present(evaluated, repairs, absent=True)
    yield _signed(evaluated, entering, 1, groups, at, conditions)
    yield _signed(evaluated, either(before, leaving, none), -1, groups, 0, conditions)


def _signed(
    evaluated: TracedQuery, gates: Expr, sign: int, groups: Sequence[Sequence[int]], at: int, conditions: Conditions
) -> Expr:
    """A move for each gate, unless the row, as held in this group of queries, is what was asked for."""
    asked = is_true(all_of(evaluated.rows.read_in(groups[at][0], c) for c in conditions))
    counted = either(asked, empty_array(LONG), gates)
    names = tuple(field.name for field in _MOVE.fields)
    return transform(counted, lambda gate: MakeStruct(names, (gate, long(sign), integer(at))))


def _told(
    fresh: Fresh, moves: Plan, evaluated: TracedQuery, readings: Sequence[int], move: Expr, *, examples: bool
) -> Plan:
    """Each move with its row, and the row as text if examples are to be told."""

    def held(build: Callable[[Sequence[Expr]], Expr]) -> Expr:
        *first, last = (build([evaluated.rows.read_in(i, Ref(a)) for a in evaluated.plans[0].output]) for i in readings)
        cases = tuple((equal(FieldOf(move, 2), integer(at)), value) for at, value in enumerate(first))
        return Case(cases, last) if cases else last

    row = held(_row)
    columns = [
        Column(fresh.attribute("gate", LONG), FieldOf(move, 0)),
        Column(fresh.attribute("sign", LONG), FieldOf(move, 1)),
        Column(fresh.attribute("row", row.type), row),
    ]
    if examples:
        text = held(lambda columns: call("array", *map(outgoing, columns)))
        columns.append(Column(fresh.attribute("text", Array(STRING)), text))
    return Project(id=fresh.part(evaluated.plans[0]), input=moves, columns=tuple(columns))


def _row(columns: Sequence[Expr]) -> Expr:
    return MakeStruct(tuple(f"c{i}" for i in range(len(columns))), tuple(map(unordered, columns)))


def unordered(value: Expr) -> Expr:
    """A value with everything sorted that has no order; what cannot be compared at all is taken as text."""
    match value.type:
        case Map():
            entries = call("map_entries", value)
            return call("sort_array", transform(entries, unordered), boolean(True))
        case Atom() if value.type in UNCOMPARABLE:
            return Cast(value, STRING)
        case Array(element) if _needs_sorting(element):
            return call("sort_array", transform(value, unordered), boolean(True))
        case Array():
            return call("sort_array", value, boolean(True))
        case Struct(fields) if any(_needs_sorting(field.type) for field in fields):
            parts = tuple(unordered(FieldOf(value, i)) for i in range(len(fields)))
            built = MakeStruct(tuple(field.name for field in fields), parts)
            return either(IsNull(value), null(built.type), built)
        case _:
            return value


def _needs_sorting(type: Type) -> bool:
    match type:
        case Array() | Map():
            return True
        case Struct(fields):
            return any(_needs_sorting(field.type) for field in fields)
        case _:
            return type in UNCOMPARABLE


def _netted(fresh: Fresh, plan: Plan, moves: Plan) -> Plan:
    """Each different row of each repair with the copies that enter, less those that leave."""
    gate, sign, row, *texts = moves.output
    net = Column(fresh.attribute("net", LONG), AggCall("sum", (Ref(sign),)))
    told = tuple(Column(fresh.attribute("text", Array(STRING)), AggCall("max", (Ref(text),))) for text in texts)
    return Aggregate(id=fresh.part(plan), input=moves, keys=carry((gate, row)), aggregates=(net, *told))


def _counted(fresh: Fresh, plan: Plan, netted: Plan) -> Plan:
    gate, _, net, *texts = (Ref(attribute) for attribute in netted.output)
    columns = []
    for sign in (1, -1):
        here = Compare(">" if sign == 1 else "<", net, long(0))
        copies = either(here, call("*", net, long(sign)), long(0))
        columns.append(Column(fresh.attribute("rows", LONG), AggCall("sum", (copies,))))
        for text, function in product(texts, ("min", "max")):
            example = fresh.attribute(function, Array(STRING), nullable=True)
            columns.append(Column(example, AggCall(function, (either(here, text, null(Array(STRING))),))))
    return Aggregate(id=fresh.part(plan), input=netted, keys=carry((gate.attribute,)), aggregates=tuple(columns))


def effects_of(plan: Plan, count: int, rows: Iterable[Sequence[Any]]) -> Mapping[int, SideEffects]:
    """The rows of an `effects_plan` as the side effects of each repair, numbered from 0."""
    found = {i: SideEffects(0, 0, 0, 0) for i in range(count)}
    for gate, *told in rows:
        entering, leaving = told[: len(told) // 2], told[len(told) // 2 :]
        (added, *some), (removed, *gone) = entering, leaving
        both = added + removed
        found[reading_of(gate) - 1] = SideEffects(
            both, both, added, removed, _examples(plan, *some), _examples(plan, *gone)
        )
    return found


def _examples(plan: Plan, *rows: Sequence[str | None] | None) -> tuple[Mapping[str, Any], ...]:
    told = dict.fromkeys(tuple(row) for row in rows if row is not None)
    return tuple(named(plan, row) for row in told)
