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
from sparkwhy.memory.numbers import in_mode, landing, rescaled, rounded
from sparkwhy.memory.settings import Settings
from sparkwhy.memory.values import Row, Value, compare, in_order
from sparkwhy.plan.exprs import AggCall, Attribute, Opaque
from sparkwhy.plan.types import Decimal

Aggregator: TypeAlias = Callable[[Sequence[Row]], Value]

Arguments: TypeAlias = tuple[Value, ...]
Reducer: TypeAlias = Callable[[AggCall, Sequence[Arguments]], Value]


def aggregator(call: AggCall | Opaque, attributes: Sequence[Attribute], settings: Settings) -> Aggregator:
    """The function that computes the aggregate from rows of these attributes."""
    if isinstance(call, Opaque):
        raise NotInterpretable(f"only Spark knows what {call.text} means")
    args = [evaluator(arg, attributes, settings) for arg in call.args]
    admits = (lambda _: True) if call.condition is None else evaluator(call.condition, attributes, settings)
    reducer = REDUCERS[call.function]
    reduced = in_mode(call.mode, lambda values: reducer(call, values))

    def aggregate(rows: Sequence[Row]) -> Value:
        values = tuple(tuple([arg(row) for arg in args]) for row in rows if admits(row) is True)
        return reduced(distinct(values) if call.distinct else values)

    return aggregate


def _present(values: Sequence[Arguments]) -> list[Value]:
    """The first arguments that are not null."""
    return [first for first, *_ in values if first is not None]


# --- sums ---------------------------------------------------------------------------------------------------


def _count(_: AggCall, values: Sequence[Arguments]) -> int:
    return sum(None not in args for args in values)


def _sum(call: AggCall, values: Sequence[Arguments]) -> Value:
    """Brought to its type after each step: an overflow on the way counts."""
    exact = Fraction if isinstance(call.type, Decimal) else (lambda value: value)
    land = landing(call.type, call.mode)
    present = [exact(value) for value in _present(values)]
    return land(reduce(lambda a, b: exact(land(a + b)), present)) if present else None


def _average(call: AggCall, values: Sequence[Arguments]) -> Value:
    present = _present(values)
    if not present:
        return None
    if isinstance(call.type, Decimal):
        mean = Fraction(sum(map(Fraction, present)), len(present))
        return rescaled(rounded(mean, QUOTIENT_SCALE), call.type)
    return reduce(operator.add, map(float, present)) / len(present)


# --- spread -------------------------------------------------------------------------------------------------


def _moments(values: Sequence[Arguments]) -> tuple[int, float]:
    """How many there are, and the sum of their squared distances from the mean, by Welford's method."""
    count, mean, squares = 0, 0.0, 0.0
    for value in map(float, _present(values)):
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


def _same(value: float) -> float:
    return value


# --- choices ------------------------------------------------------------------------------------------------


def _extreme(choose: Callable[..., Value]) -> Reducer:
    return lambda _, values: choose(_present(values), key=in_order, default=None)


def _at(index: int) -> Reducer:
    """`first` and `last`: their second argument says whether nulls are passed over."""

    def reducer(_: AggCall, values: Sequence[Arguments]) -> Value:
        skips = bool(values) and values[0][1:] == (True,)
        candidates = [args for args in values if args[0] is not None] if skips else values
        return candidates[index][0] if candidates else None

    return reducer


def _by(sign: int) -> Reducer:
    """The value where the second argument is greatest (or least); of several, the last."""

    def reducer(_: AggCall, values: Sequence[Arguments]) -> Value:
        ranked = [args for args in values if args[1] is not None]
        return reduce(_winner, ranked)[0] if ranked else None

    def _winner(a: Arguments, b: Arguments) -> Arguments:
        return a if compare(a[1], b[1]) * sign > 0 else b

    return reducer


def _bits(combine: Callable[[int, int], int]) -> Reducer:
    def reducer(_: AggCall, values: Sequence[Arguments]) -> int | None:
        present = _present(values)
        return reduce(combine, present) if present else None

    return reducer


REDUCERS: Mapping[str, Reducer] = {
    "sum": _sum,
    "avg": _average,
    "count": _count,
    "min": _extreme(min),
    "max": _extreme(max),
    "first": _at(0),
    "last": _at(-1),
    "collect_list": lambda _, values: tuple(_present(values)),
    "collect_set": lambda _, values: distinct(_present(values)),
    "bool_and": _extreme(min),
    "bool_or": _extreme(max),
    "bit_and": _bits(operator.and_),
    "bit_or": _bits(operator.or_),
    "bit_xor": _bits(operator.xor),
    "max_by": _by(1),
    "min_by": _by(-1),
    "stddev_samp": _sample(math.sqrt),
    "stddev_pop": _population(math.sqrt),
    "var_samp": _sample(_same),
    "var_pop": _population(_same),
}
"""What each aggregate function makes of the arguments of all rows."""
