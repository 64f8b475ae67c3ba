"""The functions of numbers: arithmetic and bits.

Each entry of the catalogues below takes the call, which knows its types and its mode, and gives a function of
values. All of them are null when an argument is null, but for `greatest` and `least`, which look past nulls.
"""

from __future__ import annotations

import decimal
import math
import operator
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from sparkwhy.errors import EvaluationError
from sparkwhy.memory.hashing import hash_function
from sparkwhy.memory.numbers import (
    apply_mode,
    float32_of_exact,
    float64,
    from_unscaled,
    rescale,
    result_converter,
    round_half_up,
    round_to_scale,
    saturate,
    truncate,
    wrap,
)
from sparkwhy.memory.settings import Settings
from sparkwhy.memory.values import Value, in_order
from sparkwhy.plan.exprs import Call
from sparkwhy.plan.types import DOUBLE, FLOAT, INTEGER, INTEGRALS, LONG, Decimal

Meaning = Callable[..., Value]
Maker = Callable[[Call, Settings], Meaning]

QUOTIENT_SCALE = 39
"""Digits after the point to which Spark divides decimals, before it rounds to the type of the result."""

DECIMAL128 = decimal.Context(prec=34, rounding=decimal.ROUND_HALF_EVEN)


def ignore_types(function: Meaning) -> Maker:
    """Return a function that needs to know neither types nor mode."""
    return lambda _call, _settings: function


def _compute_exactly(call: Call, operation: Meaning) -> Meaning:
    """Return the operation free of rounding: decimals are computed as fractions, all else as it is."""
    if any(isinstance(arg.type, Decimal) for arg in call.args):
        return lambda *args: operation(*map(Fraction, args))
    return operation


def _convert_result(operation: Meaning) -> Maker:
    """Return an operation whose result is brought to the type of the call."""

    def make(call: Call, _: Settings) -> Meaning:
        exact, land = _compute_exactly(call, operation), result_converter(call.type, call.mode)
        return apply_mode(call.mode, lambda *args: land(exact(*args)))

    return make


# --- division -----------------------------------------------------------------------------------------------


def _guard_zero(operation: Meaning) -> Meaning:
    def divide(a: Value, b: Value) -> Value:
        if b == 0:
            raise EvaluationError("division by zero")
        return operation(a, b)

    return divide


def _quotient(a: Any, b: Any) -> Any:
    return round_to_scale(a / b, QUOTIENT_SCALE) if isinstance(a, Fraction) else a / b


def _whole_quotient(a: Any, b: Any) -> int:
    whole = abs(a) // abs(b)
    return int(whole if (a < 0) == (b < 0) else -whole)


def _remainder(a: Any, b: Any) -> Any:
    """Return what is left of a division towards zero: it has the sign of the dividend."""
    if isinstance(a, float):
        return math.nan if math.isinf(a) else math.fmod(a, b)
    return a - b * _whole_quotient(a, b)


def _positive_remainder(call: Call, settings: Settings) -> Meaning:
    """Between 0 and the divisor, if that is positive. On the way Spark adds as Java does, with wrapping ints."""
    narrow = INTEGRALS.get(call.type, INTEGRALS[LONG]) < INTEGRALS[LONG]
    add = _identity if isinstance(call.type, Decimal) else result_converter(INTEGER if narrow else call.type, "legacy")

    def remainder(a: Any, b: Any) -> Any:
        left = _remainder(a, b)
        return _remainder(add(left + b), b) if left < 0 else left

    return _convert_result(_guard_zero(remainder))(call, settings)


def _identity(value: Value) -> Value:
    return value


def _whole_division(call: Call, settings: Settings) -> Meaning:
    """Divide without the rest; of decimals the result is cut to a long in any mode."""
    divide = _guard_zero(_whole_quotient)
    if not isinstance(call.args[0].type, Decimal):
        return _convert_result(divide)(call, settings)
    exact = _compute_exactly(call, divide)
    return apply_mode(call.mode, lambda a, b: wrap(exact(a, b), LONG))


# --- one number ---------------------------------------------------------------------------------------------


def _change_sign(operation: Meaning) -> Maker:
    """`negative` and `abs`. Spark rounds a decimal that changes its sign to 34 digits, and fails in any mode."""

    def make(call: Call, settings: Settings) -> Meaning:
        type = call.type
        if not isinstance(type, Decimal):
            return _convert_result(operation)(call, settings)
        return lambda x: x if operation(Fraction(x)) == x else rescale(DECIMAL128.minus(x), type)

    return make


def _round(call: Call, _: Settings) -> Meaning:
    type = call.args[0].type
    land = result_converter(type, call.mode)
    if type == FLOAT:
        return lambda x, scale: x if not math.isfinite(x) else float32_of_exact(round_to_scale(_decimal(x), scale))
    if type == DOUBLE:
        return lambda x, scale: x if not math.isfinite(x) else float64(round_to_scale(_decimal(x), scale))
    return apply_mode(call.mode, lambda x, scale: x if scale >= 0 else land(_round_to_tens(x, -scale)))


def _decimal(number: float) -> Fraction:
    """Return the number that is printed for a double, which is what Spark rounds."""
    return Fraction(repr(number))


def _round_to_tens(number: int, zeros: int) -> int:
    ten = int(10**zeros)
    return round_half_up(Fraction(number, ten)) * ten


def _to_whole(down_or_up: Callable[[Any], int]) -> Maker:
    def make(call: Call, _: Settings) -> Meaning:
        if isinstance(call.type, Decimal):
            return lambda x: from_unscaled(down_or_up(Fraction(x)), 0)
        land = saturate if call.mode == "legacy" else truncate
        return lambda x: 0 if math.isnan(x) else land(x if math.isinf(x) else down_or_up(x), LONG)

    return make


def _power(a: float, b: float) -> float:
    """Raise to a power as Java does: overflow is infinity, an undefined result is NaN, and so is 1 to the power of
    NaN.
    """
    if math.isnan(b) or (abs(a) == 1 and math.isinf(b)):
        return math.nan
    try:
        return math.pow(a, b)
    except OverflowError:
        return -math.inf if a < 0 and b % 2 == 1 else math.inf
    except ValueError:
        if a != 0:
            return math.nan
        return math.copysign(math.inf, a) if b % 2 == 1 else math.inf


def _square_root(x: float) -> float:
    return math.nan if x < 0 else math.sqrt(x)


# --- bits ---------------------------------------------------------------------------------------------------


def _shift(operation: Callable[[int, int], int]) -> Maker:
    """Java looks at the lowest bits of the distance only."""

    def make(call: Call, _: Settings) -> Meaning:
        land, width = result_converter(call.type, "legacy"), INTEGRALS[call.args[0].type]
        return lambda x, distance: land(operation(x, distance % width))

    return make


def _bit_count(x: int) -> int:
    return (x & (1 << 64) - 1).bit_count()


def _unscaled_value(call: Call, _: Settings) -> Meaning:
    """Return the digits of a decimal as a whole number."""
    (described,) = (arg.type for arg in call.args)
    assert isinstance(described, Decimal)
    return lambda value: int(value.scaleb(described.scale))


# --- several values -----------------------------------------------------------------------------------------


def _choose_among(choose: Callable[..., Value]) -> Meaning:
    def pick(*values: Value) -> Value:
        return choose((v for v in values if v is not None), key=in_order, default=None)

    return pick


STRICT_NUMBERS: Mapping[str, Maker] = {
    "+": _convert_result(operator.add),
    "-": _convert_result(operator.sub),
    "*": _convert_result(operator.mul),
    "/": _convert_result(_guard_zero(_quotient)),
    "%": _convert_result(_guard_zero(_remainder)),
    "div": _whole_division,
    "pmod": _positive_remainder,
    "negative": _change_sign(operator.neg),
    "abs": _change_sign(abs),
    "round": _round,
    "floor": _to_whole(math.floor),
    "ceil": _to_whole(math.ceil),
    "sqrt": ignore_types(_square_root),
    "power": ignore_types(_power),
    "&": ignore_types(operator.and_),
    "|": ignore_types(operator.or_),
    "^": ignore_types(operator.xor),
    "~": ignore_types(operator.invert),
    "shiftleft": _shift(operator.lshift),
    "shiftright": _shift(operator.rshift),
    "bit_count": ignore_types(_bit_count),
    "unscaled_value": _unscaled_value,
}

NULL_AWARE_NUMBERS: Mapping[str, Maker] = {
    "greatest": ignore_types(_choose_among(max)),
    "least": ignore_types(_choose_among(min)),
    "xxhash64": hash_function,
}
