"""Find alternatives that were not declared: attributes that may have been meant, with the evidence for each.

What a query uses is compared with what else its source has. A substitute has the same type, and it has a similar name,
or stands beside the attribute in the same struct, or, best of all, holds what the question asks for. The last is
looked up in the data: a source is read once, and only `MAX_ROWS` rows of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

from sparkwhy.alternatives.enumerate import swap_members, used_paths
from sparkwhy.alternatives.paths import Names, SourcePath, path_text, paths_of_table
from sparkwhy.alternatives.substitute import Analysis
from sparkwhy.alternatives.variant import Alternatives, QueryVariant
from sparkwhy.backtrace.backtrace import Conditions, backtrace
from sparkwhy.limits import DEFAULT_LIMITS, Limits
from sparkwhy.messages import Message
from sparkwhy.plan.build import Fresh, all_of, long
from sparkwhy.plan.exprs import AggCall, Expr
from sparkwhy.plan.nodes import Aggregate, Column, Limit, OpId, Plan, Table
from sparkwhy.plan.types import LONG, Array, same_shape
from sparkwhy.plan.walk import walk
from sparkwhy.plan.walk_exprs import attributes_of

_HOLDS = 10
"""That an attribute holds what is asked for counts more than any name."""


@dataclass(frozen=True)
class Pair:
    """An attribute that the query uses, and one of the same type that it may have meant."""

    table: OpId
    old: Names
    new: Names

    @property
    def similarity(self) -> float:
        """How alike the names are where the paths part."""
        shared = next(i for i, (a, b) in enumerate(zip(self.old, self.new, strict=False)) if a != b)
        old, new = (path_text(names[shared:]).lower() for names in (self.old, self.new))
        return SequenceMatcher(None, old, new).ratio()

    @property
    def are_siblings(self) -> bool:
        return self.old[:-1] == self.new[:-1]

    @property
    def likeness(self) -> float:
        return self.similarity + (1 if self.are_siblings else 0)

    def is_likely(self, limits: Limits) -> bool:
        return self.are_siblings or self.similarity >= limits.similar_names

    def evidence(self, limits: Limits) -> tuple[Message, ...]:
        found = [Message("same_type", new=path_text(self.new), old=path_text(self.old))]
        if self.are_siblings:
            found.append(Message("same_struct" if len(self.old) > 1 else "same_source"))
        if self.similarity >= limits.similar_names:
            found.append(Message("similar_names"))
        return tuple(found)


@dataclass(frozen=True)
class Suggestion:
    """A pair as an alternative, and what the question then asks of a row of the table.

    None: nothing that it does not ask without the alternative, so that no value of the table speaks for it.
    """

    pair: Pair
    rewritten: QueryVariant
    asked: Expr | None


def suggestions(
    plan: Plan, conditions: Conditions, *, only_asked: bool = False, limits: Limits = DEFAULT_LIMITS
) -> tuple[Suggestion, ...]:
    """Return what may have been meant, by type and name; the likeliest first, each alternative once.

    With `only_asked`, in the place of columns that the question asks about.
    """
    query = Analysis.of(plan)
    used = list(_pairs(query, used_paths(query)))
    shown = _pairs(query, used_paths(query, by_result=True))
    if only_asked:
        used = _pairs_asked_about(query, conditions, used)
    possible = {*used, *_pairs_asked_about(query, conditions, shown)}
    pairs = sorted(possible, key=lambda pair: (-pair.likeness, pair.old, pair.new))
    found = [p for pair in pairs[: limits.proposed_pairs] for p in _make_suggestions(query, pair, conditions)]
    return tuple({tuple(p.rewritten.changes.items()): p for p in reversed(found)}.values())[::-1]


def _pairs_asked_about(query: Analysis, conditions: Conditions, pairs: Iterable[Pair]) -> list[Pair]:
    wanted = backtrace(query.plan, conditions)
    names = {id: {a.name for c in wanted[id] for a in attributes_of(c)} for id in query.tables}
    return [pair for pair in pairs if pair.old[0] in names[pair.table]]


def _pairs(query: Analysis, used_by_table: Mapping[OpId, tuple[Names, ...]]) -> Iterator[Pair]:
    for table_id, used in used_by_table.items():
        offered = paths_of_table(query.tables[table_id])
        known = {path.names: path for path in offered}
        for names in used:
            alike = [path for path in offered if _may_replace(known, known[names], path)]
            yield from (Pair(table_id, names, path.names) for path in alike)


def _may_replace(known: Mapping[Names, SourcePath], old: SourcePath, new: SourcePath) -> bool:
    """Return whether a path has the type of another, and neither leads through the other or through another array."""
    shorter = min(len(old.names), len(new.names))
    if old.names[:shorter] == new.names[:shorter] or not same_shape(old.type, new.type):
        return False
    return _arrays(known, old.names) == _arrays(known, new.names)


def _arrays(known: Mapping[Names, SourcePath], names: Names) -> tuple[Names, ...]:
    """Return the arrays that a path leads through."""
    before = (names[:length] for length in range(1, len(names)))
    return tuple(each for each in before if isinstance(known[each].type, Array))


def _make_suggestions(query: Analysis, pair: Pair, conditions: Conditions) -> Iterator[Suggestion]:
    """Yield the pair as an alternative, if it is one."""
    rewritten = swap_members(query, pair.table, (pair.old, pair.new))
    if rewritten is not None:
        before = backtrace(query.plan, conditions)[pair.table]
        after = backtrace(rewritten.plan, conditions)[pair.table]
        asks_otherwise = any(condition not in before for condition in after)
        yield Suggestion(pair, rewritten, all_of(after) if asks_otherwise else None)


# --- the look at the data ---


def evidence_plans(plan: Plan, proposed: Sequence[Suggestion], limits: Limits = DEFAULT_LIMITS) -> Mapping[OpId, Plan]:
    """Return a plan of one row for each source to look at: how many rows were read, and how many fit each
    suggestion.
    """
    fresh = Fresh(plan)
    tables = [node for node in walk(plan) if isinstance(node, Table)]
    asked = {
        table.id: [p.asked for p in proposed if p.pair.table == table.id and p.asked is not None] for table in tables
    }
    return {
        table.id: _evidence_plan(fresh, table, asked[table.id], limits.evidence_rows)
        for table in tables
        if asked[table.id]
    }


def _evidence_plan(fresh: Fresh, table: Table, asked: Iterable[Expr], rows: int) -> Plan:
    first = Limit(id=fresh.part(table), input=table, count=rows)
    counts = [AggCall("count", (long(1),)), *(AggCall("count", (long(1),), condition=each) for each in asked)]
    columns = tuple(Column(fresh.attribute("rows", LONG), each) for each in counts)
    return Aggregate(id=fresh.part(table), input=first, keys=(), aggregates=columns)


def choose_suggestions(
    plan: Plan, proposed: Sequence[Suggestion], seen: Mapping[OpId, Sequence[int]], limits: Limits = DEFAULT_LIMITS
) -> Alternatives:
    """Return the query and the likeliest suggestions that the data supports, or at least does not contradict."""
    counts = _counts(seen)
    judged = [_judge(p, counts, seen, limits) for p in proposed]
    kept = sorted((each for each in judged if each is not None), key=lambda each: -each[0])
    likeliest = [rewritten for _, rewritten in kept[: limits.found_alternatives]]
    ordered = sorted(likeliest, key=lambda r: (len(r.changed), sorted(r.changes.items())))
    return Alternatives((QueryVariant({}, plan, ()), *ordered), ())


def describe_holders(
    proposed: Sequence[Suggestion], seen: Mapping[OpId, Sequence[int]], limits: Limits = DEFAULT_LIMITS
) -> Iterator[Message]:
    """Yield the attributes that hold what the question asks for, in sentences, the likeliest first."""
    counts = _counts(seen)
    for proposal in proposed:
        pair = proposal.pair
        fitting = 0 if proposal.asked is None else next(counts[pair.table])
        if fitting:
            old, new = path_text(pair.old), path_text(pair.new)
            rows = _describe_rows(seen[pair.table][0], limits)
            yield Message("value_elsewhere", new=new, old=old, fitting=fitting, rows=rows)


def _counts(seen: Mapping[OpId, Sequence[int]]) -> dict[OpId, Iterator[int]]:
    """Return how many rows fit each proposal that had to be looked at, by source and in the order of the proposals."""
    return {table: iter(found[1:]) for table, found in seen.items()}


def _judge(
    proposal: Suggestion,
    counts: Mapping[OpId, Iterator[int]],
    seen: Mapping[OpId, Sequence[int]],
    limits: Limits,
) -> tuple[float, QueryVariant] | None:
    """Return how likely a proposal is, with its evidence; None if there is none."""
    pair, evidence = proposal.pair, proposal.pair.evidence(limits)
    if proposal.asked is None:
        return (pair.likeness, replace(proposal.rewritten, evidence=evidence)) if pair.is_likely(limits) else None
    fitting, rows = next(counts[pair.table]), seen[pair.table][0]
    if fitting:
        found = Message("rows_fit", fitting=fitting, rows=_describe_rows(rows, limits))
        return pair.likeness + _HOLDS, replace(proposal.rewritten, evidence=(found, *evidence))
    if rows < limits.evidence_rows or not pair.is_likely(limits):
        return None
    found = Message("no_row_fits", rows=_describe_rows(rows, limits))
    return pair.likeness, replace(proposal.rewritten, evidence=(found, *evidence))


def _describe_rows(rows: int, limits: Limits) -> str:
    return f"{rows} rows" if rows < limits.evidence_rows else f"the first {rows} rows"
