"""What else a repair does: the rows that enter and leave the result, counted for all repairs in one pass.

Results are bags; nested values are compared without order. Rows that match the question do not count: they are what
was asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from sparkwhy.explain.candidates import named
from sparkwhy.explain.explanation import SideEffects
from sparkwhy.explain.nested import outgoing
from sparkwhy.fix.propose import Repair
from sparkwhy.fix.verify import is_in
from sparkwhy.plan.build import (
    Fresh,
    all_of,
    boolean,
    call,
    carry,
    either,
    empty_array,
    integer,
    long,
    null,
    transform,
)
from sparkwhy.plan.exprs import AggCall, Cast, Compare, Expr, FieldOf, IsNull, MakeStruct, Not, Ref, is_true
from sparkwhy.plan.nodes import Aggregate, Column, Flatten, Plan
from sparkwhy.plan.types import INTEGER, LONG, STRING, UNCOMPARABLE, Array, Atom, Map, Struct, Type
from sparkwhy.trace.annotate import TracedQuery, evaluate
from sparkwhy.trace.wanted import Conditions


def effects_plan(plan: Plan, repairs: Sequence[Repair], conditions: Conditions, *, examples: bool = True) -> Plan:
    """One row for each repair that has side effects: how many rows enter and leave, and the first and last of them.

    To carry examples along Spark sorts all rows that move; without them it only counts.
    """
    evaluated = evaluate([plan, *(r.plan for r in repairs)], [frozenset(), *(r.relaxed for r in repairs)])
    fresh = Fresh(evaluated.rows.plan)
    numbers = range(1, len(repairs) + 1)
    moves = [move for k in numbers for move in _moves(evaluated, k, conditions, examples=examples)]
    move = fresh.attribute("move", _element(moves[0].type))
    flat = Flatten(id=fresh.part(plan), input=evaluated.rows.plan, collection=call("concat", *moves), elements=(move,))
    return _counted(fresh, plan, _netted(fresh, plan, flat, Ref(move)))


def _element(type: Type) -> Type:
    assert isinstance(type, Array)
    return type.element


def _moves(evaluated: TracedQuery, repair: int, conditions: Conditions, *, examples: bool) -> Iterator[Expr]:
    """A row leaves if only the query has it, and enters if only the repair has it: two arrays of at most one move."""
    before, after = is_in(evaluated, 0), is_in(evaluated, repair)
    output = evaluated.plans[0].output
    rows = evaluated.rows
    same = all(rows.read_in(0, Ref(a)) == rows.read_in(repair, Ref(a)) for a in output)
    stays = all_of((before, after)) if same else boolean(False)
    for reading, there, sign in ((0, before, -1), (repair, after, 1)):
        asked = is_true(all_of(rows.read_in(reading, c) for c in conditions))
        move = _move(evaluated, reading, repair, sign, examples=examples)
        counts = all_of((there, Not(stays), Not(asked)))
        assert isinstance(move.type, Struct)
        yield either(counts, call("array", move), empty_array(move.type))


def _move(evaluated: TracedQuery, reading: int, repair: int, sign: int, *, examples: bool) -> Expr:
    columns = [evaluated.rows.read_in(reading, Ref(a)) for a in evaluated.plans[0].output]
    names = tuple(f"c{i}" for i in range(len(columns)))
    row = MakeStruct(names, tuple(unordered(column) for column in columns))
    told = (call("array", *(outgoing(column) for column in columns)),) if examples else ()
    fields = ("repair", "sign", "row", "text")[: 3 + len(told)]
    return MakeStruct(fields, (integer(repair), long(sign), row, *told))


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


def _netted(fresh: Fresh, plan: Plan, moves: Plan, move: Expr) -> Plan:
    """Each different row of each repair with the copies that enter, less those that leave."""
    repair = Column(fresh.attribute("repair", INTEGER), FieldOf(move, 0))
    row = Column(fresh.attribute("row", FieldOf(move, 2).type), FieldOf(move, 2))
    net = Column(fresh.attribute("net", LONG), AggCall("sum", (FieldOf(move, 1),)))
    assert isinstance(move.type, Struct)
    texts = [FieldOf(move, 3)] if len(move.type.fields) > 3 else []
    told = tuple(Column(fresh.attribute("text", Array(STRING)), AggCall("max", (text,))) for text in texts)
    return Aggregate(id=fresh.part(plan), input=moves, keys=(repair, row), aggregates=(net, *told))


def _counted(fresh: Fresh, plan: Plan, netted: Plan) -> Plan:
    repair, _, net, *texts = (Ref(attribute) for attribute in netted.output)
    columns = []
    for sign in (1, -1):
        here = Compare(">" if sign == 1 else "<", net, long(0))
        copies = either(here, call("*", net, long(sign)), long(0))
        columns.append(Column(fresh.attribute("rows", LONG), AggCall("sum", (copies,))))
        for text, function in product(texts, ("min", "max")):
            example = fresh.attribute(function, Array(STRING), nullable=True)
            columns.append(Column(example, AggCall(function, (either(here, text, null(Array(STRING))),))))
    return Aggregate(id=fresh.part(plan), input=netted, keys=carry((repair.attribute,)), aggregates=tuple(columns))


def effects_of(plan: Plan, count: int, rows: Iterable[Sequence[Any]]) -> Mapping[int, SideEffects]:
    """The rows of an `effects_plan` as the side effects of each repair, numbered from 0."""
    found = {i: SideEffects(0, 0, 0, 0) for i in range(count)}
    for repair, *told in rows:
        entering, leaving = told[: len(told) // 2], told[len(told) // 2 :]
        (added, *some), (removed, *gone) = entering, leaving
        both = added + removed
        found[repair - 1] = SideEffects(both, both, added, removed, _examples(plan, *some), _examples(plan, *gone))
    return found


def _examples(plan: Plan, *rows: Sequence[str | None] | None) -> tuple[Mapping[str, Any], ...]:
    told = dict.fromkeys(tuple(row) for row in rows if row is not None)
    return tuple(named(plan, row) for row in told)
