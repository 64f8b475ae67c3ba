"""Spark's `xxhash64`: xxHash of 64 bits, where what was hashed before is the seed of what comes next."""

from __future__ import annotations

import datetime as dt
import struct
from collections.abc import Callable, Sequence
from typing import Any

from sparkwhy.memory.settings import Settings
from sparkwhy.memory.values import Value, grouping_key
from sparkwhy.plan.exprs import Call
from sparkwhy.plan.types import (
    BINARY,
    BOOLEAN,
    BYTE,
    DATE,
    DOUBLE,
    FLOAT,
    INTEGER,
    LONG,
    SHORT,
    STRING,
    Array,
    Decimal,
    Struct,
    Type,
)

_SEED = 42
_MASK = (1 << 64) - 1
_P1, _P2, _P3 = 0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9
_P4, _P5 = 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5


def hash_function(expr: Call, _: Settings) -> Callable[..., int]:
    """Return the function for these arguments."""
    types = [arg.type for arg in expr.args]

    def hash_values(*values: Value) -> int:
        found = _SEED
        for value, type in zip(values, types, strict=True):
            found = _next(found, value, type)
        return found - (1 << 64) if found >> 63 else found

    return hash_values


def _next(seed: int, value: Value, type: Type) -> int:
    """Return the hash of a value after others; null leaves it as it was."""
    if value is None:
        return seed
    match type:
        case Array(element):
            return _each(seed, value, [element] * len(value))
        case Struct(fields):
            return _each(seed, value, [field.type for field in fields])
        case Decimal():
            return _decimal(seed, value, type)
        case _:
            return _atom(seed, value, type)


def _each(seed: int, values: Sequence[Value], types: Sequence[Type]) -> int:
    for value, type in zip(values, types, strict=True):
        seed = _next(seed, value, type)
    return seed


def _decimal(seed: int, value: Any, type: Decimal) -> int:
    unscaled = int(value.scaleb(type.scale))
    if type.precision <= 18:
        return _long(seed, unscaled)
    length = (unscaled + (unscaled < 0)).bit_length() // 8 + 1
    return _bytes(seed, unscaled.to_bytes(length, "big", signed=True))


_EPOCH = dt.date(1970, 1, 1)


def _atom(seed: int, value: Any, type: Type) -> int:
    if type in (BOOLEAN, BYTE, SHORT, INTEGER):
        return _int(seed, int(value))
    if type == DATE:
        return _int(seed, (value - _EPOCH).days)
    if type == LONG:
        return _long(seed, value)
    if type == DOUBLE:
        return _long(seed, int.from_bytes(struct.pack(">d", value + 0.0), "big"))
    if type == FLOAT:
        return _int(seed, int.from_bytes(struct.pack(">f", value + 0.0), "big"))
    if type in (STRING, BINARY):
        return _bytes(seed, value.encode() if isinstance(value, str) else value)
    return _long(seed, hash(grouping_key(value)))  # of other types only whether two are equal means anything


def _rotate(value: int, by: int) -> int:
    return (value << by | value >> (64 - by)) & _MASK


def _mix(found: int) -> int:
    found = (found ^ found >> 33) * _P2 & _MASK
    found = (found ^ found >> 29) * _P3 & _MASK
    return found ^ found >> 32


def _round(seed: int, word: int) -> int:
    return _rotate((seed + word * _P2) & _MASK, 31) * _P1 & _MASK


def _with_int(found: int, word: int) -> int:
    return (_rotate(found ^ (word & 0xFFFFFFFF) * _P1 & _MASK, 23) * _P2 + _P3) & _MASK


def _with_long(found: int, word: int) -> int:
    return (_rotate(found ^ _round(0, word & _MASK), 27) * _P1 + _P4) & _MASK


def _int(seed: int, value: int) -> int:
    return _mix(_with_int((seed + _P5 + 4) & _MASK, value))


def _long(seed: int, value: int) -> int:
    return _mix(_with_long((seed + _P5 + 8) & _MASK, value))


def _bytes(seed: int, data: bytes) -> int:
    found, rest = (seed + _P5) & _MASK, data
    if len(data) >= 32:
        end = len(data) // 32 * 32
        found, rest = _hash_stripes(seed, data[:end]), data[end:]
    found = (found + len(data)) & _MASK
    while len(rest) >= 8:
        found, rest = _with_long(found, int.from_bytes(rest[:8], "little")), rest[8:]
    if len(rest) >= 4:
        found, rest = _with_int(found, int.from_bytes(rest[:4], "little")), rest[4:]
    for byte in rest:
        found = _rotate(found ^ byte * _P5 & _MASK, 11) * _P1 & _MASK
    return _mix(found)


def _hash_stripes(seed: int, data: bytes) -> int:
    lanes = [(seed + _P1 + _P2) & _MASK, (seed + _P2) & _MASK, seed, (seed - _P1) & _MASK]
    for at in range(0, len(data), 8):
        lane = at // 8 % 4
        lanes[lane] = _round(lanes[lane], int.from_bytes(data[at : at + 8], "little"))
    found = sum(_rotate(lane, by) for lane, by in zip(lanes, (1, 7, 12, 18), strict=True)) & _MASK
    for lane in lanes:
        found = ((found ^ _round(0, lane)) * _P1 + _P4) & _MASK
    return found
