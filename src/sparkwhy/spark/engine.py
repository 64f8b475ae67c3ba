"""The one interface to Spark: what the stages above `spark` may ask of it.

An engine belongs to one DataFrame. It reads its query into a plan and runs plans that were made of it. `ClassicEngine`
does so through the JVM; tests have an engine that runs plans in the interpreter. `sparkwhy.spark.engine_for` chooses.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from enum import Enum
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeVar

from sparkwhy.errors import QueryFailed
from sparkwhy.limits import DEFAULT_LIMITS, Limits
from sparkwhy.plan.nodes import Plan, Table
from sparkwhy.plan.types import Type
from sparkwhy.rewrite.codegen import Codegen as Codegen
from sparkwhy.rewrite.split_small import SmallAt

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

Progress: TypeAlias = Callable[[str], None]
"""Receives the name of each stage as it begins."""

Rows: TypeAlias = Sequence[Sequence[Any]]
"""Collected rows; each has the values of the plan's output, by position."""

NOWHERE_SMALL = SmallAt(lambda _: False)
"""A plan of which nothing says that it has few rows anywhere."""


class Portion(Enum):
    """Which rows of each table a plan reads."""

    ALL = "all"
    FIRST = "first rows of each partition"
    MORE = "more of the first rows of each partition"


class Watched(Protocol[T_co]):
    """Work on a thread of its own, which can be interrupted and leaves no job behind."""

    @property
    def stage(self) -> str:
        """The stage that the work entered last."""
        ...

    def result(self, *, timeout: float | None, since: float, progress: Progress) -> T_co:
        """Wait for the work and return its result; pass the stages that it enters to `progress`.

        Raise `TimedOut` after `timeout` seconds since `since`, a moment of `time.monotonic`. Its jobs are cancelled
        then, and also if anything else is raised while waiting.
        """
        ...


class Engine(Protocol):
    """What runs a query and plans that were made of it."""

    # --- the query ---

    def read_plan(self) -> Plan:
        """Return the query as a plan, with the places in the user's code where Spark knows them. Run no job.

        Raise `NotADataFrame` or `UnsupportedOperator` if it cannot be read.
        """
        ...

    def char_widths(self) -> Mapping[int, int]:
        """Return the widths in characters of the result's columns of type char(n), by position."""
        ...

    def timezone(self) -> str:
        """Return the time zone of the session, in which times without a zone are read."""
        ...

    def source_bytes(self) -> int:
        """Return the size in bytes of the largest source of the query; an unknown size counts as huge."""
        ...

    def table_bytes(self, table: Table) -> int:
        """Return the size in bytes of one table of a plan; an unknown size counts as huge."""
        ...

    # --- rows ---

    def collect(
        self,
        plan: Plan,
        *,
        small_at: SmallAt = NOWHERE_SMALL,
        codegen: Codegen = Codegen.WHOLE,
        portion: Portion = Portion.ALL,
    ) -> Rows:
        """Run a plan and return its rows.

        Where the plan is `small_at` it may be finished on the driver, which spares a shuffle for a handful of rows.
        With another `portion` only some rows of each table are read.
        """
        ...

    def is_empty(self, plan: Plan) -> bool:
        """Return whether a plan has no row."""
        ...

    def run_in_full(self, plan: Plan | None = None) -> None:
        """Compute all rows and columns of a plan, or of the query itself, and keep nothing."""
        ...

    def quantiles(self, plan: Plan, count: int, *, share: float = 1.0) -> Sequence[Sequence[str]]:
        """Return up to `count` values of each column as text: evenly placed ones, of strings the most frequent.

        With a `share` below 1 the values between the least and the greatest are taken from a sample of that share.
        """
        ...

    def nearest_rows(self, plan: Plan, wanted: Sequence[Any]) -> tuple[tuple[str | None, ...], ...]:
        """Return a few distinct rows as text: those nearest to the wanted values of the first columns."""
        ...

    def nearest_values(self, plan: Plan, wanted: Any) -> tuple[str, ...]:
        """Return a few values as text of a plan with one column: those nearest to the wanted one."""
        ...

    # --- patterns ---

    def regex_problem(self, text: str) -> str | None:
        """Return why a text is no regular expression, or None if it is one."""
        ...

    def is_random_function(self, function: Callable[..., Any], name: str, type: Type) -> bool:
        """Return whether a user's function of a column of this type gives other values at each run.

        Raise `PatternError` if it makes no condition, or calls Python for each row.
        """
        ...

    # --- jobs ---

    def named_jobs(self, name: str) -> AbstractContextManager[None]:
        """Give the jobs that start inside a name in the Spark UI; restore what was there before."""
        ...

    def watch(self, work: Callable[[Progress], T], stage: str) -> Watched[T]:
        """Prepare work that begins with a stage and enters others. It starts when its result is asked for."""
        ...

    # --- failures ---

    @property
    def failures(self) -> tuple[type[Exception], ...]:
        """What the engine raises if a job fails."""
        ...

    def was_cancelled(self, failure: Exception) -> bool:
        """Return whether somebody cancelled the job, as a timeout does."""
        ...

    def failing_value(self, failure: Exception) -> str | None:
        """Return Spark's name for the failure if an expression failed on a value, as DIVIDE_BY_ZERO; else None."""
        ...

    def reason_of(self, failure: Exception) -> str | None:
        """Return the first line of Spark's message; None for an error of the JVM, which says little."""
        ...

    def as_query_failed(self, failure: Exception, stage: str, plan: Plan, *, values: bool) -> QueryFailed:
        """Return the failure as `QueryFailed`, with the user's operator and its place if Spark tells.

        Without `values` only the class of the failure is named, because messages of Spark quote the data.
        """
        ...


def engine_for(df: DataFrame, limits: Limits = DEFAULT_LIMITS) -> Engine:
    """Return the engine that can read a DataFrame. `limits` says how many rows it looks at, and brings to the driver.

    There is one today. A DataFrame without a JVM (Spark Connect) is refused by its `read_plan`; an engine for these is
    chosen here, by what the DataFrame offers and not by the version of Spark.
    """
    from sparkwhy.spark.classic.engine import ClassicEngine

    return ClassicEngine(df, limits)
