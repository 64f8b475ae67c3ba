"""What is measured of a question, and how often."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import partial

from pyspark.sql import DataFrame, SparkSession

from bench.measures import Costs, Measured, measured, typical
from sparkwhy import why_not
from sparkwhy.scenarios.data.tables import GeneratedTables
from sparkwhy.scenarios.scenario import Missing, Scenario

Work = Callable[[], object]


@dataclass(frozen=True)
class Asked:
    """A query, its question, and the groups of attributes that may have been mixed up."""

    df: DataFrame
    missing: Missing
    alternatives: tuple[frozenset[str], ...]

    @classmethod
    def of(cls, scenario: Scenario, tables: GeneratedTables) -> Asked:
        return cls(scenario.query(tables), scenario.question(tables), scenario.alternatives)

    def works(self) -> dict[str, Work]:
        ask = partial(why_not, self.df, self.missing)
        groups = self.alternatives or None
        return {
            "query": lambda: self.df.write.format("noop").mode("overwrite").save(),
            "plain": lambda: ask(verify=False, side_effects="none"),
            "explanations": lambda: ask(alternatives=groups, verify=False, side_effects="none"),
            "fixes": lambda: ask(alternatives=groups, side_effects="none"),
            "default": lambda: ask(alternatives=groups),
            "exact": lambda: ask(alternatives=groups, side_effects="exact"),
        }


WARMED_BY_OTHERS = ("fixes", "exact")
"""What runs nearly the same jobs as the default call."""


def costs(
    session: SparkSession, works: Mapping[str, Work], repetitions: int, once: Collection[str] = WARMED_BY_OTHERS
) -> Costs:
    """Each work once to warm up, then all of them in turn, as often as is asked for; some, which take long, once."""
    for kind, work in works.items():
        if kind not in WARMED_BY_OTHERS:
            work()
    runs: dict[str, list[Measured]] = {kind: [] for kind in works}
    for at in range(repetitions):
        for kind, work in works.items():
            if kind not in once or at == 0:
                runs[kind].append(measured(session, work))
    return {kind: typical(each) for kind, each in runs.items()}
