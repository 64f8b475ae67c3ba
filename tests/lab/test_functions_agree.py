"""Spark and the reference engine agree on every function of the catalogue, over awkward values."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest
from pyspark.sql import SparkSession

from sparkwhy.memory.evaluate import evaluator
from sparkwhy.memory.settings import Settings
from sparkwhy.plan.exprs import (
    And,
    Attribute,
    AttrId,
    Call,
    Case,
    Compare,
    CompareOp,
    Expr,
    FieldOf,
    In,
    IsNotNull,
    IsNull,
    ItemOf,
    Lambda,
    Literal,
    MakeStruct,
    Mode,
    Not,
    Or,
    Ref,
    Variable,
)
from sparkwhy.plan.functions import AGGREGATES, FUNCTIONS
from sparkwhy.plan.types import BOOLEAN, DOUBLE, INTEGER, STRING, Array, Atom, Type
from sparkwhy.plan.walk_exprs import parts
from sparkwhy.spark.classic.run.columns import name_of, to_column
from tests.lab.agreement import disagreements, frame
from tests.lab.awkward import COLUMNS
from tests.lab.test_groups_agree import aggregates, cases

pytestmark = pytest.mark.spark


@pytest.fixture(params=["legacy", "ansi"])
def mode(spark: SparkSession, quiet: None, request: pytest.FixtureRequest) -> Mode:
    spark.conf.set("spark.sql.ansi.enabled", str(request.param == "ansi").lower())
    chosen: Mode = request.param
    return chosen


# --- how cases are written -------------------------------------------------------------------------------------------


def call(function: str, *args: str | int | Expr, mode: Mode = "legacy") -> Call:
    """A call over columns by their names, and integer constants."""
    return Call(function, tuple(_argument(arg) for arg in args), mode)


def _argument(arg: str | int | Expr) -> Expr:
    if isinstance(arg, str):
        return COLUMNS[arg]
    return Literal(arg, INTEGER) if isinstance(arg, int) else arg


def text(value: str) -> Literal:
    return Literal(value, STRING)


def variable(id: int, type: Type) -> Variable:
    return Variable(id, f"v{id}", type)


def arithmetic(mode: Mode) -> list[Expr]:
    pairs = ["y z", "h k", "i j", "l m", "f g", "d e", "p q", "q p", "w x", "p w", "whole p"]
    binary = [call(op, *pair.split(), mode=mode) for op in ("+", "-", "*", "%", "pmod") for pair in pairs]
    divisions = [call("/", *pair.split(), mode=mode) for pair in ("d e", "p q", "q p", "w x", "p w", "whole p")]
    whole = [call("div", *pair.split(), mode=mode) for pair in ("l m", "p q", "w x")]
    single = [call(op, name, mode=mode) for op in ("negative", "abs") for name in "yhilfdpqw"]
    rounds = [
        call("round", name, Literal(scale, INTEGER), mode=mode) for name in "yhilfd" for scale in (0, 1, 2, -1, -2, -10)
    ]
    return [*binary, *divisions, *whole, *single, *rounds]


def tried() -> list[Expr]:
    pairs = ["i j", "l m", "d e", "p q", "w x"]
    both = [call(op, *pair.split(), mode="try") for op in ("+", "-", "*", "%") for pair in pairs]
    return [*both, *(call("/", *pair.split(), mode="try") for pair in ("d e", "p q", "w x"))]


def numbers(mode: Mode) -> list[Expr]:
    return [
        *(call(op, name, mode=mode) for op in ("floor", "ceil") for name in ("l", "d", "p", "q", "w", "whole")),
        call("sqrt", "d"),
        *(call(op, *pair.split()) for op in ("greatest", "least") for pair in ("i j", "d e", "t u", "b c")),
        *(call(op, "doubles", "doubles2") for op in ("greatest", "least")),
        *(call(op, *pair.split()) for op in "&|^" for pair in ("y z", "h k", "i j", "l m")),
        *(call("~", name) for name in "yhil"),
        *(call(op, name, "j") for op in ("shiftleft", "shiftright") for name in "il"),
        *(call("bit_count", name) for name in "byhil"),
    ]


def strings(_: Mode) -> list[Expr]:
    return [
        *(call(op, "t") for op in ("upper", "lower", "trim", "ltrim", "rtrim", "length", "reverse")),
        *(call("hex", name) for name in "tl"),
        call("substring", "t", "n", "o"),
        call("concat", "t", "u", "v"),
        call("concat", "ints", "ints2"),
        call("concat_ws", "u", "v", "texts"),
        *(call(op, "t", "u") for op in ("contains", "startswith", "endswith", "instr")),
        call("like", "t", "pattern"),
        call("like", "t", text("a|%%"), text("|")),
        *(call("rlike", "t", text(regex)) for regex in ("", "^a", "[XY]$", r"\w\W", "(b|c)+", "x.y", "ß|語")),
        call("replace", "t", "u", "v"),
        call("lpad", "t", "n", "u"),
        call("rpad", "t", "n", "u"),
        *(call("split", "bmp", text(regex), -1) for regex in ("X", "", "a?", "[ .]", "\\.", "x*", "b|$")),
        *(call("split", "t", text(regex), "n") for regex in ("X", "", "a")),
        *(
            call("regexp_replace", "bmp", text(regex), text(new))
            for regex, new in (("a", "b"), ("(a)(X?)", "<$2$1>"), ("", "-"), ("x*", "-"), ("[^a-z]", "\\$1"))
        ),
        call("reverse", "ints"),
        call("repeat", "t", "n"),
    ]


def dates(_: Mode) -> list[Expr]:
    return [
        *(call(op, "day") for op in ("year", "quarter", "month", "day", "dayofweek")),
        *(call(op, name) for op in ("hour", "minute") for name in ("ts", "ntz")),
        *(call(op, "day", "n") for op in ("date_add", "date_sub", "add_months")),
        call("datediff", "day", "day2"),
        call("add_months", "day", Literal(13, INTEGER)),
        call("interval_days", "span"),
        call("interval_days", "days"),
        call("timestamp_plus_days", "ts", "span"),
        call("timestamp_plus_days", "ntz", "span"),
    ]


def nulls(_: Mode) -> list[Expr]:
    return [
        call("coalesce", "i", "j", 7),
        call("coalesce", "doubles", "doubles2"),
        call("isnan", "d"),
        call("isnan", "f"),
        call("nanvl", "d", "e"),
        call("nanvl", "f", "g"),
    ]


def collections(mode: Mode) -> list[Expr]:
    arrays = ("ints", "doubles", "texts", "arrays", "points")
    sets = ("array_union", "array_intersect", "array_except", "arrays_overlap")
    up, down = Literal(True, BOOLEAN), Literal(False, BOOLEAN)
    return [
        call("array", "i", "j"),
        call("array", "doubles", "doubles2"),
        call("map", "u", "i"),
        call("map", "d", "i", "e", "i"),
        ItemOf(COLUMNS["ints"], COLUMNS["n"], mode),
        ItemOf(COLUMNS["map"], COLUMNS["u"], mode),
        call("element_at", "ints", "n", mode=mode),
        call("element_at", "map", "u", mode=mode),
        *(call("size", name) for name in (*arrays, "map")),
        *(call("legacy_size", name) for name in ("ints", "map") if mode == "legacy"),
        call("array_contains", "ints", "i"),
        call("array_contains", "doubles", "e"),
        call("array_contains", "points", "point"),
        call("array_position", "ints", "i"),
        call("array_position", "doubles", "e"),
        *(call(op, name) for op in ("array_distinct", "array_min", "array_max", "array_compact") for name in arrays),
        *(call("sort_array", name, direction) for direction in (up, down) for name in arrays),
        *(call(op, *pair.split()) for op in sets for pair in ("ints ints2", "doubles doubles2")),
        call("array_repeat", "t", "n"),
        call("array_append", "ints", "i"),
        call("array_append", "points", "point"),
        call("slice", "ints", "n", "o"),
        call("sequence", "n", "o"),
        call("sequence", "n", "o", "i"),
        call("flatten", "arrays"),
        *(call(op, "map") for op in ("map_keys", "map_values", "map_entries")),
        call("map_from_arrays", "texts", "ints"),
        call("map_from_arrays", "doubles", "ints"),
        call("map_from_entries", "pairs"),
    ]


def lambdas(mode: Mode) -> list[Expr]:
    x, at, y = variable(1, INTEGER), variable(2, INTEGER), variable(3, DOUBLE)
    row, total = variable(4, Array(INTEGER)), variable(5, INTEGER)
    plus = Call("+", (x, COLUMNS["n"]), mode)
    small = Compare("<", x, COLUMNS["n"])
    positive = Compare(">", y, Literal(0.0, DOUBLE))
    add = Lambda((total, x), Call("+", (total, x), mode))
    inner = Lambda((x,), Call("+", (x, Call("size", (row,))), mode))
    return [
        call("transform", "ints", Lambda((x,), plus)),
        call("transform", "ints", Lambda((x, at), Call("-", (plus, at), mode))),
        call("transform", "arrays", Lambda((row,), Call("transform", (row, inner)))),
        call("filter", "ints", Lambda((x,), small)),
        call("filter", "ints", Lambda((x, at), Compare("<", at, COLUMNS["n"]))),
        call("exists", "ints", Lambda((x,), small)),
        call("forall", "ints", Lambda((x,), small)),
        call("exists", "doubles", Lambda((y,), positive)),
        call("forall", "doubles", Lambda((y,), positive)),
        call("aggregate", "ints", "n", add, Lambda((total,), Call("negative", (total,), mode))),
        call("zip_with", "ints", "ints2", Lambda((x, at), Call("+", (x, at), mode))),
        call("zip_with", "ints", "ints2", Lambda((x, at), Call("coalesce", (x, at)))),
    ]


def logic(_: Mode) -> list[Expr]:
    orders: tuple[CompareOp, ...] = ("=", "<=>", "<>", "<", "<=", ">", ">=")
    pairs = ("b c", "i j", "d e", "f g", "w x", "t u", "day day2", "ints ints2", "doubles doubles2", "point point2")
    b, c, n, e = (COLUMNS[name] for name in ("b", "c", "n", "e"))
    null = Literal(None, INTEGER)
    return [
        *(Compare(op, *(COLUMNS[name] for name in pair.split())) for op in orders for pair in pairs),
        And((b, c)),
        Or((b, c)),
        Not(b),
        IsNull(e),
        IsNotNull(e),
        In(n, (Literal(1, INTEGER), null)),
        In(n, (COLUMNS["o"], Literal(5, INTEGER))),
        In(e, (COLUMNS["d"], Literal(1.0, DOUBLE))),
        Case(((b, n), (c, COLUMNS["o"])), None),
        Case(((b, n),), COLUMNS["o"]),
        FieldOf(COLUMNS["point"], 1),
        FieldOf(COLUMNS["points"], 0),
        MakeStruct(("a", "b"), (n, e)),
    ]


FAMILIES: Mapping[str, Callable[[Mode], list[Expr]]] = {
    "arithmetic": arithmetic,
    "numbers": numbers,
    "strings": strings,
    "dates": dates,
    "nulls": nulls,
    "collections": collections,
    "lambdas": lambdas,
    "logic": logic,
}


@pytest.mark.parametrize("family", FAMILIES)
def test_functions_agree(spark: SparkSession, mode: Mode, family: str) -> None:
    found = disagreements(spark, COLUMNS, FAMILIES[family](mode))
    assert not found, "\n".join(found[:40])


def test_dates_agree_where_clocks_change(spark: SparkSession, quiet: None) -> None:
    spark.conf.set("spark.sql.session.timeZone", "America/New_York")
    found = disagreements(spark, COLUMNS, dates("ansi"), settings=Settings(timezone="America/New_York"))
    assert not found, "\n".join(found[:40])


def test_functions_that_try_agree(spark: SparkSession, quiet: None) -> None:
    found = disagreements(spark, COLUMNS, tried())
    assert not found, "\n".join(found[:40])


def test_powers_agree_but_for_the_last_digits(spark: SparkSession, quiet: None) -> None:
    found = disagreements(spark, COLUMNS, [call("power", "d", "e"), call("power", "e", "d")], digits=14)
    assert not found, "\n".join(found[:40])


def test_adding_months_agrees(spark: SparkSession, quiet: None) -> None:
    """Apart from the others, since a Python row cannot carry an interval of months."""
    day, months = COLUMNS["day"].attribute, Attribute(AttrId(99), "months", Atom("interval year to month"))
    plus = evaluator(Call("date_plus_months", (Ref(day), Ref(months))), (day, months), Settings())
    rows = [row for row in COLUMNS.rows(("day", "n")) if row[0] is None or row[0].year > 1]
    table = frame(spark, (day, COLUMNS["n"].attribute), rows)
    for given, *row in table.selectExpr("day + make_ym_interval(0, n)", "day", "n").collect():
        assert given == plus(tuple(row)), row


@pytest.mark.parametrize("count", [1, 2, 3])
def test_counting_what_is_there_agrees(spark: SparkSession, quiet: None, count: int) -> None:
    """`dropna` is the only way to ask Spark for `at_least_n_non_nulls`."""
    names = ("e", "n", "u")
    attributes = tuple(COLUMNS[name].attribute for name in names)
    holds = evaluator(call("at_least_n_non_nulls", count, *names), attributes, Settings())
    rows = COLUMNS.rows(names)
    kept = frame(spark, attributes, rows).dropna(thresh=count, subset=list(names)).select("id").collect()
    assert {row.id for row in kept} == {i for i, row in enumerate(rows) if holds(row)}


@pytest.mark.parametrize("name", ["p", "q", "whole"])
def test_the_digits_of_decimals_agree(spark: SparkSession, name: str) -> None:
    """They have no name in SQL."""
    attribute, rows = COLUMNS[name].attribute, COLUMNS.rows((name,))
    asked = Call("unscaled_value", (Ref(attribute),))
    data = frame(spark, [attribute], rows).withColumnRenamed(name, name_of(attribute))
    told = data.orderBy("id").select(to_column(spark, asked).alias("n")).collect()
    engine = evaluator(asked, (attribute,), Settings())
    assert [engine(row) for row in rows] == [row.n for row in told]
    assert {row.n for row in told} - {None, 0}


def test_every_function_is_asked_about() -> None:
    asked = [e for mode in ("legacy", "ansi") for family in FAMILIES.values() for e in family(mode)]
    windows = [call.function for _, calls in cases() for call in calls]
    covered = {part.function for expr in [*asked, *windows] for part in parts(expr) if isinstance(part, Call)}
    apart = {"power", "date_plus_months", "at_least_n_non_nulls", "unscaled_value"}
    apart |= {"xxhash64"}  # of a hash only equality counts
    assert covered | apart == set(FUNCTIONS)
    assert {aggregate.function for aggregate in aggregates("legacy")} | {"collect_set"} == set(AGGREGATES)
