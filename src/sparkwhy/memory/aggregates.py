"""Aggregate functions: what they make of the rows of a group, or of a window frame.

Sums and lists follow the order of the rows. Spark promises none: it may add floats and list elements in
another.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import reduce
from typing import TypeAlias

from sparkwhy.errors import NotInterpretable
from sparkwhy.memory.arithmetic import QUOTIENT_SCALE
from sparkwhy.memory.collections import distinct
from sparkwhy.memory.evaluate import evaluator
from sparkwhy.memory.numbers import apply_mode, rescale, result_converter, round_to_scale
from sparkwhy.memory.settings import Settings
from sparkwhy.memory.values import Row, Value, compare, in_order
from sparkwhy.plan.exprs import AggCall, Attribute, Opaque
from sparkwhy.plan.types import Decimal

Aggregator: TypeAlias = Callable[[Sequence[Row]], Value]

Arguments: TypeAlias = tuple[Value, ...]
Reducer: TypeAlias = Callable[[AggCall, Sequence[Arguments]], Value]


def aggregator(call: AggCall | Opaque, attributes: Sequence[Attribute], settings: Settings) -> Aggregator:
    """Return the function that computes the aggregate from rows of these attributes."""
    if isinstance(call, Opaque):
        raise NotInterpretable(f"only Spark knows what {call.text} means")
    args = [evaluator(arg, attributes, settings) for arg in call.args]
    admits = (lambda _: True) if call.condition is None else evaluator(call.condition, attributes, settings)
    reducer = REDUCERS[call.function]
    reduced = apply_mode(call.mode, lambda values: reducer(call, values))

    def aggregate(rows: Sequence[Row]) -> Value:
        values = tuple(tuple([arg(row) for arg in args]) for row in rows if admits(row) is True)
        return reduced(distinct(values) if call.distinct else values)

    return aggregate


def _non_null_values(values: Sequence[Arguments]) -> list[Value]:
    """Return the first arguments that are not null."""
    return [first for first, *_ in values if first is not None]


# --- sums ---------------------------------------------------------------------------------------------------


def _count(_: AggCall, values: Sequence[Arguments]) -> int:
    return sum(None not in args for args in values)


def _sum(call: AggCall, values: Sequence[Arguments]) -> Value:
    """Brought to its type after each step: an overflow on the way counts."""
    exact = Fraction if isinstance(call.type, Decimal) else (lambda value: value)
    land = result_converter(call.type, call.mode)
    present = [exact(value) for value in _non_null_values(values)]
    return land(reduce(lambda a, b: exact(land(a + b)), present)) if present else None


def _average(call: AggCall, values: Sequence[Arguments]) -> Value:
    present = _non_null_values(values)
    if not present:
        return None
    if isinstance(call.type, Decimal):
        mean = Fraction(sum(map(Fraction, present)), len(present))
        return rescale(round_to_scale(mean, QUOTIENT_SCALE), call.type)
    return reduce(operator.add, map(float, present)) / len(present)


# --- spread -------------------------------------------------------------------------------------------------


def _moments(values: Sequence[Arguments]) -> tuple[int, float]:
    """Return how many there are, and the sum of their squared distances from the mean, by Welford's method."""
    count, mean, squares = 0, 0.0, 0.0
    for value in map(float, _non_null_values(values)):
        count += 1
        delta = value - mean
        mean += delta / count
        squares += delta * (delta - delta / count)
    return count, squares


def _population(finish: Callable[[float], float]) -> Reducer:
    def reducer(_: AggCall, values: Sequence[Arguments]) -> float | None:
        count, squares = _moments(values)
        return finish(squares / count) if count else None

    return reducer


def _sample(finish: Callable[[float], float]) -> Reducer:
    def reducer(_: AggCall, values: Sequence[Arguments]) -> float | None:
        count, squares = _moments(values)
        return finish(squares / (count - 1)) if count > 1 else None

    return reducer


def _identity(value: float) -> float:
    return value


# --- choices ------------------------------------------------------------------------------------------------


def _extreme(choose: Callable[..., Value]) -> Reducer:
    return lambda _, values: choose(_non_null_values(values), key=in_order, default=None)


def _value_at(index: int) -> Reducer:
    """`first` and `last`: their second argument says whether nulls are passed over."""

    def reducer(_: AggCall, values: Sequence[Arguments]) -> Value:
        skips = bool(values) and values[0][1:] == (True,)
        candidates = [args for args in values if args[0] is not None] if skips else values
        return candidates[index][0] if candidates else None

    return reducer


def _value_by(sign: int) -> Reducer:
    """Return the value where the second argument is greatest (or least); of several, the last."""

    def reducer(_: AggCall, values: Sequence[Arguments]) -> Value:
        ranked = [args for args in values if args[1] is not None]
        return reduce(_winner, ranked)[0] if ranked else None

    def _winner(a: Arguments, b: Arguments) -> Arguments:
        return a if compare(a[1], b[1]) * sign > 0 else b

    return reducer


def _bits(combine: Callable[[int, int], int]) -> Reducer:
    def reducer(_: AggCall, values: Sequence[Arguments]) -> int | None:
        present = _non_null_values(values)
        return reduce(combine, present) if present else None

    return reducer


REDUCERS: Mapping[str, Reducer] = {
    "sum": _sum,
    "avg": _average,
    "count": _count,
    "min": _extreme(min),
    "max": _extreme(max),
    "first": _value_at(0),
    "last": _value_at(-1),
    "collect_list": lambda _, values: tuple(_non_null_values(values)),
    "collect_set": lambda _, values: distinct(_non_null_values(values)),
    "bool_and": _extreme(min),
    "bool_or": _extreme(max),
    "bit_and": _bits(operator.and_),
    "bit_or": _bits(operator.or_),
    "bit_xor": _bits(operator.xor),
    "max_by": _value_by(1),
    "min_by": _value_by(-1),
    "stddev_samp": _sample(math.sqrt),
    "stddev_pop": _population(math.sqrt),
    "var_samp": _sample(_identity),
    "var_pop": _population(_identity),
}
"""What each aggregate function makes of the arguments of all rows."""
