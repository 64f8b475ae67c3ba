"""Candidates: the sets of operators that matching rows of the traced query blame, with a few of these rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from sparkwhy.alternatives.variant import QueryVariant
from sparkwhy.explain.model import Explanation, Operator
from sparkwhy.explain.repair import Repair
from sparkwhy.limits import DEFAULT_LIMITS, Limits
from sparkwhy.plan.build import Fresh, all_of, boolean, call, carry, either, empty_array, equal, exists, integer, long
from sparkwhy.plan.exprs import AggCall, Compare, Expr, FieldOf, MakeStruct, Not, Ref, is_true
from sparkwhy.plan.nodes import Aggregate, Column, Flatten, OpId, Plan, Project
from sparkwhy.plan.types import BOOLEAN, INTEGER, LONG, STRING, Array, Field, Struct
from sparkwhy.plan.walk import walk
from sparkwhy.trace.attainable import can_hold
from sparkwhy.trace.blame import Bits, Dropper
from sparkwhy.trace.encode import encode
from sparkwhy.trace.liveness import UNION_OF_WORLDS, WORLDS_LEFT_OUT, is_inside
from sparkwhy.trace.observe import TRAIL
from sparkwhy.trace.trace import TracedQuery
from sparkwhy.trace.witness import Entry, Witness, WitnessRef, decode_values, observe, read_entries

_CLAIM = Struct(
    (Field("alternative", INTEGER), Field("blame", LONG), Field("certain", BOOLEAN), Field("row", Array(STRING)))
)
_WITNESS = Struct((Field("trail", TRAIL), Field("row", Array(STRING))))


@dataclass(frozen=True)
class Candidate:
    """An alternative, a set of its operators as bits, how many matching rows blame it, and up to two of them.

    One that is not certain is only attainable: some values of its rows would have to lie where bounds allow them.
    """

    blame: int
    certain: bool
    notes: int
    count: int
    witnesses: tuple[Witness, ...]
    alternative: int = 0

    @property
    def is_union(self) -> bool:
        return bool(self.notes & UNION_OF_WORLDS)

    @property
    def worlds_left_out(self) -> bool:
        return bool(self.notes & WORLDS_LEFT_OUT)


def candidate_plan(traced: TracedQuery) -> Plan:
    """Return the traced rows summed up by alternative and by whom they blame: the only rows that leave the cluster."""
    plan, fresh = traced.plans[0], Fresh(traced.rows.plan)
    claim, witness = fresh.attribute("claim", _CLAIM), fresh.attribute("witness", _WITNESS)
    notes = fresh.attribute("notes", INTEGER)
    claims = call("concat", *(claim for i in range(len(traced.plans)) for claim in _claims(traced, i)))
    claimed = Flatten(id=fresh.part(plan), input=traced.rows.plan, collection=claims, elements=(claim,))
    trail_and_row = MakeStruct(("trail", "row"), (traced.rows.trail_expr, FieldOf(Ref(claim), 3)))
    columns = (*carry((claim,)), Column(notes, traced.rows.flags_expr), Column(witness, trail_and_row))
    marked = Project(id=fresh.part(plan), input=claimed, columns=columns)
    return Aggregate(
        id=fresh.part(plan),
        input=marked,
        keys=(
            Column(fresh.attribute("alternative", INTEGER), FieldOf(Ref(claim), 0)),
            Column(fresh.attribute("blame", LONG), FieldOf(Ref(claim), 1)),
            Column(fresh.attribute("certain", BOOLEAN), FieldOf(Ref(claim), 2)),
            *carry((notes,)),
        ),
        aggregates=(
            Column(fresh.attribute("count", LONG), AggCall("count", (long(1),))),
            Column(fresh.attribute("first", _WITNESS), AggCall("min", (Ref(witness),))),
            Column(fresh.attribute("last", _WITNESS), AggCall("max", (Ref(witness),))),
        ),
    )


def _claims(traced: TracedQuery, alternative: int) -> Iterator[Expr]:
    """Yield what a row speaks for in an alternative: its blame if its values match, what is attainable if they may."""
    rows, plan = traced.rows, traced.plans[alternative]
    asked = [rows.read_in(alternative, each) for each in traced.wanted[alternative][plan.id]]
    matching = is_true(all_of(asked))  # below, values within reach were let through too
    yield _claim(traced, alternative, rows.blame_expr, True, (matching, _exists(traced, alternative, rows.blame_expr)))
    if rows.maybe is not None:
        within_reach = is_true(all_of(can_hold(each, rows.bounds) for each in asked))
        other_values = Not(all_of((matching, equal(Ref(rows.maybe), rows.blame_expr))))
        possible = within_reach, other_values, _exists(traced, alternative, Ref(rows.maybe))
        for changed, further in _attainable(traced, alternative, Ref(rows.maybe)):
            yield _claim(traced, alternative, changed, False, (*possible, further))


def _attainable(traced: TracedQuery, alternative: int, blame: Expr) -> Iterator[tuple[Expr, Expr]]:
    """Yield what would have to change for a group to have only some of its rows, and when.

    An operator that lets further rows through may let some of them through. Where no filter does, one of those that
    the rows pass may be stricter.
    """
    positions = traced.bits.positions(alternative)
    yield blame, Compare("<>", call("&", blame, long(traced.bits.active(alternative))), long(0))
    filters = [1 << positions[Dropper(op)] for op in traced.rows.stricter if Dropper(op) in positions]
    relaxes_none = equal(call("&", blame, long(sum(filters))), long(0))
    for filter in filters:
        yield call("|", blame, long(filter)), relaxes_none


def _claim(traced: TracedQuery, alternative: int, blame: Expr, certain: bool, conditions: tuple[Expr, ...]) -> Expr:
    output = traced.plans[alternative].output
    row = call("array", *(encode(traced.rows.read_in(alternative, Ref(a))) for a in output))
    active = call("&", blame, long(traced.bits.active(alternative)))
    names = tuple(field.name for field in _CLAIM.fields)
    claim = MakeStruct(names, (integer(alternative), active, boolean(certain), row))
    return either(all_of(conditions), call("array", claim), empty_array(_CLAIM))


def _exists(traced: TracedQuery, alternative: int, blame: Expr) -> Expr:
    """Return whether a row exists in an alternative: its gate is not blamed, and nothing there takes it away for
    good.

    Bits of variants, and of operators that are used twice, can be in what the row blames and in what takes it away.
    """
    gate = long(traced.bits.variant_bits & 1 << alternative)
    open = equal(call("&", blame, gate), long(0)) if traced.bits.variant_bits else boolean(True)
    overlap = traced.bits.variant_bits or any(node.use_of is not None for node in walk(traced.plans[0]))
    if traced.rows.unless is None or not overlap:
        return open
    counted = long(traced.bits.active(alternative) | traced.bits.variant_bits & 1 << alternative)
    gone = exists(traced.rows.unless_expr, lambda u: is_inside(call("&", u, counted), blame))
    return all_of((open, Not(gone)))


Found = Mapping[WitnessRef, tuple[Entry, ...]]
"""The entries of the rows that references refer to."""

NONE_FOUND: Found = MappingProxyType({})


def candidates_of(
    query: TracedQuery,
    rows: Iterable[Sequence[Any]],
    timezone: str,
    found_rows: Found = NONE_FOUND,
    limits: Limits = DEFAULT_LIMITS,
) -> tuple[Candidate, ...]:
    """Read the rows of a `candidate_plan` as candidates, each set once: certain if any of its rows is.

    `timezone` is that of the session: times are printed in it. `found_rows` is what `find_witnesses` found.
    """
    found: dict[tuple[int, int, bool], Candidate] = {}
    decoder = _Decoder(query, timezone, found_rows)
    for alternative, blame, certain, notes, count, first, last in rows:
        witnesses = _drop_repeated(decoder.witness(alternative, *each) for each in (first, last))
        candidate = Candidate(blame, certain, notes, count, witnesses, alternative)
        before = found.get((alternative, blame, certain))
        found[alternative, blame, certain] = candidate if before is None else _merge(before, candidate, limits)
    settled = {(alternative, blame) for alternative, blame, certain in found if certain}
    return tuple(c for c in found.values() if c.certain or (c.alternative, c.blame) not in settled)


def _merge(one: Candidate, other: Candidate, limits: Limits) -> Candidate:
    """Return the same set from rows with other notes: a union of worlds only if all say so."""
    union = one.notes & other.notes & UNION_OF_WORLDS
    left_out = (one.notes | other.notes) & WORLDS_LEFT_OUT
    witnesses = _drop_repeated(one.witnesses + other.witnesses)[: limits.witnesses]
    return replace(one, notes=union | left_out, count=one.count + other.count, witnesses=witnesses)


def _drop_repeated(witnesses: Iterable[Witness]) -> tuple[Witness, ...]:
    """Return the witnesses without repetitions; they have no hash, and are few."""
    found: list[Witness] = []
    for witness in witnesses:
        if witness not in found:
            found.append(witness)
    return tuple(found)


class _Decoder:
    """Decodes the witnesses of a traced query."""

    def __init__(self, query: TracedQuery, timezone: str, found: Found) -> None:
        self._query, self._timezone, self._found = query, timezone, found
        self._nodes = [{node.id: node for node in walk(plan)} for plan in query.plans]

    def witness(self, variant: int, trail: Sequence[Any], row: Sequence[str | None]) -> Witness:
        """Decode a witness in one variant: only the entries that hold there count."""
        raw = read_entries(self._query.legend, trail[1])
        entries = [each for each in resolve(raw, self._found) if each.variants >> variant & 1]
        output = self._query.plans[variant].output
        at = observe(entries, self._nodes[variant], self._timezone)
        return Witness(decode_values(output, row, self._timezone), at)


def resolve(entries: Iterable[Entry], found: Found) -> Iterator[Entry]:
    """Yield the entries, with those of the rows that references refer to in the place of references."""
    for entry in entries:
        ref = WitnessRef.of(entry)
        if ref is None or ref not in found:
            yield entry
        else:
            yield from resolve(found[ref], found)


def smallest(candidates: Iterable[Candidate]) -> tuple[Candidate, ...]:
    """Return the candidates without unions of worlds of which a part is enough, in the same alternative."""
    found = [candidate for candidate in candidates if candidate.blame or candidate.alternative]
    return tuple(
        candidate
        for candidate in found
        if not (candidate.is_union and any(other.certain and _is_part(other, candidate) for other in found))
    )


def _is_part(inner: Candidate, outer: Candidate) -> bool:
    same = inner.alternative == outer.alternative
    return same and inner.blame != outer.blame and inner.blame & ~outer.blame == 0


# --- explanations ---


@dataclass(frozen=True)
class Claim:
    """One explanation on its way to the answer: what is shown of it, and what it is made from.

    `ops` are the operators that must change; they identify the claim, because candidates that change the same operators
    are one explanation. `candidates` are these, the most promising first. `repair` is the changed query behind the
    fixes that were verified, `failed` the one behind fixes that were tried in vain.
    """

    ops: tuple[OpId, ...]
    explanation: Explanation
    candidates: tuple[Candidate, ...] = ()
    repair: Repair | None = None
    failed: Repair | None = None

    @property
    def verified(self) -> bool:
        """Whether a repair was run and returned the row."""
        return self.explanation.verified is True


def explain(
    alternatives: Sequence[QueryVariant], bits: Bits, candidates: Iterable[Candidate], limits: Limits = DEFAULT_LIMITS
) -> tuple[Claim, ...]:
    """Return the candidates as explanations, those with the fewest operators first.

    Candidates that change the same operators are one explanation; of several alternatives, it is about the one that
    changes the least.
    """
    by_operators: dict[tuple[OpId, ...], list[Candidate]] = {}
    for candidate in _drop_needless_functions(alternatives, bits, smallest(candidates)):
        by_operators.setdefault(_operators(alternatives, bits, candidate), []).append(candidate)
    by_ids = {ids: tuple(sorted(found, key=_promise)) for ids, found in by_operators.items()}
    ordered = sorted(by_ids, key=lambda ids: (not by_ids[ids][0].certain, len(ids), by_ids[ids][0].alternative, ids))
    return tuple(
        Claim(ids, _explanation(alternatives, ids, rank, by_ids[ids], limits), by_ids[ids])
        for rank, ids in enumerate(ordered, 1)
    )


def _drop_needless_functions(
    alternatives: Sequence[QueryVariant], bits: Bits, candidates: Sequence[Candidate]
) -> Iterator[Candidate]:
    """Yield the candidates without those that change a function where the function as written would do as well."""

    def blamed_ops(candidate: Candidate) -> frozenset[OpId]:
        return frozenset(dropper.op for dropper in bits.droppers(candidate.blame, candidate.alternative))

    enough = [blamed_ops(each) for each in candidates if each.alternative == 0 and each.certain]
    for candidate in candidates:
        other_function = alternatives[candidate.alternative].kind == "aggregate"
        if not other_function or not any(operators <= blamed_ops(candidate) for operators in enough):
            yield candidate


def _promise(candidate: Candidate) -> tuple[bool, int]:
    """Certain before attainable, then the alternative that changes least."""
    return not candidate.certain, candidate.alternative


def _explanation(
    alternatives: Sequence[QueryVariant],
    ids: tuple[OpId, ...],
    rank: int,
    candidates: tuple[Candidate, ...],
    limits: Limits,
) -> Explanation:
    alternative = alternatives[candidates[0].alternative]
    shown = [candidate for candidate in candidates if candidate.alternative == candidates[0].alternative]
    nodes = {node.id: node for node in walk(alternatives[0].plan)}
    return Explanation(
        operators=tuple(Operator.of(nodes[id]) for id in ids),
        rank=rank,
        certain=candidates[0].certain,
        count=sum(candidate.count for candidate in shown),
        witnesses=witnesses_of(shown)[: limits.witnesses],
        alternative=alternative.changes,
        evidence=alternative.evidence + alternative.notes,
        plan=alternative.plan,
    )


def _operators(alternatives: Sequence[QueryVariant], bits: Bits, candidate: Candidate) -> tuple[OpId, ...]:
    """Return those that the alternative changes, and those that are blamed."""
    blamed = {dropper.op for dropper in bits.droppers(candidate.blame, candidate.alternative)}
    return tuple(sorted(blamed | set(alternatives[candidate.alternative].changed)))


def witnesses_of(candidates: Sequence[Candidate]) -> tuple[Witness, ...]:
    """Return the rows that would become the answer, the nearest misses of each candidate first."""
    return tuple(witness for candidate in candidates for witness in candidate.witnesses)
