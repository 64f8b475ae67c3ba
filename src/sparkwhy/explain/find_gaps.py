"""Find the sources without a row that meets the conditions of the question on them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sparkwhy.backtrace.backtrace import (
    Conditions,
    backtrace_merged_keys,
    backtrace_to_own,
    is_function_of_one_value,
)
from sparkwhy.explain.absent import PossibleGap, SourceGap, decides, gaps
from sparkwhy.plan.nodes import Plan
from sparkwhy.spark.engine import Engine
from sparkwhy.trace.encode import Typed, decode_printed
from sparkwhy.trace.trace import TracedQuery


def find_gaps(engine: Engine, traced: TracedQuery) -> tuple[SourceGap, ...]:
    """Find the gaps of the query as written, if gaps alone keep the row out under every alternative; else none."""
    asked = [wanted[plan.id] for plan, wanted in zip(traced.plans, traced.wanted, strict=True)]
    found = [_gaps_in(engine, *each) for each in zip(traced.plans, asked, strict=True)]
    return found[0] if all(found) else ()


def _gaps_in(engine: Engine, plan: Plan, asked: Conditions) -> tuple[SourceGap, ...]:
    """Find gaps that alone keep the row out of one variant of the query; none if they do not."""
    own = backtrace_to_own(plan, asked)
    if not any(gaps(plan, own)):  # only computed columns are asked for: a value that none of them ever has is not there
        own = backtrace_to_own(plan, asked, is_function_of_one_value)
    found = _lacking(engine, gaps(plan, own))
    if decides(plan, found):
        return found
    for condition in asked:
        sides = list(gaps(plan, backtrace_merged_keys(plan, condition)))
        found = _lacking(engine, sides)
        if len(found) == len(sides) and decides(plan, found):
            return found
    return ()


def _lacking(engine: Engine, possible: Iterable[PossibleGap]) -> tuple[SourceGap, ...]:
    return tuple(_with_nearest(engine, gap) for gap in possible if engine.is_empty(gap.fitting))


def _with_nearest(engine: Engine, gap: PossibleGap) -> SourceGap:
    """Add the values of the source that come nearest to those that are asked for."""
    nearest = {text: _nearest_values(engine, probe, value) for text, (probe, value) in gap.probes.items()}
    return SourceGap(gap.table, gap.conditions, nearest)


def _nearest_values(engine: Engine, probe: Plan, value: Any) -> tuple[Typed, ...]:
    type, timezone = probe.output[0].type, engine.timezone()
    return tuple(decode_printed(text, type, timezone) for text in engine.nearest_values(probe, value))
