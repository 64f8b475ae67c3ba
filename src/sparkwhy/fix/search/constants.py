"""Other constants for the comparisons of a filter, taken from the values that the filter compares.

An aggregate depends on all rows that a filter lets through, so no single witness says which constant would do. A few
values of the data are tried instead, all of them in one pass.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sparkwhy.explain.candidates import Candidate
from sparkwhy.explain.model import FixKind
from sparkwhy.explain.repair import Change
from sparkwhy.fix.context import FixContext, UnknownValue
from sparkwhy.fix.proposals.condition_forms import forms_of
from sparkwhy.fix.proposals.conditions.constants import constant_value, write_like
from sparkwhy.fix.proposals.conditions.form import is_constant
from sparkwhy.plan.exprs import And, Compare, CompareOp, Expr, In, IsNotNull, Literal, Or, conjuncts
from sparkwhy.plan.nodes import Filter, Plan
from sparkwhy.plan.types import DATE, TIMESTAMP, TIMESTAMP_NTZ, is_numeric
from sparkwhy.plan.walk import walk
from sparkwhy.question.values import convert


@dataclass(frozen=True)
class ComparedConstant:
    """A conjunct of a filter that compares `side` with a constant: the conjunct at this place in the condition."""

    filter: Filter
    at: int
    side: Expr
    constant: Expr

    @property
    def part(self) -> Expr:
        """The conjunct itself."""
        return conjuncts(self.filter.condition)[self.at]


def compared_constants(context: FixContext, candidate: Candidate) -> tuple[ComparedConstant, ...]:
    """Return the comparisons with constants in the filters that a candidate blames."""
    nodes = {node.id: node for node in walk(context.alternatives[candidate.alternative].plan)}
    blamed = [nodes[each.op] for each in context.bits.droppers(candidate.blame, candidate.alternative)]
    return tuple(found for node in blamed if isinstance(node, Filter) for found in _comparisons(node))


def _comparisons(node: Filter) -> Iterator[ComparedConstant]:
    for at, part in enumerate(conjuncts(node.condition)):
        if isinstance(part, Compare):
            for side, constant in ((part.left, part.right), (part.right, part.left)):
                if not is_constant(side) and is_constant(constant):
                    yield ComparedConstant(node, at, side, constant)
        if isinstance(part, In) and part.options and all(map(is_constant, part.options)):
            yield ComparedConstant(node, at, part.input, part.options[0])


# --- filters with another constant ---


def drop_bound(compared: ComparedConstant) -> Change | None:
    """Return the filter without a bound: `n < 5` becomes `n is not null`. None if the comparison has no order."""
    part = compared.part
    if not isinstance(part, Compare) or part.op not in _ORDERED:
        return None
    return next(_replace_part(compared, IsNotNull(compared.side), "constant"))


_ORDERED = ("<", "<=", ">", ">=")


def looser_constants(context: FixContext, compared: ComparedConstant, texts: Sequence[str]) -> tuple[Change, ...]:
    """Return the filter with constants that just let one of these values through, the nearest to the old one first.

    `n < 5` with the values 7 and 9 becomes `n < 8` and `n < 10`.
    """
    return move_bound_to(compared, _parse(context, compared, texts))


def move_bound_to(compared: ComparedConstant, values: Iterable[Any]) -> tuple[Change, ...]:
    """Return the filter with its bound just behind each of these values, the nearest to the old one first."""
    return tuple(change for value in _sort_by_distance(compared, values) for change in _let_through(compared, value))


def stricter_constants(context: FixContext, compared: ComparedConstant, texts: Sequence[str]) -> tuple[Change, ...]:
    """Return the filter with comparisons that keep fewer rows, the nearest to the old constant first.

    `n < 5` with the value 3 becomes `n < 3` and `n = 3`.
    """
    known = _sort_by_distance(compared, _parse(context, compared, texts))
    return tuple(change for value in known for change in _let_fewer_through(compared, value))


def _parse(context: FixContext, compared: ComparedConstant, texts: Sequence[str]) -> list[Any]:
    return [convert(text, compared.side.type, context.timezone) for text in texts]


def _sort_by_distance(compared: ComparedConstant, values: Iterable[Any]) -> list[Any]:
    old = constant_value(compared.constant)
    return sorted(values, key=lambda value: _distance(value, old))


def _distance(value: Any, old: Any) -> float:
    """Return how far a value is from the old constant; 0 if that cannot be measured, so that the order stays."""
    try:
        distance = value - old
        return abs(float(distance.total_seconds() if hasattr(distance, "total_seconds") else distance))
    except (TypeError, ValueError):
        return 0.0


def _let_through(compared: ComparedConstant, value: Any) -> Iterator[Change]:
    """Yield the filter with its bound at a value, which it just lets through."""

    def value_of(expr: Expr) -> Any:
        if expr != compared.side:
            raise UnknownValue
        return value

    for form in forms_of(compared.part, value_of):
        yield from _replace_part(compared, form.condition, form.kind)


def _let_fewer_through(compared: ComparedConstant, value: Any) -> Iterator[Change]:
    """Yield the filter with its bound at a value that it just drops, with only this value, or with all others."""
    side, constant = compared.side, write_like(compared.constant, value)
    match compared.part:
        case Compare("<>"):
            yield from _replace_part(compared, Compare("<>", side, constant), "constant")
        case Compare("<" | "<=" | ">" | ">=" as op, left):
            less: CompareOp = "<" if (op[0] == "<") == (left == side) else ">"
            yield from _replace_part(compared, Compare(less, side, constant), "constant")
            yield from _replace_part(compared, Compare("=", side, constant), "constant")
        case In():
            yield from _replace_part(compared, In(side, (constant,)), "constant")
        case _:
            return


def _replace_part(compared: ComparedConstant, part: Expr, kind: FixKind) -> Iterator[Change]:
    """Yield the filter with another conjunct in the place of the compared one, unless that is the same."""
    node, condition = compared.filter, compared.filter.condition
    parts = conjuncts(condition)
    others = (*parts[: compared.at], part, *parts[compared.at + 1 :])
    changed = replace(condition, operands=others) if isinstance(condition, And) else part
    if changed != condition:
        yield Change(node.id, kind, replace(node, condition=changed))


# --- nearer constants ---


@dataclass(frozen=True)
class ConstantSearch:
    """A constant that works, and one nearer to the old constant, at first the old one itself, that does not.

    What works may lie between them; a few values at a time are tried there.
    """

    candidate: Candidate
    compared: ComparedConstant
    failing: Expr
    working: Any

    @property
    def between(self) -> Expr:
        """The condition that a value lies between the failing constant and the working one, in either direction."""
        side, end = self.compared.side, Literal(self.working, self.compared.side.type)
        above = And((Compare(">", side, self.failing), Compare("<", side, end)))
        return Or((above, And((Compare("<", side, self.failing), Compare(">", side, end)))))

    def narrow(self, constant: Any, tried: Sequence[Any]) -> ConstantSearch:
        """Return the search after a constant worked, which just lets one of these values through, and none nearer."""
        old = constant_value(self.compared.constant)
        working = min(tried, key=lambda value: _distance(value, constant))  # `< 71` lets 70 through
        nearer = [value for value in tried if _distance(value, old) < _distance(working, old)]
        if not nearer:
            return replace(self, working=working)
        last = max(nearer, key=lambda value: _distance(value, old))
        return replace(self, working=working, failing=Literal(last, self.compared.side.type))


def start_search(found: Sequence[ComparedConstant], candidate: Candidate, node: Plan) -> ConstantSearch | None:
    """Return where to search, given the filter with a constant that works; None if no order leads to a nearer one."""
    for compared in found:
        value = bound_of(compared, node)
        ordered = is_numeric(compared.side.type) or compared.side.type in (DATE, TIMESTAMP, TIMESTAMP_NTZ)
        if value is not None and value != constant_value(compared.constant) and ordered:
            return ConstantSearch(candidate, compared, compared.constant, value)
    return None


def bound_of(compared: ComparedConstant, node: Plan) -> Any:
    """Return the bound that a changed filter has in this comparison; None if it has none."""
    if not isinstance(node, Filter) or node.id != compared.filter.id:
        return None
    part = conjuncts(node.condition)[compared.at]
    if not isinstance(part, Compare) or part.op not in _ORDERED:
        return None
    return next((constant_value(side) for side in (part.left, part.right) if is_constant(side)), None)
