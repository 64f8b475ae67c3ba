"""Values on their way out of the cluster: encoded as text that keeps nested parts apart, and decoded by type.

Spark's own text of a nested value does not say where one part ends: `[Doe, Ann]` has one element or two. So the parts
of structs, arrays and maps are quoted and listed in brackets, as in JSON. A value that is not nested is its own text.
"""

from __future__ import annotations

import datetime as dt
import decimal
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from sparkwhy.memory.printing import show_double, show_time
from sparkwhy.plan.build import call, either, null, transform
from sparkwhy.plan.exprs import Cast, Expr, FieldOf, IsNull, Literal
from sparkwhy.plan.types import (
    BINARY,
    BOOLEAN,
    DATE,
    DOUBLE,
    FLOAT,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    Array,
    Map,
    Struct,
    Type,
    is_numeric,
)
from sparkwhy.question.values import convert


@dataclass(frozen=True, slots=True)
class MapEntries:
    """The entries of a map, in the order in which Spark lists them."""

    pairs: tuple[tuple[Any, Any], ...]


Typed: TypeAlias = Any
"""A decoded value: None, bool, int, float, Decimal, str, bytes, date, datetime; an array as a tuple, a struct as a
mapping by field name, a map as `MapEntries`. A value of any other type stays the text that Spark prints."""


# --- encode ---


def encode(value: Expr) -> Expr:
    """Return the value as text, from which `decode` makes it again; null stays null, so that it sorts first."""
    if not _is_nested(value.type):
        return _to_text(value)
    return either(IsNull(value), null(STRING), _encode_nested(value))


def encode_row(values: Iterable[Expr]) -> Expr:
    """Return several values as one text, from which `decode_row` makes them again."""
    return _bracket(*map(_encode_part, values))


def as_text(value: Expr) -> Expr:
    """Return the value as Spark prints it."""
    return value if value.type == STRING else Cast(value, STRING)


def _to_text(value: Expr) -> Expr:
    return call("hex", value) if value.type == BINARY else as_text(value)


def _is_nested(type: Type) -> bool:
    return isinstance(type, Array | Map | Struct)


def _encode_part(value: Expr) -> Expr:
    if _is_nested(value.type):
        return _keep_null(value, _encode_nested(value))
    text = _to_text(value)
    return _keep_null(value, _quote(text if _has_no_quotes(value.type) else _escape(text)))


def _encode_nested(value: Expr) -> Expr:
    """Return the text of a struct, an array or a map that is not null: `["1",["2",null]]`."""
    match value.type:
        case Array():
            return _bracket(transform(value, _encode_part))
        case Map():
            return _bracket(transform(call("map_entries", value), _encode_part))
        case Struct(fields):
            return _bracket(*(_encode_part(FieldOf(value, at)) for at in range(len(fields))))
        case _:
            raise AssertionError(f"{value.type} is not nested")


def _keep_null(value: Expr, text: Expr) -> Expr:
    return either(IsNull(value), _literal("null"), text)


def _bracket(*parts: Expr) -> Expr:
    return call("concat", _literal("["), call("concat_ws", _literal(","), *parts), _literal("]"))


def _has_no_quotes(type: Type) -> bool:
    return is_numeric(type) or type in (BOOLEAN, BINARY, DATE, TIMESTAMP, TIMESTAMP_NTZ)


def _escape(text: Expr) -> Expr:
    return call("replace", call("replace", text, _literal("\\"), _literal("\\\\")), _literal('"'), _literal('\\"'))


def _quote(text: Expr) -> Expr:
    return call("concat", _literal('"'), text, _literal('"'))


def _literal(value: str) -> Expr:
    return Literal(value, STRING)


# --- decode ---


def decode(text: str | None, type: Type, timezone: str) -> Typed:
    """Return the value of this type that `encode` made the text of; the text itself if no Python type can hold it.

    >>> from sparkwhy.plan.types import INTEGER
    >>> decode('["1",null]', Array(INTEGER), "UTC")
    (1, None)
    """
    if text is None or not _is_nested(type):
        return decode_atom(text, type, timezone)
    try:
        return _decode_part(_parse(text), type, timezone)
    except ValueError:
        return text


def decode_row(text: str, types: Sequence[Type], timezone: str) -> tuple[Typed, ...]:
    """Return the values of these types that `encode_row` made the text of."""
    return tuple(_decode_part(part, type, timezone) for part, type in zip(_parse(text), types, strict=True))


def _parse(text: str) -> Any:
    return json.loads(text, strict=False)  # control characters stand for themselves


def _decode_part(part: Any, type: Type, timezone: str) -> Typed:
    match type:
        case _ if part is None:
            return None
        case Array():
            return tuple(_decode_part(each, type.element, timezone) for each in part)
        case Map():
            return MapEntries(tuple(_decode_entry(each, type, timezone) for each in part))
        case Struct():
            pairs = zip(type.fields, part, strict=True)
            return {field.name: _decode_part(each, field.type, timezone) for field, each in pairs}
        case _:
            return decode_atom(str(part), type, timezone)


def _decode_entry(entry: Any, type: Map, timezone: str) -> tuple[Typed, Typed]:
    key, value = entry
    return _decode_part(key, type.key, timezone), _decode_part(value, type.value, timezone)


def decode_atom(text: str | None, type: Type, timezone: str) -> Typed:
    """Return the value of this type that Spark prints as this text; the text itself if no Python type can hold it."""
    if text is None or _is_nested(type):
        return text
    try:
        if type == BINARY:
            return bytes.fromhex(text)
        if text == "NaN" and type in (FLOAT, DOUBLE):  # one object, so that equal rows with it compare as equal
            return math.nan
        if type == FLOAT:  # as many digits as Spark prints: 0.1, not 0.10000000149011612
            return float(text)
        return convert(text, type, timezone)
    except (ValueError, ArithmeticError):
        return text


def decode_printed(text: str | None, type: Type, timezone: str) -> Typed:
    """Return the value that Spark prints as this text. Bytes and nested values stay text, for it does not tell all."""
    return text if type == BINARY else decode_atom(text, type, timezone)


# --- print ---


def print_value(value: Typed) -> str:
    """Return the text that Spark prints for a decoded value: `true`, `1.0E10`, `{1, [a, null]}`."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case float():
            return show_double(value)
        case decimal.Decimal():
            return format(value, "f")
        case dt.datetime():
            return show_time(value.replace(tzinfo=None))
        case bytes():
            return str(value, "utf-8", "replace")
        case tuple() | list():
            return f"[{', '.join(map(print_value, value))}]"
        case MapEntries(pairs):
            return f"{{{', '.join(f'{print_value(key)} -> {print_value(each)}' for key, each in pairs)}}}"
        case Mapping():
            return f"{{{', '.join(map(print_value, value.values()))}}}"
        case _:
            return str(value)
