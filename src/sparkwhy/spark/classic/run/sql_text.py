"""Expressions as SQL text, for speed: one call into the JVM instead of one for every part.

Only what cannot be misread is written as text: columns under the names that `run` gives them, functions of the
catalogue, numbers, dates, and strings as hexadecimal digits. Field names are text only if they consist of letters,
digits and underscores. Everything else goes through the API of Spark.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from sparkwhy.plan.exprs import (
    AggCall,
    And,
    Call,
    Case,
    Cast,
    Compare,
    Expr,
    FieldOf,
    In,
    IsNotNull,
    IsNull,
    ItemOf,
    Lambda,
    Literal,
    MakeStruct,
    Not,
    Opaque,
    Or,
    Ref,
    Variable,
    WindowCall,
)
from sparkwhy.plan.types import (
    BOOLEAN,
    DATE,
    DOUBLE,
    FLOAT,
    INTEGER,
    LONG,
    NULL,
    STRING,
    Array,
    Atom,
    Decimal,
    Map,
    Struct,
    Type,
)
from sparkwhy.plan.walk_exprs import operands

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_SQL_NAMES = {
    "boolean": "boolean",
    "byte": "tinyint",
    "short": "smallint",
    "integer": "int",
    "long": "bigint",
    "float": "float",
    "double": "double",
    "string": "string",
    "date": "date",
    "timestamp": "timestamp",
    "void": "void",
}
_INFIX = frozenset({"+", "-", "*", "/", "%", "&", "|", "^", "div"})


@dataclass(frozen=True, slots=True)
class Text:
    """SQL text, and the variables in it that no lambda inside binds."""

    sql: str
    free: frozenset[int] = frozenset()


Texts = Mapping[int, "Text | None"]


def sql_of(expr: Expr) -> str | None:
    """Return the whole expression as text, or None if some part of it is not written as text."""
    text = sql_texts(expr)[id(expr)]
    return None if text is None else text.sql


def sql_texts(expr: Expr) -> Texts:
    """Return the text of the expression and of each of its parts, by identity; None for what is not written as text."""
    found: dict[int, Text | None] = {}
    todo: list[tuple[Expr, bool]] = [(expr, False)]
    while todo:
        current, ready = todo.pop()
        if id(current) in found:
            continue
        below = operands(current)
        if ready or not below:
            found[id(current)] = _text(current, [found[id(part)] for part in below])
        else:
            todo.append((current, True))
            todo.extend((part, False) for part in below)
    return found


def _text(expr: Expr, inner: list[Text | None]) -> Text | None:
    if any(part is None for part in inner):
        return None
    parts = [part for part in inner if part is not None]
    sql = _sql(expr, [part.sql for part in parts])
    if sql is None:
        return None
    free = frozenset().union(*(part.free for part in parts))
    match expr:
        case Variable():
            return Text(sql, frozenset({expr.id}))
        case Lambda():
            return Text(sql, free - {param.id for param in expr.params})
        case _:
            return Text(sql, free)


def _sql(expr: Expr, inner: list[str]) -> str | None:
    match expr:
        case Ref():
            return f"a{expr.attribute.id}"
        case Literal():
            return _literal(expr)
        case FieldOf():
            return _field(expr, inner[0])
        case ItemOf():
            return _item(expr, *inner)
        case Compare():
            return f"({inner[0]} {expr.op} {inner[1]})"
        case And() | Or():
            return "(" + (" AND " if isinstance(expr, And) else " OR ").join(inner) + ")"
        case Not():
            return f"(NOT {inner[0]})"
        case IsNull():
            return f"({inner[0]} IS NULL)"
        case IsNotNull():
            return f"({inner[0]} IS NOT NULL)"
        case In():
            return f"({inner[0]} IN ({', '.join(inner[1:])}))"
        case Cast():
            return _cast(expr, inner[0])
        case MakeStruct():
            return _struct(expr, inner)
        case Case():
            return _case(expr, inner)
        case Call():
            return _call(expr, inner)
        case Variable():
            return f"v{expr.id}"
        case Lambda():
            *params, body = inner
            return f"{params[0] if len(params) == 1 else '(' + ', '.join(params) + ')'} -> {body}"
        case AggCall():
            return _aggregate(expr, inner)
        case WindowCall() | Opaque():
            return None


def _literal(expr: Literal) -> str | None:
    value = expr.value
    if value is None:
        return null_sql(expr.type) if _may_be_null_inside(expr.type) else None
    if expr.type == BOOLEAN:
        return str(value).lower()
    if expr.type in (INTEGER, LONG):
        suffix = "L" if expr.type == LONG else ""
        return f"{value}{suffix}" if value >= 0 else f"(-{-value}{suffix})"
    if expr.type == STRING:
        return f"CAST(X'{value.encode().hex()}' AS STRING)"
    if expr.type == DATE:
        return f"DATE'{value.isoformat()}'"
    if expr.type in (DOUBLE, FLOAT):
        return _floating(value, "D" if expr.type == DOUBLE else "F")
    return f"CAST({value:f}BD AS {_type(expr.type)})" if isinstance(expr.type, Decimal) else None


def null_sql(type: Type) -> str | None:
    """Null of this type as text, which has no words for what is never null inside of it."""
    kind = _type(type)
    return None if kind is None else "NULL" if type == NULL else f"CAST(NULL AS {kind})"


def _may_be_null_inside(type: Type) -> bool:
    match type:
        case Array(element, contains_null):
            return contains_null and _may_be_null_inside(element)
        case Struct(fields):
            return all(field.nullable and _may_be_null_inside(field.type) for field in fields)
        case _:
            return True


def _floating(value: float, suffix: str) -> str | None:
    """Infinity and the like are not text."""
    if not math.isfinite(value):
        return None
    return f"(-{abs(value)!r}{suffix})" if math.copysign(1, value) < 0 else f"{value!r}{suffix}"


def _type(type: Type) -> str | None:
    match type:
        case Atom(name):
            return _SQL_NAMES.get(name)
        case Decimal(precision, scale):
            return f"decimal({precision},{scale})"
        case Array(element):
            inner = _type(element)
            return None if inner is None else f"array<{inner}>"
        case Struct(fields):
            inners = [_type(field.type) for field in fields]
            if None in inners or not all(_PLAIN.fullmatch(field.name) for field in fields):
                return None
            return "struct<" + ", ".join(f"{f.name}: {t}" for f, t in zip(fields, inners, strict=True)) + ">"
        case Map():
            return None


def _field(expr: FieldOf, inner: str) -> str | None:
    return f"({inner}).`{expr.field.name}`" if is_plain_field(expr) else None


def is_plain_field(expr: FieldOf) -> bool:
    """Return whether a field is written by its name: a plain one, that no other field has in another case."""
    name = expr.field.name
    alike = [other for other in expr.struct.names if other.lower() == name.lower()]
    return len(alike) == 1 and is_plain_name(name)


def is_plain_name(name: str) -> bool:
    return _PLAIN.fullmatch(name) is not None


def _item(expr: ItemOf, collection: str, key: str) -> str:
    tolerant = isinstance(expr.input.type, Array) and expr.mode != "ansi"
    return f"get({collection}, {key})" if tolerant else f"({collection})[{key}]"


def _cast(expr: Cast, inner: str) -> str | None:
    kind = _type(expr.type) if isinstance(expr.type, Atom | Decimal) else None
    return None if kind is None else f"{'TRY_CAST' if expr.mode == 'try' else 'CAST'}({inner} AS {kind})"


def _struct(expr: MakeStruct, inner: list[str]) -> str | None:
    if expr.nullable or not all(_PLAIN.fullmatch(name) for name in expr.names):
        return None
    pairs = zip(expr.names, inner, strict=True)
    listed = ", ".join(f"'{name}', {value}" for name, value in pairs)
    return f"named_struct({listed})"


def _case(expr: Case, inner: list[str]) -> str:
    count = len(expr.branches)
    branches = " ".join(f"WHEN {inner[2 * i]} THEN {inner[2 * i + 1]}" for i in range(count))
    otherwise = "" if expr.otherwise is None else f" ELSE {inner[2 * count]}"
    return f"CASE {branches}{otherwise} END"


def _call(expr: Call, inner: list[str]) -> str | None:
    if expr.mode == "try":
        return None
    if expr.function in _INFIX:
        return f"({inner[0]} {expr.function} {inner[1]})"
    special = _WRITTEN_OTHERWISE.get(expr.function)
    if special is not None:
        return special(expr, inner)
    return f"{expr.function}({', '.join(inner)})"


def _aggregate(expr: AggCall, inner: list[str]) -> str | None:
    if expr.mode == "try":
        return None
    args = ", ".join(inner[: len(expr.args)])
    where = "" if expr.condition is None else f" FILTER (WHERE {inner[-1]})"
    return f"{expr.function}({'DISTINCT ' if expr.distinct else ''}{args}){where}"


def _size(expr: Call, inner: list[str]) -> str:
    array = f"map_keys({inner[0]})" if isinstance(expr.args[0].type, Map) else inner[0]
    return f"array_size({array})" if expr.function == "size" else f"coalesce(array_size({array}), -1)"


def _element_at(expr: Call, inner: list[str]) -> str:
    return f"{'' if expr.mode == 'ansi' else 'try_'}element_at({', '.join(inner)})"


def _not_text(_expr: Call, _inner: list[str]) -> None:
    return None


_WRITTEN_OTHERWISE: Mapping[str, Callable[[Call, list[str]], str | None]] = {
    "~": lambda _expr, inner: f"(~{inner[0]})",
    "size": _size,
    "legacy_size": _size,
    "element_at": _element_at,
    "interval_days": _not_text,
    "date_plus_months": _not_text,
    "timestamp_plus_days": _not_text,
    "at_least_n_non_nulls": _not_text,
    "unscaled_value": _not_text,
}
