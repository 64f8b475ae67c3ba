"""Answers as JSON data, by the schema that docs/json.md documents. A change that breaks readers raises `SCHEMA`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from sparkwhy.explain.absent import SourceGap
from sparkwhy.explain.causes import cause_of, causes_of
from sparkwhy.explain.model import Explanation, Fix, Operator, RunnerUp, SideEffects
from sparkwhy.explain.other_values import OtherValues
from sparkwhy.messages import Message
from sparkwhy.plan.exprs import Expr
from sparkwhy.plan.show import show_expr
from sparkwhy.question.json_form import to_json_form
from sparkwhy.question.pattern import show_pattern
from sparkwhy.report.json_values import to_json_value
from sparkwhy.trace.encode import Typed
from sparkwhy.trace.witness import Observation, Row, Witness

if TYPE_CHECKING:
    from sparkwhy.report.answer import Answer

SCHEMA = 1
"""The version of the schema. New fields may be added to it; other changes make a new version."""


def answer_data(answer: Answer) -> dict[str, Any]:
    """Return the answer as plain data: dicts with strings as keys, lists, strings, numbers, booleans and None."""
    return {
        "schema": SCHEMA,
        "question": to_json_form(answer.question.pattern),
        "question_text": show_pattern(answer.question.pattern),
        "outcome": answer.outcome,
        "alternatives": [
            {"changes": dict(each.changes), "notes": _messages(each.notes)} for each in answer.alternatives
        ],
        "explanations": [_explanation(each) for each in answer.explanations],
        "tried": [_explanation(each) for each in answer.tried],
        "matching": _rows(answer.matching),
        "others": None if answer.others is None else _others(answer.others),
        "gaps": [_gap(gap) for gap in answer.gaps],
        "warnings": _messages(answer.warnings),
    }


def to_json_text(data: Any) -> str:
    """Return plain data as JSON text, with escapes for characters that do not print."""
    text = json.dumps(data, ensure_ascii=False, indent=2)
    return "".join(c if c.isprintable() or c == "\n" else json.dumps(c)[1:-1] for c in text)


def _others(others: OtherValues) -> dict[str, Any]:
    return {
        "columns": list(others.columns),
        "rows": _rows(others.rows),
        "contributing": _rows(others.contributing),
        "contributors": others.contributors,
    }


# --- explanations ---


def _explanation(explanation: Explanation) -> dict[str, Any]:
    return {
        "rank": explanation.rank,
        "operators": [
            {**_operator(operator), "causes": list(causes_of(operator, explanation))}
            for operator in explanation.operators
        ],
        "alternative": dict(explanation.alternative),
        "evidence": _messages(explanation.evidence),
        "certain": explanation.certain,
        "fixes": [_fix(fix) for fix in explanation.fixes],
        "verified": explanation.verified,
        "returned": None if explanation.returned is None else _row(explanation.returned),
        "reason": None if explanation.reason is None else _message(explanation.reason),
        "minimal": explanation.minimal,
        "extends": explanation.extends,
        "is_folded": explanation.is_folded,
        "side_effects": None if explanation.side_effects is None else _effects(explanation.side_effects),
        "runner_up": None if explanation.runner_up is None else _runner_up(explanation.runner_up),
        "witnesses": [_witness(witness) for witness in explanation.witnesses],
    }


def _runner_up(found: RunnerUp) -> dict[str, Any]:
    return {"fixes": [_fix(fix) for fix in found.fixes], "side_effects": _effects(found.side_effects)}


def _operator(operator: Operator) -> dict[str, Any]:
    return {"id": operator.id, "kind": operator.kind, "text": operator.text, "where": operator.where}


def _fix(fix: Fix) -> dict[str, Any]:
    return {
        "operator": fix.operator.id,
        "before": fix.before,
        "after": fix.after,
        "kind": fix.kind,
        "diff": fix.diff,
    }


def _effects(effects: SideEffects) -> dict[str, Any]:
    return {
        "lower": effects.lower,
        "upper": effects.upper,
        "added": effects.added,
        "removed": effects.removed,
        "changed": effects.changed,
        "distance": effects.distance,
        "added_rows": _rows(effects.added_rows),
        "removed_rows": _rows(effects.removed_rows),
    }


def _gap(gap: SourceGap) -> dict[str, Any]:
    nearest = {condition: list(map(to_json_value, values)) for condition, values in gap.nearest.items()}
    return {"source": _operator(gap.table), "conditions": list(gap.conditions), "nearest": nearest}


# --- witnesses ---


def _witness(witness: Witness) -> dict[str, Any]:
    return {"row": _row(witness.row), "at": {str(step): _observation(seen) for step, seen in witness.at.items()}}


def _observation(seen: Observation) -> dict[str, Any]:
    """Return an observation without the fields that do not apply to its operator."""
    more = {
        "no_partner": seen.no_partner,
        "has_partner": seen.has_partner,
        "rank": seen.rank,
        "last_rank": seen.last_rank,
        "cut_off": _name_values(seen.cut_off, seen) or None,
        "rival": None if seen.rival is None else _row(seen.rival),
        "copies": dict(seen.copies) or None,
        "partners": dict(seen.partners) or None,
        "collections": _name_values(seen.collections, seen) or None,
        "nearest": _rows(seen.nearest) or None,
        "partner": _rows(seen.partner) or None,
        "group": _rows(seen.group) or None,
        "kept": _rows(seen.kept) or None,
    }
    return {
        "cause": cause_of(seen),
        "values": _row(seen.values),
        "verdicts": dict(seen.verdicts),
        **{name: value for name, value in more.items() if value is not None},
        "hints": _messages(seen.hints),
    }


def _name_values(values: Iterable[tuple[Expr, Typed]], seen: Observation) -> dict[str, Any]:
    return {show_expr(expr, seen.names): to_json_value(value) for expr, value in values}


# --- rows and messages ---


def _row(row: Row | Mapping[str, Any]) -> dict[str, Any]:
    return {name: to_json_value(value) for name, value in row.items()}


def _rows(rows: Iterable[Row]) -> list[dict[str, Any]]:
    return [_row(row) for row in rows]


def _message(message: Message) -> dict[str, str]:
    return {"code": message.code, "text": str(message)}


def _messages(messages: Iterable[Message]) -> list[dict[str, str]]:
    return [_message(message) for message in messages]
