"""Trails: what a traced row records at the operators that it blames, as expressions of the traced plan.

    filter year >= 2019        slot 0: year            slot 1: year >= 2019
    row (Sue, 2018)            (step 2, part 0, slot 0, "2018"), (step 2, part 0, slot 1, "false")

An entry holds numbers and one encoded value. The legend says what a slot holds; `witness` decodes the entries.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import reduce
from types import MappingProxyType
from typing import NamedTuple, TypeAlias

from sparkwhy.plan.build import boolean, call, either, empty_array, integer, long, null, transform
from sparkwhy.plan.exprs import (
    And,
    AttrId,
    Call,
    Cast,
    Compare,
    Expr,
    FieldOf,
    In,
    Lambda,
    Literal,
    MakeStruct,
    Not,
    Or,
    Ref,
    conjuncts,
    is_true,
)
from sparkwhy.plan.filter_inputs import group_keys_tested_by
from sparkwhy.plan.nodes import Column, Filter, OpId
from sparkwhy.plan.types import (
    DATE,
    DOUBLE,
    INTEGER,
    LONG,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    Array,
    Atom,
    Decimal,
    Field,
    Struct,
    Type,
    is_numeric,
)
from sparkwhy.plan.walk_exprs import attributes_of, operands, paths_of, rewrite
from sparkwhy.trace.encode import as_text, encode, encode_row
from sparkwhy.trace.recorded import ConjunctVerdict, GroupReference, Legend, ReadValue, Recorded
from sparkwhy.trace.variants.partitions import agreement, first_of

ENTRY = Struct(
    (
        Field("step", INTEGER),
        Field("part", INTEGER),
        Field("slot", INTEGER),
        Field("value", STRING),
        Field("variants", LONG),
    ),
)
TRAIL = Struct((Field("far", DOUBLE), Field("entries", Array(ENTRY))))
"""The entries of a row, after how far its values are from what would have let it through: the nearest miss sorts first.
"""

EVERYWHERE = -1
"""The bit set of all variants."""

NO_WAY = Literal(0.0, DOUBLE)
"""The distance of a row of which none is known."""

NO_VALUE = null(STRING)
"""The value of an entry whose slot says it all."""

StandsFor: TypeAlias = Mapping[AttrId, tuple[Expr | None, ...]]
"""The expression that an attribute of the traced plan stands for in each variant; None: the query has none."""


class Recording(NamedTuple):
    """One thing to record: what it is, its value on a row, and the variants in which it holds, as a bit set."""

    recorded: Recorded
    value: Expr = NO_VALUE
    variants: int = EVERYWHERE


# --- trails ---


def no_trail() -> Expr:
    return _trail(NO_WAY, empty_array(ENTRY))


def _trail(far: Expr, entries: Expr) -> Expr:
    return MakeStruct(("far", "entries"), (far, entries))


def distance_trail(far: Expr) -> Expr:
    """Return a trail without entries, at this distance."""
    return _trail(far, empty_array(ENTRY))


def record_at(legend: Legend, op: OpId, recordings: Sequence[Recording], far: Expr = NO_WAY) -> tuple[Legend, Expr]:
    """Return the legend with slots for these recordings at the operator, and the trail that fills them.

    Slots are numbered from the first that the operator has free.
    """
    if not recordings:
        return legend, distance_trail(far)
    first = _free_slot(legend, op)
    slots = {(op, first + at): each.recorded for at, each in enumerate(recordings)}
    entries = (_entry(op, first + at, each) for at, each in enumerate(recordings))
    return {**legend, **slots}, _trail(far, call("array", *entries))


def _free_slot(legend: Legend, op: OpId) -> int:
    slot = 0
    while (op, slot) in legend:
        slot += 1
    return slot


def _entry(op: OpId, slot: int, recording: Recording) -> Expr:
    names = tuple(field.name for field in ENTRY.fields)
    numbers = integer(op.step), integer(op.part), integer(slot)
    return MakeStruct(names, (*numbers, encode(recording.value), long(recording.variants)))


def join_trails(trails: Sequence[Expr]) -> Expr:
    """Return one trail with the entries of several, at the sum of their distances."""
    if len(trails) == 1:
        return trails[0]
    far = far_of(trails[0])
    for trail in trails[1:]:
        far = call("+", far, far_of(trail))
    entries = [found for found in map(_entries_of, trails) if found != empty_array(ENTRY)]
    return _trail(far, call("concat", *entries) if entries else empty_array(ENTRY))


def record_if(condition: Expr, trail: Expr) -> Expr:
    """Return the trail where the condition holds. Distance and entries are chosen apart: one may be read alone."""
    entries = _entries_of(trail)
    none = empty_array(ENTRY)
    far = either(condition, far_of(trail), NO_WAY)
    return _trail(far, none if entries == none else either(condition, entries, none))


def record_unless(condition: Expr, trail: Expr) -> Expr:
    """Return the trail where the condition is false or null."""
    return record_if(Not(is_true(condition)), trail)


def nearest_of(trails: Expr, most: int) -> Expr:
    """Return one trail of an array of them, the nearest misses first, with up to `most` entries."""
    near = call("sort_array", trails, boolean(True))
    entries = call("flatten", transform(near, lambda trail: FieldOf(trail, 1)))
    far = call("coalesce", call("array_min", transform(trails, lambda trail: FieldOf(trail, 0))), NO_WAY)
    return _trail(far, call("slice", entries, integer(1), integer(most)))


def move_away(trail: Expr, conditions: Iterable[Expr]) -> Expr:
    """Return the trail with a distance beyond all others for each of these conditions that the row does not meet."""
    far = far_of(trail)
    for condition in conditions:
        far = call("+", far, either(condition, NO_WAY, Literal(1e100, DOUBLE)))
    return _trail(far, _entries_of(trail))


def drop_entries(trail: Expr) -> Expr:
    return distance_trail(far_of(trail))


def far_of(trail: Expr) -> Expr:
    return trail.values[0] if isinstance(trail, MakeStruct) else FieldOf(trail, 0)


def _entries_of(trail: Expr) -> Expr:
    return trail.values[1] if isinstance(trail, MakeStruct) else FieldOf(trail, 1)


def separate_ties(trail: Expr, read: Iterable[Expr]) -> Expr:
    """Return the trail with a distance that differs by next to nothing between rows of which other values were read.

    So the nearest row is one, or all of the nearest have the same trail.
    """
    values = list(read)
    if not values:
        return trail
    one = Literal(1.0, DOUBLE)
    share = call("*", Cast(call("&", mark(values), long(0xFFFFF)), DOUBLE), Literal(1e-17, DOUBLE))
    far = call("-", call("*", call("+", far_of(trail), one), call("+", share, one)), one)
    return _trail(far, _entries_of(trail))


# --- references to rows below a grouping ---


def refer(legend: Legend, op: OpId, far: Expr, mark: Expr, keys: Iterable[Column]) -> tuple[Legend, Expr]:
    """Return a trail that refers to the nearest of the rows that have this mark below a grouping.

    It also has the keys that are whole numbers, so that few rows have to be read to find it.
    """
    whole = [key for key in keys if key.expr.type in (INTEGER, LONG)]
    reference = GroupReference(op, tuple(key.attribute.id for key in whole))
    return record_at(legend, op, [Recording(reference, encode_row((mark, *(key.expr for key in whole))))], far)


def mark(values: Iterable[Expr]) -> Expr:
    """Return a number that differs between rows with other values, but for collisions of a hash of 64 bits."""
    return call("xxhash64", *(e if _is_hashed(e.type) else as_text(e) for e in values))


def _is_hashed(type: Type) -> bool:
    if isinstance(type, Struct):
        return all(_is_hashed(field.type) for field in type.fields)
    return (
        _is_hashed(type.element)
        if isinstance(type, Array)
        else isinstance(type, Decimal) or (isinstance(type, Atom) and type.name != "variant")
    )


# --- what operators record ---


def meanings(expr: Expr, stands_for: StandsFor) -> tuple[tuple[int, Expr], ...]:
    """Return what an expression of the traced plan means in the query: blocks of variants, each with its expression.

    With `read` standing for `a` in variant 0 and for `b` in variant 1, `read + 1` means `a + 1` there and `b + 1` here.
    """
    count = next((len(stands_for[a.id]) for a in attributes_of(expr) if a.id in stands_for), None)
    if count is None:
        return ((EVERYWHERE, expr),)
    meant = [_meaning_in(expr, stands_for, variant) for variant in range(count)]
    found = [(block, meant[first_of(block)]) for block in agreement(meant)]
    return tuple((block, known) for block, known in found if known is not None)


def _meaning_in(expr: Expr, stands_for: StandsFor, variant: int) -> Expr | None:
    read = [stands_for[a.id][variant] for a in attributes_of(expr) if a.id in stands_for]
    if None in read:
        return None

    def original(part: Expr) -> Expr | None:
        return (
            stands_for[part.attribute.id][variant]
            if isinstance(part, Ref) and part.attribute.id in stands_for
            else None
        )

    return rewrite(expr, original)


def record_as(
    kind: Callable[[Expr], Recorded], expr: Expr, value: Expr, stands_for: StandsFor = MappingProxyType({})
) -> tuple[Recording, ...]:
    """Return the recordings of a value under what the expression means in each variant."""
    return tuple(Recording(kind(meant), value, block) for block, meant in meanings(expr, stands_for))


def read_values(exprs: Iterable[Expr], stands_for: StandsFor = MappingProxyType({})) -> tuple[Recording, ...]:
    """Return recordings of the values that an operator reads, each expression once."""
    return tuple(each for expr in dict.fromkeys(exprs) for each in record_as(ReadValue, expr, expr, stands_for))


def filter_recordings(op: Filter) -> tuple[Recording, ...]:
    """Return recordings of what a filter reads, and of how each of its conjuncts comes out."""
    parts = conjuncts(op.condition)
    bounds = (side for part in parts for side in time_bounds(part))
    sides = (side for part in atoms(op.condition) for side in sides_of(part))
    read = read_values((*paths_of(op.condition), *bounds, *sides, *group_keys_tested_by(op)))
    return (*read, *(Recording(ConjunctVerdict(part), part) for part in parts))


def atoms(condition: Expr) -> Iterator[Expr]:
    """Yield the parts of a condition that are not made of conditions."""
    todo = [condition]
    while todo:
        part = todo.pop()
        if isinstance(part, And | Or | Not):
            todo.extend(reversed(operands(part)))
        else:
            yield part


def sides_of(part: Expr) -> Iterator[Expr]:
    """Yield what a comparison compares, as far as it is not constant."""
    if isinstance(part, Compare | In | Call):
        yield from (side for side in operands(part) if any(attributes_of(side)) and not isinstance(side, Lambda))


def distance(op: Filter, read: Callable[[Expr], Expr]) -> Expr:
    """Return how far a row is from meeting the condition of a filter, which it does not meet.

    It is the sum over the comparisons of numbers and times with a constant.
    """
    parts = conjuncts(op.condition)
    found = [(part, call("coalesce", read(apart), NO_WAY)) for each in parts for part, apart in _split_comparison(each)]
    if len(parts) == 1:
        return found[0][1] if found else NO_WAY
    missed = [either(read(part), NO_WAY, apart) for part, apart in found]
    return reduce(lambda total, each: call("+", total, each), missed) if missed else NO_WAY


def _split_comparison(part: Expr) -> Iterator[tuple[Expr, Expr]]:
    """Yield a comparison of numbers or times with a constant, and how far apart the two are."""
    if isinstance(part, Compare) and part.op not in ("<>", "<=>"):
        sides = (part.left, part.right)
        measured = [as_number(side) for side in sides]
        if None not in measured and sum(any(attributes_of(side)) for side in sides) == 1:
            left, right = (each for each in measured if each is not None)
            yield part, call("abs", call("-", left, right))


def as_number(expr: Expr) -> Expr | None:
    """Return a number, date or time as a number; None for other values."""
    if is_numeric(expr.type):
        return Cast(expr, DOUBLE)
    if expr.type == DATE:
        return Cast(call("datediff", expr, Literal(dt.date(1970, 1, 1), DATE)), DOUBLE)
    return Cast(expr, DOUBLE) if expr.type == TIMESTAMP else None


def time_bounds(part: Expr) -> Iterator[Expr]:
    """Yield the dates and times that a comparison names: what they mean depends on casts and on the time zone."""
    if isinstance(part, Compare):
        for side in (part.left, part.right):
            if side.type in (DATE, TIMESTAMP, TIMESTAMP_NTZ) and not any(attributes_of(side)):
                yield side
