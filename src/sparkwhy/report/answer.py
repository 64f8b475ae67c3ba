"""What `why_not` returns."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from typing import Literal as OneOf

from sparkwhy.alternatives.variant import Alternatives, QueryVariant
from sparkwhy.errors import BadArgument, show_argument
from sparkwhy.explain.absent import SourceGap
from sparkwhy.explain.candidates import Candidate
from sparkwhy.explain.model import Explanation
from sparkwhy.explain.other_values import OtherValues
from sparkwhy.messages import Message
from sparkwhy.plan.nodes import Plan
from sparkwhy.question.bind import Question
from sparkwhy.report.html import fragment, page
from sparkwhy.report.json_form import answer_data, to_json_text
from sparkwhy.report.report import Report, show_changes
from sparkwhy.report.style import takes_colour, width_of
from sparkwhy.report.text import render, render_coloured

Outcome = OneOf["explained", "not_missing", "other_value", "not_in_data", "unexplained"]


@dataclass(frozen=True)
class Answer:
    """The outcome of a question, with its explanations in their order, the first of which is the one to look at.

    `outcome` is "explained", "not_missing" (`matching` has rows that are there), "other_value" (`others` has the row
    that is there with another value, `explanations` what would have to change), "not_in_data" (`gaps` has the sources
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
    others: OtherValues | None = None

    @property
    def is_explained(self) -> bool:
        """Whether an explanation is certain, or has a fix that was run and works."""
        return any(each.certain or each.verified for each in self.explanations)

    @classmethod
    def not_missing(cls, question: Question, tried: Alternatives, found: Candidate) -> Answer:
        plan = tried.found[0].plan
        rows = tuple(witness.row for witness in found.witnesses)
        return cls("not_missing", question, plan, tried.found, matching=rows)

    @classmethod
    def with_explanations(
        cls,
        question: Question,
        alternatives: Alternatives,
        explanations: tuple[Explanation, ...],
        tried: tuple[Explanation, ...],
        left_out: Sequence[Message],
        others: OtherValues | None = None,
    ) -> Answer:
        """Explained, if an explanation is certain or was verified; `tried` are others that did not work out.

        `left_out` says what was not followed. `others` are rows that are there with other values.
        """
        warnings, plan = (*left_out, *_note_pruned(alternatives)), alternatives.found[0].plan
        answer = cls("other_value", question, plan, alternatives.found, explanations, (), (), warnings, tried, others)
        if others is not None:
            return answer
        return replace(answer, outcome="explained" if answer.is_explained else "unexplained")

    @classmethod
    def not_in_data(
        cls, question: Question, tried: Alternatives, gaps: tuple[SourceGap, ...], meant: tuple[Message, ...]
    ) -> Answer:
        plan = tried.found[0].plan
        return cls("not_in_data", question, plan, tried.found, gaps=gaps, warnings=_note_pruned(tried) + meant)

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
        """Return the answer as one page that needs nothing else; written to `path` too, if one is given."""
        text = page(Report.of(self))
        if path is not None:
            _file(path).write_text(text, encoding="utf-8")
        return text

    def _repr_html_(self) -> str:
        return fragment(Report.of(self))

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        """Return the answer as notebooks show it: the picture, and the text for those that show none."""
        return {"text/html": self._repr_html_(), "text/plain": str(self)}

    def to_dict(self) -> dict[str, Any]:
        """Return the answer as plain data, by a schema with a version: dicts, lists, strings, numbers and booleans.

        For example `answer.to_dict()["explanations"][0]["operators"][0]["causes"]` is `["condition_false"]`. The page
        on the JSON form documents every field.
        """
        return answer_data(self)

    def to_json(self) -> str:
        """Return `to_dict` as JSON text, for other programs."""
        return to_json_text(self.to_dict())


def _file(path: Any) -> Path:
    if isinstance(path, str | os.PathLike) and "\0" not in str(path):
        return Path(path)
    raise BadArgument("path", f"is the name of a file, not {show_argument(path)}", hint='write to_html("why.html").')


def _note_pruned(tried: Alternatives) -> tuple[Message, ...]:
    """Return a note on each alternative that could not be tried."""
    return tuple(Message("not_tried", changes=show_changes(e.changes), reason=e.reason) for e in tried.pruned)
