"""The engine that reaches Spark through the JVM, in the process of the user's session."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from sparkwhy.errors import QueryFailed, assert_never
from sparkwhy.limits import DEFAULT_LIMITS, Limits
from sparkwhy.plan.nodes import Plan, Source, Table
from sparkwhy.plan.types import Type
from sparkwhy.plan.uses import mark_uses
from sparkwhy.rewrite.rules import RULES, Rewrite
from sparkwhy.rewrite.split_small import SmallAt
from sparkwhy.spark.classic import jvm
from sparkwhy.spark.classic.jobs.failures import (
    SPARK_FAILURES,
    SparkFailure,
    failing_value,
    query_failed,
    was_cancelled,
)
from sparkwhy.spark.classic.jobs.watched import WatchedThread
from sparkwhy.spark.classic.pattern_functions import is_random_function
from sparkwhy.spark.classic.read.call_places import add_call_places
from sparkwhy.spark.classic.read.char_columns import char_widths
from sparkwhy.spark.classic.read.operators import read
from sparkwhy.spark.classic.run.collect_small import collect_small
from sparkwhy.spark.classic.run.first_rows import first_rows, more_rows
from sparkwhy.spark.classic.run.nearest import nearest_rows, nearest_values
from sparkwhy.spark.classic.run.operators import Part, run
from sparkwhy.spark.classic.run.quantiles import quantiles
from sparkwhy.spark.comma_joins import with_join_conditions
from sparkwhy.spark.engine import NOWHERE_SMALL, Codegen, Engine, Portion, Progress, Rows

T = TypeVar("T")


@dataclass(frozen=True)
class ClassicEngine(Engine):
    """Reads and runs the query of one classic DataFrame."""

    df: DataFrame
    limits: Limits = DEFAULT_LIMITS
    rewrites: Sequence[Rewrite] = RULES

    @property
    def session(self) -> SparkSession:
        return self.df.sparkSession

    # --- the query ---

    def read_plan(self) -> Plan:
        return add_call_places(mark_uses(with_join_conditions(read(self.df)), _is_same_source))

    def char_widths(self) -> Mapping[int, int]:
        return char_widths(self.df)

    def timezone(self) -> str:
        return self.session.conf.get("spark.sql.session.timeZone") or "UTC"

    def source_bytes(self) -> int:
        return jvm.source_bytes(self.df)

    def table_bytes(self, table: Table) -> int:
        return jvm.plan_bytes(table.source.handle)

    # --- rows ---

    def collect(
        self,
        plan: Plan,
        *,
        small_at: SmallAt = NOWHERE_SMALL,
        codegen: Codegen = Codegen.WHOLE,
        portion: Portion = Portion.ALL,
    ) -> Rows:
        return collect_small(
            self.session,
            plan,
            small_at,
            self.limits,
            codegen=codegen,
            some=_part(portion, self.limits),
            rewrites=self.rewrites,
        )

    def is_empty(self, plan: Plan) -> bool:
        return self._run(plan).isEmpty()

    def run_in_full(self, plan: Plan | None = None) -> None:
        df = self.df if plan is None else self._run(plan)
        df.write.format("noop").mode("overwrite").save()

    def quantiles(self, plan: Plan, count: int, *, share: float = 1.0) -> Sequence[Sequence[str]]:
        return quantiles(self._run(plan), count, share=share, enough=self.limits.sampled_values)

    def nearest_rows(self, plan: Plan, wanted: Sequence[Any]) -> tuple[tuple[str | None, ...], ...]:
        return nearest_rows(self._run(plan), wanted, self.limits.nearest)

    def nearest_values(self, plan: Plan, wanted: Any) -> tuple[str, ...]:
        return nearest_values(self._run(plan), wanted, self.limits.nearest)

    def _run(self, plan: Plan) -> DataFrame:
        return run(self.session, plan, rewrites=self.rewrites)

    # --- patterns ---

    def regex_problem(self, text: str) -> str | None:
        return jvm.regex_problem(self.session, text)

    def is_random_function(self, function: Callable[..., Any], name: str, type: Type) -> bool:
        return is_random_function(self.session, function, name, type)

    # --- jobs ---

    @contextmanager
    def named_jobs(self, name: str) -> Iterator[None]:
        context = self.session.sparkContext
        before = context.getLocalProperty("spark.job.description")
        context.setLocalProperty("spark.job.description", name)
        try:
            yield
        finally:
            context.setLocalProperty("spark.job.description", before)  # type: ignore[arg-type]

    def watch(self, work: Callable[[Progress], T], stage: str) -> WatchedThread[T]:
        return WatchedThread(self.session, work, stage)

    # --- failures ---

    @property
    def failures(self) -> tuple[type[Exception], ...]:
        return SPARK_FAILURES

    def was_cancelled(self, failure: Exception) -> bool:
        return was_cancelled(cast(SparkFailure, failure))

    def failing_value(self, failure: Exception) -> str | None:
        return failing_value(cast(SparkFailure, failure))

    def reason_of(self, failure: Exception) -> str | None:
        return str(failure).splitlines()[0] if isinstance(failure, PySparkException) else None

    def as_query_failed(self, failure: Exception, stage: str, plan: Plan, *, values: bool) -> QueryFailed:
        return query_failed(cast(SparkFailure, failure), stage, plan, values=values)


def _is_same_source(one: Source, other: Source) -> bool:
    return one.name == other.name and jvm.reads_same(one.handle, other.handle)


def _part(portion: Portion, limits: Limits) -> Part | None:
    """Return what takes this portion of the rows of a table; None for all of them."""
    match portion:
        case Portion.ALL:
            return None
        case Portion.FIRST:
            return lambda df: first_rows(df, limits)
        case Portion.MORE:
            return lambda df: more_rows(df, limits)
        case _:
            assert_never(portion)
