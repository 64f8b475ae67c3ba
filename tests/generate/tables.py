"""Small tables of nested data: strategies for their types and values, and how Spark is given them.

Types and values are those of the plan and of the reference engine, so that a table can be used without Spark too.
"""

from __future__ import annotations

import datetime as dt
import math
from dataclasses import dataclass
from decimal import Decimal as Dec
from typing import Any

from hypothesis import strategies as st
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType

from sparkwhy.memory.values import MapValue, Row, Value
from sparkwhy.plan.types import (
    BOOLEAN,
    DATE,
    DOUBLE,
    INTEGER,
    LONG,
    STRING,
    TIMESTAMP,
    Array,
    Atom,
    Decimal,
    Field,
    Map,
    Struct,
    Type,
    ddl,
)
from tests.generate.choices import Choices

MONEY = Decimal(9, 2)
ATOMS: tuple[Type, ...] = (STRING, INTEGER, LONG, DOUBLE, BOOLEAN, DATE, TIMESTAMP, MONEY)

PLAIN_NAMES = ("a", "b", "c", "d", "k", "v", "id", "key", "col")
ODD_NAMES = ("A", "a.b", "x y", "ti`ck", "größe", "名前", "a[0]", "1st", "*")

UTC = dt.timezone.utc


@dataclass(frozen=True)
class Data:
    """A table: its columns and its rows."""

    columns: tuple[Field, ...]
    rows: tuple[Row, ...]

    def __str__(self) -> str:
        shape = ", ".join(f"{quoted(c.name)} {sql_type(c.type)}" for c in self.columns)
        rows = "".join(f"\n#    {row!r}" for row in self.rows)
        return f"({shape}){rows}"


# --- types -----------------------------------------------------------------------------------------------------------


def a_name(choices: Choices) -> str:
    return choices.pick(ODD_NAMES if choices.one_in(4) else PLAIN_NAMES)


def a_type(choices: Choices, depth: int) -> Type:
    """A type with at most so many levels of collections and structs."""
    match choices.count(0, 5) if depth else 0:
        case 0 | 1:
            return choices.pick(ATOMS)
        case 2:
            return Array(a_type(choices, depth - 1))
        case 3:
            return Struct(fields(choices, depth - 1, 3))
        case 4:
            return Array(Struct(fields(choices, depth - 1, 3)))
        case _:
            return Map(choices.pick((STRING, INTEGER)), a_type(choices, depth - 1))


def fields(choices: Choices, depth: int, most: int) -> tuple[Field, ...]:
    """Fields or columns with names that differ, but perhaps only in case."""
    found = choices.several(lambda: Field(a_name(choices), a_type(choices, depth)), 1, most)
    return tuple({field.name: field for field in found}.values())


# --- values ----------------------------------------------------------------------------------------------------------

_COMMON: dict[Type, tuple[Value, ...]] = {
    STRING: ("a", "b", "ab", "", "A", "12"),
    INTEGER: (0, 1, 2, 3, -1),
    LONG: (0, 1, 2, 3, -5),
    DOUBLE: (0.0, 0.25, 1.0, 1.5, -2.25),
    BOOLEAN: (True, False),
    DATE: (dt.date(2020, 2, 29), dt.date(2021, 12, 31), dt.date(2022, 1, 1)),
    TIMESTAMP: (dt.datetime(2020, 2, 29, 23, 30, tzinfo=UTC), dt.datetime(2022, 1, 1, tzinfo=UTC)),
    MONEY: (Dec("0.00"), Dec("1.00"), Dec("2.50"), Dec("-0.01")),
}
_RARE: dict[Type, tuple[Value, ...]] = {
    STRING: ("ü", "a%b_c", "x'y\\z", " a ", "-1"),
    INTEGER: (2**31 - 1, -(2**31)),
    LONG: (10**12, 2**31),
    DOUBLE: (math.nan, -0.0, 1e6),
    BOOLEAN: (True,),
    DATE: (dt.date(1969, 12, 31),),
    TIMESTAMP: (dt.datetime(1969, 12, 31, 23, 59, 59, 999999, tzinfo=UTC),),
    MONEY: (Dec("9999999.99"),),
}


def a_value(choices: Choices, type: Type) -> Value:
    """A value of a type, perhaps null; of few different ones, so that joins and groups have something to find."""
    if choices.one_in(5):
        return None
    match type:
        case Array(element):
            return tuple(choices.several(lambda: a_value(choices, element), 0, 3))
        case Struct(fields):
            return tuple(a_value(choices, field.type) for field in fields)
        case Map(key, value):
            keys = choices.some(_COMMON[key], 0, 2)
            return MapValue(tuple((k, a_value(choices, value)) for k in keys))
        case _:
            return choices.pick(_RARE[type] if choices.one_in(8) else _COMMON[type])


# --- tables ----------------------------------------------------------------------------------------------------------


def a_table(choices: Choices, columns: tuple[Field, ...]) -> Data:
    """A table of 0 to 8 rows, some of them twice."""
    rows = choices.several(lambda: tuple(a_value(choices, column.type) for column in columns), 0, 6)
    copies = choices.some(rows, 0, 2)
    return Data(columns, tuple(rows + copies))


@st.composite
def tables(draw: st.DrawFn, *, depth: int = 3) -> Data:
    choices = Choices(draw)
    return a_table(choices, fields(choices, depth, 4))


# --- for Spark -------------------------------------------------------------------------------------------------------


def create(session: SparkSession, data: Data) -> DataFrame:
    """The table as local data, which Spark plans and collects without starting a job."""
    if not data.rows:
        return _empty(session, data)
    rows = ", ".join("(" + ", ".join(map(sql_value, row, _types(data))) + ")" for row in data.rows)
    shape = ", ".join(quoted(column.name) for column in data.columns)
    return session.sql(f"SELECT * FROM VALUES {rows} AS t({shape})")


def _types(data: Data) -> list[Type]:
    return [column.type for column in data.columns]


def _empty(session: SparkSession, data: Data) -> DataFrame:
    """No rows: SQL has no words for that, and the public API makes it a job."""
    shape = ", ".join(f"{quoted(column.name)} {sql_type(column.type)}" for column in data.columns)
    schema = session._jsparkSession.parseDataType(StructType.fromDDL(shape).json())
    assert session._jvm is not None
    rows = session._jvm.java.util.ArrayList()
    return DataFrame(session._jsparkSession.createDataFrame(rows, schema), session)


def quoted(name: str) -> str:
    """The name as SQL and `F.col` want it.

    >>> quoted("a.b")
    '`a.b`'
    """
    return name if name.isidentifier() and name.isascii() else "`" + name.replace("`", "``") + "`"


def sql_type(type: Type) -> str:
    """The type in SQL, with the names of fields quoted."""
    match type:
        case Array(element):
            return f"array<{sql_type(element)}>"
        case Map(key, value):
            return f"map<{sql_type(key)},{sql_type(value)}>"
        case Struct(fields):
            return "struct<" + ",".join(f"{quoted(f.name)}:{sql_type(f.type)}" for f in fields) + ">"
        case _:
            return ddl(type)


def sql_value(value: Value, type: Type) -> str:
    """The value as a SQL expression of exactly this type."""
    if value is None:
        return f"CAST(NULL AS {sql_type(type)})"
    match type:
        case Array(element) if value:
            return f"array({', '.join(sql_value(v, element) for v in value)})"
        case Array():
            return f"CAST(array() AS {sql_type(type)})"
        case Map(key, inner) if value.pairs:
            pairs = (f"{sql_value(k, key)}, {sql_value(v, inner)}" for k, v in value.pairs)
            return f"map({', '.join(pairs)})"
        case Map():
            return f"CAST(map() AS {sql_type(type)})"
        case Struct(fields):
            parts = (f"{_text(f.name)}, {sql_value(v, f.type)}" for f, v in zip(fields, value, strict=True))
            return f"named_struct({', '.join(parts)})"
        case _:
            return _sql_atom(value, type)


def _sql_atom(value: Any, type: Atom | Decimal) -> str:
    match value:
        case str():
            return _text(value)
        case dt.datetime():
            return f"TIMESTAMP'{value.replace(tzinfo=None).isoformat(' ')}Z'"
        case dt.date():
            return f"DATE'{value.isoformat()}'"
        case _:
            return f"CAST('{value}' AS {ddl(type)})"


def _text(value: str) -> str:
    return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"
