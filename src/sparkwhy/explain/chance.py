"""What in a query comes out otherwise at each run."""

from __future__ import annotations

from collections.abc import Iterator

from sparkwhy.explain.explanation import Operator
from sparkwhy.plan.exprs import Opaque
from sparkwhy.plan.nodes import Plan
from sparkwhy.plan.slots import exprs_of
from sparkwhy.plan.walk import walk
from sparkwhy.plan.walk_exprs import parts


def chances(plan: Plan) -> tuple[str, ...]:
    """A note for each operator that computes with `rand()`, `uuid()` or the like: its values are those of one run."""
    return tuple(dict.fromkeys(_note(Operator.of(node)) for node in walk(plan) if any(_by_chance(node))))


def _by_chance(node: Plan) -> Iterator[Opaque]:
    found = (part for expr in exprs_of(node) for part in parts(expr))
    return (part for part in found if isinstance(part, Opaque) and not part.deterministic)


def _note(operator: Operator) -> str:
    place = "" if operator.where is None else f" ({operator.where})"
    return f"{operator.text}{place} gives other values at each run, so another run may give another answer."
