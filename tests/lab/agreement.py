"""Asks Spark and the reference engine for the same expressions over the same awkward values."""

from __future__ import annotations

import datetime as dt
import decimal
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from sparkwhy.errors import EvaluationError, NotInterpretable
from sparkwhy.memory.dates import micros_of
from sparkwhy.memory.evaluate import evaluator
from sparkwhy.memory.settings import Settings
from sparkwhy.memory.values import MapValue, Row, Value
from sparkwhy.plan.exprs import Attribute, AttrId, Expr, Ref
from sparkwhy.plan.types import (
    BINARY,
    LONG,
    TIMESTAMP,
    Array,
    Map,
    Struct,
    Type,
    ddl,
    same_shape,
    type_from_json,
)
from sparkwhy.plan.walk_exprs import attributes_of, rewrite
from tests.lab.sql import to_sql

FAILURES_TRIED = 1
"""A value that must fail needs a query of its own: so many are tried of each expression."""

UTC_SETTINGS = Settings()


@dataclass(frozen=True)
class Fails:
    """The outcome of an evaluation that raises."""


@dataclass(frozen=True)
class Unknown:
    """The outcome of an evaluation that the reference engine refuses."""


@dataclass(frozen=True)
class Columns:
    """Named columns, each with a type and the values that it takes."""

    values: Mapping[str, tuple[Type, Sequence[Value]]]

    def __getitem__(self, name: str) -> Ref:
        place = list(self.values).index(name)
        return Ref(Attribute(AttrId(place), name, self.values[name][0]))

    def rows(self, names: Sequence[str]) -> list[Row]:
        """All combinations of the values of these columns."""
        return list(product(*(self.values[name][1] for name in names)))


@dataclass(frozen=True)
class Check:
    """An expression, the table of values that it is asked about, and what the reference engine says."""

    expr: Expr
    attributes: tuple[Attribute, ...]
    rows: list[Row]
    outcomes: list[Value]


def frame(spark: SparkSession, attributes: Sequence[Attribute], rows: Sequence[Row]) -> DataFrame:
    """The rows as a DataFrame, with their numbers in a column `id`."""
    schema = ", ".join(["id int", *(f"{a.name} {ddl(a.type)}" for a in attributes)])
    types = [a.type for a in attributes]
    data = [(i, *(to_spark(v, t) for v, t in zip(row, types, strict=True))) for i, row in enumerate(rows)]
    return spark.createDataFrame(data, schema, verifySchema=False)


def disagreements(
    spark: SparkSession, columns: Columns, exprs: Iterable[Expr], *, settings: Settings = UTC_SETTINGS, digits: int = 17
) -> list[str]:
    """What Spark and the reference engine say differently, for all combinations of the values read.

    All expressions are asked in one job, over one wide table: side by side, the combinations for each of them.
    """
    checks: list[Check] = []
    tables: dict[tuple[str, ...], tuple[tuple[Attribute, ...], list[Row]]] = {}
    for expr in exprs:
        names = tuple(sorted({a.name for a in attributes_of(expr)}))
        if names not in tables:
            own = tuple(_renamed(columns[name].attribute, len(tables)) for name in names)
            tables[names] = (own, columns.rows(names))
        checks.append(_check(expr, *tables[names], settings))
    wide = _side_by_side(spark, list(tables.values()))
    return [*_differences(wide, checks, digits), *_missing_failures(spark, wide, checks)]


def _check(expr: Expr, attributes: tuple[Attribute, ...], rows: list[Row], settings: Settings) -> Check:
    asked = rewrite(expr, lambda part: _own(part, attributes))
    return Check(asked, attributes, rows, [_outcome(asked, attributes, row, settings) for row in rows])


def _renamed(attribute: Attribute, table: int) -> Attribute:
    return Attribute(AttrId(1000 * (table + 1) + attribute.id), f"{attribute.name}_{table}", attribute.type)


def _own(part: Expr, attributes: Sequence[Attribute]) -> Expr | None:
    if not isinstance(part, Ref):
        return None
    return next(Ref(a) for a in attributes if a.id % 1000 == part.attribute.id)


def _side_by_side(spark: SparkSession, tables: Sequence[tuple[tuple[Attribute, ...], list[Row]]]) -> DataFrame:
    height = max(len(rows) for _, rows in tables)
    padded = [rows + [(None,) * len(attributes)] * (height - len(rows)) for attributes, rows in tables]
    wide = [tuple(value for row in parts for value in row) for parts in zip(*padded, strict=True)]
    return frame(spark, [a for attributes, _ in tables for a in attributes], wide)


def _differences(wide: DataFrame, checks: Sequence[Check], digits: int) -> list[str]:
    selected = wide.selectExpr("id", *(f"{_guarded(check)} AS c{i}" for i, check in enumerate(checks)))
    types = [type_from_json(json.loads(field.dataType.json())) for field in selected.schema.fields[1:]]
    found = [
        f"{to_sql(check.expr)}: type {ddl(theirs)}, not {ddl(check.expr.type)}"
        for check, theirs in zip(checks, types, strict=True)
        if not same_shape(LONG if check.expr.type == TIMESTAMP else check.expr.type, theirs)
    ]
    for id, *values in selected.collect():
        for check, type, value in zip(checks, types, values, strict=True):
            if id < len(check.rows) and not isinstance(check.outcomes[id], Fails | Unknown):
                given, theirs = _asked(check.outcomes[id]), from_spark(value, type)
                if not alike(given, theirs, digits):
                    found.append(f"{to_sql(check.expr)} of {check.rows[id]}: Spark {theirs!r}, not {given!r}")
    return found


def _guarded(check: Check) -> str:
    """The expression, not evaluated where it would stop the job or has no Python value."""
    out = [str(i) for i, outcome in enumerate(check.outcomes) if isinstance(outcome, Fails | Unknown)]
    left_out = f"id >= {len(check.rows)}" + (f" OR id IN ({', '.join(out)})" if out else "")
    text = to_sql(check.expr)
    asked = f"unix_micros({text})" if check.expr.type == TIMESTAMP else text
    return f"CASE WHEN {left_out} THEN NULL ELSE {asked} END"


def _asked(value: Value) -> Value:
    """Timestamps are asked for in microseconds: Python cannot hold all of Spark's."""
    return micros_of(value) if isinstance(value, dt.datetime) and value.tzinfo else value


def _missing_failures(spark: SparkSession, wide: DataFrame, checks: Sequence[Check]) -> list[str]:
    """Values for which the reference engine fails and Spark does not."""
    tries = [(check, i) for check in checks for i in _chosen_failures(check)]
    if not tries:
        return []
    local = _driver_side(spark, wide)
    return [
        f"{to_sql(check.expr)} of {check.rows[i]}: no failure"
        for check, i in tries
        if not fails(local.where(f"id = {i}").selectExpr(to_sql(check.expr)))
    ]


def _chosen_failures(check: Check) -> list[int]:
    failing = [i for i, outcome in enumerate(check.outcomes) if isinstance(outcome, Fails)]
    return failing[:: max(1, len(failing) // FAILURES_TRIED)][:FAILURES_TRIED]


def fails(query: DataFrame) -> bool:
    try:
        query.collect()
    except PySparkException:
        return True
    return False


def _driver_side(spark: SparkSession, table: DataFrame) -> DataFrame:
    """The same rows, known to the optimizer: it evaluates projections of them without a job."""
    rows = spark._jsparkSession.createDataFrame(table._jdf.collectAsList(), table._jdf.schema())
    return DataFrame(rows, spark)


def _outcome(expr: Expr, attributes: Sequence[Attribute], row: Row, settings: Settings) -> Value:
    try:
        return evaluator(expr, attributes, settings)(row)
    except EvaluationError:
        return Fails()
    except NotInterpretable:
        return Unknown()


# --- values --------------------------------------------------------------------------------------------------------


def to_spark(value: Value, type: Type) -> Any:
    if value is None:
        return None
    match type:
        case Array(element):
            return [to_spark(part, element) for part in value]
        case Struct(fields):
            return tuple(to_spark(part, f.type) for part, f in zip(value, fields, strict=True))
        case Map(of_key, of_value):
            return {to_spark(k, of_key): to_spark(v, of_value) for k, v in value.pairs}
        case _:
            return value


def from_spark(value: Any, type: Type) -> Value:
    if value is None:
        return None
    match type:
        case Array(element):
            return tuple(from_spark(part, element) for part in value)
        case Struct(fields):
            return tuple(from_spark(part, f.type) for part, f in zip(value, fields, strict=True))
        case Map(of_key, of_value):
            return MapValue(tuple((from_spark(k, of_key), from_spark(v, of_value)) for k, v in value.items()))
        case _ if type == BINARY:
            return bytes(value)
        case _ if type == TIMESTAMP:
            return value.astimezone(dt.timezone.utc)
        case _:
            return value


def alike(a: Value, b: Value, digits: int = 17) -> bool:
    """Equal to the last bit and the sign of zero; or, for doubles, to so many digits."""
    if isinstance(a, MapValue) and isinstance(b, MapValue):
        return alike(tuple(sorted(a.pairs, key=repr)), tuple(sorted(b.pairs, key=repr)), digits)
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(alike(x, y, digits) for x, y in zip(a, b, strict=True))
    if isinstance(a, float) and isinstance(b, float) and digits < 17:
        return repr(a) == repr(b) or math.isclose(a, b, rel_tol=10.0**-digits)
    if isinstance(a, decimal.Decimal) and isinstance(b, decimal.Decimal):
        return a == b
    return type(a) is type(b) and repr(a) == repr(b)
