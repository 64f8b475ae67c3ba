"""An answer as text for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from sparkwhy.explain.explanation import Explanation, Operator
from sparkwhy.explain.missing import SourceGap
from sparkwhy.question.pattern import show_pattern

if TYPE_CHECKING:
    from sparkwhy.report.answer import Answer


def render(answer: Answer) -> str:
    """The answer, a few lines for each explanation."""
    head = f"Why is there no row like {show_pattern(answer.question.pattern)}?"
    return "\n".join([head, "", *_body(answer), *(f"\nNote: {warning}" for warning in answer.warnings)])


def _body(answer: Answer) -> Iterator[str]:
    match answer.outcome:
        case "not_missing":
            yield "It is there:"
            yield from (f"  {_row(row)}" for row in answer.matching)
        case "explained":
            for explanation in answer.explanations:
                yield from _explanation(explanation)
        case "not_in_data":
            yield "No source has such a row:"
            for gap in answer.gaps:
                yield from _gap(gap)
        case "unexplained":
            yield "No set of operators was found that would let such a row through."


def _explanation(explanation: Explanation) -> Iterator[str]:
    for position, operator in enumerate(explanation.operators):
        label = f"{explanation.rank}." if position == 0 else "and"
        where = "" if operator.where is None else f"   {operator.where}"
        yield f"{label:>4} {operator.text}{where}"
        for witness in explanation.witnesses[:1]:
            yield from _met(operator, witness)
    for witness in explanation.witnesses[:1]:
        yield f"       would give {_row(witness['row'])}"
    yield ""


def _met(operator: Operator, witness: Mapping[str, Any]) -> Iterator[str]:
    met = witness["at"].get(operator.id)
    if met is None:
        return
    if met["values"]:
        yield f"       {_row(met['values'])}"
    for conjunct, verdict in met["verdicts"].items():
        if verdict != "TRUE":
            yield f"       {conjunct} is {verdict}"


def _row(row: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} = {'null' if value is None else value}" for name, value in row.items())


def _gap(gap: SourceGap) -> Iterator[str]:
    yield f"  {gap.table.text}: no row with {' and '.join(gap.conditions)}"
    for condition, values in gap.nearest.items():
        if values:
            yield f"    nearest to {condition}: {', '.join(values)}"
