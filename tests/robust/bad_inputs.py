"""The table of bad inputs: what is handed in, the error that it must raise, and words of its message.

Whoever adds an argument adds rows here. `docs/reliability.md` counts them.
"""

from __future__ import annotations

import datetime as dt
import decimal
import itertools
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from pyspark.sql import DataFrame, Row, SparkSession, Window
from pyspark.sql import functions as F

from sparkwhy import (
    ANY,
    Alternative,
    Limits,
    between,
    contains,
    eq,
    ge,
    gt,
    le,
    like,
    lt,
    matches,
    ne,
    one_of,
    startswith,
    why_not,
)
from sparkwhy.errors import (
    AlternativeError,
    AmbiguousField,
    BadArgument,
    MalformedPattern,
    NotADataFrame,
    PatternError,
    PatternTypeError,
    SparkWhyError,
    TooManyAlternatives,
    UnknownAttribute,
    UnknownField,
    UnsupportedOperator,
)
from sparkwhy.question.json_form import from_json


def _shown(value: object) -> str:
    """A value by name, without its address."""
    return re.sub(r" at 0x[0-9a-f]+", "", repr(value))[:40]


@dataclass(frozen=True)
class Frames:
    """The DataFrames that bad questions are asked about."""

    spark: SparkSession
    plain: DataFrame
    typed: DataFrame
    twice: DataFrame
    odd: DataFrame

    @classmethod
    def of(cls, spark: SparkSession) -> Frames:
        typed = ", ".join(f"{name} {type}" for name, type in TYPES.items())
        return cls(
            spark,
            spark.createDataFrame([("Sue", "NY", 2018)], "name string, city string, year int").filter("year > 2019"),
            spark.createDataFrame([], typed),
            spark.createDataFrame([(0, 1, 2, 3)], "a int, b int, c int, d int").toDF("id", "id", "other", "Other"),
            spark.createDataFrame([(1, 2, (3,))], "`a.b` int, `c``d` int, s struct<`x.y`: int>"),
        )


@dataclass(frozen=True)
class Bad:
    """One bad input."""

    group: str
    name: str
    ask: Callable[[Frames], object]
    error: type[SparkWhyError]
    says: str

    @property
    def id(self) -> str:
        return f"{self.group}: {self.name}"


TYPES = {
    "i": "int",
    "l": "bigint",
    "by": "tinyint",
    "s": "string",
    "d": "double",
    "f": "float",
    "m": "decimal(5,2)",
    "b": "boolean",
    "day": "date",
    "t": "timestamp",
    "n": "timestamp_ntz",
    "x": "binary",
    "gap": "interval day to second",
    "ints": "array<int>",
    "st": "struct<a: int, b: string>",
    "kv": "map<string, int>",
}


# --- the DataFrame ---


class Foreign(DataFrame):
    """As a DataFrame of Spark Connect is: of the same family, without a JVM."""

    def __new__(cls) -> Foreign:
        return object.__new__(cls)


class PandasFrame:
    """As a frame of another library looks."""

    columns = ("id",)
    dtypes = ("int64",)


def _dataframes() -> Iterator[Bad]:
    def bad(name: str, make: Callable[[Frames], Any], says: str = "expected a PySpark DataFrame") -> Bad:
        return Bad("df", name, lambda frames: why_not(make(frames), {"id": 1}), NotADataFrame, says)

    things = [None, 1, 0.5, "df", b"df", [], {}, (), set(), object(), print, DataFrame, Row(id=1), F, Ellipsis, ANY]
    yield from (bad(_shown(thing), lambda _, thing=thing: thing) for thing in things)  # type: ignore[misc]
    yield bad("a Column", lambda _: F.col("id"))
    yield bad("a frame of pandas", lambda _: PandasFrame())
    yield bad("a list of DataFrames", lambda frames: [frames.plain])
    yield bad("a session", lambda frames: frames.spark)
    yield bad("grouped data", lambda frames: frames.plain.groupBy("city"))
    yield bad("an RDD", lambda frames: frames.spark.sparkContext.emptyRDD())
    yield bad("a reader", lambda frames: frames.spark.read)
    yield bad("a stream", lambda frames: frames.spark.readStream.format("rate").load(), "streaming")
    yield bad("Spark Connect", lambda _: Foreign(), "Spark Connect")
    yield Bad(
        "df",
        "a sample",
        lambda frames: why_not(frames.plain.sample(0.5), {"year": 1}),
        UnsupportedOperator,
        "cannot explain through sample",
    )


# --- the pattern ---


def _cyclic_dict() -> dict[str, Any]:
    row: dict[str, Any] = {}
    row["name"] = row
    return row


def _cyclic_list() -> dict[str, Any]:
    names: list[Any] = []
    names.append(names)
    return {"name": names}


def _nested(depth: int) -> dict[str, Any]:
    row: Any = 1
    for _ in range(depth):
        row = {"name": row}
    return dict(row)


class Unshown:
    """What Python cannot even show."""

    def __repr__(self) -> str:
        raise RuntimeError("no")


_ROWS: list[tuple[str, Any, type[SparkWhyError], str]] = [
    ("None", None, PatternError, "not a value of type NoneType"),
    ("a number", 1, PatternError, "not a value of type int"),
    ("text", "NY", PatternError, "not a value of type str"),
    ("JSON text", '{"city": "NY"}', PatternError, "not a value of type str"),
    ("a list", [{"city": "NY"}], PatternError, "not a value of type list"),
    ("a set", {"city"}, PatternError, "not a value of type set"),
    ("a tuple", ("NY",), PatternError, "not a value of type tuple"),
    ("a Row", Row(city="NY"), PatternError, "not a value of type Row"),
    ("a module", F, PatternError, "not a value of type module"),
    ("ANY", ANY, PatternError, "not a value of type Anything"),
    ("a predicate", gt(1), PatternError, "not a value of type Comparison"),
    ("a function", lambda column: column, PatternError, "not a value of type function"),
    ("...", ..., PatternError, "not a value of type ellipsis"),
    ("an unknown column", {"town": "NY"}, UnknownField, "has no column `town`"),
    ("a column with a typo", {"ctiy": "NY"}, UnknownField, "did you mean `city`"),
    ("an empty name", {"": 1}, UnknownField, "has no column ``"),
    ("a name with a dot", {"city.name": 1}, UnknownField, "written as dicts"),
    ("a name in backticks", {"`city`": "NY"}, UnknownField, "did you mean `city`"),
    ("a number as name", {1: "NY"}, UnknownField, "has no column `1`"),
    ("None as name", {None: "NY"}, PatternTypeError, "is not a single value"),
    ("a tuple as name", {("city", "name"): "NY"}, PatternTypeError, "is not a single value"),
    ("bytes as name", {b"city": "NY"}, UnknownField, "the result has no"),
    ("half a character as name", {"\ud800": 1}, UnknownField, "the result has no"),
    ("a column twice", {"city": "NY", "CITY": "LA"}, AmbiguousField, "twice"),
    ("... as value", {"city": ...}, PatternError, "is allowed only in lists"),
    ("a type", {"year": int}, PatternError, "int is not a pattern"),
    ("a predicate that was not called", {"year": gt}, PatternError, "gt is not a pattern"),
    ("a set as value", {"city": {"NY"}}, PatternTypeError, "is not a single value"),
    ("an object", {"city": object()}, PatternTypeError, "is not a single value"),
    ("a complex number", {"year": 1j}, PatternTypeError, "is not a single value"),
    ("a range", {"year": range(3)}, PatternTypeError, "is not a single value"),
    ("a dict for a string", {"city": {"name": "NY"}}, PatternTypeError, "a dict matches the fields"),
    ("an empty dict for a string", {"city": {}}, PatternTypeError, "a dict matches the fields"),
    ("a list for a string", {"city": ["NY"]}, PatternTypeError, "a list matches the elements"),
    ("half a character", {"city": "\ud800"}, PatternTypeError, "is not valid text"),
    ("half a character in a predicate", {"city": contains("a\udfff")}, PatternTypeError, "is not valid text"),
    ("half a character among others", {"city": one_of("a", "\ud800")}, PatternTypeError, "is not valid text"),
    ("a dict that contains itself", _cyclic_dict(), PatternError, "too large"),
    ("a list that contains itself", _cyclic_list(), PatternError, "too large"),
    ("a thousand levels", _nested(1000), PatternError, "too large"),
    ("a hundred thousand entries", {f"c{i}": 1 for i in range(100_000)}, PatternError, "too large"),
    ("a hundred thousand elements", {"name": [1] * 100_000}, PatternError, "too large"),
    ("a number of 5,000 digits", {"year": 10**5000}, PatternError, "too large"),
    ("a number of 5,000 digits as name", {10**5000: 1}, PatternError, "too large"),
    ("a number that takes hours to count", {"year": decimal.Decimal("1e999999999")}, PatternError, "too large"),
    ("a fraction that takes hours to count", {"year": decimal.Decimal("1e-999999999")}, PatternError, "too large"),
    ("a number that is none, and says so", {"year": decimal.Decimal("sNaN")}, PatternTypeError, "year is of type int"),
    ("a million characters", {"city": "x" * 1_000_000}, PatternError, "too large"),
    ("a million characters as name", {"x" * 1_000_000: 1}, PatternError, "too large"),
    ("a million bytes", {"city": b"x" * 1_000_000}, PatternError, "too large"),
    ("what cannot be shown", {"year": Unshown()}, PatternTypeError, "a value of the type Unshown"),
    ("a function that makes what cannot be shown", {"city": lambda _: Unshown()}, PatternError, "the type Unshown"),
    ("a regular expression that is none", {"city": matches("(")}, PatternError, "not a regular expression"),
    ("a function of nothing", {"city": lambda: True}, PatternError, "failed: TypeError"),
    ("a function that fails", {"city": lambda column: 1 / 0}, PatternError, "failed: ZeroDivisionError"),
    ("a function that says no condition", {"city": lambda column: True}, PatternError, "makes no column"),
    ("a function of the wrong type", {"city": F.upper}, PatternError, "DATATYPE_MISMATCH"),
    ("a function with an unknown column", {"city": lambda _: F.col("zz") == 1}, PatternError, "UNRESOLVED_COLUMN"),
    ("a function that aggregates", {"year": lambda column: F.sum(column) > 1}, PatternError, "INVALID_WHERE_CONDITION"),
    ("a function that makes rows", {"year": lambda c: F.explode(F.array(c > 1))}, PatternError, "GENERATOR"),
    ("a function of several rows", {"year": lambda c: F.max(c).over(Window.orderBy(c)) > 1}, PatternError, "WINDOW"),
    ("a function of Python", {"year": lambda c: F.udf(bool, "boolean")(c)}, PatternError, "calls a Python function"),
    ("a function that says null", {"year": lambda _: F.lit(None)}, PatternError, "makes no condition"),
]


def _rows() -> Iterator[Bad]:
    for name, missing, error, says in _ROWS:
        yield Bad(
            "missing",
            name,
            lambda frames, missing=missing: why_not(frames.plain, missing),  # type: ignore[misc]
            error,
            says,
        )


_TWICE: list[tuple[str, Any, type[SparkWhyError], str]] = [
    ("a name that two columns have", {"id": 1}, AmbiguousField, "ambiguous"),
    ("a name in a case of its own, that two have", {"OTHER": 1}, AmbiguousField, "ambiguous"),
]
_ODD: list[tuple[str, Any, type[SparkWhyError], str]] = [
    ("part of a name with a dot", {"a": 1}, UnknownField, "has no column `a`"),
    ("a path for a name with a dot", {"a": {"b": 1}}, UnknownField, "has no column `a`"),
    ("a field with a dot as a path", {"s": {"x": {"y": 1}}}, UnknownField, "has no field `s.x`"),
    ("a name with a backtick, quoted", {"`c``d`": 1}, UnknownField, "the result has no"),
]


def _names() -> Iterator[Bad]:
    for name, missing, error, says in _TWICE:
        yield Bad("names", name, lambda f, missing=missing: why_not(f.twice, missing), error, says)  # type: ignore[misc]
    for name, missing, error, says in _ODD:
        yield Bad("names", name, lambda f, missing=missing: why_not(f.odd, missing), error, says)  # type: ignore[misc]


# --- values that a type cannot have: generated, each type with each value that it refuses ---

_ZONE = dt.timezone(dt.timedelta(hours=2))
_VALUES: dict[str, Any] = {
    "True": True,
    "1": 1,
    "1.5": 1.5,
    "NaN": float("nan"),
    "infinity": float("inf"),
    "2**31": 2**31,
    "2**200": 2**200,
    "'text'": "text",
    "''": "",
    "bytes": b"\x00\xff",
    "Decimal('1.234')": decimal.Decimal("1.234"),
    "a date": dt.date(2020, 1, 1),
    "a datetime": dt.datetime(2020, 1, 1),
    "a datetime with a zone": dt.datetime(2020, 1, 1, tzinfo=_ZONE),
    "a timedelta": dt.timedelta(days=1),
    "a list": [1],
    "a dict": {"zz": 1},
}
_ACCEPTED: dict[str, set[str]] = {
    "i": {"1"},
    "l": {"1", "2**31"},
    "by": {"1"},
    "s": {"'text'", "''"},
    "d": {"1", "1.5", "NaN", "infinity", "2**31", "2**200", "Decimal('1.234')"},
    "f": {"1", "1.5", "NaN", "infinity", "2**31", "Decimal('1.234')"},
    "m": {"1", "1.5"},
    "b": {"True"},
    "day": {"a date"},
    "t": {"a date", "a datetime", "a datetime with a zone"},
    "n": {"a date", "a datetime"},
    "x": {"bytes"},
    "gap": {"a timedelta"},
    "ints": {"a list"},
    "st": set(),
    "kv": {"a dict"},
}


def _values() -> Iterator[Bad]:
    for (column, type), (name, value) in itertools.product(TYPES.items(), _VALUES.items()):
        if name not in _ACCEPTED[column]:
            unknown = type.startswith("struct") and isinstance(value, dict)
            yield Bad(
                "values",
                f"{name} as {type}",
                lambda frames, missing={column: value}: why_not(frames.typed, missing),  # type: ignore[misc]
                UnknownField if unknown else PatternTypeError,
                "has no field `st.zz`" if unknown else f"{column} is of type",
            )


# --- predicates ---

_NO_VALUES: dict[str, Any] = {
    "a list": [1],
    "a dict": {"a": 1},
    "a set": {1},
    "an object": object(),
    "a predicate": gt(1),
    "...": ...,
}


def _predicates() -> Iterator[Bad]:
    singles: list[Callable[[Any], Any]] = [eq, ne, gt, ge, lt, le]
    for function, (name, value) in itertools.product(singles, _NO_VALUES.items()):
        yield _called(function.__name__, name, lambda f=function, v=value: f(v), "is not a single value")  # type: ignore[misc]
    for function in (gt, ge, lt, le):
        yield _called(function.__name__, "None", lambda f=function: f(None), "nothing compares with null")  # type: ignore[misc]
    for name, value in _NO_VALUES.items():
        yield _called("between", name, lambda v=value: between(1, v), "is not a single value")  # type: ignore[misc]
        yield _called("between", f"{name} and 1", lambda v=value: between(v, 1), "is not a single value")  # type: ignore[misc]
        yield _called("one_of", f"1 and {name}", lambda v=value: one_of(1, v), "is not a single value")  # type: ignore[misc]
    texts: list[Callable[[Any], Any]] = [contains, startswith, like, matches]
    for function, value in itertools.product(texts, (None, 1, b"a", ["a"], ANY)):
        yield _called(function.__name__, repr(value), lambda f=function, v=value: f(v), "is not a string")  # type: ignore[misc]
    yield _called("between", "None", lambda: between(None, 1), "nothing compares with null")
    yield _called("between", "1 and None", lambda: between(1, None), "nothing compares with null")
    yield Bad("predicates", "one_of()", lambda _: one_of(), PatternError, "matches nothing")
    many = "more than 10000 values"
    yield Bad("predicates", "one_of a million", lambda _: one_of(range(1_000_000)), PatternTypeError, "single value")
    yield Bad("predicates", "one_of of a million", lambda _: one_of(*range(1_000_000)), PatternError, many)
    for function in (contains, startswith, like, matches):
        yield Bad(
            "predicates",
            f"{function.__name__} of a million characters",
            lambda _, function=function: function("x" * 1_000_000),  # type: ignore[misc]
            PatternError,
            "too large",
        )
    yield _called("eq", "what cannot be shown", lambda: eq(Unshown()), "a value of the type Unshown")
    yield _called("contains", "what cannot be shown", lambda: contains(Unshown()), "is not a string")  # type: ignore[arg-type]
    yield Bad("predicates", "one_of([])", lambda _: one_of([]), PatternError, "matches nothing")
    yield Bad("predicates", "like that escapes nothing", lambda _: like("a\\b"), PatternError, "escapes nothing")
    yield Bad(
        "predicates",
        "between upside down",
        lambda frames: why_not(frames.plain, {"year": between(3, 1)}),
        PatternTypeError,
        "matches nothing",
    )
    yield Bad(
        "predicates",
        "between of a number and a text",
        lambda frames: why_not(frames.plain, {"year": between(1, "a")}),
        PatternTypeError,
        "year is of type int",
    )
    yield Bad(
        "predicates",
        "contains of a number",
        lambda frames: why_not(frames.plain, {"year": contains("1")}),
        PatternTypeError,
        "tests a string",
    )
    yield Bad(
        "predicates",
        "two ... in a list",
        lambda frames: why_not(frames.typed, {"ints": [..., 1, ...]}),
        PatternTypeError,
        "more than one",
    )
    yield Bad(
        "predicates",
        "a list of many that overlap",
        lambda frames: why_not(frames.typed, {"ints": [gt(i) for i in range(20)]}),
        PatternError,
        "too many different patterns",
    )


def _called(function: str, name: str, call: Callable[[], Any], says: str) -> Bad:
    return Bad("predicates", f"{function} of {name}", lambda _: call(), PatternTypeError, says)


# --- JSON ---

_JSON: list[tuple[str, type[SparkWhyError], str]] = [
    ("", MalformedPattern, "not JSON"),
    ("{", MalformedPattern, "not JSON"),
    ('{"city": "NY"', MalformedPattern, "not JSON"),
    ('{"city": "NY"}}', MalformedPattern, "not JSON"),
    ("{city: NY}", MalformedPattern, "not JSON"),
    ("{'city': 'NY'}", MalformedPattern, "not JSON"),
    ('{"city": "NY",}', MalformedPattern, "not JSON"),
    ('{"city": "a\nb"}', MalformedPattern, "not JSON"),
    ('{"city": NaN}', PatternTypeError, "nan is not a value of this type"),
    ('{"city": -Infinity}', PatternTypeError, "-inf is not a value of this type"),
    ('{"city": "NY", "city": "LA"}', PatternError, "occurs twice"),
    ("null", PatternError, "must be a dict"),
    ("7", PatternError, "must be a dict"),
    ('"NY"', PatternError, "must be a dict"),
    ("[]", PatternError, "must be a dict"),
    ('{"$gt": 1}', PatternError, "a predicate alone is not a row"),
    ('{"city": {"$contain": "x"}}', PatternError, "did you mean $contains"),
    ('{"city": {"$gt": 1, "a": 2}}', PatternError, "cannot be combined with other names"),
    ('{"city": {"$between": [1]}}', PatternError, "takes two values"),
    ('{"city": {"$in": "NY"}}', PatternError, "takes a list"),
    ('{"city": {"$in": []}}', PatternError, "matches nothing"),
    ('{"city": {"$null": "yes"}}', PatternError, "true or false"),
    ('{"city": {"$gt": [1]}}', PatternTypeError, "is not a single value"),
    ('{"city": {"$contains": 1}}', PatternTypeError, "is not a string"),
    ('{"city": "*"}', PatternError, "is allowed only in lists"),
    ('{"city": ["*", "*"]}', PatternTypeError, "more than one"),
    ('{"city": ' + "[" * 2000 + "]" * 2000 + "}", PatternError, "too large"),
    ('{"city": ' + "9" * 5000 + "}", PatternError, "too large"),
    ('{"city": "\\ud800"}', PatternTypeError, "is not valid text"),
]


def _json() -> Iterator[Bad]:
    for text, error, says in _JSON:
        yield Bad(
            "JSON",
            text[:40] or "nothing",
            lambda frames, text=text: why_not(frames.plain, from_json(text)),  # type: ignore[misc,arg-type]
            error,
            says,
        )


# --- alternatives ---

_ALTERNATIVES: list[tuple[str, Any, type[SparkWhyError], str]] = [
    ("a number", 1, AlternativeError, "a list of groups"),
    ("True", True, AlternativeError, "a list of groups"),
    ("another word", "automatic", AlternativeError, "a list of groups"),
    ("a dict", {"name": "city"}, AlternativeError, "a list of groups"),
    ("a function", F.lit, AlternativeError, "a list of groups"),
    ("an Alternative by itself", Alternative({"name": "city"}), AlternativeError, "a list of groups"),
    ("names without a group", ["name", "city"], AlternativeError, "is not a group"),
    ("a group of one", [{"name"}], AlternativeError, "fewer than two attributes"),
    ("an empty group", [[]], AlternativeError, "fewer than two attributes"),
    ("numbers", [{1, 2}], AlternativeError, "not names"),
    ("None in a list", [None], AlternativeError, "is not a group"),
    ("a dict in a list", [{"name": "city"}], AlternativeError, "write Alternative"),
    ("an unknown name", [{"name", "town"}], UnknownAttribute, "no source of the query"),
    ("an empty name", [{"name", ""}], AlternativeError, "is not a path"),
    ("a broken path", [{"name", "a..b"}], AlternativeError, "is not a path"),
    ("an open backtick", [{"name", "`city"}], AlternativeError, "is not a path"),
    ("groups without end", itertools.repeat({"name", "city"}), AlternativeError, "more than 1000"),
    ("a group without end", [itertools.repeat("name")], AlternativeError, "more than 1000"),
    ("an empty Alternative", [Alternative({})], AlternativeError, "without changes"),
    ("an Alternative of None", [Alternative(None)], AlternativeError, "which names replace which"),  # type: ignore[arg-type]
    ("an Alternative of pairs", [Alternative([("a", "b")])], AlternativeError, "which names"),  # type: ignore[arg-type]
    ("an Alternative of numbers", [Alternative({1: 2})], AlternativeError, "which names"),  # type: ignore[dict-item]
    ("an Alternative of an unknown name", [Alternative({"city": "zz"})], UnknownAttribute, "zz"),
    ("a list that contains itself", _cyclic_list()["name"], AlternativeError, "not names"),
]


def _alternatives() -> Iterator[Bad]:
    for name, given, error, says in _ALTERNATIVES:
        yield Bad(
            "alternatives",
            name,
            lambda frames, given=given: why_not(frames.plain, {"city": "NY"}, alternatives=given),  # type: ignore[misc]
            error,
            says,
        )
    many = {f"c{i}": i for i in range(12)}
    yield Bad(
        "alternatives",
        "too many",
        lambda frames: why_not(
            frames.spark.range(1)
            .selectExpr(*(f"{v} as {c}" for c, v in many.items()))
            .localCheckpoint(False)
            .filter(" + ".join(many) + " > 0"),
            {"c1": 1},
            alternatives=[set(many)],
        ),
        TooManyAlternatives,
        "alternatives",
    )


# --- the other arguments ---

_NO_BOOLEANS: tuple[Any, ...] = (None, 1, 0, "no", "false", [], object())
_NO_MODES: tuple[Any, ...] = (None, 1, "", "swop", True, ["swap"])
_NO_SECONDS: tuple[Any, ...] = (0, -1, 0.0, float("nan"), float("inf"), "60", True, [], dt.timedelta(seconds=1), 1j)
_NO_CALLABLES: tuple[Any, ...] = (1, "print", [], {}, True)
_NO_LIMITS: tuple[Any, ...] = (None, 1, True, "", {"worlds": 1}, Limits)
_NO_WISHES: tuple[Any, ...] = (None, True, 1, "", "all", "EXACT", ["none"], object())

_ARGUMENTS: list[tuple[str, Any, type[SparkWhyError], str]] = [
    *[("mode", value, AlternativeError, "unknown mode") for value in _NO_MODES],
    *[("verify", value, BadArgument, "is True or False") for value in _NO_BOOLEANS],
    *[("side_effects", value, BadArgument, "cannot be counted as") for value in _NO_WISHES],
    *[("progress", value, BadArgument, "cannot be") for value in _NO_CALLABLES],
    *[("timeout", value, BadArgument, "is a number of seconds") for value in _NO_SECONDS],
    *[
        ("redact", value, BadArgument, "redact cannot be")
        for value in (None, 1, "city", b"city", [], {"city": True}, [1], [None], str, object(), 0.5)
    ],
    *[
        ("limits", value, BadArgument, "must be an instance of Limits")
        for value in (None, 1, True, "", {"worlds": 1}, Limits)
    ],
    ("redact", ["ctiy"], BadArgument, "names ctiy"),
    ("redact", ["name", "zz"], BadArgument, "names zz"),
]


_UNSHOWN: list[tuple[str, str, Any, type[SparkWhyError], str]] = [
    *[
        (argument, "what cannot be shown", Unshown(), error, "a value of the type Unshown")
        for argument, error in (
            ("alternatives", AlternativeError),
            ("mode", AlternativeError),
            ("verify", BadArgument),
            ("side_effects", BadArgument),
            ("progress", BadArgument),
            ("timeout", BadArgument),
            ("redact", BadArgument),
            ("limits", BadArgument),
        )
    ],
    ("alternatives", "a list of what cannot be shown", [Unshown()], AlternativeError, "a value of the type Unshown"),
    ("timeout", "10**400", 10**400, BadArgument, "is a number of seconds"),
    ("timeout", "-10**5000", -(10**5000), BadArgument, "is a number of seconds"),
    ("timeout", "1e300", 1e300, BadArgument, "is a number of seconds"),
    ("redact", "names without end", itertools.repeat("city"), BadArgument, "more than 10,000"),
    ("redact", "numbers without end", itertools.count(), BadArgument, "redact cannot be"),
]


def _column_as(argument: str) -> dict[str, Any]:
    return {argument: F.col("city")}


def _arguments() -> Iterator[Bad]:
    for argument, value, error, says in _ARGUMENTS:
        yield Bad(
            argument,
            _shown(value),
            lambda frames, given={argument: value}: why_not(frames.plain, {"city": "NY"}, **given),  # type: ignore[misc]
            error,
            says,
        )
    columns: list[tuple[str, Any, type[SparkWhyError], str]] = [
        ("side_effects", "a Column", BadArgument, "cannot be counted as"),
        ("alternatives", "a Column", AlternativeError, "a list of groups"),
        ("redact", "a Column", BadArgument, "redact cannot be"),
        ("timeout", "a Column", BadArgument, "is a number of seconds"),
        ("mode", "a Column", AlternativeError, "unknown mode"),
        ("verify", "a Column", BadArgument, "is True or False"),
        ("progress", "a Column", BadArgument, "cannot be"),
        ("limits", "a Column", BadArgument, "must be an instance of Limits"),
    ]
    for argument, name, error, says in columns:
        yield Bad(
            argument,
            name,
            lambda f, argument=argument: why_not(f.plain, {"city": "NY"}, **_column_as(argument)),  # type: ignore[misc]
            error,
            says,
        )
    for argument, name, value, error, says in _UNSHOWN:
        yield Bad(
            argument,
            name,
            lambda f, given={argument: value}: why_not(f.plain, {"city": "NY"}, **given),  # type: ignore[misc]
            error,
            says,
        )
    yield Bad(
        "missing", "a Column as value", lambda f: why_not(f.plain, {"city": F.col("name")}), PatternTypeError, "single"
    )
    yield Bad("predicates", "eq of a Column", lambda _: eq(F.col("name")), PatternTypeError, "is not a single value")


BAD_INPUTS = (
    *_dataframes(),
    *_rows(),
    *_names(),
    *_values(),
    *_predicates(),
    *_json(),
    *_alternatives(),
    *_arguments(),
)
