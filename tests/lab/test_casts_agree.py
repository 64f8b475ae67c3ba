"""Spark and the reference engine agree on every cast between types, in all modes and in a zone with summer time."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

from sparkwhy.memory.settings import Settings
from sparkwhy.plan.exprs import Cast, Mode
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
    Type,
    ddl,
)
from tests.lab import awkward
from tests.lab.agreement import Columns, disagreements

pytestmark = pytest.mark.spark

INTERVALS = tuple(
    Atom(f"interval {name}")
    for name in ("day", "day to second", "hour to minute", "second", "minute to second", "hour")
)
TARGETS: tuple[Type, ...] = (
    BOOLEAN, BYTE, SHORT, INTEGER, LONG, FLOAT, DOUBLE, Decimal(5, 2), Decimal(20, 0), Decimal(38, 18), STRING,
    BINARY, DATE, TIMESTAMP, TIMESTAMP_NTZ, *INTERVALS, Array(STRING), Array(BYTE),
    Struct((Field("a", STRING), Field("b", INTEGER))), Map(STRING, STRING), Map(INTEGER, LONG),
)  # fmt: skip

NUMBER_TEXTS = [
    None, "", " ", "0", " 12 ", "\t-7\n", "+5", "-", "+", "1.5", ".5", "1.", ".", "-.", "- 1", "1e2", "1E-2", "1e400",
    "-1e-400", "127", "128", "-129", "2147483648", "9223372036854775807", "9223372036854775808", "99999", "1_000",
    "NaN", "nan", "Infinity", "-inf", "+Infinity", "infinit", "1d", "1.5F", "0x10", "é", "٣", "1 2", "999.995",
    "123456789012345678901234567890123456789", "0.1", "16777217", "3.4028236e38", "1e-46", "1.17549435E-38",
]  # fmt: skip
BOOLEAN_TEXTS = ["true", " TRUE ", "t", "Yes", "y", "1", "no", "N", "f", "0", "tru", "on", "\x00true"]
TIME_TEXTS = [
    "2020", "2020-1", "2020-01-31", "2020-1-5", "2020-13-01", "2020-02-30", "2021-02-29", " 2020-02-29 ", "+2020-01-01",
    "2020-01-01x", "2020-01-01 x", "2020-01-01T", "2020-01-01 12", "2020-01-01 12:3", "2020-01-01T12:30:15.5",
    "2020-01-01 12:30:15.1234567", "2020-01-01 12:30:15.", "2020-01-01 24:00:00", "2020-01-01 12:60",
    "2020-01-01 12:30Z", "2020-01-01 12:30:15Z", "2020-01-01 12:30:15 +01:00", "2020-01-01 12:30:15-7:30",
    "2020-01-01 12:30:15 Europe/Paris", "2020-01-01 12:30:15 Nowhere", "2020-01-01 12:30:15UTC+2",
    "2021-03-14 02:30:00", "2021-11-07 01:30:00", "20200101",
    "202-01-01", "2020/01/01", "2020-01-01 1:2:3", "2020-001-01", "0001-01-01", "2020-01-01 12:30:15 GMT",
]  # fmt: skip
POINTS = Struct((Field("n", INTEGER), Field("t", STRING)))

SOURCES = Columns(
    {
        "b": (BOOLEAN, [None, True, False]),
        "y": (BYTE, awkward.BYTES),
        "h": (SHORT, awkward.SHORTS),
        "i": (INTEGER, [*awkward.INTS, 128, -32769]),
        "l": (LONG, [*awkward.LONGS, 2**24 + 1, 2**60 + 2**36 + 1, 253402300799]),
        "f": (FLOAT, awkward.FLOATS),
        "d": (DOUBLE, [*awkward.DOUBLES, 127.9, -128.9, 2147483647.5, -2147483648.9, 1e-7, 123.455, 0.005]),
        "p": (Decimal(5, 2), awkward.SMALL_DECIMALS),
        "w": (Decimal(38, 10), awkward.WIDE_DECIMALS),
        "tiny": (
            Decimal(20, 18),
            [None, awkward.number("0E-18"), awkward.number("1E-18"), awkward.number("-0.000001230000000000")],
        ),
        "t": (STRING, [*NUMBER_TEXTS, *BOOLEAN_TEXTS, *TIME_TEXTS]),
        "bytes": (BINARY, [None, b"", b"a", "ä".encode(), b"\x00"]),
        "day": (DATE, awkward.DATES),
        "ts": (TIMESTAMP, awkward.TIMES),
        "ntz": (TIMESTAMP_NTZ, awkward.LOCAL_TIMES),
        "span": (INTERVALS[1], awkward.SPANS),
        "days": (INTERVALS[0], [None, dt.timedelta(0), dt.timedelta(days=-3), dt.timedelta(days=400)]),
        "clock": (INTERVALS[2], [None, dt.timedelta(hours=-26, minutes=-5), dt.timedelta(minutes=59)]),
        "seconds": (INTERVALS[3], [None, dt.timedelta(seconds=-61, microseconds=-10), dt.timedelta(seconds=9)]),
        "ints": (Array(INTEGER), [None, (), (1, None, 300)]),
        "texts": (Array(STRING), [None, (), ("1", None, "a", "")]),
        "point": (POINTS, [None, (1, "2"), (None, None), (-5, "x")]),
        "map": (Map(STRING, INTEGER), awkward.MAPS),
    }
)


def casts(spark: SparkSession, mode: Mode, source: Type) -> Iterator[Type]:
    """The types that Spark can cast to in this mode."""
    parse = spark._jvm.org.apache.spark.sql.types.DataType.fromDDL  # type: ignore[union-attr]
    catalyst = spark._jvm.org.apache.spark.sql.catalyst.expressions.Cast  # type: ignore[union-attr]
    can = {"legacy": catalyst.canCast, "ansi": catalyst.canAnsiCast, "try": catalyst.canTryCast}[mode]
    for target in TARGETS:
        if target != source and can(parse(ddl(source)), parse(ddl(target))):
            yield target


@pytest.mark.parametrize(("mode", "zone"), [("legacy", "UTC"), ("ansi", "America/New_York"), ("try", "UTC")])
def test_casts_agree(spark: SparkSession, quiet: None, mode: Mode, zone: str) -> None:
    spark.conf.set("spark.sql.ansi.enabled", str(mode == "ansi").lower())
    spark.conf.set("spark.sql.session.timeZone", zone)
    exprs = [
        Cast(SOURCES[name], target, mode)
        for name, (source, _) in SOURCES.values.items()
        for target in casts(spark, mode, source)
        if not (source == STRING and target in INTERVALS)
    ]
    found = disagreements(spark, SOURCES, exprs, settings=Settings(timezone=zone))
    assert not found, "\n".join(found[:60])
