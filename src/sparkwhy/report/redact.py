"""Answers without the values of the data: operators, places, conditions of the query, counts and nulls stay.

What is not known to be harmless is hidden.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from itertools import islice
from typing import Any, TypeAlias

from sparkwhy.errors import BadArgument, show_argument
from sparkwhy.explain.absent import SourceGap
from sparkwhy.explain.model import Explanation, Fix, RunnerUp, SideEffects, column_names
from sparkwhy.explain.other_values import OtherValues
from sparkwhy.messages import Message, Value
from sparkwhy.plan.exprs import Expr, FieldOf
from sparkwhy.plan.nodes import Plan
from sparkwhy.plan.origins import attributes_made_by
from sparkwhy.plan.show import show_expr
from sparkwhy.plan.types import Array, Map, Struct, Type, ddl
from sparkwhy.plan.walk import walk
from sparkwhy.plan.walk_exprs import attributes_of, parts
from sparkwhy.report.answer import Answer
from sparkwhy.trace.encode import Typed, print_value
from sparkwhy.trace.witness import Observation, Row, Witness
from sparkwhy.wording import MASK

Mask: TypeAlias = Callable[[str, str], str]
"""What to show instead of a value, by the column or expression and the value, both as text."""

_MOST = 10_000
"""At most this many names are read; an iterator may have no end."""

_HINT = "write redact=True, names of columns, or a function of a column and a value."


@dataclass(frozen=True)
class Redaction:
    """Which values are hidden, all or those of `columns`, and what is shown instead."""

    columns: frozenset[str] | None = None
    mask: Mask | None = None

    @classmethod
    def from_argument(cls, redact: Any) -> Redaction | None:
        """Return what was asked for, if it can be; None: nothing is hidden."""
        if isinstance(redact, bool):
            return cls() if redact else None
        if callable(redact) and not isinstance(redact, type):
            return cls(mask=redact)
        return cls(columns=frozenset(name.lower() for name in _names(redact)))

    def check(self, plan: Plan) -> None:
        """Refuse the name of a column that the query does not have: its values would be shown."""
        known = {name for node in walk(plan) for a in node.output for name in (a.name.lower(), *_fields(a.type))}
        for name in sorted(self.columns or ()):
            if name not in known:
                near = get_close_matches(name, known) or sorted(known)[:12]
                raise BadArgument("redact", f"names {name}, which the query does not have", hint=_suggest_names(near))

    def extend_to(self, plan: Plan) -> Redaction:
        """Return the same with the names of all columns that are computed from hidden ones."""
        return self if self.columns is None else replace(self, columns=_derived_names(plan, self.columns))

    def hides(self, what: str) -> bool:
        """Return whether a value is hidden, by the column or the expression that it is of."""
        if self.columns is None:
            return True
        return any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", what.lower()) for name in self.columns)

    def mask_value(self, what: str, value: Any, type: str = "") -> Any:
        """Return what is shown of a value; that it is null is no secret."""
        if value is None or not self.hides(what):
            return value
        return f"{MASK} {type}".strip() if self.mask is None else str(self.mask(what, print_value(value)))


def _names(given: Any) -> list[str]:
    try:
        names = [] if isinstance(given, str | Mapping) else list(islice(iter(given), _MOST + 1))
    except Exception:  # of whatever was handed in
        names = []
    if not names or not all(isinstance(name, str) for name in names):
        raise BadArgument("redact", f"cannot be {show_argument(given)}", hint=_HINT)
    if len(names) > _MOST:
        raise BadArgument("redact", f"names more than {_MOST:,} columns", hint="write redact=True, which hides all.")
    return names


def _suggest_names(names: Iterable[str]) -> str:
    return f"did you mean {' or '.join(names)}?"


# --- which columns ---


def _fields(type: Type) -> Iterator[str]:
    """Yield the names of all fields inside of a type."""
    match type:
        case Struct(fields):
            for field in fields:
                yield field.name.lower()
                yield from _fields(field.type)
        case Array(element):
            yield from _fields(element)
        case Map(key, value):
            yield from _fields(key)
            yield from _fields(value)
        case _:
            return


def _derived_names(plan: Plan, names: frozenset[str]) -> frozenset[str]:
    """Return the names, and those of all columns that are computed from columns or fields of these names."""
    hidden = {a.id for node in walk(plan) for a in node.output if {a.name.lower(), *_fields(a.type)} & names}

    def reads_hidden(expr: Expr) -> bool:
        by_field = any(isinstance(part, FieldOf) and part.field.name.lower() in names for part in parts(expr))
        return by_field or any(a.id in hidden for a in attributes_of(expr))

    for node in walk(plan):  # inputs come first
        hidden.update(attribute.id for attribute, exprs in attributes_made_by(node) if any(map(reads_hidden, exprs)))
    return names | {a.name.lower() for node in walk(plan) for a in node.output if a.id in hidden}


# --- the answer ---


def redact_answer(answer: Answer, redaction: Redaction) -> Answer:
    """Return the answer without the hidden values."""
    hide = redaction.extend_to(answer.plan)
    return replace(
        answer,
        explanations=tuple(_explanation(each, hide) for each in answer.explanations),
        tried=tuple(_explanation(each, hide) for each in answer.tried),
        matching=tuple(_row(row, answer.plan, hide) for row in answer.matching),
        gaps=tuple(_gap(gap, hide) for gap in answer.gaps),
        others=None if answer.others is None else _others(answer.others, answer.plan, hide),
        warnings=tuple(_message(each, hide) for each in answer.warnings),
    )


def _explanation(explanation: Explanation, hide: Redaction) -> Explanation:
    effects, second = explanation.side_effects, explanation.runner_up
    return replace(
        explanation,
        runner_up=None if second is None else _runner_up(second, explanation.plan, hide),
        witnesses=tuple(_witness(each, explanation.plan, hide) for each in explanation.witnesses),
        fixes=tuple(_fix(fix, hide) for fix in explanation.fixes),
        returned=None if explanation.returned is None else _row(explanation.returned, explanation.plan, hide),
        reason=None if explanation.reason is None else _message(explanation.reason, hide),
        side_effects=None if effects is None else _effects(effects, explanation.plan, hide),
    )


def _row(row: Mapping[str, Any], plan: Plan, hide: Redaction) -> Mapping[str, Any]:
    types = dict(zip(column_names(plan), (ddl(a.type) for a in plan.output), strict=True))
    return {name: hide.mask_value(name, value, types.get(name, "")) for name, value in row.items()}


def _others(others: OtherValues, plan: Plan, hide: Redaction) -> OtherValues:
    rows = tuple(_row(row, plan, hide) for row in others.rows)
    return replace(others, rows=rows, contributing=_hide_rows(others.contributing, hide))


def _witness(witness: Witness, plan: Plan, hide: Redaction) -> Witness:
    at = witness.at.map(lambda _, seen: _observation(seen, hide))
    return replace(witness, row=_row(witness.row, plan, hide), at=at)


def _observation(seen: Observation, hide: Redaction) -> Observation:
    """Hide what was read and found; how conditions of the query came out, ranks, sides and counts stay."""
    return replace(
        seen,
        read=_hide_values(seen.read, seen, hide),
        cut_off=_hide_values(seen.cut_off, seen, hide),
        rival=None if seen.rival is None else _hide_row(seen.rival, hide),
        nearest=_hide_rows(seen.nearest, hide),
        partner=_hide_rows(seen.partner, hide),
        kept=_hide_rows(seen.kept, hide),
        hints=tuple(_message(hint, hide) for hint in seen.hints),
    )


def _hide_values(
    values: tuple[tuple[Expr, Typed], ...], seen: Observation, hide: Redaction
) -> tuple[tuple[Expr, Typed], ...]:
    return tuple((expr, hide.mask_value(show_expr(expr, seen.names), value)) for expr, value in values)


def _hide_row(row: Row, hide: Redaction) -> Row:
    return {name: hide.mask_value(name, value) for name, value in row.items()}


def _hide_rows(rows: Iterable[Row], hide: Redaction) -> tuple[Row, ...]:
    return tuple(_hide_row(row, hide) for row in rows)


def _fix(fix: Fix, hide: Redaction) -> Fix:
    """Return the fix without the constants that it takes from the data; the line of the file says them too."""
    if fix.bare in (None, fix.after) or not hide.hides(fix.after):
        return fix
    return replace(fix, after=fix.bare, diff=None)


def _runner_up(found: RunnerUp, plan: Plan, hide: Redaction) -> RunnerUp:
    return RunnerUp(tuple(_fix(fix, hide) for fix in found.fixes), _effects(found.side_effects, plan, hide))


def _effects(effects: SideEffects, plan: Plan, hide: Redaction) -> SideEffects:
    return replace(
        effects,
        added_rows=tuple(_row(row, plan, hide) for row in effects.added_rows),
        removed_rows=tuple(_row(row, plan, hide) for row in effects.removed_rows),
    )


def _gap(gap: SourceGap, hide: Redaction) -> SourceGap:
    nearest = {
        condition: tuple(hide.mask_value(condition, value) for value in values)
        for condition, values in gap.nearest.items()
    }
    return replace(gap, nearest=nearest)


def _message(message: Message, hide: Redaction) -> Message:
    """Return the message without the hidden values that it quotes."""

    def mask(value: Value) -> Value:
        shown = hide.mask_value(value.column, value.value) if value.column else MASK  # of an unknown column: hide it
        return value if shown is value.value else Value(value.column, None, hidden=str(shown))

    return message.with_values(mask)
