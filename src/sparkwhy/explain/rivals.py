"""Rows that were kept instead of a witness: an answer names only those that the query itself has.

Tracing compares a witness with the rows of its world. If an operator below is relaxed there too, the first of them may
be a row that the query drops.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from sparkwhy.explain.model import Explanation
from sparkwhy.plan.nodes import Plan
from sparkwhy.plan.show import main_nodes
from sparkwhy.plan.walk import inputs, walk
from sparkwhy.trace.witness import Observation, Witness


def drop_relaxed_rivals(explanations: Iterable[Explanation]) -> tuple[Explanation, ...]:
    """Return the explanations without rivals and cut-off values from worlds in which an operator below is relaxed."""
    return tuple(map(_drop_relaxed_rivals, explanations))


def _drop_relaxed_rivals(explanation: Explanation) -> Explanation:
    nodes = main_nodes(explanation.plan)
    blamed = {step for operator in explanation.operators for step in explanation.steps_of(operator)}

    def check(step: int, seen: Observation) -> Observation:
        names_row = seen.rival is not None or seen.cut_off
        if not names_row or not _changes_below(nodes, step, blamed):
            return seen
        return replace(seen, rival=None, cut_off=())

    def check_all(witness: Witness) -> Witness:
        return replace(witness, at=witness.at.map(check))

    return replace(explanation, witnesses=tuple(map(check_all, explanation.witnesses)))


def _changes_below(nodes: Mapping[int, Plan], step: int, blamed: set[int]) -> bool:
    """Return whether an operator that must change is below another one."""
    return any(each.id.step in blamed for below in inputs(nodes[step]) for each in walk(below) if each.id.step != step)
