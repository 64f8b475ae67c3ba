"""The front door: `why_not`, the stages in order."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import Any
from typing import Literal as OneOf

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from sparkwhy.alternatives.aggregates import with_other_functions
from sparkwhy.alternatives.declared import Declared
from sparkwhy.alternatives.enumerate import Mode, alternatives_of, single_changes
from sparkwhy.alternatives.suggest import Suggestion, choose_suggestions, describe_holders, evidence_plans, suggestions
from sparkwhy.alternatives.variant import Alternatives
from sparkwhy.backtrace.backtrace import Conditions, backtrace_through_limits
from sparkwhy.backtrace.partner_keys import LookUp, PartnerKeys, no_keys
from sparkwhy.backtrace.selectivity import FEW_MARKS, find_small_groupings
from sparkwhy.errors import PatternError, TooManyOperators, abbreviate
from sparkwhy.evidence.attach import with_details
from sparkwhy.evidence.probes import probes
from sparkwhy.explain.absent import SourceGap, decides, gaps
from sparkwhy.explain.candidates import Candidate, Claim, candidate_plan, candidates_of, explain
from sparkwhy.explain.coarse_bits import needed, single
from sparkwhy.explain.model import Explanation
from sparkwhy.explain.notes import chances, other_values
from sparkwhy.explain.positions import misplaced
from sparkwhy.explain.rank import rank, split_shown
from sparkwhy.explain.repair import Repair
from sparkwhy.explain.stricter_filters import stricter
from sparkwhy.explain.witnesses import with_trails
from sparkwhy.fix.context import FixContext
from sparkwhy.fix.judge import reject_failing
from sparkwhy.fix.pairs import kept_apart
from sparkwhy.fix.search.search import Engine, FixSearch
from sparkwhy.options import Options
from sparkwhy.plan.nodes import OpId, Plan, Table
from sparkwhy.plan.walk import walk
from sparkwhy.question.bind import Question, bind
from sparkwhy.question.bound import functions_of
from sparkwhy.question.match import conditions
from sparkwhy.question.pattern import function_name, show_pattern, text_tests, to_pattern
from sparkwhy.report.answer import (
    ELSEWHERE,
    ELSEWHERE_LEFT_OUT,
    EXPLANATIONS_ONLY,
    FAILING_VALUES,
    GROUPS_LEFT_OUT,
    PAIRS_LEFT_OUT,
    TAKEN_TOGETHER,
    Answer,
)
from sparkwhy.report.redact import Mask, redacted
from sparkwhy.rewrite.prune_columns import lean
from sparkwhy.rewrite.split_small import SmallAt
from sparkwhy.rewrite.tolerant import strict, tolerant
from sparkwhy.spark.classic.jobs.failures import SPARK_FAILURES, failing_value, query_failed, was_cancelled
from sparkwhy.spark.classic.jobs.watched import Watched
from sparkwhy.spark.classic.jvm import plan_bytes, regex_problem, source_bytes
from sparkwhy.spark.classic.pattern_functions import leaves_it_to_chance
from sparkwhy.spark.classic.read.char_columns import char_widths
from sparkwhy.spark.classic.read.operators import read
from sparkwhy.spark.classic.run.collect_small import finished
from sparkwhy.spark.classic.run.first_rows import first_rows, more_rows
from sparkwhy.spark.classic.run.nearest import nearest_rows, nearest_values
from sparkwhy.spark.classic.run.operators import Part, run
from sparkwhy.spark.classic.run.quantiles import spread
from sparkwhy.spark.comma_joins import with_join_conditions
from sparkwhy.trace.trace import TracedQuery, trace

Progress = Callable[[str], None]


def why_not(
    df: DataFrame,
    missing: Mapping[str, Any],
    *,
    alternatives: Declared | OneOf["auto"] | None = None,
    mode: Mode = "swap",
    verify: bool = True,
    side_effects: OneOf["none", "bounds", "exact"] = "bounds",
    progress: Progress | None = None,
    timeout: float | None = None,
    redact: bool | Iterable[str] | Mask = False,
) -> Answer:
    """Why is no row like `missing` in the DataFrame?

    `missing` mirrors the row; fields that it does not mention may be anything.

    `alternatives` are groups of attributes that somebody may have mixed up, as `[{"address1", "address2"}]`, or
    explicit ones, as `Alternative({"tax": "discount"})`; with "auto" they are looked for. In mode "swap" the
    attributes of a group trade places throughout the query, in mode "each" every reference chooses by itself.

    `verify`: each explanation gets a concrete fix, which is run. `side_effects` says what is counted of the other rows
    that a fix changes: "none", "bounds" on their number, or "exact" numbers with examples.

    `progress` is called with the name of each stage as it begins. After `timeout` seconds the question is given up,
    with the error `TimedOut`; no job of it goes on.

    `redact` hides values of the data wherever the answer would show them: all, those of the columns that are named, or
    by a function of the column and the value that says what is shown instead.

    Examples:
        >>> trips = spark.createDataFrame([("Sue", "NY", 2018)], "name string, city string, year int")
        >>> answer = why_not(trips.filter("year >= 2019"), {"city": "NY"})
        >>> answer.outcome
        'explained'
        >>> [operator.text for operator in answer.explanations[0].operators]
        ['filter year >= 2019']
    """
    say, began = (lambda _: None) if progress is None else progress, time.monotonic()
    wishes = Options.checked(
        verify=verify,
        side_effects=side_effects,
        alternatives=alternatives,
        progress=progress,
        timeout=timeout,
        redact=redact,
    )
    say("reading the query")
    plan = with_join_conditions(read(df))
    session = df.sparkSession
    if wishes.redaction is not None:
        wishes.redaction.check(plan)
    question = bind(to_pattern(missing), plan.output, timezone=_timezone(session), widths=char_widths(df))
    noted = _checked(session, question)
    asked = conditions(question)
    declared = alternatives_of(plan, wishes.declared, mode=mode)  # refuses what cannot be, before any job

    def attempt(plan: Plan, found: Alternatives, say: Progress, written: Plan | None = None) -> Answer:
        if wishes.automatic:
            say("looking for alternatives")
            found = _found_alternatives(session, plan, asked)
        say("tracing rows")
        large = source_bytes(df) > LARGE
        data = _Data(session, large, _partner_keys(session) if large else no_keys)
        found, traced, candidates = _traced(data, found, asked, wishes)
        return _answer(data, question, found, traced, candidates, wishes, say, written)

    def work(say: Progress) -> Answer:
        """All that may run a job. Values on which an expression fails are null, if the query never meets them."""
        try:
            return attempt(plan, declared, say)
        except SPARK_FAILURES as error:
            condition, forgiving = failing_value(error), tolerant(plan)
            if condition is None or forgiving == plan or not _runs(df):
                raise
        answer = attempt(forgiving, alternatives_of(forgiving, wishes.declared, mode=mode), say, plan)
        return replace(answer, warnings=(*answer.warnings, FAILING_VALUES.format(condition=condition)))

    answer = _watched(Watched(session, work, "reading the query"), plan, wishes, began, say)
    say("done")
    answer = replace(answer, warnings=answer.warnings + noted + chances(plan) + misplaced(plan))
    return answer if wishes.redaction is None else redacted(answer, wishes.redaction)


def _checked(session: SparkSession, question: Question) -> tuple[str, ...]:
    """Refuses what Spark would refuse only later, in other words; notes what the question leaves to chance."""
    for test in text_tests(question.pattern):
        problem = regex_problem(session, test.text) if test.function == "rlike" else None
        if problem is not None:
            hint = "matches() takes an expression of Java; contains() takes any text."
            raise PatternError(f"{abbreviate(show_pattern(test))} is no regular expression: {problem}.", hint=hint)
    functions = [(each.function, function_name(each.function), type) for each, type in functions_of(question)]
    random = [name for function, name, type in functions if leaves_it_to_chance(session, function, name, type)]
    return tuple(other_values(f"{name} of the pattern") for name in random)


def _watched(watched: Watched[Answer], plan: Plan, wishes: Options, began: float, say: Progress) -> Answer:
    """The answer; a failure of Spark says at which stage it happened."""
    try:
        return watched.result(timeout=wishes.timeout, since=began, progress=say)
    except SPARK_FAILURES as error:
        failed = query_failed(error, watched.stage, plan, values=wishes.redaction is None)
        if wishes.redaction is None:
            raise failed from error
    raise failed  # out here it has no cause: what Spark says may quote the data


@dataclass(frozen=True)
class _Data:
    """Where the query runs. Of much data trails are looked up, not carried along, and moving rows are only counted."""

    session: SparkSession
    large: bool
    keys: LookUp
    """What looks up the keys that partners in joins must have."""


LARGE = 1 << 20
"""Of more bytes in a source there is much data."""


def _traced(
    data: _Data, tried: Alternatives, asked: Conditions, wishes: Options
) -> tuple[Alternatives, TracedQuery, tuple[Candidate, ...]]:
    """What was traced, and whom matching rows blame. Readings that nobody asked for must not fail the question."""
    more = tried
    if wishes.verify or not data.large:
        more = with_other_functions(tried, asked, large=data.large)
    try:
        return more, *_candidates(data, more, asked)
    except (PySparkException, TooManyOperators) as error:
        ours = [each for each in more.found[1:] if wishes.automatic or each.kind == "aggregate"]
        if not ours:
            raise
        fewer = more.leave_out(ours, f"with what nobody asked for the query fails: {str(error).splitlines()[0]}")
    return fewer, *_candidates(data, fewer, asked)


def _candidates(data: _Data, tried: Alternatives, asked: Conditions) -> tuple[TracedQuery, tuple[Candidate, ...]]:
    """The traced query under all alternatives, and whom its matching rows blame.

    Where there is much data, what happened to the rows behind a group is looked up afterwards.
    """
    session, large = data.session, data.large
    first, *others = (each.plan for each in tried.found)
    few, keys = find_small_groupings(first, asked), data.keys
    full = partial(trace, first, asked, alternatives=others, records=True, references=large, keys=keys)
    with _named_jobs(session, "sparkwhy: tracing rows"):
        try:
            traced = full()
        except TooManyOperators:
            some = partial(trace, first, asked, alternatives=others, keys=keys)
            together = needed(lambda ops: some(together=ops), lambda t: candidates_of(_rows(session, t, few)), first)
            traced = full(together=together)
        rows = _rows(session, traced, few)
        if large:
            look = partial(_looked_up, session)
            rows = with_trails(traced, rows, look, [partial(look, some=part) for part in (first_rows, more_rows)])
        return traced, single(traced.bits, candidates_of(rows))


def _rows(session: SparkSession, traced: TracedQuery, few: SmallAt) -> Sequence[Sequence[Any]]:
    return finished(session, candidate_plan(traced), few, pieces=True)


def _looked_up(session: SparkSession, plan: Plan, some: Part | None = None) -> Sequence[Sequence[Any]]:
    return finished(session, plan, FEW_MARKS, apart=True, some=some)


def _partner_keys(session: SparkSession) -> PartnerKeys:
    """What looks keys of joins up, where that spares more than it costs."""

    def spares(side: Plan, read: Table) -> bool:
        sizes = (plan_bytes(node.source.handle) for node in walk(side) if isinstance(node, Table))
        return max(sizes, default=0) > max(LARGE_SIDE, plan_bytes(read.source.handle))

    return PartnerKeys(lambda plan: run(session, plan).collect(), spares)


LARGE_SIDE = 8 << 20
"""It is worth a job more to read fewer rows of a source of more bytes, if a smaller one has to be read for that."""


def _found_alternatives(session: SparkSession, plan: Plan, asked: Conditions) -> Alternatives:
    """Attributes that may have been meant, with the evidence in the data."""
    proposed = suggestions(plan, asked)
    with _named_jobs(session, "sparkwhy: looking for alternatives"):
        return choose_suggestions(plan, proposed, _seen(session, plan, proposed))


def _seen(session: SparkSession, plan: Plan, proposed: Sequence[Suggestion]) -> Mapping[OpId, Sequence[int]]:
    return {table: tuple(run(session, look).collect()[0]) for table, look in evidence_plans(plan, proposed).items()}


def _meant(session: SparkSession, plan: Plan, asked: Conditions) -> tuple[str, ...]:
    """Where the values are that no source has where the query reads them; what nobody asked for must not fail."""
    proposed = suggestions(plan, asked, only_asked=True)
    try:
        found = islice(describe_holders(proposed, _seen(session, plan, proposed)), _MOST_MEANT)
        return tuple(ELSEWHERE.format(found=each) for each in found)
    except SPARK_FAILURES as error:
        if was_cancelled(error):
            raise
        return (ELSEWHERE_LEFT_OUT,)


_MOST_MEANT = 3
"""So many attributes are named that hold what is asked of another."""


def _answer(
    data: _Data,
    question: Question,
    tried: Alternatives,
    traced: TracedQuery,
    candidates: tuple[Candidate, ...],
    wishes: Options,
    say: Progress,
    written: Plan | None,
) -> Answer:
    """The answer; `written` is the query as it is, if values on which it fails were followed as null."""
    session = data.session
    there = [c for c in candidates if c.alternative == 0 and c.blame == 0 and c.certain]
    if there:
        return Answer.not_missing(question, tried.attribute_variants, there[0])
    if not candidates:
        say("looking at the sources")
        with _named_jobs(session, "sparkwhy: looking at the sources"):
            lacking = _source_gaps(session, traced)
            if lacking:
                more = wishes.verify and not wishes.automatic
                meant = _meant(session, tried.found[0].plan, conditions(question)) if more else ()
                return Answer.not_in_data(question, tried.attribute_variants, lacking, meant)
    readings = single_changes(tried.found[0].plan, wishes.declared) if wishes.verify else {}
    query = FixContext(tried.found, traced.bits, _timezone(session), readings)
    few = find_small_groupings(query.plan, conditions(question))
    trial = FixSearch(_engine(session, few), query, conditions(question), large=data.large, keys=data.keys)
    with _named_jobs(session, "sparkwhy: trying fixes"):
        failure = None if written is None else partial(_failure, session, written)
        fixed, others = _fixed(trial, traced, candidates, wishes, say, failure)
        fixed, left_out = _with_pairs(trial, fixed, wishes, say, forgiving=written is not None)
    explanations = rank(fixed)
    if wishes.verify or not data.large:
        say("looking at near misses")
        with _named_jobs(session, "sparkwhy: looking at near misses"):
            explanations = _with_details(session, explanations)
    else:
        left_out.append(EXPLANATIONS_ONLY)
    if any(candidate.worlds_left_out for candidate in candidates):
        left_out.append(GROUPS_LEFT_OUT)
    if traced.bits.together:
        left_out.append(TAKEN_TOGETHER)
    return Answer.explained(question, tried.attribute_variants, explanations, others, left_out)


def _runs(df: DataFrame) -> bool:
    """Whether the query runs by itself."""
    try:
        _run_in_full(df)
    except SPARK_FAILURES:
        return False
    return True


def _run_in_full(df: DataFrame) -> None:
    """All rows and columns are computed; nothing is written."""
    df.write.format("noop").mode("overwrite").save()


def _failure(session: SparkSession, written: Plan, repair: Repair) -> str | None:
    """On what the query as written fails with this repair, if it does: on the row, or on any other that it lets in."""
    try:
        _run_in_full(run(session, strict(repair.fixed, written)))
    except SPARK_FAILURES as error:
        condition = failing_value(error)
        if condition is None:
            raise
        return condition
    return None


def _fixed(
    trial: FixSearch,
    traced: TracedQuery,
    candidates: tuple[Candidate, ...],
    wishes: Options,
    say: Progress,
    failure: Callable[[Repair], str | None] | None,
) -> tuple[tuple[Claim, ...], tuple[Explanation, ...]]:
    """The explanations with fixes that were run; and what was tried in vain."""
    say("trying fixes")
    query, found = trial.query, candidates + (stricter(traced, candidates) if wishes.verify else ())
    claims = explain(query.alternatives, query.bits, found)
    verdicts = trial.verdicts(claims) if wishes.verify else claims
    if failure is not None:
        verdicts = reject_failing(verdicts, failure)
    kept, others = split_shown(verdicts) if wishes.verify else (verdicts, ())
    if wishes.verify and wishes.side_effects != "none":
        say("counting side effects")
        kept = trial.with_effects(kept, examples=wishes.side_effects == "exact")
    return kept, tuple(each.explanation for each in others)


def _with_pairs(
    trial: FixSearch, found: tuple[Claim, ...], wishes: Options, say: Progress, *, forgiving: bool
) -> tuple[tuple[Claim, ...], list[str]]:
    """The explanations, with pairs that joins keep apart if nothing is certain; what nobody asked for must not fail."""
    if any(each.explanation.certain for each in found):
        return found, []
    if forgiving:  # nobody would know whether the query fails on a pair
        return found, [PAIRS_LEFT_OUT]
    say("looking at pairs that joins keep apart")
    query = trial.query
    try:
        pairs = kept_apart(trial.engine, query.plan, trial.conditions, query.timezone, verify=wishes.verify)
    except SPARK_FAILURES as error:
        if was_cancelled(error) or failing_value(error):
            raise  # somebody wished so; or all is asked once more, with null for such values
        return found, [PAIRS_LEFT_OUT]
    return found + pairs, []


def _engine(session: SparkSession, few: SmallAt) -> Engine:
    return Engine(
        lambda plan: run(session, lean(plan), pieces=True).collect(),
        lambda plan: finished(session, plan, few, pieces=True),
        lambda plan, count: spread(run(session, plan), count, share=_share(plan)),
    )


def _share(plan: Plan) -> float:
    """How many of the values of a plan are looked at to see how they are spread."""
    size = sum(plan_bytes(node.source.handle) for node in walk(plan) if isinstance(node, Table))
    return min(1.0, LOOKED_AT / max(size, 1))


LOOKED_AT = 4 << 20
"""Of so many bytes all values are looked at, of more, as many."""


def _with_details(session: SparkSession, explanations: tuple[Explanation, ...]) -> tuple[Explanation, ...]:
    """The first explanations with the nearest keys beside their joins, and with hints, by the query that each is about.

    Of those that are told in short nobody reads them, and each takes a job.
    """
    first = [each for each in explanations if each.minimal is not False][:DETAILED] or explanations[:DETAILED]

    def detailed(plan: Plan) -> dict[int, Explanation]:
        about = tuple(each for each in first if each.plan is plan)
        found = [(probe, nearest_rows(run(session, probe.plan), probe.wanted)) for probe in probes(plan, about)]
        return {each.rank: each for each in with_details(plan, about, found)}

    plans = {id(each.plan): each.plan for each in first}.values()
    by_rank = {rank: each for plan in plans for rank, each in detailed(plan).items()}
    return tuple(by_rank.get(each.rank, each) for each in explanations)


DETAILED = 4
"""Of so many explanations near misses are looked for."""


def _source_gaps(session: SparkSession, traced: TracedQuery) -> tuple[SourceGap, ...]:
    """The sources of the query where no row fits what the question says of them, if that holds in all alternatives."""
    asked = [wanted[plan.id] for plan, wanted in zip(traced.plans, traced.wanted, strict=True)]
    found = [_gaps_in(session, *each) for each in zip(traced.plans, asked, strict=True)]
    lacking = all(decides(plan, each) for plan, each in zip(traced.plans, found, strict=True))
    return found[0] if lacking else ()


def _gaps_in(session: SparkSession, plan: Plan, asked: Conditions) -> tuple[SourceGap, ...]:
    """The sources where no row fits what the question says of them, with the nearest values there."""
    found = []
    for gap in gaps(plan, backtrace_through_limits(plan, asked)):
        if run(session, gap.fitting).isEmpty():
            nearest = {text: nearest_values(run(session, probe), value) for text, (probe, value) in gap.probes.items()}
            found.append(SourceGap(gap.table, gap.conditions, nearest))
    return tuple(found)


def _timezone(session: SparkSession) -> str:
    return session.conf.get("spark.sql.session.timeZone") or "UTC"


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
