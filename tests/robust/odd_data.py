"""The table of odd data: what is asked of which DataFrame, and what must come out, known by thought.

Each type of Spark is there in each of its roles: asked for, only present, filtered on, grouped by, collected in a list.
Several types share a question where that costs no clarity: a pattern holds only if it holds for each of them.
`docs/reliability.md` counts the table.
"""

from __future__ import annotations

import datetime as dt
import decimal
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd
from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as F
from pyspark.sql.pandas.functions import pandas_udf
from pyspark.sql.types import IntegerType

from sparkwhy import ANY, one_of
from sparkwhy.errors import PatternTypeError, QueryFailed, SparkWhyError, UnsupportedOperator


@dataclass(frozen=True)
class Sees:
    """What an answer must say: the operators of its first explanation, whether its fix was verified, and some words."""

    operators: tuple[str, ...]
    verified: bool = True
    words: tuple[str, ...] = ()


@dataclass(frozen=True)
class Is:
    """An outcome without an explanation, and some words of the answer."""

    outcome: str
    words: tuple[str, ...] = ()


@dataclass(frozen=True)
class Refuses:
    """An error of ours, and some words of it."""

    error: type[SparkWhyError]
    words: tuple[str, ...]


@dataclass(frozen=True)
class Place:
    """Where a case lives: a session, and a folder of its own for files."""

    spark: SparkSession
    folder: Path


@dataclass(frozen=True)
class Odd:
    """One question about odd data; `parts` counts the types that it has at once."""

    kind: str
    name: str
    make: Callable[[Place], DataFrame]
    missing: Mapping[str, Any]
    out: Sees | Is | Refuses
    settings: Mapping[str, str] | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    parts: int = 1

    @property
    def id(self) -> str:
        return f"{self.kind}: {self.name}"


KEPT_OUT = Sees(("filter n >= 5",))
"""In most cases a filter on `n` keeps out the row with `id` 1, whatever else is in it."""


# --- types ---


@dataclass(frozen=True)
class Typed:
    """A type by two of its values, as SQL, and the pattern that only the first one matches."""

    asked: str
    other: str
    pattern: Any


COMPARED = {
    "binary": Typed("X'00ff'", "X'01'", b"\x00\xff"),
    "day_time": Typed(
        "interval '1 02:03:04.000005' day to second",
        "interval '0 00:00:01' day to second",
        dt.timedelta(days=1, hours=2, minutes=3, seconds=4, microseconds=5),
    ),
    "hour": Typed("interval '5' hour", "interval '6' hour", dt.timedelta(hours=5)),
    "year_month": Typed("interval '1-2' year to month", "interval '0-1' year to month", 14),
    "timestamp": Typed(
        "timestamp'1899-12-31 23:59:59.999999'",
        "timestamp'2024-02-29 00:00:00'",
        dt.datetime(1899, 12, 31, 23, 59, 59, 999999),
    ),
    "timestamp_ntz": Typed(
        "timestamp_ntz'2024-03-31 02:30:00.5'",
        "timestamp_ntz'2024-01-01 00:00:00'",
        dt.datetime(2024, 3, 31, 2, 30, 0, 500000),
    ),
    "first_timestamp": Typed("timestamp'0001-01-01 00:00:00'", "timestamp'9999-12-31 23:59:59'", dt.datetime(1, 1, 1)),
    "date": Typed("date'0001-01-01'", "date'9999-12-31'", dt.date(1, 1, 1)),
    "far_date": Typed("date'-0044-03-15'", "date'+12000-01-01'", lambda c: c < F.lit("0000-01-01").cast("date")),
    "decimal_38": Typed(
        "cast('12345678901234567890123456789012345678' as decimal(38,0))",
        "cast('1' as decimal(38,0))",
        decimal.Decimal("12345678901234567890123456789012345678"),
    ),
    "decimal_fraction": Typed(
        f"cast('0.{'0' * 37}1' as decimal(38,38))", "cast('0.1' as decimal(38,38))", decimal.Decimal("1e-38")
    ),
    "nan": Typed("double('NaN')", "double(1)", float("nan")),
    "minus_zero": Typed("double('-0.0')", "double(1)", 0.0),
    "infinity": Typed("double('-Infinity')", "double(1)", float("-inf")),
    "float": Typed("float('0.1')", "float(2)", 0.1),
    "byte": Typed("tinyint(-128)", "tinyint(1)", -128),
    "long": Typed("bigint('-9223372036854775808')", "1L", -(2**63)),
    "boolean": Typed("true", "false", True),
    "characters": Typed("'\u0001\u200b\U0001f600 a''b\\\\c'", "'x'", "\u0001\u200b\U0001f600 a'b\\c"),
    "empty_text": Typed("''", "'x'", ""),
    "char": Typed("cast('ab' as char(4))", "cast('x' as char(4))", "ab"),
    "array_of_arrays": Typed("array(array(1, null), array())", "array(array(2))", [[1, None], []]),
    "struct": Typed(
        "named_struct('a', 1, 'b', named_struct('c', cast(null as string)))",
        "named_struct('a', 2, 'b', named_struct('c', 'y'))",
        {"a": 1, "b": {"c": None}},
    ),
    "null_struct": Typed("cast(null as struct<a: int>)", "named_struct('a', 1)", None),
    "null_array": Typed("cast(null as array<int>)", "array(1)", None),
}
"""Types whose values Spark compares."""

UNCOMPARED = {
    "map": Typed("map('k', 1, 'l', 2)", "map('m', 2)", {"k": 1}),
    "null_in_a_map": Typed("map('k', cast(null as int))", "map('m', 2)", {"k": None}),
    "null_map": Typed("cast(null as map<string, int>)", "map('m', 2)", None),
    "map_in_a_struct": Typed(
        "named_struct('m', map('k', map('a', 1)))", "named_struct('m', map('k', map('b', 1)))", {"m": {"k": {"a": 1}}}
    ),
    "maps_in_an_array": Typed("array(map('k', 1))", "array(map('l', 1))", [{"k": 1}]),
}
"""Types whose values Spark only groups by."""

OPAQUE = {
    "variant": Typed("parse_json('{\"a\": 1}')", "parse_json('2')", lambda c: F.try_variant_get(c, "$.a", "int") == 1),
    "calendar_interval": Typed(
        "make_interval(1, 2)", "make_interval(0, 1)", lambda c: c.cast("string") == "1 years 2 months"
    ),
}
"""Types whose values Spark neither compares nor groups by: a pattern is a function of the column."""

WITHOUT_A_CONSTANT = ("binary", "day_time", "hour", "year_month", "far_date", "array_of_arrays", "struct")
"""Types of which no other constant is looked for in a filter: it is blamed, and no fix is claimed."""

NULLS = ("null_struct", "null_array")
"""Nothing equals these: the filter on them could only become another kind of condition."""

BROKEN_KEYS = ("null_in_a_map",)
"""Spark itself groups by another map than this, with 0 in place of null."""

Types = Mapping[str, Typed]


def typed(place: Place, types: Types) -> DataFrame:
    """A row with all that is asked for, which has n = 3, and one with the others, which has n = 9."""

    def row(id: int, n: int, values: Mapping[str, str]) -> DataFrame:
        return place.spark.range(id, id + 1, 1, 1).selectExpr(
            "int(id) as id", f"{n} as n", "7 as k", *(f"{value} as {name}" for name, value in values.items())
        )

    asked = row(1, 3, {name: each.asked for name, each in types.items()})
    return asked.unionByName(row(2, 9, {name: each.other for name, each in types.items()}))


def wanted(types: Types) -> dict[str, Any]:
    return {name: each.pattern for name, each in types.items()}


def without(types: Types, names: tuple[str, ...]) -> Types:
    return {name: each for name, each in types.items() if name not in names}


def groups_of(types: Types, size: int) -> Iterator[Types]:
    """The types, so many at a time."""
    items = list(types.items())
    yield from (dict(items[at : at + size]) for at in range(0, len(items), size))


def told(types: Types) -> str:
    return ", ".join(types)


EVERY = {**COMPARED, **UNCOMPARED, **OPAQUE}


def _types() -> Iterator[Odd]:
    for types in groups_of(EVERY, 16):
        count = len(types)
        yield Odd("asked for", told(types), _filtered(types), wanted(types), KEPT_OUT, parts=count)
        yield Odd("only present", told(types), _filtered(types), {"id": 1}, KEPT_OUT, parts=count)
    for types in groups_of(without({**COMPARED, **UNCOMPARED}, BROKEN_KEYS), 15):
        yield Odd("grouped by", told(types), _grouped(types), wanted(types), KEPT_OUT, parts=len(types))
    for types in groups_of(without(EVERY, (*NULLS, "null_map")), 8):
        missing = {name: [each.pattern, ...] for name, each in types.items()}
        yield Odd("collected", told(types), _collected(types), missing, KEPT_OUT, parts=len(types))
    yield from _filtered_on()


def _filtered(types: Types) -> Callable[[Place], DataFrame]:
    return lambda place: typed(place, types).filter("n >= 5")


def _grouped(types: Types) -> Callable[[Place], DataFrame]:
    return lambda place: typed(place, types).filter("n >= 5").groupBy(*types).count()


def _collected(types: Types) -> Callable[[Place], DataFrame]:
    def collected(place: Place) -> DataFrame:
        lists = [F.collect_list(name).alias(name) for name in types]
        return typed(place, types).filter("n >= 5").groupBy("k").agg(*lists)

    return collected


def _filtered_on() -> Iterator[Odd]:
    """One filter with a condition for each type: all of them have to change, or at least are blamed."""

    def on(types: Types) -> Callable[[Place], DataFrame]:
        condition = " and ".join(f"{name} = {each.other}" for name, each in types.items())
        return lambda place: typed(place, types).filter(condition)

    fixed = without(COMPARED, WITHOUT_A_CONSTANT + NULLS)
    for types in groups_of(fixed, 8):
        verified = Sees(("filter",), words=tuple(f"{name} =" for name in types))
        yield Odd("filtered on", told(types), on(types), {"id": 1}, verified, parts=len(types))
    rest = {name: COMPARED[name] for name in WITHOUT_A_CONSTANT + NULLS}
    blamed = Sees(("filter",), verified=False, words=("no automatic fix: no other form of",))
    yield Odd("filtered on", told(rest), on(rest), {"id": 1}, blamed, parts=len(rest))


# --- types that are rare, or that Spark has switched off ---


def _rare() -> Iterator[Odd]:
    """Each by itself, so that none hides another; what Spark has switched off is refused."""
    rare = {
        "short": Typed("smallint(-32768)", "smallint(1)", -32768),
        "void": Typed("null", "null", None),
        "null among structs": Typed(
            "array(named_struct('a', 1), null)", "array(named_struct('a', 2))", [{"a": 1}, None]
        ),
        "collated": Typed("collate('Ab', 'UTF8_LCASE')", "collate('x', 'UTF8_LCASE')", "aB"),
    }
    for name, each in rare.items():
        types = {"t": each}
        yield Odd("rare", name, _filtered(types), {"id": 1, **wanted(types)}, KEPT_OUT)
    noon = {"t": Typed("time'12:00:00'", "time'01:00:00'", dt.time(12))}
    refused = Refuses(PatternTypeError, ("is not a single value", "Hint:"))
    yield Odd("rare", "time", _filtered(noon), wanted(noon), refused, {"spark.sql.timeType.enabled": "true"})
    points = {"t": Typed(_point("f03f"), _point("0040"), ANY)}
    refused = Refuses(QueryFailed, ('cannot cast "GEOMETRY',))
    yield Odd("rare", "geometry", _filtered(points), {"id": 1}, refused, {"spark.sql.geospatial.enabled": "true"})


def _point(x: str) -> str:
    """A point as SQL: the first of its numbers by its last two bytes, the second is 2."""
    return f"st_geomfromwkb(X'0101000000000000000000{x}0000000000000040')"


# --- values that are not there, and that cannot be written ---


def _absent() -> Iterator[Odd]:
    for name in ("binary", "year_month", "timestamp_ntz", "decimal_38", "nan", "array_of_arrays"):
        each = COMPARED[name]
        absent = {name: Typed(each.other, each.other, each.pattern)}
        yield Odd("in no source", name, _filtered(absent), wanted(absent), Is("not_in_data", ("No source has",)))


def _refused() -> Iterator[Odd]:
    for name, value in (("variant", {"a": 1}), ("variant", 1), ("calendar_interval", dt.timedelta(days=1))):
        refused = Refuses(PatternTypeError, ("variant" if name == "variant" else "interval", "Hint:"))
        yield Odd("refused", f"{name} {value}", _filtered({name: OPAQUE[name]}), {name: value}, refused)


# --- times and zones ---


def _zones() -> Iterator[Odd]:
    """A fix is told in the time of the session, as the query is."""
    noon = {"at": Typed("timestamp'2018-05-01 12:00:00'", "timestamp'2024-05-01 12:00:00'", "2018-05-01 12:00:00")}
    later = "at >= timestamp '2024-05-01 12:00:00'"
    for zone in ("America/New_York", "+02:00", "GMT-3", "Asia/Kathmandu"):
        yield Odd(
            "times",
            f"in {zone}",
            lambda place: typed(place, noon).filter("at >= timestamp'2024-05-01 12:00:00'"),
            wanted(noon),
            Sees((f"filter {later}",), words=("+ filter at >= timestamp '2018-05-01 12:00:00'",)),
            {"spark.sql.session.timeZone": zone},
        )

    def twice(place: Place) -> DataFrame:
        """Three quarters before and after the hour that comes twice, and the second time of its half as a limit."""
        rows = place.spark.range(2).selectExpr("int(id) as id", "timestamp_seconds(1729989900 + 7200 * id) as at")
        return rows.filter("at < timestamp'2024-10-27 02:30:00+01:00'")

    berlin = {"spark.sql.session.timeZone": "Europe/Berlin"}
    yield Odd("times", "before the second of two alike", twice, {"id": 0}, Is("not_missing"), berlin)
    after = Sees(("filter at < timestamp '2024-10-27 02:30:00+01:00'",), words=("03:45:00",))
    yield Odd("times", "after the second of two alike", twice, {"id": 1}, after, berlin)


# --- names ---


def _names() -> Iterator[Odd]:
    odd = ("\u00e9t\u00e9 \U0001f600", "tab\there", "line\nbreak", "a.b", "c`d", "", " ", "select")

    def named(place: Place) -> DataFrame:
        return place.spark.createDataFrame([(1, 3, *odd), (2, 9, *odd)], ["id", "n", *odd]).filter("n >= 5")

    yield Odd("names", "odd characters", named, {"id": 1, **{name: name for name in odd}}, KEPT_OUT, parts=len(odd))

    def twice(place: Place) -> DataFrame:
        rows = [(1, 3, 5, 6), (2, 9, 7, 8)]
        return (
            place.spark.createDataFrame(rows, "id int, n int, x int, y int").toDF("id", "n", "v", "v").filter("n >= 5")
        )

    yield Odd("names", "two columns of one name, not asked for", twice, {"id": 1}, KEPT_OUT)

    def cases(place: Place) -> DataFrame:
        return place.spark.createDataFrame([(1, 3, 5, 6), (2, 9, 6, 5)], "id int, n int, v int, V int").filter("n >= 5")

    yield Odd("names", "that differ in case", cases, {"v": 5, "V": 6}, KEPT_OUT, {"spark.sql.caseSensitive": "true"})


# --- shapes ---


def people(place: Place) -> DataFrame:
    return place.spark.createDataFrame([(1, 3, "a"), (2, 9, "b")], "id int, n int, s string").coalesce(1)


def _deep(wrap: Callable[[Any, int], Any], depth: int) -> Callable[[Any], Any]:
    def nested(value: Any) -> Any:
        for level in range(depth):
            value = wrap(value, level)
        return value

    return nested


def _shapes() -> Iterator[Odd]:
    structs = _deep(lambda value, level: F.struct(value.alias(f"f{level}")), DEEP)
    in_structs = _deep(lambda value, level: {f"f{level}": value}, DEEP)
    yield Odd(
        "shapes",
        f"structs nested {DEEP} deep",
        lambda place: people(place).select("n", structs(F.col("id")).alias("d")).filter("n >= 5"),
        {"d": in_structs(1)},
        KEPT_OUT,
    )
    arrays = _deep(lambda value, _: F.array(value), DEEP_ARRAYS)
    yield Odd(
        "shapes",
        f"arrays nested {DEEP_ARRAYS} deep",
        lambda place: people(place).select("n", arrays(F.col("id")).alias("d")).filter("n >= 5"),
        {"d": _deep(lambda value, _: [value], DEEP_ARRAYS)(1)},
        KEPT_OUT,
    )
    yield Odd(
        "shapes",
        "no columns but those of the question",
        lambda p: people(p).filter("n >= 5").select("id"),
        {"id": 1},
        KEPT_OUT,
    )
    yield Odd("shapes", "an empty struct", _empty_struct, {"id": 1, "e": {}}, KEPT_OUT)

    yield Odd(
        "shapes",
        f"{WIDE:,} columns",
        _wide,
        {"id": 1},
        Sees(("filter c7 >= 9",), words=("+ filter c7 >= 8",)),
        options={"side_effects": "none"},
    )


def _wide(place: Place) -> DataFrame:
    columns = (f"int(id) + {i} as c{i}" for i in range(WIDE))
    return place.spark.range(1, 3, 1, 1).selectExpr("int(id) as id", *columns).localCheckpoint().filter("c7 >= 9")


WIDE = 2_000
DEEP = 20
DEEP_ARRAYS = 6


def _empty_struct(place: Place) -> DataFrame:
    return people(place).withColumn("e", F.struct()).filter("n >= 5")


# --- long and repeated plans ---


def _plans() -> Iterator[Odd]:
    def columns(place: Place) -> DataFrame:
        df = people(place)
        for i in range(40):
            df = df.withColumn(f"x{i % 5}", F.col("n") + i)
        return df.filter("n >= 5")

    yield Odd("plans", "40 columns one after the other", columns, {"id": 1}, KEPT_OUT)

    def unions(place: Place) -> DataFrame:
        rows = people(place)
        df = rows.withColumn("b", F.lit(0))
        for i in range(1, 10):
            df = df.union(rows.withColumn("b", F.lit(i)))
        return df.filter("n >= 5")

    yield Odd("plans", "10 unions", unions, {"id": 1, "b": 7}, KEPT_OUT)

    def nested_unions(place: Place) -> DataFrame:
        branches = (f"select int(id) as id, int(6 * id - 3) as n, {i} as b from range(1, 3, 1, 1)" for i in range(200))
        return place.spark.sql(" union all ".join(branches)).filter("n >= 5")

    yield Odd("plans", "200 unions", nested_unions, {"id": 1, "b": 7}, KEPT_OUT)

    def itself(place: Place) -> DataFrame:
        rows = people(place)
        df = rows
        for i in range(5):
            df = df.join(rows.select("id", F.col("s").alias(f"s{i}")), "id")
        return df.filter("n >= 5")

    yield Odd("plans", "joined with itself five times", itself, {"id": 1, "s4": "a"}, KEPT_OUT)


# --- where rows come from ---


def _sources() -> Iterator[Odd]:
    for form in ("csv", "json", "orc", "parquet"):
        yield Odd("sources", form, _file(form), {"id": 1, "s": "a"}, KEPT_OUT)

    def partitioned(place: Place) -> DataFrame:
        path = str(place.folder / "partitioned")
        people(place).write.partitionBy("n").parquet(path)
        return place.spark.read.parquet(path).filter("n >= 5")

    yield Odd("sources", "a partitioned table", partitioned, {"id": 1}, KEPT_OUT)
    yield Odd("sources", "a cached query", lambda p: people(p).filter("n >= 5").cache(), {"id": 1}, KEPT_OUT)

    def checkpoint(place: Place) -> DataFrame:
        place.spark.sparkContext.setCheckpointDir(str(place.folder))
        return people(place).filter("n > 0").checkpoint().filter("n >= 5")

    yield Odd("sources", "a checkpoint", checkpoint, {"id": 1}, KEPT_OUT)
    local = Odd(
        "sources", "a local checkpoint", lambda p: people(p).localCheckpoint().filter("n >= 5"), {"id": 1}, KEPT_OUT
    )
    yield local

    def view(place: Place) -> DataFrame:
        people(place).createOrReplaceTempView("odd_people")
        return place.spark.sql("select * from odd_people where n >= 5")

    yield Odd("sources", "a temporary view", view, {"id": 1}, KEPT_OUT)

    def cached_view(place: Place) -> DataFrame:
        people(place).createOrReplaceTempView("odd_people")
        place.spark.catalog.cacheTable("odd_people")
        return place.spark.sql("select * from odd_people where n >= 5")

    yield Odd("sources", "a cached view", cached_view, {"id": 1}, KEPT_OUT)
    yield Odd("sources", "char is padded", _padded("n >= 5"), {"c": "ab  "}, KEPT_OUT)
    yield Odd("sources", "char without its blanks", _padded("n >= 5"), {"c": "ab", "v": "xy"}, KEPT_OUT)
    yield Odd("sources", "char among others", _padded("n >= 5"), {"c": one_of("aa", "ab")}, KEPT_OUT)
    yield Odd("sources", "varchar has no blanks", _padded("n >= 5"), {"v": "xy   "}, Is("not_in_data"))
    yield Odd("sources", "a filter on char", _padded("c = 'x'"), {"id": 1}, Sees(("filter c =",), words=("'ab  '",)))
    yield Odd("sources", "a filter on varchar", _padded("v = 'z'"), {"v": "xy"}, Sees(("filter v = 'z'",)))


def _file(form: str) -> Callable[[Place], DataFrame]:
    def read(place: Place) -> DataFrame:
        path = str(place.folder / form)
        people(place).write.format(form).save(path)
        return place.spark.read.schema("id int, n int, s string").format(form).load(path).filter("n >= 5")

    return read


def _padded(condition: str) -> Callable[[Place], DataFrame]:
    def table(place: Place) -> DataFrame:
        path = place.folder / "padded"
        place.spark.sql("drop table if exists odd_padded")
        place.spark.sql(
            f"create table odd_padded (id int, n int, c char(4), v varchar(5)) using parquet location '{path}'"
        )
        place.spark.sql("insert into odd_padded values (1, 3, 'ab', 'xy'), (2, 9, 'x', 'z')")
        return place.spark.table("odd_padded").filter(condition)

    return table


# --- functions, and chance ---


def _functions() -> Iterator[Odd]:
    plus = F.udf(lambda n: n + 1, IntegerType(), useArrow=False)
    yield Odd(
        "functions",
        "a filter on a Python function",
        lambda p: people(p).filter(plus("n") >= 5),
        {"id": 1},
        Sees(("filter <lambda>(n) >= 5",), words=("<lambda>(n) >= 4",)),
    )
    yield Odd(
        "functions",
        "a column of a Python function",
        lambda p: people(p).withColumn("m", plus("n")).filter("n >= 5"),
        {"m": 4},
        KEPT_OUT,
    )


def _pandas() -> Iterator[Odd]:
    """Functions of single values are followed; what makes rows of rows is refused, with a hint."""

    @pandas_udf(IntegerType())  # type: ignore[call-overload]  # its stubs know no functions with type hints
    def one_more(n: pd.Series) -> pd.Series:  # in here: Spark's Python workers do not know this module
        return n + 1

    @pandas_udf(IntegerType())  # type: ignore[call-overload]  # its stubs know no functions with type hints
    def largest(n: pd.Series) -> int:
        return int(n.max())

    yield Odd(
        "pandas", "a column", lambda p: people(p).withColumn("m", one_more("n")).filter("n >= 5"), {"m": 4}, KEPT_OUT
    )
    yield Odd(
        "pandas",
        "a filter",
        lambda p: people(p).filter(one_more("n") >= 5),
        {"id": 1},
        Sees(("filter one_more(n) >= 5",), words=("one_more(n) >= 4",)),
    )
    yield Odd(
        "pandas",
        "an aggregate above which a row is dropped",
        lambda p: people(p).groupBy("id").agg(largest("n").alias("most")).filter("most >= 5"),
        {"id": 1},
        Sees(("filter most >= 5",)),
    )
    checkpoint = "put .localCheckpoint() after this step"
    yield Odd(
        "pandas",
        "an aggregate below which a row is dropped",
        lambda p: people(p).filter("n >= 5").groupBy("id").agg(largest("n").alias("most")),
        {"id": 1},
        Refuses(QueryFailed, ("pandas function that aggregates", checkpoint)),
    )
    for name, rows in _ROWS_OF_ROWS.items():

        def made(place: Place, rows: Callable[[DataFrame], DataFrame] = rows) -> DataFrame:
            return rows(people(place)).filter("n >= 5")

        yield Odd("pandas", name, made, {"id": 1}, Refuses(UnsupportedOperator, ("cannot explain", checkpoint)))


_ROWS_OF_ROWS: Mapping[str, Callable[[DataFrame], DataFrame]] = {
    "mapInPandas": lambda df: df.mapInPandas(lambda parts: parts, df.schema),
    "applyInPandas": lambda df: df.groupBy("id").applyInPandas(lambda part: part, df.schema),
    "cogroup": lambda df: (
        df.groupBy("id").cogroup(df.groupBy("id")).applyInPandas(lambda left, _right: left, df.schema)
    ),
}


def _chances() -> Iterator[Odd]:
    """The answer says which operator another run may decide otherwise, and where it stands."""

    def warned(operator: str, text: str, *, verified: bool = True) -> Sees:
        return Sees((operator,), verified, (f"Note: {text}", "odd_data.py:", "returns other values on each run"))

    yield Odd(
        "random values",
        "a filter on rand()",
        lambda p: people(p).filter(F.rand() < 0),
        {"id": 1},
        warned("filter rand(", "filter rand(", verified=False),
    )
    yield Odd(
        "random values",
        "a column of rand()",
        lambda p: people(p).withColumn("r", F.rand(7) + F.lit(0)).filter("r > 2"),
        {"id": 1},
        warned("filter r > 2", "select *, rand(7)"),
    )
    yield Odd(
        "random values",
        "uuid()",
        lambda p: people(p).withColumn("u", F.uuid()).filter("n >= 5"),
        {"id": 1},
        Sees(("filter n >= 5",), words=("Note: select *, uuid(", "returns other values on each run")),
    )
    yield Odd(
        "random values",
        "monotonically_increasing_id()",
        lambda p: people(p).withColumn("m", F.monotonically_increasing_id()).filter("m < 0"),
        {"id": 1},
        Sees(("filter m < 0",), words=("Note: select *, monotonically_increasing_id()",)),
    )
    yield Odd(
        "random values",
        "in the pattern",
        lambda p: people(p).filter("n >= 5"),
        {"id": lambda column: (column == 1) & (F.rand() < 2)},
        Sees(("filter n >= 5",), words=("Note: <lambda> of the pattern returns other values on each run",)),
    )
    yield Odd(
        "random values",
        "not where the order decides",
        lambda p: people(p).withColumn("r", F.row_number().over(Window.orderBy("id"))).filter("r > 1"),
        {"id": 1, "r": ANY},
        Sees(("filter r > 1",)),
    )


CASES = (
    *_types(),
    *_rare(),
    *_absent(),
    *_refused(),
    *_zones(),
    *_names(),
    *_shapes(),
    *_plans(),
    *_sources(),
    *_functions(),
    *_pandas(),
    *_chances(),
)
