"""The stages of a question in order: each is a function of the `Run` and of what the stages before it found.

Everything in here may run jobs. What a stage computes is decided in the packages below; here is only when it happens,
what is skipped, and which failures of Spark become a warning.
"""

from __future__ import annotations

from dataclasses import replace

from sparkwhy.alternatives.aggregates import with_other_functions
from sparkwhy.alternatives.enumerate import alternatives_of
from sparkwhy.alternatives.find import find_alternatives, find_holders
from sparkwhy.alternatives.variant import Alternatives
from sparkwhy.evidence.evidence import (
    Evidence,
    find_evidence,
    first_explanations,
    promising_explanations,
    with_evidence,
)
from sparkwhy.explain.candidates import Claim
from sparkwhy.explain.find_candidates import Candidates, find_candidates, reason_against_variants
from sparkwhy.explain.find_gaps import find_gaps
from sparkwhy.explain.grouping_sets import note_missing_sets
from sparkwhy.explain.model import Explanation
from sparkwhy.explain.other_values import OtherValues, find_other_values, note_unexplained
from sparkwhy.explain.rank import rank, split_shown
from sparkwhy.explain.rivals import drop_relaxed_rivals
from sparkwhy.fix.find_fixes import (
    choose_best_fixes,
    confirm_fixes,
    edit_code,
    explain_candidates,
    find_pairs,
    keep_needed_changes,
    start_fix_search,
)
from sparkwhy.fix.search.search import FixSearch
from sparkwhy.messages import Message, Value
from sparkwhy.report.answer import Answer
from sparkwhy.rewrite.tolerant import make_tolerant
from sparkwhy.run import Run
from sparkwhy.spark.engine import Engine


def answer_question(run: Run) -> Answer:
    """Answer the question; if the query runs but fails on a row that it drops, once more with null for such values."""
    engine = run.engine
    try:
        return answer_once(run)
    except engine.failures as error:
        condition, forgiving = engine.failing_value(error), make_tolerant(run.plan)
        if condition is None or forgiving == run.plan or not _runs_by_itself(engine):
            raise
    declared = alternatives_of(forgiving, run.options.declared, mode=run.options.mode, limits=run.limits)
    answer = answer_once(replace(run, plan=forgiving, declared=declared, written=run.plan))
    return replace(answer, warnings=(*answer.warnings, Message("failing_values", condition=condition)))


def answer_once(run: Run) -> Answer:
    """Run all stages, until one of them has the answer."""
    variants = choose_variants(run)
    candidates = trace_rows(run, variants)
    return (
        answer_not_missing(run, candidates)
        or answer_not_in_data(run, candidates)
        or answer_with_explanations(run, candidates)
    )


def _runs_by_itself(engine: Engine) -> bool:
    try:
        engine.run_in_full()
    except engine.failures:
        return False
    return True


# --- alternatives and tracing ---


def choose_variants(run: Run) -> Alternatives:
    """Return the declared alternatives, or those that the data speaks for."""
    if not run.options.automatic:
        return run.declared
    run.enter("looking for alternatives")
    with run.engine.named_jobs("sparkwhy: looking for alternatives"):
        return find_alternatives(run.engine, run.plan, run.asked, run.limits)


def trace_rows(run: Run, variants: Alternatives) -> Candidates:
    """Find the candidates; other aggregate functions are tried too, if Spark does not fail on these."""
    run.enter("tracing rows")
    more = variants
    if run.options.verify or not run.large:
        more = with_other_functions(variants, run.asked, large=run.large, limits=run.limits)
    try:
        return _find_candidates(run, more)
    except Exception as error:
        reason = reason_against_variants(run.engine, error)
        added = [each for each in more.found[1:] if run.options.automatic or each.kind == "aggregate"]
        if reason is None or not added:
            raise
    failed = Message("variant_failed", error=Value("error", reason))
    return _find_candidates(run, more.leave_out(added, failed))


def _find_candidates(run: Run, variants: Alternatives) -> Candidates:
    with run.engine.named_jobs("sparkwhy: tracing rows"):
        return find_candidates(run.engine, variants, run.asked, run.limits, large=run.large, find_keys=run.find_keys)


# --- answers without explanations ---


def answer_not_missing(run: Run, candidates: Candidates) -> Answer | None:
    """Answer with the row itself if the query returns it."""
    there = [c for c in candidates.found if c.alternative == 0 and c.blame == 0 and c.certain]
    return Answer.not_missing(run.question, candidates.variants.attribute_variants, there[0]) if there else None


def answer_not_in_data(run: Run, candidates: Candidates) -> Answer | None:
    """Answer with the sources that lack the row, if no row could become it."""
    if candidates.found:
        return None
    run.enter("looking at the sources")
    with run.engine.named_jobs("sparkwhy: looking at the sources"):
        gaps = find_gaps(run.engine, candidates.traced)
        if not gaps:
            return None
        return Answer.not_in_data(
            run.question, candidates.variants.attribute_variants, gaps, name_holders(run, candidates)
        )


def name_holders(run: Run, candidates: Candidates) -> tuple[Message, ...]:
    """Name other columns that contain the requested value. Best effort: a Spark failure here becomes a warning."""
    if not run.options.verify or run.options.automatic:
        return ()
    try:
        return tuple(find_holders(run.engine, candidates.variants.found[0].plan, run.asked, run.limits))
    except run.engine.failures as error:
        if run.engine.was_cancelled(error):
            raise
        return (Message("other_columns_left_out"),)


# --- explanations ---


def answer_with_explanations(run: Run, candidates: Candidates) -> Answer:
    """Answer with the explanations of the candidates, or with pairs that only a join keeps apart."""
    claims = explain_candidates(candidates, run.limits, stricter=run.options.verify)
    promising = promising_explanations(claims, run.limits) if run.options.verify else ()
    evidence = look_at_evidence(run, candidates, promising)
    search = start_fix_search(
        run.engine,
        candidates,
        run.asked,
        run.options.declared if run.options.verify else (),
        large=run.large,
        find_keys=run.find_keys,
        limits=run.limits,
        evidence=evidence,
    )
    with run.engine.named_jobs("sparkwhy: trying fixes"):
        kept, tried = judge_explanations(run, search, claims)
        pairs, pairs_left_out = look_at_pairs(run, search, kept)
    explanations = rank(edit_code(search, add_pairs(kept, pairs)))
    if has_details(run):
        explanations = attach_evidence(run, candidates, explanations, evidence)
    explanations = drop_relaxed_rivals(explanations)
    left_out = (*pairs_left_out, *note_left_out(run, candidates))
    in_vain = drop_relaxed_rivals(each.explanation for each in edit_code(search, tried))
    others = look_at_other_values(run)
    if others is None and not left_out and not any(each.certain or each.verified for each in explanations):
        left_out = note_unexplained(run.plan, run.question)
    return Answer.with_explanations(
        run.question, candidates.variants.attribute_variants, explanations, in_vain, left_out, others
    )


def look_at_other_values(run: Run) -> OtherValues | None:
    """Find the row that is there with another value."""
    run.enter("looking at other values")
    with run.engine.named_jobs("sparkwhy: looking at other values"):
        return find_other_values(run.engine, run.plan, run.question, run.limits)


def look_at_evidence(
    run: Run, candidates: Candidates, about: tuple[Explanation, ...], known: tuple[Evidence, ...] = ()
) -> tuple[Evidence, ...]:
    """Look up what the data says about the witnesses of some explanations, beyond what is known."""
    if not about:
        return ()
    run.enter("looking at near misses")
    with run.engine.named_jobs("sparkwhy: looking at near misses"):
        return find_evidence(run.engine, candidates.variants.found, about, known, run.limits)


def judge_explanations(
    run: Run, search: FixSearch, claims: tuple[Claim, ...]
) -> tuple[tuple[Claim, ...], tuple[Claim, ...]]:
    """Return the explanations with fixes that were run and their side effects; and those that were tried in vain."""
    run.enter("trying fixes")
    if not run.options.verify:
        return claims, ()
    verdicts = search.verdicts(claims)
    if run.written is not None:
        verdicts = confirm_fixes(run.engine, verdicts, run.written)
    kept, tried = split_shown(verdicts)
    if run.written is not None:
        return count_effects(run, search, kept), tried
    counted = count_effects(run, search, keep_needed_changes(search, kept))
    if run.options.side_effects == "none":
        return counted, tried
    return choose_best_fixes(search, counted, examples=run.options.side_effects == "exact"), tried


def count_effects(run: Run, search: FixSearch, found: tuple[Claim, ...]) -> tuple[Claim, ...]:
    """Return explanations with the side effects of their fixes, if these are to be counted."""
    if run.options.side_effects == "none" or not any(each.repair for each in found):
        return found
    run.enter("counting side effects")
    return search.with_effects(found, examples=run.options.side_effects == "exact")


def attach_evidence(
    run: Run, candidates: Candidates, explanations: tuple[Explanation, ...], known: tuple[Evidence, ...]
) -> tuple[Explanation, ...]:
    """Return the explanations, those that are shown in full with evidence and hints.

    Ranking may bring an explanation to the front that did not seem promising: its evidence is looked up now.
    """
    first = first_explanations(explanations, run.limits)
    evidence = look_at_evidence(run, candidates, first, known)
    detailed = with_evidence(candidates.variants.found, first, evidence, run.engine.timezone())
    return tuple({each.rank: each for each in (*explanations, *detailed)}.values())


def look_at_pairs(
    run: Run, search: FixSearch, found: tuple[Claim, ...]
) -> tuple[tuple[Claim, ...], tuple[Message, ...]]:
    """Find pairs that joins keep apart; and what could not be looked at.

    Best effort: a failure of Spark becomes a warning. With null in the place of failing values nothing is looked at,
    because a pair might be one on which the query fails.
    """
    if run.written is not None:
        certain = any(each.explanation.certain for each in found)
        return (), () if certain else (Message("pairs_left_out"),)
    run.enter("looking at pairs that joins keep apart")
    try:
        pairs = find_pairs(search, found, verify=run.options.verify)
        return count_effects(run, search, pairs), ()
    except run.engine.failures as error:
        if run.engine.was_cancelled(error) or run.engine.failing_value(error):
            raise  # a timeout; or all is asked once more, with null for such values
        return (), (Message("pairs_left_out"),)


def add_pairs(found: tuple[Claim, ...], pairs: tuple[Claim, ...]) -> tuple[Claim, ...]:
    """Return all explanations. Of two that change the same operators, a pair says more than a row without a partner."""
    changed = {each.ops for each in pairs if each.verified}
    known = {each.ops for each in found if each.ops not in changed}
    return (*(each for each in found if each.ops in known), *(each for each in pairs if each.ops not in known))


def has_details(run: Run) -> bool:
    """Return whether near misses are looked up: where data is large, only together with fixes."""
    return run.options.verify or not run.large


def note_left_out(run: Run, candidates: Candidates) -> tuple[Message, ...]:
    """Say what was not followed."""
    found = {
        Message("explanations_only"): not has_details(run),
        Message("worlds_left_out"): any(candidate.worlds_left_out for candidate in candidates.found),
        Message("coarse_bits"): bool(candidates.traced.bits.coarse),
    }
    return (*note_missing_sets(run.plan, run.asked), *(note for note, holds in found.items() if holds))
