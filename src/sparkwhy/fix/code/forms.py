"""Edits that put one expression of a line in another form: what counts null, and another type of a join.

They are made in the syntax tree of the file, and only if one expression of the line can be meant.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from sparkwhy.plan.exprs import Cast, Compare, Expr, FieldOf, IsNotNull, IsNull, Literal, Not, Or, Ref, conjuncts
from sparkwhy.plan.nodes import Filter, Join, Plan

_OPERATORS: dict[str, type[ast.cmpop]] = {
    "=": ast.Eq,
    "<>": ast.NotEq,
    "<": ast.Lt,
    "<=": ast.LtE,
    ">": ast.Gt,
    ">=": ast.GtE,
}
PYTHON = {"=": "==", "<>": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}


class Edit(NamedTuple):
    """What is written between two columns of a line, counted in bytes."""

    start: int
    end: int
    text: str

    def of(self, line: str) -> str:
        written = line.encode()
        return (written[: self.start] + self.text.encode() + written[self.end :]).decode()


def other_form(source: str, line: int, before: Plan, after: Plan) -> str | None:
    """Return the line in its new form; None if the change has no form here, or if it is not certain what to write."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return None
    lines = source.splitlines()
    text = lines[line - 1]
    for edit in sorted(_edits(tree, lines, line, before, after), reverse=True):
        text = edit.of(text)
    return None if text == lines[line - 1] else text


def _edits(tree: ast.Module, lines: list[str], line: int, before: Plan, after: Plan) -> list[Edit]:
    """Return what is to be written in the line; nothing, if any of it is not certain."""
    match before, after:
        case Filter(), Filter():
            return _edit_filter(tree, lines[line - 1], line, before, after)
        case Join(), Join() if before.condition == after.condition and after.traits.is_outer:
            found = list(_joins(tree, lines, line, after.how))
            return found if len(found) == 1 else []
        case _:
            return []


# --- comparisons ---


def _edit_filter(tree: ast.Module, text: str, line: int, before: Filter, after: Filter) -> list[Edit]:
    old, new = conjuncts(before.condition), conjuncts(after.condition)
    changed = [pair for pair in zip(old, new, strict=False) if pair[0] != pair[1]]
    if len(old) != len(new):
        return []
    here = [each for each in ast.walk(tree) if isinstance(each, ast.Compare) and each.lineno == each.end_lineno == line]
    edits = [_edit_comparison(here, text, *pair, alone=len(changed) == 1) for pair in changed]
    return [] if None in edits else [edit for edit in edits if edit is not None]


def _edit_comparison(here: list[ast.Compare], text: str, before: Expr, after: Expr, *, alone: bool) -> Edit | None:
    found = [each for each in here if isinstance(before, Compare) and _says(each, before)]
    if len(found) != 1:
        return None
    shown = [_source_of(text, part) for part in (found[0].left, found[0].comparators[0], found[0])]
    form = _form(before, after)
    if form is None and not alone:  # alone it is a change of one token, which `line_diff` shows, or a guess
        form = _other_constant(shown[1], before, after)
    return None if form is None else Edit(found[0].col_offset, found[0].end_col_offset or 0, form.format(*shown))


def _source_of(text: str, node: ast.expr) -> str:
    return text.encode()[node.col_offset : node.end_col_offset].decode()


def _form(before: Expr, after: Expr) -> str | None:
    """Return how a comparison is written that counts null; {0} is its column, {1} its constant, {2} all of it."""
    match before, after:
        case Compare("<>"), Not(Compare()) if after == Not(replace(before, op="<=>")):
            return "~{0}.eqNullSafe({1})"
        case Compare("<>", side), IsNotNull(same) if side == same:
            return "{0}.isNotNull()"
        case Compare(_, side), Or((first, IsNull(same))) if (before, side) == (first, same):
            return "({2}) | {0}.isNull()"
        case _:
            return None


def _other_constant(written: str, before: Expr, after: Expr) -> str | None:
    """Return a comparison with another number, or another one with the same constant."""
    match before, after:
        case Compare(_, side, old), Compare(op, same, new) if side == same and op in PYTHON:
            if old == new:
                return f"{{0}} {PYTHON[op]} {{1}}"
            if isinstance(new, Literal) and type(new.value) is int and written.isdecimal():
                return f"{{0}} {PYTHON[op]} {new.value}"
    return None


def _says(found: ast.Compare, compared: Compare) -> bool:
    """Return whether Python's comparison is this one: a column by its name, and the constant."""
    if len(found.ops) != 1 or type(found.ops[0]) is not _OPERATORS.get(compared.op):
        return False
    return _is_constant(found.comparators[0], compared.right) and _column(found.left) in _names(compared.left)


def _is_constant(written: ast.expr, value: Expr) -> bool:
    """Return whether Python's constant is this one, as it is or in the type of the column that it is compared with."""
    match written, value:
        case ast.Constant(one), Literal(other) | Cast(Literal(other)):
            return bool(one == other)
        case _:
            return False


def _column(node: ast.expr) -> str | None:
    """Return the name in `F.col("a.b")`, `df["a"]` or `df.a`."""
    match node:
        case ast.Call(ast.Attribute(attr="col") | ast.Name("col"), [ast.Constant(str(name))], []):
            return name
        case ast.Subscript(ast.Name(), ast.Constant(str(name))):
            return name
        case ast.Attribute(ast.Name(), name):
            return name
        case _:
            return None


def _names(expr: Expr) -> tuple[str, ...]:
    match expr:
        case Ref(attribute):
            return (attribute.name,)
        case FieldOf(inner):
            return tuple(f"{above}.{expr.field.name}" for above in _names(inner))
        case _:
            return ()


# --- joins ---


def _joins(tree: ast.Module, lines: list[str], line: int, how: str) -> Iterator[Edit]:
    """Yield the third argument of the call of `join` whose condition stands in this line."""
    for found in ast.walk(tree):
        match found:
            case ast.Call(ast.Attribute(attr="join"), [_, on], []) if _stands(on, line, lines):
                end = on.end_col_offset or 0
                yield Edit(end, end, f', "{how}"')
            case ast.Call(ast.Attribute(attr="join"), [_, on, ast.Constant(str()) as old], []) if _holds(on, line):
                if old.lineno == line:
                    yield Edit(old.col_offset, old.end_col_offset or 0, f'"{how}"')
            case _:
                pass


def _holds(node: ast.expr, line: int) -> bool:
    return node.lineno <= line <= (node.end_lineno or 0)


def _stands(on: ast.expr, line: int, lines: list[str]) -> bool:
    """Return whether the condition is in this line alone, and no brackets around it would take up what follows it."""
    before = "\n".join([*lines[: line - 1], lines[line - 1].encode()[: on.col_offset].decode()]).rstrip()
    return on.lineno == on.end_lineno == line and before.endswith(",")
