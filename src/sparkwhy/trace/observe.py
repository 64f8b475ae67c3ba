"""Trails: what a traced row met at the operators that it blames, as text, for people to read.

An entry names the step of the operator, what is told, and its value there. What is told is a value that the operator
read, how a conjunct came out, or a fact: a rank, the row that was kept instead.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import reduce
from types import MappingProxyType
from typing import NamedTuple, TypeAlias

from sparkwhy.plan.build import boolean, call, either, empty_array, integer, long, transform
from sparkwhy.plan.exprs import (
    And,
    Attribute,
    AttrId,
    Call,
    Case,
    Cast,
    Compare,
    Expr,
    FieldOf,
    In,
    IsNull,
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
from sparkwhy.plan.nodes import Column, Filter, Plan
from sparkwhy.plan.show import Names, names_for, show_expr
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
from sparkwhy.plan.walk_exprs import attributes_of, operands, paths_of
from sparkwhy.trace.variants.partitions import agreement, first_of

ENTRY = Struct(
    (Field("step", INTEGER), Field("what", STRING), Field("value", STRING), Field("alternatives", LONG)),
)
TRAIL = Struct((Field("far", DOUBLE), Field("entries", Array(ENTRY))))
"""What a row met, after how far its values are from what would have let it through: the nearest miss sorts first."""

Said: TypeAlias = str | tuple[tuple[int, str], ...]
"""What is told; where it has other names in other alternatives, for each block of these."""

Entries = Sequence[tuple[Said, Expr]]

Texts: TypeAlias = Mapping[AttrId, tuple[str, ...]]
"""What attributes stand for in each alternative; nothing is told of one that stands for an empty text."""

EVERYWHERE = -1
"""The block of all alternatives."""

VERDICT = "? "
"""Marks the entries that tell how a conjunct came out."""

FACT = "! "
"""Marks the entries that tell what happened, rather than a value that was read."""

REFERENCE = "& "
"""Marks the entries that stand for the trail of a row behind a group: they name the part of the grouping's step."""


def no_trail() -> Expr:
    return _trail(NO_WAY, empty_array(ENTRY))


def _trail(far: Expr, entries: Expr) -> Expr:
    return MakeStruct(("far", "entries"), (far, entries))


NO_WAY = Literal(0.0, DOUBLE)


def recorded(op: Plan, entries: Entries, far: Expr = NO_WAY) -> Expr:
    """A trail of these entries at this operator."""
    told = [(block, text, value) for what, value in entries for block, text in _texts(what)]
    listed = call("array", *(_entry(op.id.step, *each) for each in told)) if told else empty_array(ENTRY)
    return _trail(far, listed)


def joined(trails: Sequence[Expr]) -> Expr:
    """One trail of several."""
    if len(trails) == 1:
        return trails[0]
    far = far_of(trails[0])
    for trail in trails[1:]:
        far = call("+", far, far_of(trail))
    entries = [found for found in map(_entries_of, trails) if found != empty_array(ENTRY)]
    return _trail(far, call("concat", *entries) if entries else empty_array(ENTRY))


def only_if(condition: Expr, trail: Expr) -> Expr:
    """The trail where the condition holds. Distance and entries are told apart: only the first may be asked for."""
    entries = _entries_of(trail)
    none = empty_array(ENTRY)
    far = either(condition, far_of(trail), NO_WAY)
    return _trail(far, none if entries == none else either(condition, entries, none))


def unless_it_holds(condition: Expr, trail: Expr) -> Expr:
    """The trail where the condition is false or null."""
    return only_if(Not(is_true(condition)), trail)


def of_all(trails: Expr, most: int) -> Expr:
    """One trail of an array of them, the nearest misses first, with so many entries at most."""
    near = call("sort_array", trails, boolean(True))
    entries = call("flatten", transform(near, lambda trail: FieldOf(trail, 1)))
    far = call("coalesce", call("array_min", transform(trails, lambda trail: FieldOf(trail, 0))), NO_WAY)
    return _trail(far, call("slice", entries, integer(1), integer(most)))


def only_far(trail: Expr) -> Expr:
    """The trail without its entries."""
    return _trail(far_of(trail), empty_array(ENTRY))


def far_of(trail: Expr) -> Expr:
    return trail.values[0] if isinstance(trail, MakeStruct) else FieldOf(trail, 0)


def told_apart_by(trail: Expr, read: Iterable[Expr]) -> Expr:
    """The trail of rows that are equally far, at distances that differ by next to nothing if what was read differs.

    So the nearest row is one, or all of the nearest have the same trail.
    """
    values = list(read)
    if not values:
        return trail
    one = Literal(1.0, DOUBLE)
    share = call("*", Cast(call("&", mark(values), long(0xFFFFF)), DOUBLE), Literal(1e-17, DOUBLE))
    far = call("-", call("*", call("+", far_of(trail), one), call("+", share, one)), one)
    return _trail(far, _entries_of(trail))


def _entries_of(trail: Expr) -> Expr:
    return trail.values[1] if isinstance(trail, MakeStruct) else FieldOf(trail, 1)


def reference(op: Plan, far: Expr, mark: Expr, keys: Iterable[Column]) -> Expr:
    """A trail that can be looked up: that of the nearest of the rows that have this mark below a grouping.

    It also names the keys that are whole numbers, so that few rows have to be looked at.
    """
    named = (
        call("concat", Literal(f"{key.attribute.id}=", STRING), as_text(key.expr))
        for key in keys
        if key.expr.type in (INTEGER, LONG)
    )
    found = call("concat_ws", Literal(" ", STRING), as_text(mark), *named)
    return _trail(far, call("array", _entry(op.id.step, EVERYWHERE, f"{REFERENCE}{op.id.part}", found)))


class Referring(NamedTuple):
    """What a reference says: the mark of a row, and the values of keys of its group."""

    mark: int
    keys: Mapping[AttrId, int]

    @classmethod
    def of(cls, text: str) -> Referring:
        mark, *keys = text.split(" ")
        pairs = (key.split("=") for key in keys)
        return cls(int(mark), {AttrId(int(id)): int(value) for id, value in pairs})


def mark(values: Iterable[Expr]) -> Expr:
    """A number that tells rows with other values apart, for all that matters."""
    return call("xxhash64", *(e if _is_hashed(e.type) else as_text(e) for e in values))


def _is_hashed(type: Type) -> bool:
    if isinstance(type, Struct):
        return all(_is_hashed(field.type) for field in type.fields)
    return (
        _is_hashed(type.element)
        if isinstance(type, Array)
        else isinstance(type, Decimal) or (isinstance(type, Atom) and type.name != "variant")
    )


def _texts(what: Said) -> tuple[tuple[int, str], ...]:
    return ((EVERYWHERE, what),) if isinstance(what, str) else what


def within(block: int, entries: Entries) -> Entries:
    """Entries that are told only in these alternatives."""
    return [(tuple((block & known, text) for known, text in _texts(what)), value) for what, value in entries]


def worded(what: Said, say: Callable[[str], str]) -> Said:
    """What is told, in other words."""
    return say(what) if isinstance(what, str) else tuple((block, say(text)) for block, text in what)


def _entry(step: int, block: int, what: str, value: Expr) -> Expr:
    names = ("step", "what", "value", "alternatives")
    return MakeStruct(names, (integer(step), Literal(what, STRING), as_text(value), long(block)))


def as_text(value: Expr) -> Expr:
    return value if value.type == STRING else Cast(value, STRING)


def row_text(attributes: Iterable[Attribute]) -> Expr:
    """A row as text: `name = Ann, city = null`."""
    values = [call("concat", Literal(f"{a.name} = ", STRING), _or_null(as_text(Ref(a)))) for a in attributes]
    return call("concat_ws", Literal(", ", STRING), *values)


def _or_null(text: Expr) -> Expr:
    return call("coalesce", text, Literal("null", STRING))


def fact(what: str, value: Expr) -> tuple[str, Expr]:
    return f"{FACT}{what}", value


def values(op: Plan, exprs: Iterable[Expr], texts: Texts = MappingProxyType({})) -> Entries:
    """What an operator read, each expression once; `texts` says what attributes stand for that are not the query's."""
    names = names_for(op)
    told = [(_said(expr, names, texts), expr) for expr in dict.fromkeys(exprs)]
    return [(what, expr) for what, expr in told if what]


def _said(expr: Expr, names: Names, texts: Texts) -> Said:
    count = next((len(texts[a.id]) for a in attributes_of(expr) if a.id in texts), None)
    if count is None:
        return show_expr(expr, names)

    def shown(alternative: int) -> str:
        return show_expr(expr, lambda a: texts[a.id][alternative] if a.id in texts else names(a))

    told = [shown(alternative) for alternative in range(count)]
    return tuple((block, told[first_of(block)]) for block in agreement(told) if told[first_of(block)])


def verdicts(op: Filter) -> Entries:
    """What a filter read and how each of its conjuncts came out: TRUE, FALSE or NULL."""
    names = names_for(op)
    parts = conjuncts(op.condition)
    bounds = (side for part in parts for side in time_bounds(part))
    sides = (side for part in atoms(op.condition) for side in sides_of(part))
    read = values(op, (*paths_of(op.condition), *bounds, *sides, *group_keys_tested_by(op)))
    return [*read, *((f"{VERDICT}{show_expr(part, names)}", _verdict(part)) for part in parts)]


def atoms(condition: Expr) -> Iterator[Expr]:
    """The parts of a condition that are not made of conditions."""
    todo = [condition]
    while todo:
        part = todo.pop()
        if isinstance(part, And | Or | Not):
            todo.extend(reversed(operands(part)))
        else:
            yield part


def sides_of(part: Expr) -> Iterator[Expr]:
    """What a comparison compares, as far as it is not constant."""
    if isinstance(part, Compare | In | Call):
        yield from (side for side in operands(part) if any(attributes_of(side)) and not isinstance(side, Lambda))


def distance(op: Filter, read: Callable[[Expr], Expr]) -> Expr:
    """How far a row is from meeting the condition of a filter, which it does not meet: the sum over its comparisons
    with a constant."""
    parts = conjuncts(op.condition)
    found = [(part, call("coalesce", read(apart), NO_WAY)) for each in parts for part, apart in _apart(each)]
    if len(parts) == 1:
        return found[0][1] if found else NO_WAY
    missed = [either(read(part), NO_WAY, apart) for part, apart in found]
    return reduce(lambda total, each: call("+", total, each), missed) if missed else NO_WAY


def _apart(part: Expr) -> Iterator[tuple[Expr, Expr]]:
    """A comparison of numbers or times with a constant, and how far apart the two are."""
    if isinstance(part, Compare) and part.op not in ("<>", "<=>"):
        sides = (part.left, part.right)
        measured = [as_number(side) for side in sides]
        if None not in measured and sum(any(attributes_of(side)) for side in sides) == 1:
            left, right = (each for each in measured if each is not None)
            yield part, call("abs", call("-", left, right))


def as_number(expr: Expr) -> Expr | None:
    """A number, date or time as a number; None of other values."""
    if is_numeric(expr.type):
        return Cast(expr, DOUBLE)
    if expr.type == DATE:
        return Cast(call("datediff", expr, Literal(dt.date(1970, 1, 1), DATE)), DOUBLE)
    return Cast(expr, DOUBLE) if expr.type == TIMESTAMP else None


def time_bounds(part: Expr) -> Iterator[Expr]:
    """The dates and times that a comparison names: what they mean depends on casts and on the time zone."""
    if isinstance(part, Compare):
        for side in (part.left, part.right):
            if side.type in (DATE, TIMESTAMP, TIMESTAMP_NTZ) and not any(attributes_of(side)):
                yield side


def _verdict(part: Expr) -> Expr:
    return Case(
        ((IsNull(part), Literal("NULL", STRING)), (is_true(part), Literal("TRUE", STRING))),
        Literal("FALSE", STRING),
    )
