"""Causes: why an operator dropped a row, as a code that programs can rely on. `CAUSES` says what each code means."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal as OneOf
from typing import TypeAlias

from sparkwhy.errors import assert_never
from sparkwhy.explain.model import Explanation, Operator
from sparkwhy.plan.nodes import Distinct, Plan, SetOperation
from sparkwhy.trace.witness import Observation

Cause: TypeAlias = OneOf[
    "condition_false",
    "condition_null",
    "no_join_partner",
    "has_join_partner",
    "no_set_partner",
    "has_set_partner",
    "empty_array",
    "null_array",
    "beyond_limit",
    "duplicate_of",
    "several_join_partners",
    "not_recorded",
]

CAUSES: Mapping[Cause, str] = {
    "condition_false": "a part of the condition is false for the row",
    "condition_null": "no part of the condition is false, but one is null, which is not true",
    "no_join_partner": "the join has no partner for the row",
    "has_join_partner": "the anti join drops the row because it has a partner",
    "no_set_partner": "the row is missing, or occurs less often, on the right of an intersection",
    "has_set_partner": "the row occurs on the right of a difference",
    "empty_array": "the explode makes no row of an empty array or map",
    "null_array": "the explode makes no row of a null array or map",
    "beyond_limit": "the row comes after the last one that the limit keeps",
    "duplicate_of": "another row with the same key is kept instead",
    "several_join_partners": "the join returns the row once for each of its partners, so it counts several times",
    "not_recorded": (
        "nothing was recorded of a row here: the operator reads another column in an alternative, or it has to keep "
        "other rows than it does"
    ),
}
"""What each cause means."""


def causes_of(operator: Operator, explanation: Explanation) -> tuple[Cause, ...]:
    """Return why an operator of an explanation dropped its witnesses, each cause once, in the order of the witnesses.

    For example `("condition_null", "condition_false")` if `status` is null in one witness and 'open' in another.
    """
    steps = explanation.steps_of(operator)
    seen = [witness.at[step] for witness in explanation.witnesses for step in steps if step in witness.at]
    return tuple(dict.fromkeys(map(cause_of, seen))) or ("not_recorded",)


def cause_of(seen: Observation) -> Cause:
    """Return why a row was dropped, by what was recorded of it at the operator."""
    if seen.no_partner is not None:
        return "no_set_partner" if isinstance(seen.node, SetOperation) else "no_join_partner"
    if seen.has_partner is not None:
        return "has_set_partner" if isinstance(seen.node, SetOperation) else "has_join_partner"
    if seen.partners:
        return "several_join_partners"
    if seen.copies:
        return _cause_of_copies(seen.node)
    if seen.collections:
        return _cause_of_collection(seen.collections[0][1])
    if seen.rank is not None:
        return "beyond_limit"
    if seen.rival is not None or isinstance(seen.node, Distinct):
        return "duplicate_of"
    return _cause_of_condition([verdict for _, verdict in seen.outcomes])


def _cause_of_copies(node: Plan | None) -> Cause:
    removes = isinstance(node, SetOperation) and node.operation == "except"
    return "has_set_partner" if removes else "no_set_partner"


def _cause_of_collection(state: OneOf["null", "empty"]) -> Cause:
    match state:
        case "null":
            return "null_array"
        case "empty":
            return "empty_array"
        case _:
            assert_never(state)


def _cause_of_condition(verdicts: list[bool | None]) -> Cause:
    if False in verdicts:
        return "condition_false"
    return "condition_null" if None in verdicts else "not_recorded"
