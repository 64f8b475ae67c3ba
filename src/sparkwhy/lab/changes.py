"""The admissible parameter changes of each operator: the paper's `tab:param`, as far as data can tell them apart.

| operator | what changes |
|---|---|
| filter | attributes, comparison operators, constants: see `conditions` |
| join (inner, left, right, full) | its type; attributes and comparison operators of its condition, not constants |
| flatten | inner or outer; the array |
| project, nest, grouping keys | attributes |
| aggregate | count, count distinct, sum, avg, min, max where the type of the result stays; attributes |
| table, cross join, union, except, intersect, distinct | nothing: the paper calls them parameter-free |

The paper has no window, sort, limit, semi and anti join. By analogy: attributes of a window or sort; the number of
rows of a limit; nothing of a semi or anti join, which stand for intersections and differences. Attributes are replaced
within declared groups. The names of results stay, since the question names them. Restructuring (`map`) is only
projection, as in the paper's PTIME case.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, product
from typing import TypeAlias

from sparkwhy.errors import assert_never
from sparkwhy.lab.conditions import Scene, distinguishable_conditions
from sparkwhy.lab.swaps import Kind, SwapChoice, Swaps
from sparkwhy.memory.settings import Settings
from sparkwhy.memory.values import Row, grouping_key
from sparkwhy.plan.exprs import AggCall, Attribute, Expr
from sparkwhy.plan.join_types import PAIRING_TYPES
from sparkwhy.plan.nodes import (
    Aggregate,
    Column,
    Distinct,
    Filter,
    Flatten,
    Join,
    JoinType,
    Limit,
    OneRow,
    Plan,
    Project,
    Sample,
    SetOperation,
    Sort,
    Table,
    Union,
    Window,
)
from sparkwhy.plan.types import Map, is_numeric, same_shape

Rows: TypeAlias = Sequence[Row]

FUNCTIONS = (("count", False), ("count", True), ("sum", False), ("avg", False), ("min", False), ("max", False))
"""The standard aggregate functions of SQL, and whether of distinct values."""

IN_FILTERS: frozenset[Kind] = frozenset({"attribute", "comparison", "constant"})
IN_JOINS: frozenset[Kind] = frozenset({"attribute", "comparison"})


@dataclass(frozen=True, slots=True)
class Variant:
    """An operator with other parameters, and the kind of each change that was made."""

    node: Plan
    kinds: tuple[Kind, ...]


@dataclass(frozen=True, slots=True)
class Variants:
    """All variants of an operator, without itself; not `complete` if some were left out."""

    found: tuple[Variant, ...]
    complete: bool = True


@dataclass(frozen=True, slots=True)
class Changer:
    """Makes variants: which attributes may be replaced, and how many parameters are combined at most."""

    swaps: Swaps
    most: int
    settings: Settings

    def variants(self, node: Plan, inputs: Sequence[Sequence[Rows]]) -> Variants:
        """Return the changes of an operator that its possible inputs can tell apart: for each input, the bags it may
        be.
        """
        match node:
            case Filter():
                return self._filters(node, _distinct_rows(inputs[0]))
            case Join():
                return self._joins(node, _distinct_rows(inputs[0]), _distinct_rows(inputs[1]))
            case Limit():
                return Variants(tuple(_limits(node, max(map(len, inputs[0])))))
            case Flatten():
                return self._limit(self._flattens(node))
            case Project():
                return self._limit(self._projects(node))
            case Aggregate():
                return self._limit(self._aggregates(node))
            case Window():
                return self._limit(self._windows(node))
            case Sort():
                return self._limit(self._sorts(node))
            case Table() | OneRow() | Union() | SetOperation() | Distinct() | Sample():
                return Variants(())
            case _:
                assert_never(node)

    def _limit(self, made: Iterable[Variant]) -> Variants:
        some = list(islice((variant for variant in made if variant.kinds), self.most + 1))
        return Variants(tuple(some[: self.most]), len(some) <= self.most)

    # --- conditions ---

    def _filters(self, node: Filter, rows: Rows) -> Variants:
        scene = Scene(node.input.output, rows, self.swaps, IN_FILTERS, self.most, self.settings)
        made = distinguishable_conditions(node.condition, scene)
        found = (Variant(replace(node, condition=c.expr), c.kinds) for c in made.by_truth.values() if c.kinds)
        return Variants(tuple(found), made.complete)

    def _joins(self, node: Join, left: Rows, right: Rows) -> Variants:
        """Return all types with all conditions that pairs of rows tell apart."""
        if node.how not in PAIRING_TYPES or (node.traits.is_inner and node.condition is None):
            return Variants(())
        complete, written = self._join_conditions(node, left, right)
        made = (_change_join_type(node, how, choice) for choice in written for how in PAIRING_TYPES)
        return Variants(tuple(variant for variant in made if variant.kinds), complete)

    def _join_conditions(self, node: Join, left: Rows, right: Rows) -> tuple[bool, list[SwapChoice | None]]:
        if node.condition is None:
            return True, [None]
        pairs = [one + other for one in left for other in right]
        both = node.left.output + node.right.output
        made = distinguishable_conditions(
            node.condition, Scene(both, pairs, self.swaps, IN_JOINS, self.most, self.settings)
        )
        return made.complete, list(made.by_truth.values())

    # --- attributes ---

    def _flattens(self, node: Flatten) -> Iterator[Variant]:
        for choice in self._swap_attributes(node.collection, node.input.output):
            yield Variant(replace(node, collection=choice.expr), choice.kinds)
            turned = replace(node, collection=choice.expr, outer=not node.outer)
            yield Variant(turned, (*choice.kinds, "flatten type"))

    def _projects(self, node: Project) -> Iterator[Variant]:
        for exprs, kinds in self._combine_swaps([column.expr for column in node.columns], node.input.output):
            yield Variant(replace(node, columns=_replace_exprs(node.columns, exprs)), kinds)

    def _aggregates(self, node: Aggregate) -> Iterator[Variant]:
        offered = node.input.output
        keys = [self._swap_attributes(column.expr, offered) for column in node.keys]
        calls = [self._calls(column.expr, offered) for column in node.aggregates]
        for exprs, kinds in _combinations(keys + calls):
            made = _replace_exprs(node.keys + node.aggregates, exprs)
            yield Variant(replace(node, keys=made[: len(keys)], aggregates=made[len(keys) :]), kinds)

    def _calls(self, expr: Expr, offered: Sequence[Attribute]) -> list[SwapChoice]:
        """Return an aggregate over other attributes, and with other functions."""
        swapped = self._swap_attributes(expr, offered)
        return swapped + [
            SwapChoice(other, (*choice.kinds, "aggregate function"))
            for choice in swapped
            for other in _other_functions(choice.expr)
        ]

    def _windows(self, node: Window) -> Iterator[Variant]:
        read = [*node.partition, *(sort.expr for sort in node.order), *(column.expr for column in node.columns)]
        first, second = len(node.partition), len(node.partition) + len(node.order)
        for exprs, kinds in self._combine_swaps(read, node.input.output):
            order = tuple(replace(sort, expr=expr) for sort, expr in zip(node.order, exprs[first:second], strict=True))
            columns = _replace_exprs(node.columns, exprs[second:])
            yield Variant(replace(node, partition=exprs[:first], order=order, columns=columns), kinds)

    def _sorts(self, node: Sort) -> Iterator[Variant]:
        for exprs, kinds in self._combine_swaps([sort.expr for sort in node.order], node.input.output):
            order = tuple(replace(sort, expr=expr) for sort, expr in zip(node.order, exprs, strict=True))
            yield Variant(replace(node, order=order), kinds)

    def _combine_swaps(self, exprs: Sequence[Expr], offered: Sequence[Attribute]) -> Iterator[Combination]:
        return _combinations([self._swap_attributes(expr, offered) for expr in exprs])

    def _swap_attributes(self, expr: Expr, offered: Sequence[Attribute]) -> list[SwapChoice]:
        return list(islice(self.swaps.rewritings(expr, offered), self.most + 1))


def _distinct_rows(bags: Iterable[Rows]) -> Rows:
    return list({grouping_key(row): row for rows in bags for row in rows}.values())


Combination: TypeAlias = tuple[tuple[Expr, ...], tuple[Kind, ...]]


def _combinations(options: Sequence[Sequence[SwapChoice]]) -> Iterator[Combination]:
    for chosen in product(*options):
        yield tuple(choice.expr for choice in chosen), tuple(kind for choice in chosen for kind in choice.kinds)


def _replace_exprs(columns: Sequence[Column], exprs: Sequence[Expr]) -> tuple[Column, ...]:
    return tuple(replace(column, expr=expr) for column, expr in zip(columns, exprs, strict=True))


def _change_join_type(node: Join, how: JoinType, choice: SwapChoice | None) -> Variant:
    condition, kinds = (None, ()) if choice is None else (choice.expr, choice.kinds)
    type_kind: tuple[Kind, ...] = () if how == node.how else ("join type",)
    return Variant(replace(node, how=how, condition=condition), kinds + type_kind)


def _limits(node: Limit, rows: int) -> Iterator[Variant]:
    """Yield a limit with another count; an offset without one with another offset."""
    for number in range(rows + 1):
        if node.count is None and number != node.offset:
            yield Variant(replace(node, offset=number), ("limit",))
        elif node.count is not None and number != node.count:
            yield Variant(replace(node, count=number), ("limit",))


def _other_functions(expr: Expr) -> list[Expr]:
    """Return the aggregate with each other standard function that takes its argument and gives its type."""
    if not isinstance(expr, AggCall) or len(expr.args) != 1 or expr.function not in dict(FUNCTIONS):
        return []
    made = [replace(expr, function=name, distinct=distinct) for name, distinct in FUNCTIONS if _takes(name, expr)]
    return [call for call in made if call != expr and same_shape(call.type, expr.type)]


def _takes(function: str, call: AggCall) -> bool:
    match function:
        case "sum" | "avg":
            return is_numeric(call.args[0].type)
        case "min" | "max":
            return not isinstance(call.args[0].type, Map)
        case _:
            return True
