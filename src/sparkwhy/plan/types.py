"""Types of values: atoms, decimals, arrays, maps and structs, named as Spark names them in JSON."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias


@dataclass(frozen=True, slots=True)
class Atom:
    """A type without parts, by its Spark name: `integer`, `string`, `date`, `interval day`, ..."""

    name: str


@dataclass(frozen=True, slots=True)
class Decimal:
    precision: int
    scale: int

    def __post_init__(self) -> None:
        assert 0 < self.precision <= 38, f"decimal precision {self.precision}"


@dataclass(frozen=True, slots=True)
class Array:
    element: Type
    contains_null: bool = True


@dataclass(frozen=True, slots=True)
class Map:
    key: Type
    value: Type
    contains_null: bool = True


@dataclass(frozen=True, slots=True)
class Field:
    name: str
    type: Type
    nullable: bool = True


@dataclass(frozen=True, slots=True)
class Struct:
    fields: tuple[Field, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(field.name for field in self.fields)


Type: TypeAlias = Atom | Decimal | Array | Map | Struct

NULL = Atom("void")
BOOLEAN = Atom("boolean")
BYTE, SHORT, INTEGER, LONG = Atom("byte"), Atom("short"), Atom("integer"), Atom("long")
FLOAT, DOUBLE = Atom("float"), Atom("double")
STRING, BINARY = Atom("string"), Atom("binary")
DATE, TIMESTAMP, TIMESTAMP_NTZ = TIMES = Atom("date"), Atom("timestamp"), Atom("timestamp_ntz")

INTEGRALS: Mapping[Type, int] = {BYTE: 8, SHORT: 16, INTEGER: 32, LONG: 64}
"""The integer types and their width in bits."""

FRACTIONALS = frozenset({FLOAT, DOUBLE})

UNCOMPARABLE = frozenset({Atom("variant"), Atom("interval")})
"""Types whose values Spark neither compares nor groups by."""

_INTERVAL = re.compile(r"interval (\w+)(?: to (\w+))?")
_DECIMAL = re.compile(r"decimal\((\d+),\s*(\d+)\)")


def is_numeric(type: Type) -> bool:
    return type in INTEGRALS or type in FRACTIONALS or isinstance(type, Decimal)


def interval_fields(type: Type) -> tuple[str, str] | None:
    """Return the first and the last field that an interval type names, or None for other types.

    >>> interval_fields(Atom("interval day to second"))
    ('day', 'second')
    """
    found = _INTERVAL.fullmatch(type.name) if isinstance(type, Atom) else None
    return (found[1], found[2] or found[1]) if found else None


def is_day_time(type: Type) -> bool:
    """Return whether the type is an interval of days, hours, minutes or seconds."""
    fields = interval_fields(type)
    return fields is not None and fields[0] in ("day", "hour", "minute", "second")


def is_year_month(type: Type) -> bool:
    """Return whether the type is an interval of years or months."""
    fields = interval_fields(type)
    return fields is not None and fields[0] in ("year", "month")


def type_from_json(described: Any) -> Type:
    """Return the type that Spark's `DataType.json` describes, parsed: a name, or a mapping with a `type`."""
    if isinstance(described, str):
        found = _DECIMAL.fullmatch(described)
        return Decimal(int(found[1]), int(found[2])) if found else Atom(described)
    match described["type"]:
        case "array":
            return Array(type_from_json(described["elementType"]), described["containsNull"])
        case "map":
            return Map(
                type_from_json(described["keyType"]),
                type_from_json(described["valueType"]),
                described["valueContainsNull"],
            )
        case "struct":
            return Struct(tuple(field_from_json(field) for field in described["fields"]))
        case "udt":
            return Atom(f"udt {described.get('pyClass') or described.get('class')}")
        case other:
            return Atom(str(other))


def field_from_json(described: Mapping[str, Any]) -> Field:
    return Field(described["name"], type_from_json(described["type"]), described["nullable"])


_SQL_NAMES = {
    "integer": "int", "long": "bigint", "short": "smallint", "byte": "tinyint"
}  # fmt: skip


def ddl(type: Type) -> str:
    """Return the type as SQL writes it: `array<struct<city: string, year: int>>`."""
    match type:
        case Atom(name):
            return _SQL_NAMES.get(name, name)
        case Decimal(precision, scale):
            return f"decimal({precision},{scale})"
        case Array(element):
            return f"array<{ddl(element)}>"
        case Map(key, value):
            return f"map<{ddl(key)},{ddl(value)}>"
        case Struct(fields):
            return "struct<" + ", ".join(f"{field.name}: {ddl(field.type)}" for field in fields) + ">"


def same_shape(left: Type, right: Type) -> bool:
    """Return whether the types are equal but for what may be null."""
    match left, right:
        case Array(a), Array(b):
            return same_shape(a, b)
        case Map(k, v), Map(l, w):
            return same_shape(k, l) and same_shape(v, w)
        case Struct(fields), Struct(others):
            return len(fields) == len(others) and all(
                f.name == g.name and same_shape(f.type, g.type) for f, g in zip(fields, others, strict=True)
            )
        case _:
            return left == right
