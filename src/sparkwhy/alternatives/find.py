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


def find_alternatives(engine: Engine, plan: Plan, asked: Conditions, limits: Limits) -> Alternatives:
    """Find alternatives that names, types and values of the data support."""
    proposed = suggestions(plan, asked, limits=limits)
    return choose_suggestions(plan, proposed, _count_fitting(engine, plan, proposed, limits), limits)


def find_holders(engine: Engine, plan: Plan, asked: Conditions, limits: Limits) -> tuple[Message, ...]:
    """Name other columns that contain the requested value: `b holds what is asked of a, in 2 of 3 rows`."""
    proposed = suggestions(plan, asked, only_asked=True, limits=limits)
    holders = describe_holders(proposed, _count_fitting(engine, plan, proposed, limits), limits)
    return tuple(islice(holders, limits.named_columns))


def _count_fitting(
    engine: Engine, plan: Plan, proposed: Sequence[Suggestion], limits: Limits
) -> Mapping[OpId, Sequence[int]]:
    """Count in each table the rows that were read, and those that fit each proposal."""
    return {table: tuple(engine.collect(look)[0]) for table, look in evidence_plans(plan, proposed, limits).items()}
