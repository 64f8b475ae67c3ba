"""The front door: `why_not`, the stages in order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from typing import Literal as OneOf

from pyspark.sql import DataFrame, SparkSession

from sparkwhy.explain.candidates import Candidate, candidate_plan, candidates_of, explain
from sparkwhy.explain.details import with_details
from sparkwhy.explain.explanation import Explanation
from sparkwhy.explain.missing import SourceGap, decides, gaps
from sparkwhy.explain.probes import probes
from sparkwhy.plan.nodes import OpId, Plan
from sparkwhy.question.bind import Question, bind
from sparkwhy.question.match import conditions
from sparkwhy.question.pattern import to_pattern
from sparkwhy.report.answer import Answer
from sparkwhy.spark.nearest import nearest_rows, nearest_values
from sparkwhy.spark.read import read
from sparkwhy.spark.run import run
from sparkwhy.trace.alternatives import Alternatives, Declared, Mode, alternatives_of
from sparkwhy.trace.annotate import TracedQuery, trace
from sparkwhy.trace.comma_joins import with_join_conditions
from sparkwhy.trace.found import chosen, looks, proposals
from sparkwhy.trace.wanted import Conditions

Progress = Callable[[str], None]


def why_not(
    df: DataFrame,
    missing: Mapping[str, Any],
    *,
    alternatives: Declared | OneOf["auto"] | None = None,
    mode: Mode = "swap",
    progress: Progress | None = None,
) -> Answer:
    """Why is no row like `missing` in the DataFrame?

    `missing` mirrors the row; fields that it does not mention may be anything.

    `alternatives` are groups of attributes that somebody may have mixed up, as `[{"address1", "address2"}]`, or
    explicit ones, as `Alternative({"tax": "discount"})`; with "auto" they are looked for. In mode "swap" the
    attributes of a group trade places throughout the query, in mode "each" every reference chooses by itself.

    `progress` is called with the name of each stage as it begins.
    """
    say = progress or (lambda _: None)
    say("reading the query")
    plan = with_join_conditions(read(df))
    session = df.sparkSession
    question = bind(to_pattern(missing), plan.output, timezone=session.conf.get("spark.sql.session.timeZone") or "UTC")
    asked = conditions(question)
    if alternatives == "auto":
        say("looking for alternatives")
        tried = _found_alternatives(session, plan, asked)
    else:
        tried = alternatives_of(plan, () if alternatives is None else alternatives, mode=mode)
    others = [each.plan for each in tried.found[1:]]
    traced = trace(plan, asked, alternatives=others, records=True)
    say("tracing rows")
    with _named_jobs(session, "sparkwhy: tracing rows"):
        candidates = candidates_of(run(session, candidate_plan(traced)).collect())
    answer = _answer(session, question, tried, traced, candidates, say)
    say("done")
    return answer


def _found_alternatives(session: SparkSession, plan: Plan, asked: Conditions) -> Alternatives:
    """Attributes that may have been meant, with the evidence in the data."""
    proposed = proposals(plan, asked)
    with _named_jobs(session, "sparkwhy: looking for alternatives"):
        seen = {table: tuple(run(session, look).collect()[0]) for table, look in looks(plan, proposed).items()}
    return chosen(plan, proposed, seen)


def _answer(
    session: SparkSession,
    question: Question,
    tried: Alternatives,
    traced: TracedQuery,
    candidates: tuple[Candidate, ...],
    say: Progress,
) -> Answer:
    there = [c for c in candidates if c.alternative == 0 and c.blame == 0 and c.certain]
    if there:
        return Answer.not_missing(question, tried, there[0])
    explanations = explain(tried.found, traced.bits, candidates)
    if explanations:
        say("looking at near misses")
        with _named_jobs(session, "sparkwhy: looking at near misses"):
            explanations = _with_details(session, explanations)
        return Answer.explained(question, tried, explanations, any(c.worlds_left_out for c in candidates))
    say("looking at the sources")
    with _named_jobs(session, "sparkwhy: looking at the sources"):
        found = _source_gaps(session, traced)
    return Answer.not_explained(question, tried, found)


def _with_details(session: SparkSession, explanations: tuple[Explanation, ...]) -> tuple[Explanation, ...]:
    """The explanations with the nearest keys beside their joins, and with hints, each by the query that it is about."""

    def detailed(plan: Plan) -> dict[int, Explanation]:
        about = tuple(each for each in explanations if each.plan is plan)
        found = [(probe, nearest_rows(run(session, probe.plan), probe.wanted)) for probe in probes(plan, about)]
        return {each.rank: each for each in with_details(plan, about, found)}

    plans = {id(each.plan): each.plan for each in explanations}.values()
    by_rank = {rank: each for plan in plans for rank, each in detailed(plan).items()}
    return tuple(by_rank[rank] for rank in sorted(by_rank))


def _source_gaps(session: SparkSession, traced: TracedQuery) -> tuple[SourceGap, ...]:
    """The sources of the query where no row fits what the question says of them, if that holds in all alternatives."""
    found = [_gaps_in(session, plan, wanted) for plan, wanted in zip(traced.plans, traced.wanted, strict=True)]
    lacking = all(decides(plan, each) for plan, each in zip(traced.plans, found, strict=True))
    return found[0] if lacking else ()


def _gaps_in(session: SparkSession, plan: Plan, wanted: Mapping[OpId, Conditions]) -> tuple[SourceGap, ...]:
    """The sources where no row fits what the question says of them, with the nearest values there."""
    found = []
    for gap in gaps(plan, wanted):
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
