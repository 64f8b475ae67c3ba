"""The front door: `why_not`, the stages in order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from sparkwhy.explain.candidates import Candidate, candidate_plan, candidates_of, explain
from sparkwhy.explain.details import with_details
from sparkwhy.explain.explanation import Explanation
from sparkwhy.explain.missing import SourceGap, decides, gaps
from sparkwhy.explain.probes import probes
from sparkwhy.plan.nodes import Plan
from sparkwhy.question.bind import Question, bind
from sparkwhy.question.match import conditions
from sparkwhy.question.pattern import to_pattern
from sparkwhy.report.answer import Answer
from sparkwhy.spark.nearest import nearest_rows, nearest_values
from sparkwhy.spark.read import read
from sparkwhy.spark.run import run
from sparkwhy.trace.annotate import TracedQuery, trace
from sparkwhy.trace.comma_joins import with_join_conditions

Progress = Callable[[str], None]


def why_not(df: DataFrame, missing: Mapping[str, Any], *, progress: Progress | None = None) -> Answer:
    """Why is no row like `missing` in the DataFrame?

    `missing` mirrors the row; fields that it does not mention may be anything. `progress` is called with the name
    of each stage as it begins.
    """
    say = progress or (lambda _: None)
    say("reading the query")
    plan = with_join_conditions(read(df))
    session = df.sparkSession
    question = bind(to_pattern(missing), plan.output, timezone=session.conf.get("spark.sql.session.timeZone") or "UTC")
    traced = trace(plan, conditions(question), records=True)
    say("tracing rows")
    with _named_jobs(session, "sparkwhy: tracing rows"):
        candidates = candidates_of(run(session, candidate_plan(plan, traced)).collect())
    answer = _answer(session, question, plan, traced, candidates, say)
    say("done")
    return answer


def _answer(
    session: SparkSession,
    question: Question,
    plan: Plan,
    traced: TracedQuery,
    candidates: tuple[Candidate, ...],
    say: Progress,
) -> Answer:
    there = [candidate for candidate in candidates if candidate.blame == 0 and candidate.certain]
    if there:
        return Answer.not_missing(question, plan, there[0])
    explanations = explain(plan, traced.bits, candidates)
    if explanations:
        say("looking at near misses")
        with _named_jobs(session, "sparkwhy: looking at near misses"):
            explanations = _with_details(session, plan, explanations)
        return Answer.explained(question, plan, explanations, any(c.worlds_left_out for c in candidates))
    say("looking at the sources")
    with _named_jobs(session, "sparkwhy: looking at the sources"):
        found = _source_gaps(session, plan, traced)
    return Answer.not_explained(question, plan, found if decides(plan, found) else ())


def _with_details(session: SparkSession, plan: Plan, explanations: tuple[Explanation, ...]) -> tuple[Explanation, ...]:
    """The explanations with the nearest keys beside their joins, and with hints."""
    asked = probes(plan, explanations)
    found = [(probe, nearest_rows(run(session, probe.plan), probe.wanted)) for probe in asked]
    return with_details(plan, explanations, found)


def _source_gaps(session: SparkSession, plan: Plan, traced: TracedQuery) -> tuple[SourceGap, ...]:
    """The sources where no row fits what the question says of them, with the nearest values there."""
    found = []
    for gap in gaps(plan, traced.wanted):
        if run(session, gap.fitting).isEmpty():
            nearest = {text: nearest_values(run(session, probe), value) for text, (probe, value) in gap.probes.items()}
            found.append(SourceGap(gap.table, gap.conditions, nearest))
    return tuple(found)


@contextmanager
def _named_jobs(session: SparkSession, name: str) -> Iterator[None]:
    """Jobs in here carry a name in the Spark UI; afterwards all is as before."""
    context = session.sparkContext
    before = context.getLocalProperty("spark.job.description")
    context.setLocalProperty("spark.job.description", name)
    try:
        yield
    finally:
        context.setLocalProperty("spark.job.description", before)  # type: ignore[arg-type]
