"""Find fixes for candidates, run them, and confirm that the query as written does not fail with them."""

from __future__ import annotations

from collections.abc import Sequence

from sparkwhy.alternatives.declared import Declared
from sparkwhy.alternatives.enumerate import single_changes
from sparkwhy.backtrace.backtrace import Conditions
from sparkwhy.backtrace.find_keys import FindKeys
from sparkwhy.evidence.evidence import Evidence
from sparkwhy.explain.candidates import Claim, explain
from sparkwhy.explain.find_candidates import Candidates
from sparkwhy.explain.repair import Repair
from sparkwhy.explain.stricter_filters import propose_stricter_filters
from sparkwhy.fix.code.edits import with_code_edits
from sparkwhy.fix.context import FixContext
from sparkwhy.fix.fan_out import explain_fan_out
from sparkwhy.fix.judge import reject_failing
from sparkwhy.fix.normalized_keys import explain_near_keys
from sparkwhy.fix.pairs import explain_pairs
from sparkwhy.fix.search.search import FixSearch
from sparkwhy.fix.tighten import drop_needless_changes, tighten_fixes
from sparkwhy.limits import Limits
from sparkwhy.plan.nodes import Plan
from sparkwhy.rewrite.tolerant import make_strict
from sparkwhy.spark.engine import Engine


def start_fix_search(
    engine: Engine,
    candidates: Candidates,
    asked: Conditions,
    declared: Declared,
    *,
    large: bool,
    find_keys: FindKeys,
    limits: Limits,
    evidence: tuple[Evidence, ...] = (),
) -> FixSearch:
    """Return the search for fixes; operators may read other attributes of the declared groups."""
    variants = candidates.variants.found
    readings = single_changes(variants[0].plan, declared, limits) if declared else {}
    query = FixContext(variants, candidates.traced.bits, engine.timezone(), readings, evidence, limits)
    return FixSearch(engine, query, asked, large=large, find_keys=find_keys, limits=limits)


def explain_candidates(candidates: Candidates, limits: Limits, *, stricter: bool) -> tuple[Claim, ...]:
    """Return the explanations of the candidates; with `stricter`, also those in which a filter must keep fewer rows."""
    traced, found = candidates.traced, candidates.found
    if stricter:
        found += propose_stricter_filters(traced, found, limits.stricter_filters)
    return explain(candidates.variants.found, traced.bits, found, limits)


def find_pairs(search: FixSearch, known: Sequence[Claim], *, verify: bool) -> tuple[Claim, ...]:
    """Return explanations for pairs of rows that a join keeps apart, or of which it makes too many.

    Pairs with keys that differ in what people overlook are looked for always, others only if nothing else is certain.
    """
    query = search.query
    near = explain_near_keys(search, known, verify=verify)
    if verify:
        near += explain_fan_out(search, (*known, *near))
    if near or any(each.explanation.certain for each in known):
        return near
    return explain_pairs(
        search.engine, query.plan, search.conditions, query.timezone, verify=verify, limits=search.limits
    )


def keep_needed_changes(search: FixSearch, found: tuple[Claim, ...]) -> tuple[Claim, ...]:
    """Drop changes that fixes do not need."""
    return drop_needless_changes(search, found)


def choose_best_fixes(search: FixSearch, found: tuple[Claim, ...], *, examples: bool) -> tuple[Claim, ...]:
    """Return the explanations with the fixes that have the fewest side effects, and with the runners-up."""
    return tighten_fixes(search, found, examples=examples)


def edit_code(search: FixSearch, found: Sequence[Claim]) -> tuple[Claim, ...]:
    """Add the changed lines of the user's file to fixes that are part of the answer."""
    return tuple(with_code_edits(search.query.plan, each) for each in found)


def confirm_fixes(engine: Engine, found: Sequence[Claim], written: Plan) -> tuple[Claim, ...]:
    """Run each fix in the query as written, in full, and drop those on which it fails.

    For answers that were found with null in the place of values on which an expression fails.
    """

    def failure(repair: Repair) -> str | None:
        try:
            engine.run_in_full(make_strict(repair.fixed_plan, written))
        except engine.failures as error:
            condition = engine.failing_value(error)
            if condition is None:
                raise
            return condition
        return None

    return reject_failing(found, failure)
