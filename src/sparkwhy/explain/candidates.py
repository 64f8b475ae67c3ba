"""Candidates: the sets of operators that matching rows of the traced query blame, with a few of these rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sparkwhy.explain.explanation import Explanation, Operator
from sparkwhy.plan.build import Fresh, call, long
from sparkwhy.plan.exprs import AggCall, Attribute, MakeStruct, Ref
from sparkwhy.plan.nodes import Aggregate, Column, OpId, Plan, Project
from sparkwhy.plan.types import INTEGER, LONG, STRING, Array, Field, Struct
from sparkwhy.plan.walk import walk
from sparkwhy.trace.annotate import TracedQuery
from sparkwhy.trace.bits import Bits
from sparkwhy.trace.terms import UNION_OF_WORLDS, WORLDS_LEFT_OUT
from sparkwhy.trace.trails import TRAIL, VERDICT, as_text

_WITNESS = Struct((Field("trail", TRAIL), Field("row", Array(STRING))))


@dataclass(frozen=True)
class Candidate:
    """A set of operators as bits, how many matching rows blame it, and up to two of them."""

    blame: int
    notes: int
    count: int
    witnesses: tuple[tuple[Any, Any], ...]

    @property
    def is_union(self) -> bool:
        return bool(self.notes & UNION_OF_WORLDS)

    @property
    def worlds_left_out(self) -> bool:
        return bool(self.notes & WORLDS_LEFT_OUT)


def candidate_plan(plan: Plan, traced: TracedQuery) -> Plan:
    """The traced rows summed up by whom they blame: the only rows that leave the cluster."""
    fresh = Fresh(traced.rows.plan)
    rows = traced.rows
    blame, notes = fresh.attribute("blame", LONG), fresh.attribute("notes", INTEGER)
    witness = fresh.attribute("witness", _WITNESS)
    values = call("array", *(as_text(Ref(a)) for a in plan.output))
    told = MakeStruct(("trail", "row"), (rows.trail_expr, values))
    marked = Project(
        id=fresh.part(plan),
        input=rows.plan,
        columns=(Column(blame, rows.blame_expr), Column(notes, rows.notes_expr), Column(witness, told)),
    )
    return Aggregate(
        id=fresh.part(plan),
        input=marked,
        keys=(Column(blame, Ref(blame)), Column(notes, Ref(notes))),
        aggregates=(
            Column(fresh.attribute("count", LONG), AggCall("count", (long(1),))),
            Column(fresh.attribute("first", _WITNESS), AggCall("min", (Ref(witness),))),
            Column(fresh.attribute("last", _WITNESS), AggCall("max", (Ref(witness),))),
        ),
    )


def candidates_of(rows: Iterable[Sequence[Any]]) -> tuple[Candidate, ...]:
    """The rows of a `candidate_plan` as candidates; the same set with other notes is one candidate."""
    found: dict[int, Candidate] = {}
    for blame, notes, count, first, last in sorted(rows, key=lambda row: (row[0], row[1])):
        before = found.get(blame)
        told = (before.witnesses if before else ()) + ((tuple(first), tuple(last)))
        witnesses = tuple(dict.fromkeys((_frozen(trail), tuple(row)) for trail, row in _pairs(told)))
        union = notes & (before.notes if before else UNION_OF_WORLDS) & UNION_OF_WORLDS
        left_out = (notes | (before.notes if before else 0)) & WORLDS_LEFT_OUT
        total = count + (before.count if before else 0)
        found[blame] = Candidate(blame, union | left_out, total, witnesses[:_WITNESSES])
    return tuple(found.values())


_WITNESSES = 3


def _pairs(told: Sequence[Any]) -> Iterable[tuple[Any, Any]]:
    return ((each[0], each[1]) for each in told)


def _frozen(trail: Iterable[Sequence[Any]]) -> tuple[tuple[Any, ...], ...]:
    return tuple(tuple(entry) for entry in trail)


def smallest(candidates: Iterable[Candidate]) -> tuple[Candidate, ...]:
    """The candidates without unions of worlds of which a part is enough."""
    found = [candidate for candidate in candidates if candidate.blame]
    return tuple(
        candidate
        for candidate in found
        if not (candidate.is_union and any(_is_part(other, candidate) for other in found))
    )


def _is_part(inner: Candidate, outer: Candidate) -> bool:
    return inner.blame != outer.blame and inner.blame & ~outer.blame == 0


# --- explanations ---


def explain(plan: Plan, bits: Bits, candidates: Iterable[Candidate]) -> tuple[Explanation, ...]:
    """The candidates as explanations, those with the fewest operators first."""
    nodes = {node.id: node for node in walk(plan)}
    by_operators: dict[tuple[OpId, ...], list[Candidate]] = {}
    for candidate in smallest(candidates):
        by_operators.setdefault(_operators(bits, candidate), []).append(candidate)
    ordered = sorted(by_operators, key=lambda ids: (len(ids), ids))
    return tuple(
        Explanation(
            operators=tuple(Operator.of(nodes[id]) for id in ids),
            rank=rank,
            count=sum(candidate.count for candidate in by_operators[ids]),
            witnesses=_witnesses(plan.output, by_operators[ids]),
        )
        for rank, ids in enumerate(ordered, 1)
    )


def _operators(bits: Bits, candidate: Candidate) -> tuple[OpId, ...]:
    return tuple(sorted({dropper.op for dropper in bits.droppers(candidate.blame)}))


def _witnesses(output: tuple[Attribute, ...], candidates: Sequence[Candidate]) -> tuple[Mapping[str, Any], ...]:
    told = [witness for candidate in candidates for witness in candidate.witnesses]
    return tuple(_witness(output, trail, row) for trail, row in told[:_WITNESSES])


def _witness(output: tuple[Attribute, ...], trail: Sequence[Any], row: Sequence[Any]) -> Mapping[str, Any]:
    """A row that would become the answer, and what it met at the operators that it blames."""
    met: dict[int, dict[str, dict[str, Any]]] = {}
    for step, what, value in trail:
        at = met.setdefault(step, {"values": {}, "verdicts": {}})
        if what.startswith(VERDICT):
            at["verdicts"].setdefault(what.removeprefix(VERDICT), value)
        else:
            at["values"].setdefault(what, value)
    names = [attribute.name for attribute in output]
    return {"row": dict(zip(names, row, strict=True)), "at": met}
