"""Candidates: the sets of operators that matching rows of the traced query blame, with a few of these rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sparkwhy.explain.explanation import Explanation, Operator, column_names
from sparkwhy.plan.build import Fresh, all_of, boolean, call, carry, either, empty_array, long
from sparkwhy.plan.exprs import AggCall, Expr, FieldOf, IsNotNull, MakeStruct, Ref, is_true
from sparkwhy.plan.nodes import Aggregate, Column, Flatten, OpId, Plan, Project
from sparkwhy.plan.types import BOOLEAN, INTEGER, LONG, STRING, Array, Field, Struct
from sparkwhy.plan.walk import walk
from sparkwhy.trace.annotate import TracedQuery
from sparkwhy.trace.bits import Bits
from sparkwhy.trace.terms import UNION_OF_WORLDS, WORLDS_LEFT_OUT
from sparkwhy.trace.trails import FACT, TRAIL, VERDICT, as_text
from sparkwhy.trace.wanted import Conditions

_CLAIM = Struct((Field("blame", LONG), Field("certain", BOOLEAN)))
_WITNESS = Struct((Field("trail", TRAIL), Field("row", Array(STRING))))


@dataclass(frozen=True)
class Candidate:
    """A set of operators as bits, how many matching rows blame it, and up to two of them.

    One that is not certain is only attainable: some values of its rows would have to lie where bounds allow them.
    """

    blame: int
    certain: bool
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
    claim, witness = fresh.attribute("claim", _CLAIM), fresh.attribute("witness", _WITNESS)
    notes = fresh.attribute("notes", INTEGER)
    claimed = Flatten(
        id=fresh.part(plan),
        input=traced.rows.plan,
        collection=_claims(traced, traced.wanted[plan.id]),
        elements=(claim,),
    )
    values = call("array", *(as_text(Ref(a)) for a in plan.output))
    told = MakeStruct(("trail", "row"), (traced.rows.trail_expr, values))
    columns = (*carry((claim,)), Column(notes, traced.rows.notes_expr), Column(witness, told))
    marked = Project(id=fresh.part(plan), input=claimed, columns=columns)
    blame, certain = fresh.attribute("blame", LONG), fresh.attribute("certain", BOOLEAN)
    return Aggregate(
        id=fresh.part(plan),
        input=marked,
        keys=(
            Column(blame, FieldOf(Ref(claim), 0)),
            Column(certain, FieldOf(Ref(claim), 1)),
            *carry((notes,)),
        ),
        aggregates=(
            Column(fresh.attribute("count", LONG), AggCall("count", (long(1),))),
            Column(fresh.attribute("first", _WITNESS), AggCall("min", (Ref(witness),))),
            Column(fresh.attribute("last", _WITNESS), AggCall("max", (Ref(witness),))),
        ),
    )


def _claims(traced: TracedQuery, conditions: Conditions) -> Expr:
    """For each row the sets that it speaks for: its blame if its values match, what is attainable if they may."""
    rows = traced.rows
    own = call("array", MakeStruct(("blame", "certain"), (rows.blame_expr, boolean(True))))
    none = empty_array(_CLAIM)
    matching = either(is_true(all_of(conditions)), own, none)  # below, values within reach were let through too
    if rows.maybe is None:
        return matching
    other = call("array", MakeStruct(("blame", "certain"), (Ref(rows.maybe), boolean(False))))
    return call("concat", matching, either(IsNotNull(Ref(rows.maybe)), other, none))


def candidates_of(rows: Iterable[Sequence[Any]]) -> tuple[Candidate, ...]:
    """The rows of a `candidate_plan` as candidates, each set once: certain if any of its rows is."""
    found: dict[tuple[int, bool], Candidate] = {}
    for blame, certain, notes, count, first, last in rows:
        told = tuple(dict.fromkeys((_frozen(trail), tuple(row)) for trail, row in (first, last)))
        candidate = Candidate(blame, certain, notes, count, told)
        before = found.get((blame, certain))
        found[blame, certain] = candidate if before is None else _merged(before, candidate)
    settled = {blame for blame, certain in found if certain}
    return tuple(c for c in found.values() if c.certain or c.blame not in settled)


def _merged(one: Candidate, other: Candidate) -> Candidate:
    """The same set from rows with other notes: a union of worlds only if all say so."""
    union = one.notes & other.notes & UNION_OF_WORLDS
    left_out = (one.notes | other.notes) & WORLDS_LEFT_OUT
    witnesses = tuple(dict.fromkeys(one.witnesses + other.witnesses))[:_WITNESSES]
    return Candidate(one.blame, one.certain, union | left_out, one.count + other.count, witnesses)


_WITNESSES = 3


def _frozen(trail: Iterable[Sequence[Any]]) -> tuple[tuple[Any, ...], ...]:
    return tuple(tuple(entry) for entry in trail)


def smallest(candidates: Iterable[Candidate]) -> tuple[Candidate, ...]:
    """The candidates without unions of worlds of which a part is enough."""
    found = [candidate for candidate in candidates if candidate.blame]
    return tuple(
        candidate
        for candidate in found
        if not (candidate.is_union and any(other.certain and _is_part(other, candidate) for other in found))
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
    certain = {ids: any(c.certain for c in found) for ids, found in by_operators.items()}
    ordered = sorted(by_operators, key=lambda ids: (not certain[ids], len(ids), ids))
    return tuple(
        Explanation(
            operators=tuple(Operator.of(nodes[id]) for id in ids),
            rank=rank,
            certain=certain[ids],
            count=sum(candidate.count for candidate in by_operators[ids]),
            witnesses=_witnesses(column_names(plan), by_operators[ids]),
        )
        for rank, ids in enumerate(ordered, 1)
    )


def _operators(bits: Bits, candidate: Candidate) -> tuple[OpId, ...]:
    return tuple(sorted({dropper.op for dropper in bits.droppers(candidate.blame)}))


def _witnesses(names: Sequence[str], candidates: Sequence[Candidate]) -> tuple[Mapping[str, Any], ...]:
    told = [witness for candidate in candidates for witness in candidate.witnesses]
    return tuple(_witness(names, trail, row) for trail, row in told[:_WITNESSES])


def _witness(names: Sequence[str], trail: Sequence[Any], row: Sequence[Any]) -> Mapping[str, Any]:
    """A row that would become the answer, and what it met at the operators that it blames."""
    met: dict[int, dict[str, dict[str, Any]]] = {}
    for step, what, value in trail:
        at = met.setdefault(step, {"values": {}, "verdicts": {}, "facts": {}})
        if what.startswith(VERDICT):
            at["verdicts"].setdefault(what.removeprefix(VERDICT), value)
        elif what.startswith(FACT):
            at["facts"].setdefault(what.removeprefix(FACT), value)
        else:
            at["values"].setdefault(what, value)
    return {"row": dict(zip(names, row, strict=True)), "at": met}
