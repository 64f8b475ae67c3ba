"""The change of a line of the user's code, where the edit is certain: constant, comparison, name, function, form."""

from __future__ import annotations

import ast
import contextlib
import difflib
import io
import math
import tokenize
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sparkwhy.fix.code.forms import PYTHON, other_form
from sparkwhy.fix.code.sql_text import edit_sql
from sparkwhy.plan.exprs import AggCall, Cast, Compare, Expr, FieldOf, Literal, Ref
from sparkwhy.plan.node_exprs import exprs_of
from sparkwhy.plan.nodes import Aggregate, Column, Filter, Flatten, Limit, Place, Plan, Project
from sparkwhy.plan.walk_exprs import operands, parts


def line_diff(before: Plan, after: Plan, edited: dict[str, list[str]] | None = None) -> str | None:
    """Return the line of the operator as a unified diff; None if it cannot be read, or if the edit would be a guess.

    `edited` has the lines of the files that other fixes of the same explanation changed already, so that two changes of
    one line can be done one after the other.
    """
    place, files = before.where, {} if edited is None else edited
    lines = None if place is None else files.get(place.file) or _lines(place)
    if place is None or lines is None or not 0 < place.line <= len(lines):
        return None
    line = lines[place.line - 1]
    new = _with_one_token(line, place.call, before, after) or other_form("\n".join(lines), place.line, before, after)
    if new is None or new == line:
        return None
    files[place.file] = [*lines[: place.line - 1], new, *lines[place.line :]]
    return _diff(place, line, new)


def _with_one_token(line: str, call: str | None, before: Plan, after: Plan) -> str | None:
    """Return the line with another token; within the text of the condition, if `call` is that text and not a name."""
    changes = list(_changes(before, after))
    if len(changes) != 1 or _is_ambiguous(before, *changes[0]):
        return None
    if call is None or call.isidentifier():
        return _edit_line(line, *changes[0])
    texts = [token for token in _tokens(line) if token.type == tokenize.STRING and _value_of(token) == call]
    edited = edit_sql(call, *changes[0]) if len(texts) == 1 and call in texts[0].string else None
    if edited is None:
        return None
    (token,) = texts
    return line[: token.start[1]] + token.string.replace(call, edited) + line[token.end[1] :]


def _is_ambiguous(before: Plan, what: str, old: Any, _: Any) -> bool:
    """Return whether a token that says the old form may say something else: another such constant, or a column's
    name.
    """
    shown = [part for expr in exprs_of(before) for part in parts(expr)]
    if what == "function":
        return False
    if what == "comparison":
        return [PYTHON.get(part.op) for part in shown if isinstance(part, Compare)].count(old) > 1
    if what == "name":
        return list(map(_path, shown)).count(old) > 1
    names = [part.attribute.name for part in shown if isinstance(part, Ref)]
    names += [part.field.name for part in shown if isinstance(part, FieldOf)]
    return old in names or [part.value for part in shown if isinstance(part, Literal)].count(old) > 1


def _lines(place: Place) -> list[str] | None:
    try:
        return Path(place.file).read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError):
        return None


def _changes(before: Plan, after: Plan) -> Iterator[tuple[str, Any, Any]]:
    """Yield what differs between two forms of an operator: constants and comparisons, each with its old and new
    form.
    """
    match before, after:
        case Filter(), Filter():
            yield from _different(before.condition, after.condition)
        case Limit(), Limit() if before.offset == after.offset:
            yield "constant", before.count, after.count
        case Aggregate(), Aggregate() if before.keys == after.keys:
            for old, new in zip(before.aggregates, after.aggregates, strict=True):
                yield from _other_aggregate(old, new)
        case Project(), Project():
            for old, new in zip(before.columns, after.columns, strict=True):
                yield from _other_column(old, new)
        case Flatten(), Flatten():
            yield from _different(before.collection, after.collection)
        case _:
            return


def _other_aggregate(before: Column, after: Column) -> Iterator[tuple[str, Any, Any]]:
    """Yield what differs in an aggregate; not where the column has its name from it, which would change with the
    line.
    """
    match before.expr, after.expr:
        case AggCall() as old, AggCall() as new if old.function == new.function:
            yield from _other_column(before, after)
        case AggCall(distinct=False) as old, AggCall(distinct=False) as new if (
            old.args == new.args and f"{old.function}(" not in before.attribute.name
        ):
            yield "function", old.function, new.function
        case old, new if old != new:
            yield "form", None, None
        case _:
            return


def _other_column(before: Column, after: Column) -> Iterator[tuple[str, Any, Any]]:
    """Yield what differs in a column; not where it has its name from what it is made of, which would change with the
    line.
    """
    for what, old, new in _different(before.expr, after.expr):
        if what == "name" and old is not None and old.rpartition(".")[2] in before.attribute.name:
            yield "form", None, None
        else:
            yield what, old, new


def _path(expr: Expr) -> str | None:
    """Return a column, or a field of one, as users write it: `place.country`."""
    match expr:
        case Ref(attribute):
            return attribute.name if attribute.name.isidentifier() else None
        case FieldOf(inner) if expr.field.name.isidentifier():
            above = _path(inner)
            return None if above is None else f"{above}.{expr.field.name}"
        case _:
            return None


def _different(before: Expr, after: Expr) -> Iterator[tuple[str, Any, Any]]:
    if before == after:
        return
    match before, after:
        case Ref() | FieldOf(), Ref() | FieldOf():
            yield "name", _path(before), _path(after)
        case AggCall(), AggCall() if before.function != after.function or before.distinct != after.distinct:
            yield "form", None, None
        case Literal(old), Literal(new):
            yield "constant", old, new
        case Compare(), Compare() if before.op != after.op:
            yield "comparison", PYTHON.get(before.op), PYTHON.get(after.op)
            yield from _nested_differences(before, after)
        case _ if type(before) is type(after) and len(operands(before)) == len(operands(after)):
            yield from _nested_differences(before, after)
        case Cast(Literal(old)), Literal(new):
            yield "constant", old, new
        case _:
            yield "form", None, None


def _nested_differences(before: Expr, after: Expr) -> Iterator[tuple[str, Any, Any]]:
    for old, new in zip(operands(before), operands(after), strict=True):
        yield from _different(old, new)


def _edit_line(line: str, what: str, old: Any, new: Any) -> str | None:
    """Return the line with the one token that says the old form; None if none does, or several."""
    if what == "form" or old is None or new is None:
        return None
    tokens = _tokens(line)
    saying = [at for at, token in enumerate(tokens) if _says(token, what, old)]
    if len(saying) != 1:
        return None
    token, before = tokens[saying[0]], tokens[saying[0] - 1].string if saying[0] else ""
    if before == "-" or (what == "function" and before != "."):  # a bare name may not be imported
        return None
    if what == "name":
        new = ast.literal_eval(token.string).removesuffix(old) + new
    written = _show_constant(token.string, new) if what in ("constant", "name") else new
    return None if written is None else line[: token.start[1]] + written + line[token.end[1] :]


def _tokens(line: str) -> list[tokenize.TokenInfo]:
    found: list[tokenize.TokenInfo] = []
    # a line is rarely a whole statement: what was read of it counts
    with contextlib.suppress(tokenize.TokenError, IndentationError, SyntaxError):
        for token in tokenize.generate_tokens(io.StringIO(line).readline):
            found.append(token)
    return found


def _says(token: tokenize.TokenInfo, what: str, old: Any) -> bool:
    if what == "comparison":
        return token.type == tokenize.OP and token.string == old
    if what == "function":
        return token.type == tokenize.NAME and token.string == old
    if token.type not in (tokenize.NUMBER, tokenize.STRING):
        return False
    value = _value_of(token)
    if what == "name":
        return isinstance(value, str) and (value == old or value.endswith(f".{old}"))
    return type(value) is type(old) and bool(value == old)


def _value_of(token: tokenize.TokenInfo) -> Any:
    """Return the constant that a token is; None if it is none."""
    try:
        return ast.literal_eval(token.string)
    except (ValueError, SyntaxError):
        return None


def _show_constant(old: str, new: Any) -> str | None:
    """Return a constant in Python, in the quotes of the old one."""
    if isinstance(new, str):
        quote = old[-1]
        return None if quote in new or "\\" in new or not new.isprintable() else f"{quote}{new}{quote}"
    return repr(new) if isinstance(new, int | float) and math.isfinite(new) else None


def _diff(place: Place, line: str, edited: str) -> str:
    name = Path(place.file).name
    header = [f"--- {name}", f"+++ {name}", f"@@ -{place.line} +{place.line} @@"]
    body = [each for each in difflib.ndiff([line], [edited]) if each[0] in "-+"]
    return "\n".join([*header, *(each[0] + each[2:] for each in body)])
