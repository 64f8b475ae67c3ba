"""Propose stricter filters: those below an operator that returns other rows when it reads fewer.

A count is smaller, a limit reaches further, an anti join finds no partner, an outer join pads. No traced row says which
filter has to be stricter, so these candidates come without witnesses, and fixes try constants of the data.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sparkwhy.backtrace.backtrace import Conditions
from sparkwhy.explain.candidates import Candidate
from sparkwhy.limits import DEFAULT_LIMITS
from sparkwhy.plan.build import Fresh, carry
from sparkwhy.plan.nodes import Filter, OpId, Plan, Project
from sparkwhy.plan.traits import query_reacts
from sparkwhy.plan.walk import walk
from sparkwhy.plan.walk_exprs import attributes_of
from sparkwhy.rewrite.prune_columns import prune_columns
from sparkwhy.trace.blame import Dropper
from sparkwhy.trace.trace import TracedQuery


def propose_stricter_filters(
    traced: TracedQuery, known: Iterable[Candidate], most: int = DEFAULT_LIMITS.stricter_filters
) -> tuple[Candidate, ...]:
    """Return a candidate for each filter that may have to be stricter, unless a row blames just that filter already.

    Of more than `most` filters the last ones of the query are tried.
    """
    blamed = {candidate.blame for candidate in known if candidate.alternative == 0}
    positions = traced.bits.positions()
    plan = prune_to_question(traced.plans[0], traced.wanted[0][traced.plans[0].id])
    bits = [1 << positions[Dropper(op)] for op in _filters(plan) if Dropper(op) in positions]
    found = [Candidate(blame=bit, certain=False, notes=0, count=0, witnesses=()) for bit in bits if bit not in blamed]
    return tuple(found[-most:])


def prune_to_question(plan: Plan, conditions: Conditions) -> Plan:
    """Return the query without the aggregates that the question does not read.

    Fewer rows may change these too, but that changes nothing about the row that is asked for.
    """
    read = dict.fromkeys(attribute for condition in conditions for attribute in attributes_of(condition))
    narrow = Project(id=Fresh(plan).part(plan), input=plan, columns=carry(read))
    return prune_columns([narrow])[0]


def _filters(plan: Plan) -> Iterator[OpId]:
    reacts = query_reacts(plan)
    found = (node.first_use for node in walk(plan) if isinstance(node, Filter) and reacts[node.id])
    return iter(dict.fromkeys(found))
