"""Nested values on their way out of the cluster: as text that keeps their parts apart, and back.

Spark's own text of a nested value does not say where one part ends: `[Doe, Ann]` has one element or two. So strings are
quoted on the way, and each struct, array and map is a list in brackets, as in JSON.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from sparkwhy.plan.build import call, either, transform
from sparkwhy.plan.exprs import Expr, FieldOf, IsNull, Literal
from sparkwhy.plan.types import STRING, Array, Map, Struct, Type
from sparkwhy.trace.observe import as_text


@dataclass(frozen=True, slots=True)
class Entries:
    """The entries of a map."""

    pairs: tuple[tuple[Parts, Parts], ...]


Parts: TypeAlias = "str | tuple[Parts, ...] | Mapping[str, Parts] | Entries | None"
"""A value in its parts: an array as a tuple, a struct by its names, and in the end texts."""


class NestedText(str):
    """A nested value as Spark writes it, which also knows its parts."""

    __slots__ = ("parts",)
    parts: Parts

    @classmethod
    def of(cls, parts: Parts) -> NestedText:
        made = cls(_written(parts))
        made.parts = parts
        return made


# --- out ---


def outgoing(value: Expr) -> Expr:
    """The value as text, from which `incoming` makes it again; what is not nested is its own text."""
    return _listed(value) if _is_nested(value.type) else as_text(value)


def _is_nested(type: Type) -> bool:
    return isinstance(type, Array | Map | Struct)


def _listed(value: Expr) -> Expr:
    match value.type:
        case Array():
            return _unless_null(value, _in_brackets(transform(value, _listed)))
        case Map():
            return _unless_null(value, _in_brackets(transform(call("map_entries", value), _listed)))
        case Struct():
            fields = (_listed(FieldOf(value, at)) for at in range(len(value.type.fields)))
            return _unless_null(value, _in_brackets(*fields))
        case _:
            return _unless_null(value, _quoted(as_text(value)))


def _unless_null(value: Expr, text: Expr) -> Expr:
    return either(IsNull(value), _text("null"), text)


def _in_brackets(*parts: Expr) -> Expr:
    return call("concat", _text("["), call("concat_ws", _text(","), *parts), _text("]"))


def _quoted(text: Expr) -> Expr:
    escaped = call("replace", call("replace", text, _text("\\"), _text("\\\\")), _text('"'), _text('\\"'))
    return call("concat", _text('"'), escaped, _text('"'))


def _text(value: str) -> Expr:
    return Literal(value, STRING)


# --- back ---


def incoming(text: str | None, type: Type) -> str | None:
    """The text of a value of this type, as Spark writes it; of a nested value with its parts."""
    if text is None or not _is_nested(type):
        return text
    parts = _parts(json.loads(text, strict=False), type)  # control characters stand for themselves
    return None if parts is None else NestedText.of(parts)


def _parts(read: Any, type: Type) -> Parts:
    match type:
        case _ if read is None:
            return None
        case Array():
            return tuple(_parts(each, type.element) for each in read)
        case Map():
            return Entries(tuple((_parts(key, type.key), _parts(value, type.value)) for key, value in read))
        case Struct():
            return {field.name: _parts(each, field.type) for field, each in zip(type.fields, read, strict=True)}
        case _:
            return str(read)


def _written(parts: Parts) -> str:
    match parts:
        case None:
            return "null"
        case str():
            return parts
        case tuple():
            return f"[{', '.join(map(_written, parts))}]"
        case Entries():
            return f"{{{', '.join(f'{_written(key)} -> {_written(value)}' for key, value in parts.pairs)}}}"
        case _:
            return f"{{{', '.join(map(_written, parts.values()))}}}"
