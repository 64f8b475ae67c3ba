"""The functions of arrays and maps, and those that take a lambda.

A lambda arrives as a Python function. Elements are equal as `key` says.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any

from sparkwhy.errors import EvaluationError
from sparkwhy.memory.arithmetic import Maker, Meaning, ignore_types
from sparkwhy.memory.settings import Settings
from sparkwhy.memory.values import MapValue, Value, compare, grouping_key, in_order
from sparkwhy.plan.exprs import Call, Lambda
from sparkwhy.plan.types import Map

Elements = tuple[Value, ...]

LONGEST = 2**31 - 16
"""No array of Spark is longer."""


def distinct(elements: Iterable[Value]) -> Elements:
    """Return each element once, the first of those that are equal."""
    firsts: dict[Hashable, Value] = {}
    for element in elements:
        firsts.setdefault(grouping_key(element), element)
    return tuple(firsts.values())


def make_map(pairs: Iterable[tuple[Value, Value]]) -> MapValue:
    made = MapValue(tuple(pairs))
    if None in made.keys:
        raise EvaluationError("a map cannot have a null key")
    if len({grouping_key(k) for k in made.keys}) < len(made.keys):
        raise EvaluationError("a map cannot have a key twice")
    return made


def look_up(entries: MapValue, wanted: Value) -> Value:
    return next((value for k, value in entries.pairs if compare(k, wanted) == 0), None)


# --- access -------------------------------------------------------------------------------------------------


def _element_at(call: Call, _: Settings) -> Meaning:
    if isinstance(call.args[0].type, Map):
        return look_up

    def find_element(array: Elements, index: int) -> Value:
        if index == 0:
            raise EvaluationError("element_at counts from 1")
        if abs(index) <= len(array):
            return array[index - 1 if index > 0 else index]
        if call.mode == "ansi":
            raise EvaluationError(f"no element {index} in an array of {len(array)}")
        return None

    return find_element


def _slice(array: Elements, start: int, length: int) -> Elements:
    if start == 0:
        raise EvaluationError("slice counts from 1")
    if length < 0:
        raise EvaluationError("slice has a negative length")
    first = start - 1 if start > 0 else len(array) + start
    return () if first < 0 else array[first : first + length]


def _any_is(test: Callable[[Value], bool | None], array: Elements, goal: bool) -> bool | None:
    """Return whether the test comes out as `goal` for some element; null, if for none but it is null for some."""
    unknown = False
    for element in array:
        verdict = test(element)
        if verdict is goal:
            return True
        unknown = unknown or verdict is None
    return None if unknown else False


def _contains(array: Elements, wanted: Value) -> bool | None:
    return _any_is(lambda e: None if e is None else compare(e, wanted) == 0, array, True)


def _position(array: Elements, wanted: Value) -> int:
    return next((i for i, e in enumerate(array, 1) if e is not None and compare(e, wanted) == 0), 0)


def _overlap(a: Elements, b: Elements) -> bool | None:
    others = {grouping_key(element) for element in b} - {None}
    if any(element is not None and grouping_key(element) in others for element in a):
        return True
    return None if a and b and (None in a or None in b) else False


def _extreme(choose: Callable[..., Value]) -> Meaning:
    return lambda array: choose((e for e in array if e is not None), key=in_order, default=None)


def _unique(elements: Iterable[Value]) -> Elements:
    """Return distinct values; numbers lose the sign of zero."""
    return distinct(e + 0.0 if isinstance(e, float) else e for e in elements)


# --- arrays from arrays -------------------------------------------------------------------------------------


def _intersect(a: Elements, b: Elements) -> Elements:
    others = {grouping_key(element) for element in b}
    return _unique(element for element in a if grouping_key(element) in others)


def _subtract(a: Elements, b: Elements) -> Elements:
    others = {grouping_key(element) for element in b}
    return _unique(element for element in a if grouping_key(element) not in others)


def _repeat(element: Value, times: int | None) -> Elements | None:
    return None if times is None else (element,) * times


def _append(array: Elements | None, element: Value) -> Elements | None:
    return None if array is None else (*array, element)


def _sequence(start: int, stop: int, step: int | None = None) -> Elements:
    by = (1 if start <= stop else -1) if step is None else step
    if start != stop and (by == 0 or (by > 0) != (start < stop)):
        raise EvaluationError(f"no sequence from {start} to {stop} by {by}")
    if by != 0 and (stop - start) // by >= LONGEST:
        raise EvaluationError(f"the sequence from {start} to {stop} by {by} is too long")
    return (start,) if start == stop else tuple(range(start, stop + (1 if by > 0 else -1), by))


def _flatten(arrays: Elements) -> Elements | None:
    return None if None in arrays else tuple(element for array in arrays for element in array)


# --- maps ---------------------------------------------------------------------------------------------------


def _map(*parts: Value) -> MapValue:
    return make_map(zip(parts[0::2], parts[1::2], strict=True))


def _map_from_arrays(keys: Elements, values: Elements) -> MapValue:
    if len(keys) != len(values):
        raise EvaluationError("the keys and values of a map must be as many")
    return make_map(zip(keys, values, strict=True))


def _map_from_entries(pairs: Elements) -> MapValue | None:
    return None if None in pairs else make_map(pairs)


def _size(collection: Value) -> int:
    return len(collection.pairs if isinstance(collection, MapValue) else collection)


# --- lambdas ------------------------------------------------------------------------------------------------


def _with_index(of_values: Callable[[Elements, Sequence[Value]], Elements]) -> Maker:
    """Return a function of the elements and what the lambda makes of each; the lambda may ask for the index too."""

    def make(call: Call, _: Settings) -> Meaning:
        function = call.args[1]
        assert isinstance(function, Lambda)
        if len(function.params) == 1:
            return lambda array, f: of_values(array, [f(element) for element in array])
        return lambda array, f: of_values(array, [f(element, i) for i, element in enumerate(array)])

    return make


def _filter(array: Elements, verdicts: Sequence[Value]) -> Elements:
    return tuple(element for element, verdict in zip(array, verdicts, strict=True) if verdict is True)


def _are_all(array: Elements, test: Callable[[Value], bool | None]) -> bool | None:
    fails = _any_is(test, array, False)
    return None if fails is None else not fails


def _aggregate(array: Elements | None, zero: Value, merge: Any, finish: Any) -> Value:
    if array is None:
        return None
    total = zero
    for element in array:
        total = merge(total, element)
    return finish(total)


def _zip_with(a: Elements, b: Elements, function: Any) -> Elements:
    length = max(len(a), len(b))
    padded = ((*side, *(None,) * (length - len(side))) for side in (a, b))
    return tuple(function(x, y) for x, y in zip(*padded, strict=True))


STRICT_COLLECTIONS: Mapping[str, Maker] = {
    "size": ignore_types(_size),
    "element_at": _element_at,
    "array_contains": ignore_types(_contains),
    "array_position": ignore_types(_position),
    "array_distinct": ignore_types(_unique),
    "array_union": ignore_types(lambda a, b: _unique(a + b)),
    "array_intersect": ignore_types(_intersect),
    "array_except": ignore_types(_subtract),
    "array_min": ignore_types(_extreme(min)),
    "array_max": ignore_types(_extreme(max)),
    "array_compact": ignore_types(lambda array: tuple(e for e in array if e is not None)),
    "arrays_overlap": ignore_types(_overlap),
    "sort_array": ignore_types(lambda array, up=True: tuple(sorted(array, key=in_order, reverse=not up))),
    "slice": ignore_types(_slice),
    "sequence": ignore_types(_sequence),
    "flatten": ignore_types(_flatten),
    "map_keys": ignore_types(lambda entries: entries.keys),
    "map_values": ignore_types(lambda entries: entries.values),
    "map_entries": ignore_types(lambda entries: entries.pairs),
    "map_from_arrays": ignore_types(_map_from_arrays),
    "map_from_entries": ignore_types(_map_from_entries),
    "transform": _with_index(lambda _, made: tuple(made)),
    "filter": _with_index(_filter),
    "exists": ignore_types(lambda array, test: _any_is(test, array, True)),
    "forall": ignore_types(_are_all),
    "zip_with": ignore_types(_zip_with),
}

NULL_AWARE_COLLECTIONS: Mapping[str, Maker] = {
    "array": ignore_types(lambda *elements: elements),
    "map": ignore_types(_map),
    "legacy_size": ignore_types(lambda collection: -1 if collection is None else _size(collection)),
    "array_repeat": ignore_types(_repeat),
    "array_append": ignore_types(_append),
    "aggregate": ignore_types(_aggregate),
}
