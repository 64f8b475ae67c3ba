"""Columns of awkward values: nulls, NaN, -0.0, extremes, empty and nested things, letters of all kinds."""

from __future__ import annotations

import datetime as dt
import decimal
import math

from sparkwhy.memory.numbers import float32
from sparkwhy.memory.values import MapValue
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
    TIMESTAMP,
    TIMESTAMP_NTZ,
    Array,
    Atom,
    Decimal,
    Field,
    Map,
    Struct,
)
from tests.lab.agreement import Columns

NAN, INF = math.nan, math.inf
UTC = dt.timezone.utc

number = decimal.Decimal

BYTES = [None, 0, 1, -1, 7, 127, -128]
SHORTS = [None, 0, -1, 300, 2**15 - 1, -(2**15)]
INTS = [None, 0, 1, -1, 2, -7, 33, 2**31 - 1, -(2**31)]
LONGS = [None, 0, 1, -3, 64, 10**10, 2**62, 2**63 - 1, -(2**63)]
FLOATS = [
    None,
    *map(float32, (0.0, -0.0, 1.0, 0.1, -2.5, 2.345, 1e10, 16777216.0, 3.4028235e38, 1e-45, NAN, INF, -INF)),
]
DOUBLES = [
    None, 0.0, -0.0, 1.0, 0.1, -2.5, 2.5, 2.675, -1234.5678, 1e-4, 0.001, 1e7, 123456789.125, 1e16, 9.3e18,
    1.7976931348623157e308, 5e-324, NAN, INF, -INF,
]  # fmt: skip
FEW_DOUBLES = [None, 0.0, -0.0, 1.0, -2.5, 3.0, 1e300, NAN, INF, -INF]
SMALL_DECIMALS = [
    None,
    number("0.00"),
    number("1.00"),
    number("-0.01"),
    number("2.55"),
    number("999.99"),
    number("-999.99"),
]
DECIMALS = [None, number("0.0000"), number("0.3333"), number("-7.5000"), number("123456.7895"), number("-999999.9999")]
WIDE_DECIMALS = [
    None, number("0E-10"), number("1.0000000001"), number("-0.3333333333"),
    number("9999999999999999999999999999.9999999999"),
    number("-1234567890123456789012345678.0123456789"),
]  # fmt: skip
TEXTS = [None, "", " ", "a", "ab", " aXbXc  ", "ÄRGERß", "日本語", "😀x😀", "a%b_c\\", "x\ny", "a.b"]
FRAGMENTS = [None, "", "a", "X", "😀", "b", "本"]
NUMBERS = [None, 0, 1, 2, -1, -2, 5, -9]
PATTERNS = [None, "", "a", "%", "_%", "a%", "%X%", "a\\%b\\_c\\\\", "_", "%😀", "a\\b", "a\\"]
DATES = [None, dt.date(1970, 1, 1), dt.date(2020, 2, 29), dt.date(2021, 12, 31), dt.date(1582, 10, 4), dt.date(1, 1, 1)]
TIMES = [
    None,
    dt.datetime(1970, 1, 1, tzinfo=UTC),
    dt.datetime(1969, 12, 31, 23, 59, 59, 999999, tzinfo=UTC),
    dt.datetime(2021, 3, 14, 6, 30, tzinfo=UTC),
    dt.datetime(2021, 3, 14, 7, 30, 0, 500000, tzinfo=UTC),
    dt.datetime(2021, 11, 7, 5, 30, 1, 120000, tzinfo=UTC),
    dt.datetime(2021, 11, 7, 6, 30, tzinfo=UTC),
    dt.datetime(1800, 1, 1, 12, tzinfo=UTC),
]
LOCAL_TIMES = [
    None,
    dt.datetime(1970, 1, 1),
    dt.datetime(2021, 3, 14, 2, 30),
    dt.datetime(2021, 11, 7, 1, 30, 0, 1),
    dt.datetime(1999, 12, 31, 23, 59, 59, 999999),
]
SPANS = [
    None,
    dt.timedelta(0),
    dt.timedelta(days=1),
    dt.timedelta(days=-1),
    dt.timedelta(days=-1, hours=-2, minutes=-3, seconds=-4, microseconds=-500000),
    dt.timedelta(days=400, hours=5, seconds=59, microseconds=10),
]
INT_ARRAYS = [None, (), (1,), (1, 2, 3), (3, None, 1, 3), (None,), (2**31 - 1, -5, 1)]
DOUBLE_ARRAYS = [None, (), (NAN, 1.0, NAN), (0.0, -0.0, None), (-0.0, 2.0), (1.0, INF, None, None)]
TEXT_ARRAYS = [None, (), ("a", "b"), ("b", None, "a", ""), (None,), ("é", "Z", "日")]
NESTED_ARRAYS = [None, (), ((1,), (2, None)), ((1,), None), ((), ()), (None,)]
STRUCTS = [None, (1, "a"), (None, None), (1, None), (2, "")]
STRUCT_ARRAYS = [None, (), ((1, "a"), (None, "b"), None), ((1, None), (1, "a"), (1, None))]
PAIRS = [None, (), (("a", 1), ("b", None)), (None,), (("a", 1), ("a", 2)), ((None, 1),)]
MAPS = [None, MapValue(()), MapValue((("a", 1), ("b", None))), MapValue((("", -1),))]

POINT = Struct((Field("n", INTEGER), Field("t", STRING)))
ENTRY = Struct((Field("k", STRING), Field("v", INTEGER)))

COLUMNS = Columns(
    {
        "b": (BOOLEAN, [None, True, False]),
        "c": (BOOLEAN, [None, True, False]),
        "y": (BYTE, BYTES),
        "z": (BYTE, BYTES),
        "h": (SHORT, SHORTS),
        "k": (SHORT, SHORTS),
        "i": (INTEGER, INTS),
        "j": (INTEGER, INTS),
        "l": (LONG, LONGS),
        "m": (LONG, LONGS),
        "f": (FLOAT, FLOATS),
        "g": (FLOAT, FLOATS),
        "d": (DOUBLE, DOUBLES),
        "e": (DOUBLE, FEW_DOUBLES),
        "p": (Decimal(5, 2), SMALL_DECIMALS),
        "q": (Decimal(10, 4), DECIMALS),
        "w": (Decimal(38, 10), WIDE_DECIMALS),
        "x": (Decimal(38, 10), WIDE_DECIMALS),
        "whole": (Decimal(6, 0), [None, number(0), number(-7), number(999999)]),
        "t": (STRING, TEXTS),
        "bmp": (STRING, [text for text in TEXTS if text is None or "😀" not in text]),
        "u": (STRING, FRAGMENTS),
        "v": (STRING, FRAGMENTS),
        "pattern": (STRING, PATTERNS),
        "bytes": (BINARY, [None, b"", b"a", bytes(["ä".encode()[0], "ä".encode()[1]]), b"\x00"]),
        "n": (INTEGER, NUMBERS),
        "o": (INTEGER, NUMBERS),
        "day": (DATE, DATES),
        "day2": (DATE, DATES),
        "ts": (TIMESTAMP, TIMES),
        "ntz": (TIMESTAMP_NTZ, LOCAL_TIMES),
        "span": (Atom("interval day to second"), SPANS),
        "days": (Atom("interval day"), [None, dt.timedelta(0), dt.timedelta(days=-3), dt.timedelta(days=99)]),
        "ints": (Array(INTEGER), INT_ARRAYS),
        "ints2": (Array(INTEGER), INT_ARRAYS),
        "doubles": (Array(DOUBLE), DOUBLE_ARRAYS),
        "doubles2": (Array(DOUBLE), DOUBLE_ARRAYS),
        "texts": (Array(STRING), TEXT_ARRAYS),
        "arrays": (Array(Array(INTEGER)), NESTED_ARRAYS),
        "point": (POINT, STRUCTS),
        "point2": (POINT, STRUCTS),
        "points": (Array(POINT), STRUCT_ARRAYS),
        "pairs": (Array(ENTRY), PAIRS),
        "map": (Map(STRING, INTEGER), MAPS),
    }
)
