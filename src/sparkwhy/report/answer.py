"""What `why_not` returns."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from typing import Literal as OneOf

from sparkwhy.explain.candidates import Candidate
from sparkwhy.explain.explanation import Explanation, column_names
from sparkwhy.explain.missing import SourceGap
from sparkwhy.plan.nodes import Plan
from sparkwhy.question.bind import Question
from sparkwhy.report.text import render

Outcome = OneOf["explained", "not_missing", "not_in_data", "unexplained"]


@dataclass(frozen=True)
class Answer:
    """The outcome of a question, with its explanations, the smallest first."""

    outcome: Outcome
    question: Question
    plan: Plan
    explanations: tuple[Explanation, ...] = ()
    matching: tuple[Mapping[str, Any], ...] = ()
    gaps: tuple[SourceGap, ...] = ()
    warnings: tuple[str, ...] = ()

    @classmethod
    def not_missing(cls, question: Question, plan: Plan, found: Candidate) -> Answer:
        names = column_names(plan)
        rows = tuple(dict(zip(names, row, strict=True)) for _, row in found.witnesses)
        return cls("not_missing", question, plan, matching=rows)

    @classmethod
    def explained(cls, question: Question, plan: Plan, explanations: tuple[Explanation, ...], left_out: bool) -> Answer:
        warnings = (_LEFT_OUT,) if left_out else ()
        outcome: Outcome = "explained" if any(each.certain for each in explanations) else "unexplained"
        return cls(outcome, question, plan, explanations, warnings=warnings)

    @classmethod
    def not_explained(cls, question: Question, plan: Plan, gaps: tuple[SourceGap, ...]) -> Answer:
        return cls("not_in_data" if gaps else "unexplained", question, plan, gaps=gaps)

    def show(self) -> None:
        """Prints the answer, as `DataFrame.show` prints rows; `str` gives the text."""
        print(self)

    def __str__(self) -> str:
        return render(self)

    __repr__ = __str__

    def to_dict(self) -> dict[str, Any]:
        """The answer as plain data."""
        return {
            "outcome": self.outcome,
            "explanations": [_explanation(each) for each in self.explanations],
            "matching": [dict(row) for row in self.matching],
            "gaps": [
                {"source": gap.table.text, "conditions": list(gap.conditions), "nearest": _listed(gap.nearest)}
                for gap in self.gaps
            ],
            "warnings": list(self.warnings),
        }

    def to_json(self) -> str:
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=2)


_LEFT_OUT = "a group had more combinations of operators than are followed; larger explanations may be missing."


def _listed(nearest: Mapping[str, tuple[str, ...]]) -> dict[str, list[str]]:
    return {condition: list(values) for condition, values in nearest.items()}


def _explanation(explanation: Explanation) -> dict[str, Any]:
    return {
        "rank": explanation.rank,
        "operators": [
            {"id": op.id, "kind": op.kind, "text": op.text, "where": op.where} for op in explanation.operators
        ],
        "certain": explanation.certain,
        "verified": explanation.verified,
        "witnesses": [dict(witness) for witness in explanation.witnesses],
    }
