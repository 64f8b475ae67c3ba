"""Find the sources without a row that meets the conditions of the question on them."""

from __future__ import annotations

from typing import Any

from sparkwhy.backtrace.backtrace import Conditions, backtrace_to_own, is_function_of_one_value
from sparkwhy.explain.absent import PossibleGap, SourceGap, decides, gaps
from sparkwhy.plan.nodes import Plan
from sparkwhy.spark.engine import Engine
from sparkwhy.trace.encode import Typed, decode_printed
from sparkwhy.trace.trace import TracedQuery


def find_gaps(engine: Engine, traced: TracedQuery) -> tuple[SourceGap, ...]:
    """Find the gaps of the query as written, if gaps alone keep the row out under every alternative; else none."""
    asked = [wanted[plan.id] for plan, wanted in zip(traced.plans, traced.wanted, strict=True)]
    found = [_gaps_in(engine, *each) for each in zip(traced.plans, asked, strict=True)]
    lacking = all(decides(plan, each) for plan, each in zip(traced.plans, found, strict=True))
    return found[0] if lacking else ()


def _gaps_in(engine: Engine, plan: Plan, asked: Conditions) -> tuple[SourceGap, ...]:
    possible = list(gaps(plan, backtrace_to_own(plan, asked)))
    if not possible:  # the question is about computed columns only: a value that none of them ever has is not there
        possible = list(gaps(plan, backtrace_to_own(plan, asked, is_function_of_one_value)))
    return tuple(_with_nearest(engine, gap) for gap in possible if engine.is_empty(gap.fitting))


def _with_nearest(engine: Engine, gap: PossibleGap) -> SourceGap:
    """Add the values of the source that come nearest to those that are asked for."""
    nearest = {text: _nearest_values(engine, probe, value) for text, (probe, value) in gap.probes.items()}
    return SourceGap(gap.table, gap.conditions, nearest)


def _nearest_values(engine: Engine, probe: Plan, value: Any) -> tuple[Typed, ...]:
    type, timezone = probe.output[0].type, engine.timezone()
    return tuple(decode_printed(text, type, timezone) for text in engine.nearest_values(probe, value))
