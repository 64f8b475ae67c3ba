"""Look up near misses of explanations: the nearest keys beside a join, rivals, and what makes two values equal."""

from __future__ import annotations

from sparkwhy.evidence.attach import with_details
from sparkwhy.evidence.probes import probes
from sparkwhy.explain.model import Explanation
from sparkwhy.limits import Limits
from sparkwhy.plan.nodes import Plan
from sparkwhy.spark.engine import Engine


def find_details(engine: Engine, explanations: tuple[Explanation, ...], limits: Limits) -> tuple[Explanation, ...]:
    """Return the explanations, the first ones with near misses and hints, by the query that each is about.

    Explanations that are shown in short have no room for them, and each takes a job.
    """
    most = limits.detailed_explanations
    first = [each for each in explanations if each.minimal is not False][:most] or explanations[:most]

    def detailed(plan: Plan) -> dict[int, Explanation]:
        about = tuple(each for each in first if each.plan is plan)
        found = [(probe, engine.nearest_rows(probe.plan, probe.wanted)) for probe in probes(plan, about)]
        return {each.rank: each for each in with_details(plan, about, found)}

    plans = {id(each.plan): each.plan for each in first}.values()
    by_rank = {rank: each for plan in plans for rank, each in detailed(plan).items()}
    return tuple(by_rank.get(each.rank, each) for each in explanations)
