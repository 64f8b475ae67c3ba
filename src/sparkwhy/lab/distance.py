"""How far two results are from each other: the paper's d of `def:msrs`, and the rows that enter and leave.

The paper leaves d open: "a good fit is the tree edit distance for unsorted trees. However, it is NP-hard". So results
are trees, and what makes that distance hard is left out: a node keeps its place in the schema, since both results
have the same one, and only whole subtrees are inserted or deleted. What remains is exact and a metric:

- A tuple, a bag, an atom and a null are one node each; an attribute is where a node stands, not a node.
- Inserting or deleting a subtree costs its nodes: the paper calls a whole new tuple "more significant" than a name
  more in a nested list, and counts green and orange nodes.
- Another atom in the same place costs 1: one node is relabelled. So does null against an atom or an empty bag;
  null against a tuple or bag relabels that node and inserts what is below it.
- Tuples are compared attribute by attribute, bags by the cheapest assignment of their elements.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias, TypeVar

from sparkwhy.lab.assignment import cheapest_cost
from sparkwhy.memory.values import Row, Value, grouping_key, unordered_bag
from sparkwhy.plan.types import Array, Field, Map, Struct, Type


@dataclass(frozen=True, slots=True)
class Leaf:
    """An atom, or null."""

    label: Hashable
    size: int = 1


@dataclass(frozen=True, slots=True)
class Record:
    """A tuple."""

    fields: tuple[Tree, ...]
    size: int


@dataclass(frozen=True, slots=True)
class BagTree:
    """A bag: each different element, and how often it is there."""

    elements: frozenset[tuple[Tree, int]]
    size: int


Tree: TypeAlias = Leaf | Record | BagTree

T = TypeVar("T")

_NULL = Leaf(None)


class ResultDifference(NamedTuple):
    """The rows that a change brings into a result, and those that it takes out."""

    entered: tuple[Row, ...]
    left: tuple[Row, ...]


def result_distance(before: Iterable[Row], after: Iterable[Row], types: Sequence[Type]) -> int:
    """Return the edit distance of two bags of rows with columns of these types."""
    return Ruler(before, types).distance_to(after)


def result_difference(before: Sequence[Row], after: Sequence[Row], types: Sequence[Type]) -> ResultDifference:
    """Return the difference of two bags of rows, both ways; nested values are compared without order."""
    return ResultDifference(_surplus(after, before, types), _surplus(before, after, types))


def _surplus(more: Iterable[Row], less: Iterable[Row], types: Sequence[Type]) -> tuple[Row, ...]:
    stock = unordered_bag(less, types)
    kept = []
    for row in more:
        (form,) = unordered_bag([row], types)
        stock[form] -= 1
        if stock[form] < 0:
            kept.append(row)
    return tuple(kept)


class Ruler:
    """Measures the distance of many bags of rows from one; each two rows are compared once."""

    def __init__(self, before: Iterable[Row], types: Sequence[Type]) -> None:
        self._schema = Struct(tuple(Field(str(i), type) for i, type in enumerate(types)))
        self._numbers: dict[Tree, int] = {}
        self._known: dict[Hashable, int] = {}
        self._trees: list[Tree] = []
        self._between: dict[tuple[int, int], int] = {}
        self._before = Counter(map(self._number, before))

    def distance_to(self, after: Iterable[Row]) -> int:
        """Return the cost of making these rows of those that were there before."""
        return bag_distance(self._before, Counter(map(self._number, after)), self._size, self._distance)

    def _number(self, row: Row) -> int:
        """Return rows with equal trees have the same number."""
        form = grouping_key(row)
        if form not in self._known:
            found = tree(row, self._schema)
            self._known[form] = self._numbers.setdefault(found, len(self._trees))
            self._trees += [found] if self._known[form] == len(self._trees) else []
        return self._known[form]

    def _size(self, row: int) -> int:
        return self._trees[row].size

    def _distance(self, one: int, other: int) -> int:
        if (one, other) not in self._between:
            self._between[one, other] = tree_distance(self._trees[one], self._trees[other])
        return self._between[one, other]


# --- trees --------------------------------------------------------------------------------------------------


def tree(value: Value, type: Type) -> Tree:
    """Return a value of this type as a tree; a map is the bag of its entries."""
    if value is None:
        return _NULL
    match type:
        case Array(element):
            return _bag(tree(part, element) for part in value)
        case Map(of_key, of_value):
            return _bag(_record((tree(k, of_key), tree(v, of_value))) for k, v in value.pairs)
        case Struct(fields):
            return _record(tuple(tree(part, field.type) for part, field in zip(value, fields, strict=True)))
        case _:
            return Leaf(grouping_key(value))


def _record(fields: tuple[Tree, ...]) -> Tree:
    return Record(fields, 1 + sum(field.size for field in fields))


def _bag(elements: Iterable[Tree]) -> Tree:
    counted = Counter(elements)
    return BagTree(frozenset(counted.items()), 1 + sum(each.size * count for each, count in counted.items()))


# --- their distance -----------------------------------------------------------------------------------------


def tree_distance(one: Tree, other: Tree) -> int:
    """Return the cost of the cheapest edits that make one tree of the other, both in the same place of a schema."""
    if isinstance(one, Record) and isinstance(other, Record):
        return sum(tree_distance(a, b) for a, b in zip(one.fields, other.fields, strict=True))
    if isinstance(one, BagTree) and isinstance(other, BagTree):
        return bag_distance(Counter(dict(one.elements)), Counter(dict(other.elements)), _size, tree_distance)
    if isinstance(one, Leaf) and isinstance(other, Leaf):
        return int(one != other)
    # null in the place of a tuple or bag: its node is relabelled, what is below it comes or goes
    return max(one.size, other.size)


def bag_distance(mine: Counter[T], theirs: Counter[T], size: Callable[[T], int], between: Callable[[T, T], int]) -> int:
    """Equal elements are partners, each of the fewer others gets one, what is left is inserted or deleted.

    In a metric no other way is cheaper: a detour is not shorter, and two partners are not further from each other
    than both are from nothing.
    """
    few, many = sorted((list((mine - theirs).elements()), list((theirs - mine).elements())), key=len)
    alone = sum(map(size, many))
    return alone + cheapest_cost([[between(each, other) - size(other) for other in many] for each in few])


def _size(tree: Tree) -> int:
    return tree.size
