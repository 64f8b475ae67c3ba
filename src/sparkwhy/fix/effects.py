"""What else a repair does: the rows that enter and leave the result, counted for all repairs in one pass.

Results are bags; nested values are compared without order. Rows that match the question do not count: they are what
was asked for.

If a column is a list, its elements count too. A row is taken apart into its other columns and its elements, and what is
counted is how many of these parts come and go: of `LA: [Sue]` and `LA: [Peter, Sue]` one, Peter.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any, NamedTuple

from sparkwhy.backtrace.backtrace import Conditions
from sparkwhy.backtrace.selectivity import attributes_from_groups
from sparkwhy.explain.model import SideEffects
from sparkwhy.explain.rank import has_lists
from sparkwhy.explain.repair import Repair
from sparkwhy.fix.verify import bit_of_query, bits_in, group_by_columns, present_in, query_of_bit
from sparkwhy.plan.build import (
    Fresh,
    all_of,
    boolean,
    call,
    carry,
    either,
    equal,
    integer,
    long,
    null,
    transform,
)
from sparkwhy.plan.exprs import (
    AggCall,
    Attribute,
    Case,
    Cast,
    Compare,
    CompareOp,
    Expr,
    FieldOf,
    IsNull,
    Literal,
    MakeStruct,
    Not,
    Or,
    Ref,
    is_true,
)
from sparkwhy.plan.nodes import Aggregate, Column, Filter, Flatten, Plan, Project
from sparkwhy.plan.types import DOUBLE, INTEGER, LONG, STRING, UNCOMPARABLE, Array, Atom, Field, Map, Struct, Type
from sparkwhy.trace.encode import encode, encode_row
from sparkwhy.trace.evaluate import EvaluatedQueries, evaluate
from sparkwhy.trace.liveness import minus, unite_sets
from sparkwhy.trace.witness import decode_values


def effects_plan(
    plan: Plan, repairs: Sequence[Repair], conditions: Conditions, *, examples: bool = True, large: bool = False
) -> Plan:
    """Return one row for each repair that has side effects: how many rows enter and leave, and the first and last of
    them.

    To carry examples along Spark sorts all rows that move; without them it only counts.
    """
    evaluated = _evaluate_repairs(plan, repairs, large=large)
    fresh = Fresh(evaluated.rows.plan)
    groups = group_by_columns(evaluated, plan.output)
    moved = _find_moves(fresh, evaluated, groups, conditions)
    move = fresh.attribute("move", _MOVE)
    listed = call("concat", *map(_list_moves, moved.sets))
    flat = Flatten(id=fresh.part(plan), input=moved.plan, collection=listed, elements=(move,))
    found = _rows_of_moves(fresh, flat, evaluated, [group[0] for group in groups], Ref(move), examples=examples)
    netted = _net_moves(fresh, plan, found)
    return _count_parts(fresh, plan, netted) if _lists_in(netted) else _count_moves(fresh, plan, netted)


def _evaluate_repairs(plan: Plan, repairs: Sequence[Repair], *, large: bool) -> EvaluatedQueries:
    return evaluate([plan, *(r.plan for r in repairs)], [frozenset(), *(r.relaxed for r in repairs)], large=large)


def bounds_plan(plan: Plan, repairs: Sequence[Repair], conditions: Conditions) -> Plan:
    """Return how many rows enter the same repairs and leave the same.

    A row that leaves may be the same as one that enters. To find out, Spark would have to compare all their values; so
    there are bounds on what is left of both.
    """
    evaluated = _evaluate_repairs(plan, repairs, large=True)
    fresh = Fresh(evaluated.rows.plan)
    moved = _find_moves(fresh, evaluated, group_by_columns(evaluated, plan.output), conditions)
    sets = [Column(fresh.attribute("gates", LONG), _bits_of_moves(moved, sign)) for sign in (1, -1)]
    rows = Column(fresh.attribute("rows", LONG), AggCall("count", (long(1),)))
    return Aggregate(id=fresh.part(plan), input=moved.plan, keys=tuple(sets), aggregates=(rows,))


def _bits_of_moves(moved: _Moved, sign: int) -> Expr:
    found: Expr = long(0)
    for moves in moved.sets:
        found = unite_sets(found, moves.gates) if moves.sign == sign else found
    return found


def bounds_of(count: int, rows: Iterable[Sequence[Any]]) -> Mapping[int, SideEffects]:
    """Return the rows of a `bounds_plan` as bounds for each repair, numbered from 0; equal if rows only enter or
    leave.
    """
    found = list(rows)

    def bounds(gate: int) -> SideEffects:
        entering = sum(n for enters, _, n in found if enters & gate)
        leaving = sum(n for _, leaves, n in found if leaves & gate)
        exact = (entering, leaving) if not entering or not leaving else ()
        return SideEffects(abs(entering - leaving), entering + leaving, *exact)

    return {i: bounds(bit_of_query(i + 1)) for i in range(count)}


_MOVE = Struct((Field("gate", LONG), Field("sign", LONG), Field("group", INTEGER)))
"""A row enters the result of a query or leaves it; it is held as in that group of queries."""


class _Moves(NamedTuple):
    """Of some repairs, those that a row enters (sign 1) or leaves (-1), as a set of gates; the row is held as `group`
    holds it."""

    gates: Expr
    repairs: tuple[int, ...]
    sign: int
    group: int


class _Moved(NamedTuple):
    """The rows that are in some of the queries and not in others."""

    plan: Plan
    sets: tuple[_Moves, ...]


def _find_moves(
    fresh: Fresh, evaluated: EvaluatedQueries, groups: Sequence[Sequence[int]], conditions: Conditions
) -> _Moved:
    """Find rows that enter or leave. Most rows are the same in all queries: they are dropped first."""
    inside = Column(fresh.attribute("inside", LONG), present_in(evaluated))
    rows, at = evaluated.rows.plan, evaluated.plans[0]
    some = Filter(id=fresh.part(at), input=rows, condition=_may_move(evaluated, groups))
    known = Project(id=fresh.part(at), input=some, columns=(*carry(rows.output), inside))
    asked = [is_true(all_of(evaluated.rows.read_in(group[0], c) for c in conditions)) for group in groups]
    moves = [each for i in range(len(groups)) for each in _moves(evaluated, groups, i, Ref(inside.attribute))]
    sets = [Column(fresh.attribute("moves", LONG), either(asked[m.group], long(0), m.gates)) for m in moves]
    judged = Project(id=fresh.part(at), input=known, columns=(*carry(rows.output), *sets))
    return _Moved(judged, tuple(m._replace(gates=Ref(c.attribute)) for m, c in zip(moves, sets, strict=True)))


def _may_move(evaluated: EvaluatedQueries, groups: Sequence[Sequence[int]]) -> Expr:
    """Return whether a row is not in all queries, or not the same row in all of them.

    Spark evaluates it as far below as it can, so it says no more than it must.
    """
    absent = Compare("<>", present_in(evaluated), long(evaluated.query_mask))
    return Or((absent, *(Not(_holds_the_same(evaluated, group[0])) for group in groups[1:])))


def _moves(evaluated: EvaluatedQueries, groups: Sequence[Sequence[int]], of: int, inside: Expr) -> Iterator[_Moves]:
    """Yield a row leaves if only the query has it, and enters if only the repair has it; for the repairs of one group.

    A repair that holds its rows in other columns than the query may hold another row there: then the one enters and the
    other leaves.
    """
    repairs = tuple(i for i in groups[of] if i)
    if not repairs:
        return
    gates = long(sum(map(bit_of_query, repairs)))
    before = Compare("<>", call("&", inside, long(bit_of_query(0))), long(0))
    same = _holds_the_same(evaluated, groups[of][0])
    yield _Moves(either(all_of((before, same)), long(0), call("&", inside, gates)), repairs, 1, of)
    yield _Moves(either(before, either(same, minus(gates, inside), gates), long(0)), repairs, -1, 0)


def _holds_the_same(evaluated: EvaluatedQueries, reading: int) -> Expr:
    """Return whether a row reads the same in a query as in the first; if they cannot be compared it does not.

    Where no row is in both of them nothing has to be read to know that.
    """
    if not any(block & bit_of_query(0) and block & bit_of_query(reading) for block in evaluated.rows.rows_split_by):
        return boolean(True)
    output = [Ref(attribute) for attribute in evaluated.plans[0].output]
    held = [(evaluated.rows.read_in(0, a), evaluated.rows.read_in(reading, a)) for a in output]
    same = [same_value(one, other) for one, other in held if one != other]
    return boolean(False) if boolean(False) in same else all_of(same)


def same_value(one: Expr, other: Expr) -> Expr:
    """Return whether two values are the same; what cannot be compared is not."""
    if one == other:
        return boolean(True)
    comparable = one.type == other.type and _is_comparable(one.type)
    return Compare("<=>", one, other) if comparable else boolean(False)


def _is_comparable(type: Type) -> bool:
    match type:
        case Map():
            return False
        case Array(element):
            return _is_comparable(element)
        case Struct(fields):
            return all(_is_comparable(field.type) for field in fields)
        case _:
            return type not in UNCOMPARABLE


def _list_moves(moves: _Moves) -> Expr:
    names = tuple(field.name for field in _MOVE.fields)
    gates = bits_in(moves.gates, moves.repairs)
    return transform(gates, lambda gate: MakeStruct(names, (gate, long(moves.sign), integer(moves.group))))


def _rows_of_moves(
    fresh: Fresh, moves: Plan, evaluated: EvaluatedQueries, readings: Sequence[int], move: Expr, *, examples: bool
) -> Plan:
    """Return each move with its row, and the row as text if examples are wanted."""

    def build_once(build: Callable[[Sequence[Expr]], Expr]) -> Expr:
        *first, last = (build([evaluated.rows.read_in(i, Ref(a)) for a in evaluated.plans[0].output]) for i in readings)
        cases = tuple((equal(FieldOf(move, 2), integer(at)), value) for at, value in enumerate(first))
        return Case(cases, last) if cases else last

    computed = attributes_from_groups(evaluated.plans[0])
    inexact = [a in computed and a.type == DOUBLE for a in evaluated.plans[0].output]
    row = build_once(lambda columns: _row(map(_round_if, columns, inexact)))
    columns = [
        Column(fresh.attribute("gate", LONG), FieldOf(move, 0)),
        Column(fresh.attribute("sign", LONG), FieldOf(move, 1)),
        Column(fresh.attribute("row", row.type), row),
    ]
    if examples:
        text = build_once(lambda columns: call("array", *map(encode, columns)))
        columns.append(Column(fresh.attribute("text", Array(STRING)), text))
    return Project(id=fresh.part(evaluated.plans[0]), input=moves, columns=tuple(columns))


def _row(columns: Iterable[Expr]) -> Expr:
    values = tuple(map(sort_unordered, columns))
    return MakeStruct(tuple(f"c{i}" for i in range(len(values))), values)


_ROUNDED = ((1e-3, None), (1.0, 12), (1e3, 10), (1e6, 7), (1e9, 4), (1e12, 1))
"""Below such numbers, how many digits behind the point of a double are compared."""


def _round_if(value: Expr, inexact: bool) -> Expr:
    """Return a double that is the sum of others without its last digits, which depend on the order of these others."""
    if not inexact:
        return value
    size = call("abs", value)
    cases = [
        (Compare("<", size, Literal(bound, DOUBLE)), value if digits is None else call("round", value, integer(digits)))
        for bound, digits in _ROUNDED
    ]
    return Case(tuple(cases), value)


def sort_unordered(value: Expr) -> Expr:
    """Return a value with everything sorted that has no order; what cannot be compared at all is taken as text."""
    match value.type:
        case Map():
            entries = call("map_entries", value)
            return call("sort_array", transform(entries, sort_unordered), boolean(True))
        case Atom() if value.type in UNCOMPARABLE:
            return Cast(value, STRING)
        case Array(element) if _needs_sorting(element):
            return call("sort_array", transform(value, sort_unordered), boolean(True))
        case Array():
            return call("sort_array", value, boolean(True))
        case Struct(fields) if any(_needs_sorting(field.type) for field in fields):
            parts = tuple(sort_unordered(FieldOf(value, i)) for i in range(len(fields)))
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


def _net_moves(fresh: Fresh, plan: Plan, moves: Plan) -> Plan:
    """Return each different row of each repair with the copies that enter, less those that leave."""
    gate, sign, row, *texts = moves.output
    net = Column(fresh.attribute("net", LONG), AggCall("sum", (Ref(sign),)))
    found = tuple(Column(fresh.attribute("text", Array(STRING)), AggCall("max", (Ref(text),))) for text in texts)
    return Aggregate(id=fresh.part(plan), input=moves, keys=carry((gate, row)), aggregates=(net, *found))


def _count_moves(fresh: Fresh, plan: Plan, netted: Plan) -> Plan:
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


# --- lists ---

_PART = Struct((Field("column", INTEGER), Field("element", STRING)))
"""A part of a row: an element of the list in a column; or of a column -1 for its other columns together."""


def _lists_in(netted: Plan) -> list[int]:
    """Return the columns of rows that are lists; a map is the list of its entries here."""
    row = netted.output[1].type
    assert isinstance(row, Struct)
    return [at for at, field in enumerate(row.fields) if isinstance(field.type, Array)]


def _count_parts(fresh: Fresh, plan: Plan, netted: Plan) -> Plan:
    """Return what `_count_moves` does, how many rows have other elements only, and how many parts come and go."""
    gate, row, net, *texts = (Ref(attribute) for attribute in netted.output)
    part = fresh.attribute("part", _PART)
    flat = Flatten(id=fresh.part(plan), input=netted, collection=_parts(row, _lists_in(netted)), elements=(part,))
    is_row = equal(FieldOf(Ref(part), 0), integer(-1))
    moves = [all_of((is_row, Compare(op, net, long(0)))) for op in _SIGNS]
    columns = [
        Column(fresh.attribute("gate", LONG), gate),
        Column(fresh.attribute("others", STRING), encode_row(_others(row, _lists_in(netted)))),
        Column(fresh.attribute("part", _PART), Ref(part)),
        Column(fresh.attribute("net", LONG), net),
    ]
    for here, sign in zip(moves, (1, -1), strict=True):
        columns.append(Column(fresh.attribute("rows", LONG), either(here, call("*", net, long(sign)), long(0))))
        columns += [
            Column(fresh.attribute("text", Array(STRING), nullable=True), either(here, text, null(Array(STRING))))
            for text in texts
        ]
    listed = Project(id=fresh.part(plan), input=flat, columns=tuple(columns))
    keys, (found_net, *found) = listed.output[:3], listed.output[3:]
    net_parts = Aggregate(
        id=fresh.part(plan),
        input=listed,
        keys=carry(keys),
        aggregates=(_sum(fresh, Ref(found_net)), *(c for a in found for c in _merge(fresh, a))),
    )
    return _count_by_repair(fresh, plan, net_parts)


_SIGNS: tuple[CompareOp, CompareOp] = (">", "<")
"""How the net number of copies of a row compares with 0 if it enters, and if it leaves."""


def _parts(row: Expr, lists: Sequence[int]) -> Expr:
    """Return the parts of a row: one for its other columns, one for each element of a list, one for a null list."""
    names = tuple(field.name for field in _PART.fields)

    def part(column: int, element: Expr) -> Expr:
        return MakeStruct(names, (integer(column), element))

    def elements(at: int) -> Expr:
        value = FieldOf(row, at)
        each = transform(value, lambda element: part(at, encode(element)))
        return either(IsNull(value), call("array", part(-2 - at, null(STRING))), each)

    return call("concat", call("array", part(-1, null(STRING))), *map(elements, lists))


def _others(row: Expr, lists: Sequence[int]) -> Iterator[Expr]:
    """Yield the columns of a row that are no lists."""
    assert isinstance(row.type, Struct)
    return (FieldOf(row, at) for at in range(len(row.type.fields)) if at not in lists)


def _sum(fresh: Fresh, value: Expr) -> Column:
    return Column(fresh.attribute("sum", LONG), AggCall("sum", (value,)))


def _merge(fresh: Fresh, attribute: Attribute) -> Iterator[Column]:
    """Yield the sum of a number, and the first and the last of texts."""
    if attribute.type == LONG:
        yield _sum(fresh, Ref(attribute))
    else:
        for function in ("min", "max"):
            example = fresh.attribute(function, attribute.type, nullable=True)
            yield Column(example, AggCall(function, (Ref(attribute),)))


def _count_by_repair(fresh: Fresh, plan: Plan, parts: Plan) -> Plan:
    """Return the counts of each repair: rows that enter and leave with examples, rows that change, and parts."""
    (gate, _, _), (net, *moves) = parts.output[:3], parts.output[3:]
    half = len(moves) // 2
    entering, leaving = Ref(moves[0]), Ref(moves[half])
    columns: list[Column] = []
    for rows, *examples in (moves[:half], moves[half:]):
        columns.append(_sum(fresh, Ref(rows)))
        for attribute, function in zip(examples, ("min", "max"), strict=bool(examples)):
            example = fresh.attribute(function, attribute.type, nullable=True)
            columns.append(Column(example, AggCall(function, (Ref(attribute),))))
    columns.append(_sum(fresh, call("least", entering, leaving)))
    columns.append(_sum(fresh, call("abs", Ref(net))))
    return Aggregate(id=fresh.part(plan), input=parts, keys=carry((gate,)), aggregates=tuple(columns))


# --- what the counts say ---


def effects_of(plan: Plan, count: int, rows: Iterable[Sequence[Any]], timezone: str) -> Mapping[int, SideEffects]:
    """Return the rows of an `effects_plan` as the side effects of each repair, numbered from 0."""
    lists = has_lists(plan.output)
    none = SideEffects(0, 0, 0, 0, changed=0, distance=0) if lists else SideEffects(0, 0, 0, 0)
    found = dict.fromkeys(range(count), none)
    for gate, *values in rows:
        counts, parts = (values[:-2], values[-2:]) if lists else (values, [])
        entering, leaving = counts[: len(counts) // 2], counts[len(counts) // 2 :]
        (added, *some), (removed, *gone) = entering, leaving
        examples = _examples(plan, some, timezone), _examples(plan, gone, timezone)
        both = added + removed
        found[query_of_bit(gate) - 1] = SideEffects(both, both, added, removed, *examples, *parts)
    return found


def _examples(plan: Plan, rows: Iterable[Sequence[str | None] | None], timezone: str) -> tuple[Mapping[str, Any], ...]:
    found = dict.fromkeys(tuple(row) for row in rows if row is not None)
    return tuple(decode_values(plan.output, row, timezone) for row in found)
