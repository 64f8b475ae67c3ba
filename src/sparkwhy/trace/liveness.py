"""When a traced row is alive: expressions over sets of relaxed operators.

A set of operators is an integer with a bit for each. The *liveness* of a row is a struct of `blame`, the set that must
be relaxed for the row to exist, and `unless`, sets of which each takes it away again. The row is alive in a set E if
`blame` is inside E and no set of `unless` is. A row may have several such *ways* to be alive, no two of which overlap.
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
LIVENESS = Struct((Field("blame", LONG), Field("unless", SETS)))
WORLD = Struct((Field("blame", LONG), Field("unless", SETS), Field("flags", INTEGER)))

UNION_OF_WORLDS = 1
"""The flag of a row that exists only where several sets, each with a row of its own, are relaxed together."""

WORLDS_LEFT_OUT = 2
"""The flag of a row of a group with more worlds than are followed."""


def no_sets() -> Expr:
    return empty_array(LONG)


def liveness(blame: Expr, unless: Expr) -> Expr:
    return MakeStruct(("blame", "unless"), (blame, unless))


def blame_of(way: Expr) -> Expr:
    return FieldOf(way, 0)


def unless_of(way: Expr) -> Expr:
    return FieldOf(way, 1)


def flags_of(world: Expr) -> Expr:
    return FieldOf(world, 2)


# --- sets ---


def unite_sets(left: Expr, right: Expr) -> Expr:
    return call("|", left, right)


def minus(left: Expr, right: Expr) -> Expr:
    return call("&", left, call("~", right))


def is_inside(inner: Expr, outer: Expr) -> Expr:
    return equal(minus(inner, outer), long(0))


# --- ways to be alive ---


def is_alive(blame: Expr, unless: Expr, relaxed: Expr) -> Expr:
    """Return the condition that a row is there when exactly the operators of `relaxed` are relaxed."""
    return all_of((is_inside(blame, relaxed), Not(exists(unless, lambda u: is_inside(u, relaxed)))))


def tidy_sets(unless: Expr, blame: Expr) -> Expr:
    """Return the sets without operators of the blame, each once, and only the smallest: `{1, 3}, {1}` give `{1}`."""
    reduced = call("array_distinct", transform(unless, lambda u: minus(u, blame)))
    return keep(reduced, lambda u: Not(exists(reduced, lambda v: all_of((Compare("<>", v, u), is_inside(v, u))))))


def is_never_alive(unless: Expr) -> Expr:
    """Return the condition that one of tidy sets is empty: the row's own blame takes it away."""
    return call("array_contains", unless, long(0))


def possible(ways: Expr) -> Expr:
    """Return the ways with tidy sets, without those that are never alive."""
    tidy = transform(ways, lambda t: liveness(blame_of(t), tidy_sets(unless_of(t), blame_of(t))))
    return keep(tidy, lambda t: Not(is_never_alive(unless_of(t))))


def conjoin(left: Expr, right: Expr) -> Expr:
    """Return the liveness of a row that is alive where both are."""
    return liveness(
        unite_sets(blame_of(left), blame_of(right)),
        call("concat", unless_of(left), unless_of(right)),
    )


def one(blame: Expr, unless: Expr) -> Expr:
    """Return an array of one liveness, or of none if that is never alive."""
    return possible(call("array", liveness(blame, unless)))


def exclude(ways: Expr, partner: Expr) -> Expr:
    """Restrict ways to where a partner is not alive: its blame is missing, or a set takes it away."""

    def each(row: Expr) -> Expr:
        gone = liveness(blame_of(row), call("concat", unless_of(row), call("array", blame_of(partner))))
        return call("concat", call("array", gone), _list_removals(row, partner))

    return possible(call("flatten", transform(ways, each)))


def _list_removals(row: Expr, partner: Expr) -> Expr:
    """Return the row where a set of `unless` takes the partner away: for each set, without those before it."""
    sets = unless_of(partner)
    start = call("array", liveness(unite_sets(blame_of(row), blame_of(partner)), unless_of(row)))

    def step(ways: Expr, set: Expr) -> Expr:
        # the last way stands for the sets so far not being there; it splits on the next one
        rest = call("element_at", ways, integer(-1))
        done = call("slice", ways, integer(1), call("-", call("size", ways), integer(1)))
        here = liveness(unite_sets(blame_of(rest), set), unless_of(rest))
        still = liveness(blame_of(rest), call("concat", unless_of(rest), call("array", set)))
        return call("concat", done, call("array", here, still))

    split = reduce(sets, start, step)
    return call("slice", split, integer(1), call("-", call("size", split), integer(1)))


def exclude_all(row: Expr, partners: Expr) -> Expr:
    """Return the ways of a row where none of its partners is alive; none, if one is alive wherever the row is."""
    faithful = exists(partners, lambda p: all_of((is_inside(blame_of(p), blame_of(row)), _is_empty(unless_of(p)))))
    return either(faithful, empty_array(LIVENESS), reduce(partners, possible(call("array", row)), exclude))


def _is_empty(sets: Expr) -> Expr:
    return equal(call("size", sets), integer(0))


def with_any(row: Expr, partners: Expr) -> Expr:
    """Return the ways of a row where a partner is alive: the first that is, without the ones before."""
    first = call("array", row)
    pair = Struct((Field("rest", Array(LIVENESS)), Field("found", Array(LIVENESS))))

    def step(state: Expr, partner: Expr) -> Expr:
        rest, found = FieldOf(state, 0), FieldOf(state, 1)
        here = possible(transform(rest, lambda r: conjoin(r, partner)))
        return MakeStruct(("rest", "found"), (exclude(rest, partner), call("concat", found, here)))

    start = MakeStruct(("rest", "found"), (possible(first), empty_array(LIVENESS)))
    assert start.type == pair
    return FieldOf(reduce(smallest_first(partners), start, step), 1)


def smallest_first(ways: Expr) -> Expr:
    """Sort ways by blame: those that need nothing come first, and leave least for the others."""
    return call("sort_array", ways, boolean(True))


# --- worlds ---


def generating(ways: Expr) -> Expr:
    """Return the sets that make a row of these ways come, and those that make it go again; the smallest first."""
    alone = call("array", blame_of(call("element_at", ways, integer(1))))
    return either(_is_lonely(ways), alone, _generating(ways))


def _is_lonely(ways: Expr) -> Expr:
    """Return the condition that there is one liveness, which nothing takes away: most groups are like this."""
    first = call("element_at", ways, integer(1))
    return all_of((equal(call("size", ways), integer(1)), _is_empty(unless_of(first))))


def _generating(ways: Expr) -> Expr:
    def each(t: Expr) -> Expr:
        gone = transform(unless_of(t), lambda u: unite_sets(blame_of(t), u))
        return call("concat", call("array", blame_of(t)), gone)

    return _sort_by_size(call("array_distinct", call("flatten", transform(ways, each))))


def world_blames(sets: Expr, most: int) -> Expr:
    """Return the worlds of generating sets: themselves, then their unions with the fewest operators first.

    Of very many unions only the smallest are made, but always more than `most`.
    """
    unions = keep(_unions(sets, most), lambda w: Not(call("array_contains", sets, w)))
    return either(equal(call("size", sets), integer(1)), sets, call("concat", sets, unions))


def worlds(ways: Expr, sets: Expr, blames: Expr, most: int) -> Expr:
    """Return each world with the sets that lead out of it.

    In a world exactly the rows alive in its blame are there. `blames` are all worlds of the generating sets; past
    `most` of them only the first are followed, and the one where everything is relaxed. A world that no single row
    asks for is flagged as a union.
    """
    names = ("blame", "unless", "flags")
    left_out = Compare(">", call("size", blames), integer(most))
    kept = either(left_out, _cut(blames, sets, most), blames)

    def world(blame: Expr) -> Expr:
        asked = exists(ways, lambda t: equal(blame_of(t), blame))
        flag = either(asked, integer(0), integer(UNION_OF_WORLDS))
        flags = call("+", flag, either(left_out, integer(WORLDS_LEFT_OUT), integer(0)))
        outside = keep(sets, lambda g: Not(is_inside(g, blame)))
        unless = call("sort_array", tidy_sets(outside, blame), boolean(True))
        return MakeStruct(names, (blame, unless, flags))

    alone = MakeStruct(names, (blame_of(call("element_at", ways, integer(1))), no_sets(), integer(0)))
    return either(_is_lonely(ways), call("array", alone), transform(kept, world))


def _sort_by_size(sets: Expr) -> Expr:
    """Sort sets, the fewest operators first."""
    sized = transform(sets, lambda s: MakeStruct(("size", "set"), (call("bit_count", s), s)))
    return transform(call("sort_array", sized, boolean(True)), lambda pair: FieldOf(pair, 1))


def _unions(sets: Expr, most: int) -> Expr:
    """Return all unions of the sets, the fewest operators first; past a bound only the smallest are extended."""

    def step(so_far: Expr, set: Expr) -> Expr:
        wider = call("concat", so_far, call("array", set), transform(so_far, lambda s: unite_sets(s, set)))
        return call("slice", _sort_by_size(call("array_distinct", wider)), integer(1), integer(4 * most))

    return reduce(sets, no_sets(), step)


def _cut(blames: Expr, sets: Expr, most: int) -> Expr:
    """Return as many worlds as are followed: the first, and the one where everything is relaxed."""
    total = reduce(sets, long(0), unite_sets)
    first = call("slice", blames, integer(1), integer(most - 1))
    return call("array_distinct", call("concat", first, call("array", total)))
