"""When a traced row is alive: terms over sets of relaxed operators, as expressions.

A set of operators is an integer with a bit for each. A *term* is a struct of `blame`, the set that must be relaxed
for the row to exist, and `unless`, sets of which each takes it away again. It is alive in a set E if `blame` is inside
E and no set of `unless` is. Several terms of one row are never alive together.
"""

from __future__ import annotations

from sparkwhy.plan.build import (
    all_of,
    boolean,
    call,
    either,
    empty_array,
    equal,
    exists,
    integer,
    keep,
    long,
    reduce,
    transform,
)
from sparkwhy.plan.exprs import Compare, Expr, FieldOf, MakeStruct, Not
from sparkwhy.plan.types import INTEGER, LONG, Array, Field, Struct

SETS = Array(LONG)
TERM = Struct((Field("blame", LONG), Field("unless", SETS)))
WORLD = Struct((Field("blame", LONG), Field("unless", SETS), Field("notes", INTEGER)))

MAX_WORLDS = 64

UNION_OF_WORLDS = 1
"""The note on a row that exists only where several sets, each with a row of its own, are relaxed together."""

WORLDS_LEFT_OUT = 2
"""The note on a row of a group with more worlds than are followed."""


def no_sets() -> Expr:
    return empty_array(LONG)


def term(blame: Expr, unless: Expr) -> Expr:
    return MakeStruct(("blame", "unless"), (blame, unless))


def blame_of(term: Expr) -> Expr:
    return FieldOf(term, 0)


def unless_of(term: Expr) -> Expr:
    return FieldOf(term, 1)


def notes_of(world: Expr) -> Expr:
    return FieldOf(world, 2)


# --- sets ---


def union(left: Expr, right: Expr) -> Expr:
    return call("|", left, right)


def minus(left: Expr, right: Expr) -> Expr:
    return call("&", left, call("~", right))


def is_inside(inner: Expr, outer: Expr) -> Expr:
    return equal(minus(inner, outer), long(0))


# --- terms ---


def is_alive(blame: Expr, unless: Expr, relaxed: Expr) -> Expr:
    """Whether a row with this blame and these sets is there when the operators of `relaxed` are."""
    return all_of((is_inside(blame, relaxed), Not(exists(unless, lambda u: is_inside(u, relaxed)))))


def tidied(unless: Expr, blame: Expr) -> Expr:
    """The sets without what the blame says already, each once, and only the smallest."""
    reduced = call("array_distinct", transform(unless, lambda u: minus(u, blame)))
    return keep(reduced, lambda u: Not(exists(reduced, lambda v: all_of((Compare("<>", v, u), is_inside(v, u))))))


def never_lives(unless: Expr) -> Expr:
    """Whether a set of tidied sets is empty: the row's own blame takes it away."""
    return call("array_contains", unless, long(0))


def possible(terms: Expr) -> Expr:
    """The terms with tidied sets, without those that are never alive."""
    tidy = transform(terms, lambda t: term(blame_of(t), tidied(unless_of(t), blame_of(t))))
    return keep(tidy, lambda t: Not(never_lives(unless_of(t))))


def both(left: Expr, right: Expr) -> Expr:
    """The term that is alive where both are."""
    return term(
        union(blame_of(left), blame_of(right)),
        call("concat", unless_of(left), unless_of(right)),
    )


def one(blame: Expr, unless: Expr) -> Expr:
    """An array of one term, or of none if that is never alive."""
    return possible(call("array", term(blame, unless)))


def without(terms: Expr, partner: Expr) -> Expr:
    """The terms where the partner is not alive: it is not blamed for, or something takes it away again."""

    def each(row: Expr) -> Expr:
        gone = term(blame_of(row), call("concat", unless_of(row), call("array", blame_of(partner))))
        return call("concat", call("array", gone), _taken_away(row, partner))

    return possible(call("flatten", transform(terms, each)))


def _taken_away(row: Expr, partner: Expr) -> Expr:
    """The row where the partner exists but for a set of its `unless`: for each set, without those before it."""
    sets = unless_of(partner)
    start = call("array", term(union(blame_of(row), blame_of(partner)), unless_of(row)))

    def step(terms: Expr, set: Expr) -> Expr:
        # the last term stands for the sets so far not being there; it splits on the next one
        rest = call("element_at", terms, integer(-1))
        done = call("slice", terms, integer(1), call("-", call("size", terms), integer(1)))
        here = term(union(blame_of(rest), set), unless_of(rest))
        still = term(blame_of(rest), call("concat", unless_of(rest), call("array", set)))
        return call("concat", done, call("array", here, still))

    split = reduce(sets, start, step)
    return call("slice", split, integer(1), call("-", call("size", split), integer(1)))


def without_all(row: Expr, partners: Expr) -> Expr:
    """The terms of a row where none of its partners is alive; none, if one is alive wherever the row is."""
    faithful = exists(partners, lambda p: all_of((is_inside(blame_of(p), blame_of(row)), _is_empty(unless_of(p)))))
    return either(faithful, empty_array(TERM), reduce(partners, possible(call("array", row)), without))


def _is_empty(sets: Expr) -> Expr:
    return equal(call("size", sets), integer(0))


def with_any(row: Expr, partners: Expr) -> Expr:
    """The terms of a row where at least one partner is alive: the first that is, without the ones before."""
    first = call("array", row)
    pair = Struct((Field("rest", Array(TERM)), Field("found", Array(TERM))))

    def step(state: Expr, partner: Expr) -> Expr:
        rest, found = FieldOf(state, 0), FieldOf(state, 1)
        here = possible(transform(rest, lambda r: both(r, partner)))
        return MakeStruct(("rest", "found"), (without(rest, partner), call("concat", found, here)))

    start = MakeStruct(("rest", "found"), (possible(first), empty_array(TERM)))
    assert start.type == pair
    return FieldOf(reduce(smallest_first(partners), start, step), 1)


def smallest_first(terms: Expr) -> Expr:
    """Terms ordered by blame: those that need nothing come first, and leave least for the others."""
    return call("sort_array", terms, boolean(True))


# --- worlds ---


def generating(terms: Expr) -> Expr:
    """The sets that make a row of these terms come, and those that make it go again; the smallest first."""
    alone = call("array", blame_of(call("element_at", terms, integer(1))))
    return either(_is_lonely(terms), alone, _generating(terms))


def _is_lonely(terms: Expr) -> Expr:
    """Whether there is one term, which nothing takes away: what most groups have."""
    first = call("element_at", terms, integer(1))
    return all_of((equal(call("size", terms), integer(1)), _is_empty(unless_of(first))))


def _generating(terms: Expr) -> Expr:
    def each(t: Expr) -> Expr:
        gone = transform(unless_of(t), lambda u: union(blame_of(t), u))
        return call("concat", call("array", blame_of(t)), gone)

    return _by_size(call("array_distinct", call("flatten", transform(terms, each))))


def world_blames(sets: Expr) -> Expr:
    """The worlds of generating sets: themselves, then their unions with the fewest operators first."""
    unions = keep(_unions(sets), lambda w: Not(call("array_contains", sets, w)))
    return either(equal(call("size", sets), integer(1)), sets, call("concat", sets, unions))


def worlds(terms: Expr, sets: Expr, blames: Expr) -> Expr:
    """Each world with what would lead out of it.

    In a world exactly the rows alive in its blame are there. `blames` are all worlds of the generating sets; past a
    bound only the first are followed, and the one where everything is relaxed. A world that no single row asks for
    is noted as a union.
    """
    names = ("blame", "unless", "notes")
    left_out = Compare(">", call("size", blames), integer(MAX_WORLDS))
    kept = either(left_out, _cut(blames, sets), blames)

    def world(blame: Expr) -> Expr:
        asked = exists(terms, lambda t: equal(blame_of(t), blame))
        note = either(asked, integer(0), integer(UNION_OF_WORLDS))
        notes = call("+", note, either(left_out, integer(WORLDS_LEFT_OUT), integer(0)))
        outside = keep(sets, lambda g: Not(is_inside(g, blame)))
        unless = call("sort_array", tidied(outside, blame), boolean(True))
        return MakeStruct(names, (blame, unless, notes))

    alone = MakeStruct(names, (blame_of(call("element_at", terms, integer(1))), no_sets(), integer(0)))
    return either(_is_lonely(terms), call("array", alone), transform(kept, world))


def _by_size(sets: Expr) -> Expr:
    """Sets with the fewest operators first."""
    sized = transform(sets, lambda s: MakeStruct(("size", "set"), (call("bit_count", s), s)))
    return transform(call("sort_array", sized, boolean(True)), lambda pair: FieldOf(pair, 1))


def _unions(sets: Expr) -> Expr:
    """All unions of the sets, the fewest operators first; past a bound only the smallest are built upon."""

    def step(so_far: Expr, set: Expr) -> Expr:
        wider = call("concat", so_far, call("array", set), transform(so_far, lambda s: union(s, set)))
        return call("slice", _by_size(call("array_distinct", wider)), integer(1), integer(4 * MAX_WORLDS))

    return reduce(sets, no_sets(), step)


def _cut(blames: Expr, sets: Expr) -> Expr:
    """As many worlds as are followed: the first, and the one where everything is relaxed."""
    total = reduce(sets, long(0), union)
    first = call("slice", blames, integer(1), integer(MAX_WORLDS - 1))
    return call("array_distinct", call("concat", first, call("array", total)))
