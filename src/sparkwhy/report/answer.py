"""What `why_not` returns."""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from typing import Literal as OneOf

from sparkwhy.alternatives.variant import Alternatives, QueryVariant
from sparkwhy.errors import BadArgument, show_argument
from sparkwhy.explain.absent import SourceGap
from sparkwhy.explain.candidates import Candidate
from sparkwhy.explain.model import Explanation, SideEffects
from sparkwhy.messages import Message
from sparkwhy.plan.nodes import Plan
from sparkwhy.plan.show import show_expr
from sparkwhy.question.bind import Question
from sparkwhy.question.pattern import show_pattern
from sparkwhy.report.html import fragment, page
from sparkwhy.report.report import Report, show_changes
from sparkwhy.report.style import takes_colour, width_of
from sparkwhy.report.text import render, render_coloured
from sparkwhy.trace.encode import MapEntries, print_value
from sparkwhy.trace.witness import Observation, Witness

Outcome = OneOf["explained", "not_missing", "not_in_data", "unexplained"]


@dataclass(frozen=True)
class Answer:
    """The outcome of a question, with its explanations in their order, the first of which is the one to look at.

    `outcome` is "explained", "not_missing" (`matching` has rows that are there), "not_in_data" (`gaps` has the sources
    that lack such a row, with the nearest values) or "unexplained" (`tried` may say what was tried).

    For example `answer.show()` prints it, `answer.to_html("why.html")` writes it, and
    `answer.explanations[0].operators[0].where` is the line of code to look at. In a notebook it shows itself.
    """

    outcome: Outcome
    question: Question
    plan: Plan
    alternatives: tuple[QueryVariant, ...] = ()
    explanations: tuple[Explanation, ...] = ()
    matching: tuple[Mapping[str, Any], ...] = ()
    gaps: tuple[SourceGap, ...] = ()
    warnings: tuple[Message, ...] = ()
    tried: tuple[Explanation, ...] = ()

    @classmethod
    def not_missing(cls, question: Question, tried: Alternatives, found: Candidate) -> Answer:
        plan = tried.found[0].plan
        rows = tuple(witness.row for witness in found.witnesses)
        return cls("not_missing", question, plan, tried.found, matching=rows)

    @classmethod
    def explained(
        cls,
        question: Question,
        alternatives: Alternatives,
        explanations: tuple[Explanation, ...],
        tried: tuple[Explanation, ...],
        left_out: Sequence[Message],
    ) -> Answer:
        """Explained, if an explanation is certain or was verified; `tried` are others that did not work out.

        `left_out` says what was not followed.
        """
        warnings = (*left_out, *_pruned(alternatives))
        outcome: Outcome = "explained" if any(e.certain or e.verified for e in explanations) else "unexplained"
        plan = alternatives.found[0].plan
        return cls(outcome, question, plan, alternatives.found, explanations, warnings=warnings, tried=tried)

    @classmethod
    def not_in_data(
        cls, question: Question, tried: Alternatives, gaps: tuple[SourceGap, ...], meant: tuple[Message, ...]
    ) -> Answer:
        plan = tried.found[0].plan
        return cls("not_in_data", question, plan, tried.found, gaps=gaps, warnings=_pruned(tried) + meant)

    def show(self) -> None:
        """Prints the answer, as `DataFrame.show` prints rows; `str` gives the plain text.

        On a terminal it is in colour, and as wide as that is.
        """
        draw = render_coloured if takes_colour(sys.stdout) else render
        print(draw(Report.of(self), width=width_of(sys.stdout)))

    def __str__(self) -> str:
        return render(Report.of(self))

    __repr__ = __str__

    def to_html(self, path: str | os.PathLike[str] | None = None) -> str:
        """The answer as one page that needs nothing else; written to `path` too, if one is given."""
        text = page(Report.of(self))
        if path is not None:
            _file(path).write_text(text, encoding="utf-8")
        return text

    def _repr_html_(self) -> str:
        return fragment(Report.of(self))

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        """The answer as notebooks show it: the picture, and the text for those that show none."""
        return {"text/html": self._repr_html_(), "text/plain": str(self)}

    def to_dict(self) -> dict[str, Any]:
        """The answer as plain data: dicts, lists, texts and numbers."""
        told = {
            "question": show_pattern(self.question.pattern),
            "outcome": self.outcome,
            "alternatives": [{"changes": dict(each.changes), "notes": list(each.notes)} for each in self.alternatives],
            "explanations": [_explanation(each) for each in self.explanations],
            "tried": [_explanation(each) for each in self.tried],
            "matching": [dict(row) for row in self.matching],
            "gaps": [
                {"source": gap.table.text, "conditions": list(gap.conditions), "nearest": _listed(gap.nearest)}
                for gap in self.gaps
            ],
            "warnings": list(self.warnings),
        }
        return {key: _plain(value) for key, value in told.items()}

    def to_json(self) -> str:
        """The answer as JSON, for other programs: `to_dict` as text."""
        text = json.dumps(self.to_dict(), ensure_ascii=False, indent=2)
        return "".join(c if c.isprintable() or c == "\n" else json.dumps(c)[1:-1] for c in text)


def _plain(value: Any) -> Any:
    """Return a value as JSON has it: what JSON has no type for as Spark prints it, a map as pairs."""
    match value:
        case Mapping():
            return {key: _plain(inner) for key, inner in value.items()}
        case MapEntries(pairs):
            return [[_plain(key), _plain(inner)] for key, inner in pairs]
        case list() | tuple():
            return [_plain(inner) for inner in value]
        case None | bool() | int():
            return value
        case float() if math.isfinite(value):
            return value
        case str():
            return str(value)  # a sentence that quotes the data is more than a text
        case _:
            return print_value(value)


def _file(path: Any) -> Path:
    if isinstance(path, str | os.PathLike) and "\0" not in str(path):
        return Path(path)
    raise BadArgument("path", f"is the name of a file, not {show_argument(path)}", hint='write to_html("why.html").')


def _pruned(tried: Alternatives) -> tuple[Message, ...]:
    """Return a note on each alternative that could not be tried."""
    return tuple(Message("not_tried", changes=show_changes(e.changes), reason=e.reason) for e in tried.pruned)


def _listed(nearest: Mapping[str, tuple[str, ...]]) -> dict[str, list[str]]:
    return {condition: list(values) for condition, values in nearest.items()}


def _effects(effects: SideEffects) -> dict[str, Any]:
    return {
        "lower": effects.lower,
        "upper": effects.upper,
        "added": effects.added,
        "removed": effects.removed,
        "added_rows": [dict(row) for row in effects.added_rows],
        "removed_rows": [dict(row) for row in effects.removed_rows],
    }


def _explanation(explanation: Explanation) -> dict[str, Any]:
    return {
        "rank": explanation.rank,
        "operators": [
            {"id": op.id, "kind": op.kind, "text": op.text, "where": op.where} for op in explanation.operators
        ],
        "alternative": dict(explanation.alternative),
        "evidence": list(explanation.evidence),
        "certain": explanation.certain,
        "fixes": [
            {"operator": fix.operator.id, "before": fix.before, "after": fix.after, "kind": fix.kind, "diff": fix.diff}
            for fix in explanation.fixes
        ],
        "verified": explanation.verified,
        "returned": None if explanation.returned is None else dict(explanation.returned),
        "reason": explanation.reason,
        "minimal": explanation.minimal,
        "side_effects": None if explanation.side_effects is None else _effects(explanation.side_effects),
        "witnesses": [_witness(witness) for witness in explanation.witnesses],
    }


def _witness(witness: Witness) -> dict[str, Any]:
    return {"row": witness.row, "at": {step: _observation(seen) for step, seen in witness.at.items()}}


def _observation(seen: Observation) -> dict[str, Any]:
    """Return an observation as plain data, without the fields that say nothing."""
    cut_off = {show_expr(expr, seen.names): value for expr, value in seen.cut_off}
    collections = {show_expr(expr, seen.names): state for expr, state in seen.collections}
    more = {
        "no_partner": seen.no_partner,
        "has_partner": seen.has_partner,
        "rank": seen.rank,
        "last_rank": seen.last_rank,
        "cut_off": cut_off or None,
        "rival": seen.rival,
        "copies": seen.copies or None,
        "collections": collections or None,
        "nearest": seen.nearest or None,
        "partner": seen.partner or None,
        "group": seen.group or None,
        "kept": seen.kept or None,
    }
    known = {name: value for name, value in more.items() if value is not None}
    return {"values": seen.values, "verdicts": seen.verdicts, **known, "hints": seen.hints}
