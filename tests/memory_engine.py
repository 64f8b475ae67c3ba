"""An engine that runs plans in the interpreter, for tests without Spark."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

from sparkwhy.errors import EvaluationError, QueryFailed
from sparkwhy.memory.interpreter import run
from sparkwhy.memory.values import Row, in_order
from sparkwhy.plan.build import Fresh
from sparkwhy.plan.exprs import Ref
from sparkwhy.plan.nodes import Column, OpId, Plan, Project, Table
from sparkwhy.plan.types import STRING, Type
from sparkwhy.rewrite.split_small import SmallAt
from sparkwhy.spark.engine import NOWHERE_SMALL, Codegen, Engine, Portion, Progress, Rows
from sparkwhy.trace.encode import as_text

T = TypeVar("T")


@dataclass(frozen=True)
class WatchedHere:
    """Work on the thread that waits for it."""

    work: Callable[[Progress], Any]
    stage: str

    def result(self, *, timeout: float | None, since: float, progress: Progress) -> Any:
        return self.work(progress)


@dataclass(frozen=True)
class MemoryEngine(Engine):
    """Runs plans over the rows of tables that are at hand."""

    tables: Mapping[OpId, list[Row]]
    plan: Plan | None = None
    """What `read_plan` returns."""

    def read_plan(self) -> Plan:
        assert self.plan is not None
        return self.plan

    def char_widths(self) -> Mapping[int, int]:
        return {}

    def timezone(self) -> str:
        return "UTC"

    def source_bytes(self) -> int:
        return 0

    def table_bytes(self, table: Table) -> int:
        return 0

    def collect(
        self,
        plan: Plan,
        *,
        small_at: SmallAt = NOWHERE_SMALL,
        codegen: Codegen = Codegen.WHOLE,
        portion: Portion = Portion.ALL,
    ) -> Rows:
        return run(plan, self.tables)

    def is_empty(self, plan: Plan) -> bool:
        return not self.collect(plan)

    def run_in_full(self, plan: Plan | None = None) -> None:
        self.collect(self.read_plan() if plan is None else plan)

    def quantiles(self, plan: Plan, count: int, *, share: float = 1.0) -> Sequence[Sequence[str]]:
        """Return up to `count` distinct values of each column as text, evenly placed in their order."""
        written = self.collect(_as_texts(plan))
        known = zip(zip(*self.collect(plan), strict=True), zip(*written, strict=True), strict=True)
        columns = [dict(zip(*both, strict=True)) for both in known] or [{} for _ in plan.output]
        return [_placed([t for _, t in sorted(each.items(), key=_value) if t is not None], count) for each in columns]

    def nearest_rows(self, plan: Plan, wanted: Sequence[Any]) -> tuple[tuple[str | None, ...], ...]:
        """Return the first three distinct rows as text; nothing is measured."""
        return tuple(sorted({tuple(row) for row in self.collect(_as_texts(plan))}, key=str)[:3])

    def nearest_values(self, plan: Plan, wanted: Any) -> tuple[str, ...]:
        return tuple(value for (value,) in self.nearest_rows(plan, (wanted,)) if value is not None)

    def regex_problem(self, text: str) -> str | None:
        return None

    def is_random_function(self, function: Callable[..., Any], name: str, type: Type) -> bool:
        return False

    @contextmanager
    def named_jobs(self, name: str) -> Iterator[None]:
        yield

    def watch(self, work: Callable[[Progress], T], stage: str) -> WatchedHere:
        return WatchedHere(work, stage)

    @property
    def failures(self) -> tuple[type[Exception], ...]:
        return (EvaluationError,)

    def was_cancelled(self, failure: Exception) -> bool:
        return False

    def failing_value(self, failure: Exception) -> str | None:
        return str(failure)

    def reason_of(self, failure: Exception) -> str | None:
        return str(failure)

    def as_query_failed(self, failure: Exception, stage: str, plan: Plan, *, values: bool) -> QueryFailed:
        return QueryFailed(stage, str(failure))


def _as_texts(plan: Plan) -> Plan:
    fresh = Fresh(plan)
    texts = tuple(Column(fresh.attribute(a.name, STRING), as_text(Ref(a))) for a in plan.output)
    return Project(id=fresh.part(plan), input=plan, columns=texts)


def _value(item: tuple[Any, str | None]) -> Any:
    return in_order(item[0])


def _placed(texts: list[str], count: int) -> list[str]:
    last = len(texts) - 1
    return [texts[i] for i in sorted({round(last * share / (count - 1)) for share in range(count)})] if texts else []
