"""Numbers as Spark keeps them: integers of a width, floats of 32 bits, decimals of a precision and scale.

What does not fit raises `EvaluationError`; `in_mode` turns that into null where the mode says so.
"""

from __future__ import annotations

import decimal
import math
import struct
from collections.abc import Callable
from fractions import Fraction
from typing import Any, TypeAlias

from sparkwhy.errors import EvaluationError
from sparkwhy.memory.values import Value
from sparkwhy.plan.exprs import Mode
from sparkwhy.plan.types import FLOAT, INTEGRALS, Decimal, Type, ddl

Exact: TypeAlias = int | Fraction | decimal.Decimal

_LARGEST_FLOAT = struct.unpack(">f", b"\x7f\x7f\xff\xff")[0]


def null_on_failure(function: Callable[..., Value]) -> Callable[..., Value]:
    """Return the function, with null where it has no result."""

    def nulling(*args: Value) -> Value:
        try:
            return function(*args)
        except EvaluationError:
            return None

    return nulling


def apply_mode(mode: Mode, function: Callable[..., Value]) -> Callable[..., Value]:
    return function if mode == "ansi" else null_on_failure(function)


def wrap(number: int, type: Type) -> int:
    """Return the number cut to the width of the type, as two's complement does."""
    bits = INTEGRALS[type]
    return (number + (1 << bits - 1)) % (1 << bits) - (1 << bits - 1)


def check_fits(number: int, type: Type) -> int:
    """Return the number, if it fits the type."""
    if wrap(number, type) != number:
        raise EvaluationError(f"{number} does not fit {ddl(type)}")
    return number


def saturate(number: float, type: Type) -> int:
    """Return the number without its fraction, or the end of the range that it exceeds; NaN is 0, as in Java."""
    if math.isnan(number):
        return 0
    end = 1 << INTEGRALS[type] - 1
    if math.isinf(number):
        return end - 1 if number > 0 else -end
    return max(-end, min(end - 1, math.trunc(number)))


def truncate(number: float, type: Type) -> int:
    """Return the number without its fraction, if that fits the type."""
    if not math.isfinite(number):
        raise EvaluationError(f"{number} does not fit {ddl(type)}")
    return check_fits(math.trunc(number), type)


def float32(number: float) -> float:
    """Return the nearest number of 32 bits."""
    if not math.isfinite(number):
        return number
    try:
        return float(struct.unpack(">f", struct.pack(">f", number))[0])
    except OverflowError:
        return math.copysign(math.inf, number)


def float32_of_exact(number: Exact) -> float:
    """Return the number of 32 bits nearest to an exact one, rounded once: by way of a double it would be twice."""
    exact = Fraction(number)
    near = float32(float64(exact))
    if math.isinf(near):
        near = math.copysign(_LARGEST_FLOAT, near)
        return near if abs(exact) < 2**128 - 2**103 else math.copysign(math.inf, near)
    around = [near, *(_neighbour(near, step) for step in (-1, 1))]
    return min(around, key=lambda candidate: (abs(Fraction(candidate) - exact), _bits(candidate) % 2))


def _bits(number: float) -> int:
    return int(struct.unpack(">i", struct.pack(">f", number))[0])


def _neighbour(number: float, step: int) -> float:
    if (number == 0 and step < 0) or (abs(number) == _LARGEST_FLOAT and step > 0):
        return number
    return float(struct.unpack(">f", struct.pack(">i", _bits(number) + step))[0])


def float64(number: Exact) -> float:
    """Return the nearest double; beyond its range, infinity."""
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def round_half_up(number: Fraction) -> int:
    """Return the nearest integer, halves away from zero."""
    whole = (2 * abs(number.numerator) + number.denominator) // (2 * number.denominator)
    return whole if number >= 0 else -whole


def from_unscaled(unscaled: int, scale: int) -> decimal.Decimal:
    """`unscaled` divided by ten to the `scale`, exactly; a text is the only way that rounds to no context."""
    return decimal.Decimal(f"{unscaled}E{-scale}")


def round_to_scale(number: Exact, scale: int) -> decimal.Decimal:
    """Round a number to `scale` digits after the point, halves away from zero."""
    return from_unscaled(round_half_up(Fraction(number) * Fraction(10) ** scale), scale)


def rescale(number: Exact, type: Decimal) -> decimal.Decimal:
    """Return the number as a decimal of the type, if its integer digits fit."""
    unscaled = round_half_up(Fraction(number) * 10**type.scale)
    if abs(unscaled) >= 10**type.precision:
        raise EvaluationError(f"{number} does not fit {ddl(type)}")
    return from_unscaled(unscaled, type.scale)


def result_converter(type: Type, mode: Mode) -> Callable[[Any], Value]:
    """Return what turns the exact result of an operation into one of the type: wrapped, rounded, or refused."""
    if type in INTEGRALS:
        return (lambda n: wrap(n, type)) if mode == "legacy" else (lambda n: check_fits(n, type))
    if isinstance(type, Decimal):
        return lambda number: rescale(number, type)
    if type == FLOAT:
        return float32
    return lambda number: number
