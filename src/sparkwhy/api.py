"""The front door: `why_not` checks its arguments, starts the pipeline, and hides values of the answer if asked to."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from typing import Literal as OneOf

from sparkwhy.alternatives.declared import Declared
from sparkwhy.alternatives.enumerate import Mode, alternatives_of
from sparkwhy.explain.notes import chances, other_values
from sparkwhy.explain.positions import find_swapped_columns
from sparkwhy.limits import DEFAULT_LIMITS, Limits, check_limits
from sparkwhy.messages import Message
from sparkwhy.options import Options
from sparkwhy.pipeline import answer_question
from sparkwhy.question.bind import bind
from sparkwhy.question.check import check_question, random_functions
from sparkwhy.question.match import conditions
from sparkwhy.question.pattern import to_pattern
from sparkwhy.report.answer import Answer
from sparkwhy.report.redact import Mask, redact_answer
from sparkwhy.run import Run
from sparkwhy.spark.engine import Engine, Progress, engine_for
from sparkwhy.trace.supported import check_supported

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


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
    limits: Limits = DEFAULT_LIMITS,
) -> Answer:
    """Explain why the DataFrame has no row like `missing`.

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

    `limits` bounds the search and the size of the answer; the page on limits lists its numbers.

    Examples:
        >>> trips = spark.createDataFrame([("Sue", "NY", 2018)], "name string, city string, year int")
        >>> answer = why_not(trips.filter("year >= 2019"), {"city": "NY"})
        >>> answer.outcome
        'explained'
        >>> [operator.text for operator in answer.explanations[0].operators]
        ['filter year >= 2019']
    """
    began, enter = time.monotonic(), progress if progress is not None else _ignore
    options = Options.from_arguments(
        verify=verify,
        side_effects=side_effects,
        alternatives=alternatives,
        mode=mode,
        progress=progress,
        timeout=timeout,
        redact=redact,
    )
    enter("reading the query")
    run, warnings = _start(engine_for(df, check_limits(limits)), missing, options, limits)
    answer = _watch(run, began, enter)
    enter("done")
    answer = replace(answer, warnings=answer.warnings + warnings)
    return answer if options.redaction is None else redact_answer(answer, options.redaction)


def _ignore(_: str) -> None:
    """Take no notice of a stage."""


def _start(engine: Engine, missing: Any, options: Options, limits: Limits) -> tuple[Run, tuple[Message, ...]]:
    """Read and check everything that can be checked without a job; return the run and warnings about the query."""
    plan = engine.read_plan()
    check_supported(plan)
    if options.redaction is not None:
        options.redaction.check(plan)
    question = bind(to_pattern(missing), plan.output, timezone=engine.timezone(), widths=engine.char_widths())
    check_question(engine, question)
    random = tuple(other_values(f"{name} of the pattern") for name in random_functions(engine, question))
    declared = alternatives_of(plan, options.declared, mode=options.mode, limits=limits)
    run = Run(engine, plan, question, conditions(question), options, limits, declared)
    return run, random + chances(plan) + find_swapped_columns(plan)


def _watch(run: Run, began: float, enter: Progress) -> Answer:
    """Run the pipeline within the timeout; name the stage at which Spark fails."""
    engine, options = run.engine, run.options
    watched = engine.watch(lambda enter: answer_question(replace(run, enter=enter)), "reading the query")
    try:
        return watched.result(timeout=options.timeout, since=began, progress=enter)
    except engine.failures as error:
        failed = engine.as_query_failed(error, watched.stage, run.plan, values=options.redaction is None)
        if options.redaction is None:
            raise failed from error
    raise failed  # out here it has no cause: what Spark says may quote the data
