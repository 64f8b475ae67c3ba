"""Constants for a condition of which no single witness tells what they should be: a few values of the data.

An aggregate depends on all rows that a filter lets through. Its constant is looked for among the values that the filter
compares, and all that are tried are evaluated at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sparkwhy.explain.candidates import Candidate
from sparkwhy.explain.model import FixKind
from sparkwhy.fix.conditions import Unknown, like, value_of, ways_of
from sparkwhy.fix.propose import Query, Step
from sparkwhy.plan.exprs import And, Compare, CompareOp, Expr, In, IsNotNull, Literal, Or, conjuncts
from sparkwhy.plan.nodes import Filter, Plan
from sparkwhy.plan.types import DATE, TIMESTAMP, TIMESTAMP_NTZ, is_numeric
from sparkwhy.plan.walk import walk
from sparkwhy.plan.walk_exprs import attributes_of
from sparkwhy.question.values import convert

RUNGS = 17
"""So many values are taken of each column."""


@dataclass(frozen=True)
class ComparedConstant:
    """A comparison of a filter with a constant, and what else the constant could be is asked of `side`."""

    filter: Filter
    at: int
    side: Expr
    constant: Expr


def ladders(query: Query, candidate: Candidate) -> tuple[ComparedConstant, ...]:
    """The comparisons with constants in the filters that a candidate blames."""
    nodes = {node.id: node for node in walk(query.alternatives[candidate.alternative].plan)}
    blamed = [nodes[d.op] for d in query.bits.droppers(candidate.blame, candidate.alternative)]
    return tuple(ladder for node in blamed if isinstance(node, Filter) for ladder in _ladders(node))


def _ladders(node: Filter) -> Iterator[ComparedConstant]:
    for at, part in enumerate(conjuncts(node.condition)):
        if isinstance(part, Compare):
            for side, constant in ((part.left, part.right), (part.right, part.left)):
                if _reads(side) and not _reads(constant):
                    yield ComparedConstant(node, at, side, constant)
        if isinstance(part, In) and part.options and not any(map(_reads, part.options)):
            yield ComparedConstant(node, at, part.input, part.options[0])


def _reads(expr: Expr) -> bool:
    return any(attributes_of(expr))


def without(ladder: ComparedConstant) -> Step | None:
    """The filter with all values of a comparison let through but nulls; None if no order says which are next."""
    part = conjuncts(ladder.filter.condition)[ladder.at]
    if not isinstance(part, Compare) or part.op not in ("<", "<=", ">", ">="):
        return None
    return next(_with_part(ladder, IsNotNull(ladder.side), "constant"))


def climbed(query: Query, ladder: ComparedConstant, values: Sequence[str]) -> tuple[Step, ...]:
    """The filter with other constants, those next to the old one first."""
    return climbed_to(ladder, _converted(query, ladder, values))


def climbed_to(ladder: ComparedConstant, values: Iterable[Any]) -> tuple[Step, ...]:
    """The filter with bounds that just let one of these values through, those next to the old one first."""
    return tuple(step for value in _nearest_first(ladder, values) for step in _steps_to(ladder, value))


def kept_out(query: Query, ladder: ComparedConstant, values: Sequence[str]) -> tuple[Step, ...]:
    """The filter with comparisons that let fewer rows through, those next to the old constant first."""
    known = _nearest_first(ladder, _converted(query, ladder, values))
    return tuple(step for value in known for step in _only(ladder, value))


def _converted(query: Query, ladder: ComparedConstant, texts: Sequence[str]) -> list[Any]:
    return [convert(text, ladder.side.type, query.timezone) for text in texts]


def _nearest_first(ladder: ComparedConstant, values: Iterable[Any]) -> list[Any]:
    old = value_of(ladder.constant)
    return sorted(values, key=lambda value: _apart(value, old))


@dataclass(frozen=True)
class Search:
    """A constant that works, and one nearer to the old constant, at first this itself, that does not.

    What works is looked for in between, a few values at a time.
    """

    candidate: Candidate
    ladder: ComparedConstant
    in_vain: Expr
    working: Any

    @property
    def between(self) -> Expr:
        side, end = self.ladder.side, Literal(self.working, self.ladder.side.type)
        above = And((Compare(">", side, self.in_vain), Compare("<", side, end)))
        return Or((above, And((Compare("<", side, self.in_vain), Compare(">", side, end)))))

    def narrowed(self, constant: Any, tried: Sequence[Any]) -> Search:
        """The search after a constant was seen to work that just lets one of these values through, and none nearer."""
        old = value_of(self.ladder.constant)
        working = min(tried, key=lambda value: _apart(value, constant))  # `< 71` lets 70 through
        nearer = [value for value in tried if _apart(value, old) < _apart(working, old)]
        if not nearer:
            return replace(self, working=working)
        last = max(nearer, key=lambda value: _apart(value, old))
        return replace(self, working=working, in_vain=Literal(last, self.ladder.side.type))


def search_of(found: Sequence[ComparedConstant], candidate: Candidate, node: Plan) -> Search | None:
    """What is to be searched, given the filter with a constant that works; None if no order leads to a nearer one."""
    for ladder in found:
        value = constant_of(ladder, node)
        ordered = is_numeric(ladder.side.type) or ladder.side.type in (DATE, TIMESTAMP, TIMESTAMP_NTZ)
        if value is not None and value != value_of(ladder.constant) and ordered:
            return Search(candidate, ladder, ladder.constant, value)
    return None


def constant_of(ladder: ComparedConstant, node: Plan) -> Any:
    """The value at which a changed filter has its bound, as one of the side that is compared; None if it has none."""
    if not isinstance(node, Filter) or node.id != ladder.filter.id:
        return None
    part = conjuncts(node.condition)[ladder.at]
    if not isinstance(part, Compare) or part.op not in ("<", "<=", ">", ">="):
        return None
    return next((value_of(side) for side in (part.left, part.right) if not any(attributes_of(side))), None)


def _apart(value: Any, old: Any) -> float:
    """How far a value is from the old constant; what cannot be measured stays as it came."""
    try:
        distance = value - old
        return abs(float(distance.total_seconds() if hasattr(distance, "total_seconds") else distance))
    except (TypeError, ValueError):
        return 0.0


def _steps_to(ladder: ComparedConstant, value: Any) -> Iterator[Step]:
    """The filter with its bound at a value, which it just lets through."""

    def known(expr: Expr) -> Any:
        if expr != ladder.side:
            raise Unknown
        return value

    for way in ways_of(conjuncts(ladder.filter.condition)[ladder.at], known, str).found:
        yield from _with_part(ladder, way.condition, way.kind)


def _only(ladder: ComparedConstant, value: Any) -> Iterator[Step]:
    """The filter with its bound at a value that it just keeps out, or with just this value, or all but this."""
    part, constant = conjuncts(ladder.filter.condition)[ladder.at], like(ladder.constant, value)
    match part:
        case Compare("<>"):
            yield from _with_part(ladder, Compare("<>", ladder.side, constant), "constant")
        case Compare("<" | "<=" | ">" | ">=" as op, left):
            less: CompareOp = "<" if (op[0] == "<") == (left == ladder.side) else ">"
            yield from _with_part(ladder, Compare(less, ladder.side, constant), "constant")
            yield from _with_part(ladder, Compare("=", ladder.side, constant), "constant")
        case In():
            yield from _with_part(ladder, In(ladder.side, (constant,)), "constant")
        case _:
            return


def _with_part(ladder: ComparedConstant, part: Expr, kind: FixKind) -> Iterator[Step]:
    """The filter with another conjunct in the place of the ladder's."""
    node, condition = ladder.filter, ladder.filter.condition
    parts = conjuncts(condition)
    others = (*parts[: ladder.at], part, *parts[ladder.at + 1 :])
    changed = replace(condition, operands=others) if isinstance(condition, And) else part
    if changed != condition:
        yield Step(node.id, kind, replace(node, condition=changed))
