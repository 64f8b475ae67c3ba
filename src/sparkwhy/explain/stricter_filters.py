"""Filters that may have to let fewer rows through: below an operator that returns other rows when it reads fewer.

A count is smaller, a limit reaches further, an anti join finds no partner, an outer join pads. Rows do not tell which
filter it would have to be, so these candidates come without witnesses: constants of the data are tried.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from sparkwhy.backtrace.backtrace import Conditions
from sparkwhy.explain.candidates import Candidate
from sparkwhy.plan.build import Fresh, carry
from sparkwhy.plan.nodes import Aggregate, Distinct, Filter, Join, Limit, OpId, Plan, Project, SetOperation, Window
from sparkwhy.plan.walk import inputs, push_down, walk
from sparkwhy.plan.walk_exprs import attributes_of
from sparkwhy.rewrite.prune_columns import pruned
from sparkwhy.trace.blame import Dropper
from sparkwhy.trace.trace import TracedQuery

MAX_STRICTER = 8
"""So many filters are tried, the last ones of the query first."""


def stricter(traced: TracedQuery, known: Iterable[Candidate]) -> tuple[Candidate, ...]:
    """The filters that may have to be stricter, each by itself, as far as no row blames just these already."""
    blamed = {candidate.blame for candidate in known if candidate.alternative == 0}
    positions = traced.bits.positions()
    plan = asked_about(traced.plans[0], traced.wanted[0][traced.plans[0].id])
    bits = [1 << positions[Dropper(op)] for op in _filters(plan) if Dropper(op) in positions]
    found = [Candidate(blame=bit, certain=False, notes=0, count=0, witnesses=()) for bit in bits if bit not in blamed]
    return tuple(found[-MAX_STRICTER:])


def asked_about(plan: Plan, conditions: Conditions) -> Plan:
    """The query without aggregates on which nothing depends that is asked for: fewer rows may change these, in vain."""
    asked = dict.fromkeys(attribute for condition in conditions for attribute in attributes_of(condition))
    narrow = Project(id=Fresh(plan).part(plan), input=plan, columns=carry(asked))
    return pruned([narrow])[0]


def _filters(plan: Plan) -> Iterator[OpId]:
    turned = turning(plan)
    return (node.id for node in walk(plan) if isinstance(node, Filter) and turned[node.id])


def turning(plan: Plan) -> Mapping[OpId, bool]:
    """Of each operator: whether, if it returned fewer rows, the query might return other ones."""
    return push_down(plan, False, lambda node, above: tuple(above or turns for turns in _turns(node)))


def _turns(node: Plan) -> tuple[bool, ...]:
    """Of each input: whether the operator may return other rows when this input has fewer."""
    match node:
        case Aggregate():
            return (bool(node.aggregates),)
        case Window() | Limit():
            return (True,)
        case Distinct():
            return (node.keys is not None,)
        case Join():
            return node.how in ("right", "full"), node.how in ("left", "full", "anti", "existence")
        case SetOperation():
            return False, node.operation == "except"
        case _:
            return tuple(False for _ in inputs(node))
