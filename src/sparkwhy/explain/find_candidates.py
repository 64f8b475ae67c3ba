"""Trace a query under all its variants, and find the operators that its matching rows blame."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from sparkwhy.alternatives.variant import Alternatives
from sparkwhy.backtrace.backtrace import Conditions
from sparkwhy.backtrace.find_keys import FindKeys
from sparkwhy.backtrace.selectivity import FEW_MARKS, find_small_groupings
from sparkwhy.errors import TooManyOperators
from sparkwhy.explain.candidates import Candidate, candidate_plan, candidates_of
from sparkwhy.explain.coarse_bits import find_coarse_bits, select_single
from sparkwhy.explain.witnesses import find_witnesses
from sparkwhy.limits import Limits
from sparkwhy.plan.nodes import Plan
from sparkwhy.spark.engine import Codegen, Engine, Portion, Rows
from sparkwhy.trace.trace import TracedQuery, trace
from sparkwhy.trace.witness import Entry, WitnessRef


@dataclass(frozen=True)
class Candidates:
    """What was traced, and whom the matching rows blame."""

    variants: Alternatives
    traced: TracedQuery
    found: tuple[Candidate, ...]


def find_candidates(
    engine: Engine, variants: Alternatives, asked: Conditions, limits: Limits, *, large: bool, find_keys: FindKeys
) -> Candidates:
    """Trace the variants and collect the candidates.

    Where data is large, what happened to the rows behind a group is looked up afterwards. A query with more droppers
    than bits is traced with coarse bits first, to find out which operators need bits of their own.
    """
    plans = [each.plan for each in variants.found]
    keys, small_at = find_keys(plans, asked), find_small_groupings(plans[0], asked)
    zone = engine.timezone()
    some = partial(trace, plans[0], asked, alternatives=plans[1:], keys=keys, limits=limits)
    full = partial(some, records=True, references=large)

    def collect(traced: TracedQuery) -> Rows:
        return engine.collect(candidate_plan(traced), small_at=small_at, codegen=Codegen.PIECES)

    try:
        traced = full()
    except TooManyOperators:
        coarse = find_coarse_bits(
            lambda ops: some(coarse=ops), lambda t: candidates_of(t, collect(t), zone), plans[0], limits.coarse_bits
        )
        traced = full(coarse=coarse)
    rows = collect(traced)
    witnesses = _find_witnesses(engine, traced, rows, limits) if large else {}
    return Candidates(
        variants, traced, select_single(traced.bits, candidates_of(traced, rows, zone, witnesses, limits))
    )


def _find_witnesses(
    engine: Engine, traced: TracedQuery, rows: Rows, limits: Limits
) -> Mapping[WitnessRef, tuple[Entry, ...]]:
    glances = [partial(_look_up, engine, portion=portion) for portion in (Portion.FIRST, Portion.MORE)]
    return find_witnesses(traced, rows, partial(_look_up, engine), glances, limits)


def _look_up(engine: Engine, plan: Plan, portion: Portion = Portion.ALL) -> Rows:
    return engine.collect(plan, small_at=FEW_MARKS, codegen=Codegen.APART, portion=portion)


def reason_against_variants(engine: Engine, error: Exception) -> str | None:
    """Return why variants cannot be traced; None for an error that does not depend on them."""
    if isinstance(error, TooManyOperators):
        return str(error).splitlines()[0]
    return engine.reason_of(error) if isinstance(error, engine.failures) else None
