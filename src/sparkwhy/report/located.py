"""Answers about SQL text that is known to be from a file: its lines are named, not those of some SQL."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from sparkwhy.explain.model import Explanation, Operator
from sparkwhy.plan.nodes import SQL_TEXT, Place
from sparkwhy.plan.show import main_nodes
from sparkwhy.plan.walk import fold, with_inputs
from sparkwhy.report.answer import Answer


def name_file(answer: Answer, file: Path) -> Answer:
    """Return the answer with `report.sql:3` where it says SQL line 3."""
    plan = fold(
        answer.plan, lambda node, inputs: with_inputs(replace(node, where=_place_in_file(node.where, file)), inputs)
    )
    places = {step: node.where for step, node in main_nodes(plan).items()}

    def rename_operator(operator: Operator) -> Operator:
        place = places.get(operator.id)
        return operator if place is None else replace(operator, where=str(place))

    def rename_places(explanation: Explanation) -> Explanation:
        fixes = tuple(replace(fix, operator=rename_operator(fix.operator)) for fix in explanation.fixes)
        return replace(explanation, operators=tuple(map(rename_operator, explanation.operators)), fixes=fixes)

    explanations, tried = tuple(map(rename_places, answer.explanations)), tuple(map(rename_places, answer.tried))
    return replace(answer, plan=plan, explanations=explanations, tried=tried)


def _place_in_file(place: Place | None, file: Path) -> Place | None:
    return replace(place, file=str(file)) if place is not None and place.file == SQL_TEXT else place
