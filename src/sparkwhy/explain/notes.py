"""What in a query comes out otherwise at each run."""

from __future__ import annotations

from sparkwhy.explain.model import Operator
from sparkwhy.messages import Message
from sparkwhy.plan.node_exprs import exprs_of
from sparkwhy.plan.nodes import Plan
from sparkwhy.plan.walk import walk
from sparkwhy.plan.walk_exprs import is_random


def chances(plan: Plan) -> tuple[Message, ...]:
    """Return a note for each operator that computes with `rand()`, `uuid()` or the like: its values are those of one
    run.
    """
    return tuple(dict.fromkeys(_note(Operator.of(node)) for node in walk(plan) if any(map(is_random, exprs_of(node)))))


def _note(operator: Operator) -> Message:
    place = "" if operator.where is None else f" ({operator.where})"
    return other_values(f"{operator.text}{place}")


def other_values(what: str) -> Message:
    """Return the note on what is left to chance."""
    return Message("random", operator=what)
