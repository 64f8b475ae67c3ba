"""Spark and the reference engine agree on every aggregate and window function."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from pyspark.sql import Column as SparkColumn
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from sparkwhy.errors import EvaluationError
from sparkwhy.memory.interpreter import run
from sparkwhy.memory.values import Row
from sparkwhy.plan.exprs import (
    AggCall,
    Attribute,
    AttrId,
    Call,
    Compare,
    Expr,
    Frame,
    FrameBound,
    Literal,
    Mode,
    Ref,
    WindowCall,
)
from sparkwhy.plan.functions import AGGREGATES
from sparkwhy.plan.nodes import Aggregate, Column, OpId, SortKey, Source, Table, Window
from sparkwhy.plan.types import BOOLEAN, INTEGER, STRING, Type, ddl, same_shape, type_from_json
from tests.lab.agreement import alike, fails, frame, from_spark
from tests.lab.awkward import COLUMNS
from tests.lab.sql import over, to_sql

pytestmark = pytest.mark.spark

NAMES = ("b", "y", "i", "l", "f", "e", "p", "w", "t", "day", "ints", "point")
NUMBERS = ("y", "i", "l", "f", "e", "p", "w")
GROUP = Attribute(AttrId(900), "grp", INTEGER)
ATTRIBUTES = (GROUP, *(COLUMNS[name].attribute for name in NAMES))
TABLE = Table(id=OpId(1), attributes=ATTRIBUTES, source=Source("t"))


def rows() -> list[Row]:
    """Group 0: all awkward values; 1: nulls; 2 to 9: one to three values of each column; 10 on: mild ones."""
    columns = [COLUMNS.values[name][1] for name in NAMES]
    longest = max(map(len, columns))
    every = [(0, *(column[i % len(column)] for column in columns)) for i in range(longest)]
    nulls = [(1, *(None for _ in columns))] * 2
    few = [(2 + i % 8, *(column[(i * 7 + 1) % len(column)] for column in columns)) for i in range(20)]
    return [*every, *nulls, *few]


def aggregate(function: str, *args: str | Expr, distinct: bool = False, mode: Mode = "legacy") -> AggCall:
    return AggCall(function, tuple(COLUMNS[a] if isinstance(a, str) else a for a in args), distinct, mode=mode)


def aggregates(mode: Mode) -> list[AggCall]:
    skip, keep = Literal(True, BOOLEAN), Literal(False, BOOLEAN)
    one = Literal(1, INTEGER)
    spread = [f for f in AGGREGATES if f.startswith(("stddev", "var"))]
    return [
        *(aggregate(f, name, mode=mode) for f in ("sum", "avg") for name in NUMBERS),
        *(aggregate("sum", name, distinct=True, mode=mode) for name in ("i", "p")),
        *(aggregate("count", name) for name in NAMES),
        aggregate("count", one),
        aggregate("count", "i", "t"),
        aggregate("count", "b", "t", distinct=True),
        aggregate("count", "e", distinct=True),
        *(aggregate(f, name) for f in ("min", "max") for name in NAMES),
        *(aggregate(f, name, flag) for f in ("first", "last") for name in ("i", "t") for flag in (skip, keep)),
        *(aggregate("collect_list", name) for name in NAMES),
        *(aggregate(f, "b") for f in ("bool_and", "bool_or")),
        *(aggregate(f, name) for f in ("bit_and", "bit_or", "bit_xor") for name in ("y", "i", "l")),
        *(aggregate(f, "i", name) for f in ("max_by", "min_by") for name in ("l", "e", "t")),
        *(aggregate(f, "e") for f in spread),
        AggCall("count", (COLUMNS["i"],), condition=Compare(">", COLUMNS["i"], one)),
        AggCall("sum", (COLUMNS["i"],), condition=COLUMNS["b"], mode=mode),
    ]


def _columns(exprs: list[Expr]) -> tuple[Column, ...]:
    return tuple(Column(Attribute(AttrId(1000 + i), f"c{i}", e.type), e) for i, e in enumerate(exprs))


def _check_types(spark_types: list[Type], exprs: list[Expr]) -> list[str]:
    return [
        f"{to_sql(e)}: type {ddl(t)}, not {ddl(e.type)}"
        for t, e in zip(spark_types, exprs, strict=True)
        if not same_shape(t, e.type)
    ]


@pytest.mark.parametrize("mode", ["legacy", "try"])
def test_aggregates_agree(spark: SparkSession, quiet: None, mode: Mode) -> None:
    spark.conf.set("spark.sql.ansi.enabled", "false")
    exprs: list[Expr] = list(aggregates(mode))
    data = rows()
    key = Column(GROUP, Ref(GROUP))
    plan = Aggregate(id=OpId(2), input=TABLE, keys=(key,), aggregates=_columns(exprs))
    ours = {row[0]: row[1:] for row in run(plan, {TABLE.id: data})}
    grouped = frame(spark, ATTRIBUTES, data).coalesce(1).groupBy("grp").agg(*_sql(exprs))
    types = [type_from_json(json.loads(f.dataType.json())) for f in grouped.schema.fields[1:]]
    found = _check_types(types, exprs)
    for group, *values in grouped.collect():
        for expr, type, value, given in zip(exprs, types, values, ours[group], strict=True):
            if not alike(given, from_spark(value, type), 12):
                found.append(f"{to_sql(expr)} of {group}: Spark {value!r}, not {given!r}")
    assert not found, "\n".join(found[:40])


def _sql(exprs: list[Expr]) -> list[SparkColumn]:
    return [F.expr(f"{to_sql(expr)} AS c{i}") for i, expr in enumerate(exprs)]


@pytest.mark.parametrize(("function", "name"), [("sum", "l"), ("sum", "w"), ("avg", "w")])
def test_aggregates_that_fail_agree(spark: SparkSession, quiet: None, function: str, name: str) -> None:
    spark.conf.set("spark.sql.ansi.enabled", "true")
    attribute = COLUMNS[name].attribute
    largest = max(value for value in COLUMNS.values[name][1] if value is not None)
    table = Table(id=OpId(1), attributes=(attribute,), source=Source("t"))
    call = aggregate(function, name, mode="ansi")
    plan = Aggregate(id=OpId(2), input=table, keys=(), aggregates=_columns([call]))
    data: list[Row] = [(largest,)] * 3
    failed = fails(frame(spark, (attribute,), data).selectExpr(to_sql(call)))
    if failed:
        with pytest.raises(EvaluationError):
            run(plan, {table.id: data})
    else:
        run(plan, {table.id: data})


def test_sets_agree_but_for_their_order(spark: SparkSession, quiet: None) -> None:
    exprs: list[Expr] = [aggregate("collect_set", name) for name in ("i", "e", "t", "ints")]
    plan = Aggregate(id=OpId(2), input=TABLE, keys=(), aggregates=_columns(exprs))
    (ours,) = run(plan, {TABLE.id: rows()})
    (theirs,) = frame(spark, ATTRIBUTES, rows()).selectExpr(*map(to_sql, exprs)).collect()
    for expr, given, value in zip(exprs, ours, theirs, strict=True):
        assert sorted(map(repr, given)) == sorted(map(repr, from_spark(value, expr.type))), to_sql(expr)


# --- windows -------------------------------------------------------------------------------------------------------

PART = Attribute(AttrId(1), "part", INTEGER)
TIE = Attribute(AttrId(2), "tie", INTEGER)
NUMBER = Attribute(AttrId(3), "number", INTEGER)
NAME = Attribute(AttrId(4), "name", STRING)
WINDOWED = Table(id=OpId(1), attributes=(PART, TIE, NUMBER, NAME), source=Source("w"))
WINDOW_ROWS: list[Row] = [
    (part, tie, number, name)
    for number, (part, tie, name) in enumerate(
        [(1, 1, "a"), (1, 1, None), (1, None, "c"), (1, 3, "d"), (1, 4, "e"), (1, 9, "f"), (1, None, "g"), (2, 5, "h"),
         (None, 2, "i"), (None, 2, "j"), (1, 3, "k")]
    )
]  # fmt: skip


def ranks() -> list[Call | AggCall]:
    value, three = Ref(NAME), Literal(3, INTEGER)
    return [
        *(Call(f, ()) for f in ("row_number", "rank", "dense_rank", "percent_rank", "cume_dist")),
        Call("ntile", (three,)),
        *(
            Call(f, (value, Literal(offset, INTEGER), default))
            for f in ("lag", "lead")
            for offset in (0, 1, -2)
            for default in (Literal(None, STRING), Literal("?", STRING))
        ),
    ]


def framed() -> list[Call | AggCall]:
    value = Ref(NUMBER)
    return [
        *(AggCall(f, (value,)) for f in ("sum", "count", "min", "max", "avg")),
        AggCall("collect_list", (Ref(NAME),)),
        AggCall("first", (Ref(NAME), Literal(False, BOOLEAN))),
        AggCall("last", (Ref(NAME), Literal(True, BOOLEAN))),
        Call("nth_value", (Ref(NAME), Literal(2, INTEGER))),
    ]


ROWS: list[tuple[FrameBound, FrameBound]] = [
    (None, "current row"),
    (-1, 1),
    (1, 2),
    ("current row", None),
    (None, None),
    (-3, -2),
]
RANGES: list[tuple[FrameBound, FrameBound]] = [
    (None, "current row"),
    (-2, "current row"),
    (-1, 3),
    (1, None),
    (None, -1),
]


def cases() -> Iterator[tuple[tuple[SortKey, ...], list[WindowCall]]]:
    """Windows with their orders: full ones, where every function has one answer, and some with ties."""
    whole = Frame("rows", None, "current row")
    rows = [Frame("rows", lower, upper) for lower, upper in ROWS]
    ranges = [Frame("range", lower, upper) for lower, upper in RANGES]
    tied = [Call(f, ()) for f in ("rank", "dense_rank", "percent_rank", "cume_dist")]
    for up, nulls_first in ((True, True), (False, False)):
        full = (SortKey(Ref(TIE), up, nulls_first), SortKey(Ref(NUMBER)))
        yield full, [*(WindowCall(f, whole) for f in ranks()), *(WindowCall(f, x) for x in rows for f in framed())]
        sums = [AggCall(f, (Ref(NUMBER),)) for f in ("sum", "count", "max")]
        tie = (SortKey(Ref(TIE), up, not nulls_first),)
        yield tie, [*(WindowCall(f, whole) for f in tied), *(WindowCall(f, x) for x in ranges for f in sums)]


def test_windows_agree(spark: SparkSession, quiet: None) -> None:
    spark.conf.set("spark.sql.ansi.enabled", "false")
    table = frame(spark, WINDOWED.attributes, WINDOW_ROWS)
    found = []
    for order, calls in cases():
        plan = Window(id=OpId(2), input=WINDOWED, partition=(Ref(PART),), order=order, columns=_columns(list(calls)))
        ours = {row[2]: row[4:] for row in run(plan, {WINDOWED.id: WINDOW_ROWS})}
        texts = [over(call.function, (Ref(PART),), order, call.frame) for call in calls]  # type: ignore[arg-type]
        for number, *values in table.selectExpr("number", *texts).collect():
            for call, text, value, given in zip(calls, texts, values, ours[number], strict=True):
                if not alike(given, from_spark(value, call.type), 15):
                    found.append(f"{text} of row {number}: Spark {value!r}, not {given!r}")
    assert not found, "\n".join(found[:40])
