"""What proposers read: the query with its variants, and the operator at which a witness was dropped."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sparkwhy.alternatives.variant import QueryVariant
from sparkwhy.evidence.evidence import Evidence
from sparkwhy.limits import DEFAULT_LIMITS, Limits
from sparkwhy.plan.exprs import Expr
from sparkwhy.plan.nodes import OpId, Plan
from sparkwhy.plan.show import show_expr
from sparkwhy.question.values import convert
from sparkwhy.trace.blame import Bits, Dropper
from sparkwhy.trace.witness import NotRecorded, Observation


class UnknownValue(Exception):
    """The value of an expression on the witness was not recorded."""


ValueOf = Callable[[Expr], Any]
"""Returns the value of an expression on a witness, None for null; raises `UnknownValue` if it was not recorded."""


@dataclass(frozen=True)
class FixContext:
    """The query for which fixes are proposed: its variants, the bits of their operators, the session time zone."""

    alternatives: Sequence[QueryVariant]
    bits: Bits
    timezone: str
    other_readings: Mapping[OpId, tuple[Plan, ...]] = field(default_factory=dict)
    """Operators of the query as written, changed to read another column of a declared group."""

    evidence: tuple[Evidence, ...] = ()
    """What the data says about witnesses of the most promising claims."""

    limits: Limits = DEFAULT_LIMITS
    shown_as: Mapping[OpId, Plan] = field(default_factory=dict)
    """Operators that stand in for others, by id: messages show the operator that the user wrote, with its names."""

    def show(self, node: Plan) -> Plan:
        """Return the operator that messages show for a node."""
        return self.shown_as.get(node.id, node)

    @property
    def plan(self) -> Plan:
        """The query as written."""
        return self.alternatives[0].plan


@dataclass(frozen=True)
class Blamed:
    """An operator that dropped a witness: its node in a query variant, and what is known of the witness there.

    `observation` is what tracing recorded, None if it recorded nothing; `evidence` is what further queries found, None
    if none was run for this witness.
    """

    node: Plan
    dropper: Dropper
    variant: int = 0
    observation: Observation | None = None
    evidence: Evidence | None = None


def blame(context: FixContext, node: Plan, dropper: Dropper, variant: int, observation: Observation | None) -> Blamed:
    """Return an operator that dropped a witness, with the evidence that there is about this witness."""
    if observation is None:
        return Blamed(node, dropper, variant)
    about = (each for each in context.evidence if each.is_about(variant, node.id.step, observation))
    return Blamed(node, dropper, variant, observation, next(about, None))


def has_failed_at(observation: Observation) -> Callable[[Expr], bool]:
    """Return a test whether a conjunct failed on the witness; one that was not recorded is left as it is."""
    return lambda part: observation.has_verdict(part) and observation.verdict_of(part) is not True


def values_at(context: FixContext, observation: Observation) -> ValueOf:
    """Return what looks up the values of an operator's expressions on the witness, as values of their types."""

    def value_of(expr: Expr) -> Any:
        try:
            value = observation.value_of(expr)
            return None if value is None else convert(value, expr.type, context.timezone)
        except (NotRecorded, ValueError):
            raise UnknownValue(show_expr(expr)) from None

    return value_of
