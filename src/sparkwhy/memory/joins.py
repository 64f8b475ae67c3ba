"""Joins: pairs of rows that meet a condition, and what each type of join makes of those without a partner.

Equalities between the sides are looked up in an index; the whole condition is still asked of each pair found.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import TypeAlias

from sparkwhy.memory.evaluate import evaluator
from sparkwhy.memory.settings import Settings
from sparkwhy.memory.values import Row, grouping_key
from sparkwhy.plan.exprs import Compare, Expr, Ref, conjuncts
from sparkwhy.plan.nodes import Join

Partners: TypeAlias = Callable[[Row], Iterable[int]]
"""The places of the right rows that may be partners of a left row, in order."""


def join(node: Join, left: Sequence[Row], right: Sequence[Row], settings: Settings) -> list[Row]:
    found = _partners(node, left, right, settings)
    match node.how:
        case "semi":
            return [row for row, places in zip(left, found, strict=True) if places]
        case "anti":
            return [row for row, places in zip(left, found, strict=True) if not places]
        case "existence":
            return [(*row, bool(places)) for row, places in zip(left, found, strict=True)]
        case "inner" | "cross" | "left" | "right" | "full":
            pairs = [row + right[i] for row, places in zip(left, found, strict=True) for i in places]
            return pairs + _pad_rows(node, left, right, found)


def _pad_rows(node: Join, left: Sequence[Row], right: Sequence[Row], found: Sequence[Sequence[int]]) -> list[Row]:
    no_left, no_right = (None,) * len(node.left.output), (None,) * len(node.right.output)
    rows: list[Row] = []
    if "left" in node.traits.keeps:
        rows += [row + no_right for row, places in zip(left, found, strict=True) if not places]
    if "right" in node.traits.keeps:
        paired = {i for places in found for i in places}
        rows += [no_left + row for i, row in enumerate(right) if i not in paired]
    return rows


def _partners(node: Join, left: Sequence[Row], right: Sequence[Row], settings: Settings) -> list[Sequence[int]]:
    """Return for each left row the places of the right rows with which the condition is true."""
    if node.condition is None:
        return [range(len(right)) for _ in left]
    meets = evaluator(node.condition, node.left.output + node.right.output, settings)
    candidates = _index(node, right, settings)
    return [[i for i in candidates(row) if meets(row + right[i]) is True] for row in left]


# --- the index ----------------------------------------------------------------------------------------------


def _index(node: Join, right: Sequence[Row], settings: Settings) -> Partners:
    """Find partners by the leading equalities only: one behind a conjunct that can fail must not hide its failure."""
    sides = _equalities(node)
    if not sides:
        return lambda _: range(len(right))
    of_left = [evaluator(mine, node.left.output, settings) for mine, _ in sides]
    of_right = [evaluator(theirs, node.right.output, settings) for _, theirs in sides]
    places: dict[Hashable, list[int]] = defaultdict(list)
    for i, row in enumerate(right):
        places[tuple(grouping_key(value(row)) for value in of_right)].append(i)
    return lambda row: places.get(tuple(grouping_key(value(row)) for value in of_left), ())


def _equalities(node: Join) -> list[tuple[Expr, Expr]]:
    """Return the equalities of a left with a right attribute that stand before everything else in the condition."""
    assert node.condition is not None
    lefts = set(node.left.output)
    sides: list[tuple[Expr, Expr]] = []
    for conjunct in conjuncts(node.condition):
        match conjunct:
            case Compare("=" | "<=>", Ref(a) as x, Ref(b) as y) if (a in lefts) != (b in lefts):
                sides.append((x, y) if a in lefts else (y, x))
            case _:
                break
    return sides
