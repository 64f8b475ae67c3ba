"""Find attributes that may have been meant, with evidence from the data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice

from sparkwhy.alternatives.suggest import Suggestion, choose_suggestions, describe_holders, evidence_plans, suggestions
from sparkwhy.alternatives.variant import Alternatives
from sparkwhy.backtrace.backtrace import Conditions
from sparkwhy.limits import Limits
from sparkwhy.messages import Message
from sparkwhy.plan.nodes import OpId, Plan
from sparkwhy.spark.engine import Engine


def find_alternatives(engine: Engine, plan: Plan, asked: Conditions) -> Alternatives:
    """Find the alternatives that the names, the types and the values of the data speak for."""
    proposed = suggestions(plan, asked)
    return choose_suggestions(plan, proposed, _count_fitting(engine, plan, proposed))


def find_holders(engine: Engine, plan: Plan, asked: Conditions, limits: Limits) -> tuple[Message, ...]:
    """Name other columns that contain the requested value: `b holds what is asked of a, in 2 of 3 rows`."""
    proposed = suggestions(plan, asked, only_asked=True)
    return tuple(islice(describe_holders(proposed, _count_fitting(engine, plan, proposed)), limits.named_columns))


def _count_fitting(engine: Engine, plan: Plan, proposed: Sequence[Suggestion]) -> Mapping[OpId, Sequence[int]]:
    """Count in each table the rows that were read, and those that fit each proposal."""
    return {table: tuple(engine.collect(look)[0]) for table, look in evidence_plans(plan, proposed).items()}
