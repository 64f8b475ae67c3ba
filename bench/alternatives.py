"""What alternatives cost: a question without and with the paper's twelve alternatives, nested TPC-H at scale factor 1.

The query is the paper's scenario Q3 over orders that hold their items: a flatten, a join, three filters and an
aggregation, with three groups of attributes that may have been mixed up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from statistics import median
from time import perf_counter

from pyspark.sql import DataFrame, SparkSession

from sparkwhy import Answer, why_not
from sparkwhy.scenarios.data import tpch
from sparkwhy.scenarios.q3 import Q3
from sparkwhy.scenarios.scenario import Dataset

REPETITIONS = 5
BOUND = 1.5
"""So many times what a question costs without alternatives may it cost with them."""


@dataclass(frozen=True)
class Tpch:
    """The tables of TPC-H at scale factor 1, flat and nested."""

    session: SparkSession

    def __getitem__(self, name: str) -> DataFrame:
        return tpch.table(self.session, name, 1.0)

    def fits(self, dataset: Dataset) -> bool:
        return dataset == "tpch"


def bench(session: SparkSession) -> None:
    df = Q3.query(Tpch(session))

    def ask(alternatives: Iterable[frozenset[str]] | None) -> Answer:
        return why_not(df, Q3.missing, alternatives=alternatives, verify=False, side_effects="none")

    answer = ask(Q3.alternatives)
    print(
        f"\nTPC-H Q3 over nested orders, scale factor 1, {len(answer.alternatives)} alternatives; fixes are not tried"
    )
    print(f"explanations: {len(ask(None).explanations)}; with alternatives: {len(answer.explanations)}")
    _run(df)
    works: tuple[Callable[[], object], ...] = (lambda: _run(df), lambda: ask(None), lambda: ask(Q3.alternatives))
    runs = [[_seconds(work) for work in works] for _ in range(REPETITIONS)]
    own, without, with_them = (median(times) for times in zip(*runs, strict=True))
    print(f"{'':>28} {'seconds':>9} {'to query':>9} {'to plain':>9}")
    print(f"{'query':>28} {own:>9.2f} {1:>9.2f}")
    print(f"{'question':>28} {without:>9.2f} {without / own:>9.2f} {1:>9.2f}")
    print(f"{'question, alternatives':>28} {with_them:>9.2f} {with_them / own:>9.2f} {with_them / without:>9.2f}")
    print(f"the last ratio is {'within' if with_them <= BOUND * without else 'ABOVE'} the bound of {BOUND}")


def _run(df: DataFrame) -> None:
    df.write.format("noop").mode("overwrite").save()


def _seconds(work: Callable[[], object]) -> float:
    start = perf_counter()
    work()
    return perf_counter() - start
