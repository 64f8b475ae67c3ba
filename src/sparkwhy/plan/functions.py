"""The catalogue of functions that sparkwhy understands, with the type of their result.

A function that is not listed here is read as `Opaque`. What a function does is up to the engines: Spark runs it
under the same name, and `memory` has its own implementation.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal as OneOf

from sparkwhy.plan.types import (
    BOOLEAN,
    DATE,
    DOUBLE,
    INTEGER,
    INTEGRALS,
    LONG,
    NULL,
    STRING,
    Array,
    Atom,
    Decimal,
    Field,
    Map,
    Struct,
    Type,
)

Types = tuple[Type, ...]
Rule = Callable[[Types], Type]

MAX_PRECISION = 38
MIN_ADJUSTED_SCALE = 6


@dataclass(frozen=True, slots=True)
class Function:
    """A function of the catalogue: its name in Spark SQL, its family, and the type that it returns."""

    name: str
    family: OneOf["arithmetic", "bits", "strings", "dates", "nulls", "collections", "lambdas", "ranking"]
    rule: Rule


def call_type(name: str, args: Types) -> Type:
    return FUNCTIONS[name].rule(args)


def aggregate_type(name: str, args: Types) -> Type:
    return AGGREGATES[name](args)


# --- rules ---


def constant_type(type: Type) -> Rule:
    return lambda _: type


def first_argument(args: Types) -> Type:
    return args[0]


def last_argument(args: Types) -> Type:
    return args[-1]


def first_known(args: Types) -> Type:
    """Return the type of arguments that are all alike; an untyped null says nothing."""
    return next((type for type in args if type != NULL), NULL)


def clip_decimal(precision: int, scale: int) -> Decimal:
    """Return a decimal cut to 38 digits as Spark does: integer digits are kept before fractional ones."""
    if precision <= MAX_PRECISION:
        return Decimal(precision, scale)
    kept = max(MAX_PRECISION - (precision - scale), min(scale, MIN_ADJUSTED_SCALE))
    return Decimal(MAX_PRECISION, kept)


def addition_type(args: Types) -> Type:
    match args:
        case (Decimal(p, s), Decimal(q, t)):
            scale = max(s, t)
            return clip_decimal(max(p - s, q - t) + scale + 1, scale)
        case _:
            return first_known(args)


def product_type(args: Types) -> Type:
    match args:
        case (Decimal(p, s), Decimal(q, t)):
            return clip_decimal(p + q + 1, s + t)
        case _:
            return first_known(args)


def quotient_type(args: Types) -> Type:
    match args:
        case (Decimal(p, s), Decimal(q, t)):
            scale = max(MIN_ADJUSTED_SCALE, s + q + 1)
            return clip_decimal(p - s + t + scale, scale)
        case _:
            return DOUBLE


def remainder_type(args: Types) -> Type:
    match args:
        case (Decimal(p, s), Decimal(q, t)):
            scale = max(s, t)
            return clip_decimal(min(p - s, q - t) + scale, scale)
        case _:
            return first_known(args)


def whole_number_type(args: Types) -> Type:
    """floor and ceil: a decimal keeps its integer digits and one more, unless it is whole already."""
    match args[0]:
        case Decimal(_, 0):
            return args[0]
        case Decimal(p, s):
            return clip_decimal(p - s + 1, 0)
        case _:
            return LONG


def element_type(args: Types) -> Type:
    match args[0]:
        case Array(inner):
            return inner
        case Map(_, value):
            return value
        case other:
            raise AssertionError(f"no elements in {other}")


def array_of_all(args: Types) -> Type:
    return Array(first_known(args) if args else STRING)


def array_of_last(args: Types) -> Type:
    return Array(args[-1])


def array_of_first(args: Types) -> Type:
    return Array(args[0])


def map_of(args: Types) -> Type:
    return Map(first_known(args[0::2]), first_known(args[1::2]))


def keys_type(args: Types) -> Type:
    assert isinstance(args[0], Map)
    return Array(args[0].key, False)


def values_type(args: Types) -> Type:
    assert isinstance(args[0], Map)
    return Array(args[0].value, args[0].contains_null)


def entries_type(args: Types) -> Type:
    assert isinstance(args[0], Map)
    pair = Struct((Field("key", args[0].key, False), Field("value", args[0].value, args[0].contains_null)))
    return Array(pair, False)


def map_from_arrays(args: Types) -> Type:
    keys, values = args
    assert isinstance(keys, Array)
    assert isinstance(values, Array)
    return Map(keys.element, values.element, values.contains_null)


def map_from_entries(args: Types) -> Type:
    (pairs,) = args
    assert isinstance(pairs, Array)
    assert isinstance(pairs.element, Struct)
    key, value = pairs.element.fields
    return Map(key.type, value.type, value.nullable)


# --- the catalogue ---

_FAMILIES: Mapping[
    OneOf["arithmetic", "bits", "strings", "dates", "nulls", "collections", "lambdas", "ranking"],
    Mapping[str, Rule],
] = {
    "arithmetic": {
        "+": addition_type,
        "-": addition_type,
        "*": product_type,
        "/": quotient_type,
        "%": remainder_type,
        "div": constant_type(LONG),
        "pmod": remainder_type,
        "negative": first_argument,
        "abs": first_argument,
        "round": first_argument,
        "floor": whole_number_type,
        "ceil": whole_number_type,
        "sqrt": constant_type(DOUBLE),
        "power": constant_type(DOUBLE),
        "greatest": first_known,
        "least": first_known,
    },
    "bits": {
        "&": first_argument,
        "|": first_argument,
        "^": first_argument,
        "~": first_argument,
        "shiftleft": first_argument,
        "shiftright": first_argument,
        "bit_count": constant_type(INTEGER),
        "unscaled_value": constant_type(LONG),
        "xxhash64": constant_type(LONG),
    },
    "strings": {
        "upper": constant_type(STRING),
        "hex": constant_type(STRING),
        "lower": constant_type(STRING),
        "trim": constant_type(STRING),
        "ltrim": constant_type(STRING),
        "rtrim": constant_type(STRING),
        "length": constant_type(INTEGER),
        "substring": first_argument,
        "concat": first_known,
        "concat_ws": constant_type(STRING),
        "contains": constant_type(BOOLEAN),
        "startswith": constant_type(BOOLEAN),
        "endswith": constant_type(BOOLEAN),
        "like": constant_type(BOOLEAN),
        "rlike": constant_type(BOOLEAN),
        "replace": constant_type(STRING),
        "instr": constant_type(INTEGER),
        "lpad": constant_type(STRING),
        "rpad": constant_type(STRING),
        "split": constant_type(Array(STRING, False)),
        "regexp_replace": constant_type(STRING),
        "reverse": first_argument,
        "repeat": constant_type(STRING),
    },
    "dates": {
        "year": constant_type(INTEGER),
        "quarter": constant_type(INTEGER),
        "month": constant_type(INTEGER),
        "day": constant_type(INTEGER),
        "dayofweek": constant_type(INTEGER),
        "hour": constant_type(INTEGER),
        "minute": constant_type(INTEGER),
        "date_add": constant_type(DATE),
        "date_sub": constant_type(DATE),
        "datediff": constant_type(INTEGER),
        "add_months": constant_type(DATE),
        "interval_days": constant_type(INTEGER),
        "date_plus_months": constant_type(DATE),
        "timestamp_plus_days": first_argument,
    },
    "nulls": {
        "coalesce": first_known,
        "isnan": constant_type(BOOLEAN),
        "nanvl": first_argument,
        "at_least_n_non_nulls": constant_type(BOOLEAN),
    },
    "collections": {
        "array": array_of_all,
        "map": map_of,
        "size": constant_type(INTEGER),
        "legacy_size": constant_type(INTEGER),
        "element_at": element_type,
        "array_contains": constant_type(BOOLEAN),
        "array_position": constant_type(LONG),
        "array_distinct": first_argument,
        "array_union": first_argument,
        "array_intersect": first_argument,
        "array_except": first_argument,
        "array_min": element_type,
        "array_max": element_type,
        "array_repeat": array_of_first,
        "array_compact": first_argument,
        "array_append": first_argument,
        "arrays_overlap": constant_type(BOOLEAN),
        "sort_array": first_argument,
        "slice": first_argument,
        "sequence": array_of_first,
        "flatten": element_type,
        "map_keys": keys_type,
        "map_values": values_type,
        "map_entries": entries_type,
        "map_from_arrays": map_from_arrays,
        "map_from_entries": map_from_entries,
    },
    "lambdas": {
        "transform": array_of_last,
        "filter": first_argument,
        "exists": constant_type(BOOLEAN),
        "forall": constant_type(BOOLEAN),
        "aggregate": last_argument,
        "zip_with": array_of_last,
    },
    "ranking": {
        "row_number": constant_type(INTEGER),
        "rank": constant_type(INTEGER),
        "dense_rank": constant_type(INTEGER),
        "ntile": constant_type(INTEGER),
        "percent_rank": constant_type(DOUBLE),
        "cume_dist": constant_type(DOUBLE),
        "lag": first_argument,
        "lead": first_argument,
        "nth_value": first_argument,
    },
}

FUNCTIONS: Mapping[str, Function] = {
    name: Function(name, family, rule) for family, rules in _FAMILIES.items() for name, rule in rules.items()
}


def sum_type(args: Types) -> Type:
    match args[0]:
        case Decimal(p, s):
            return Decimal(min(MAX_PRECISION, p + 10), s)
        case type if type in INTEGRALS:
            return LONG
        case Atom(name) if name.startswith("interval"):
            return args[0]
        case _:
            return DOUBLE


def average_type(args: Types) -> Type:
    match args[0]:
        case Decimal(p, s):
            return Decimal(min(MAX_PRECISION, p + 4), min(MAX_PRECISION, s + 4))
        case _:
            return DOUBLE


def list_type(args: Types) -> Type:
    return Array(args[0], False)


AGGREGATES: Mapping[str, Rule] = {
    "sum": sum_type,
    "avg": average_type,
    "count": constant_type(LONG),
    "min": first_argument,
    "max": first_argument,
    "first": first_argument,
    "last": first_argument,
    "collect_list": list_type,
    "collect_set": list_type,
    "bool_and": constant_type(BOOLEAN),
    "bool_or": constant_type(BOOLEAN),
    "bit_and": first_argument,
    "bit_or": first_argument,
    "bit_xor": first_argument,
    "max_by": first_argument,
    "min_by": first_argument,
    "stddev_samp": constant_type(DOUBLE),
    "stddev_pop": constant_type(DOUBLE),
    "var_samp": constant_type(DOUBLE),
    "var_pop": constant_type(DOUBLE),
}
"""The aggregate functions that sparkwhy understands; `first` and `last` take a second argument: ignore nulls."""

COLLECTS = frozenset({"collect_list", "collect_set"})
"""The aggregate functions that nest: a grouping with nothing else is a `nest`."""
