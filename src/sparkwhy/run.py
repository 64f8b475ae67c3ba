"""What the stages of one question share: the query, the question, the options and the engine."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from sparkwhy.alternatives.variant import Alternatives
from sparkwhy.backtrace.backtrace import Conditions
from sparkwhy.backtrace.find_keys import FindKeys, find_no_keys, key_finder
from sparkwhy.limits import Limits
from sparkwhy.options import Options
from sparkwhy.plan.nodes import Plan
from sparkwhy.question.bound import Question
from sparkwhy.spark.engine import Engine, Progress


@dataclass(frozen=True)
class Run:
    """One question about one query, with all that its stages share."""

    engine: Engine
    plan: Plan
    question: Question
    asked: Conditions
    """What the question asks of the columns of a row."""

    options: Options
    limits: Limits
    declared: Alternatives
    """The query and its declared alternatives."""

    enter: Progress = lambda _: None
    """Is called with the name of each stage as it begins."""

    written: Plan | None = None
    """The query as written, if `plan` has null in the place of values on which an expression fails."""

    @cached_property
    def large(self) -> bool:
        """Whether a source is so large that rows of groups are looked up later, and side effects only bounded."""
        return self.engine.source_bytes() > self.limits.large_bytes

    @cached_property
    def find_keys(self) -> FindKeys:
        return key_finder(self.engine, self.limits) if self.large else find_no_keys
