"""The assignment problem: a column of its own for each row of a cost table, at the least total cost.

The Hungarian method with potentials (Kuhn, Munkres): exact, in O(rows^2 * columns).
"""

from __future__ import annotations

from collections.abc import Sequence

_INFINITY = float("inf")


def cheapest_cost(costs: Sequence[Sequence[int]]) -> int:
    """Return the cost of the cheapest assignment; there are at least as many columns as rows.

    >>> least_cost([[4, 1, 3], [2, 0, 5]])
    3
    """
    matching = _Matching(costs)
    for row in range(len(costs)):
        matching.add(row)
    return sum(costs[row][column] for column, row in matching.holder.items())


class _Matching:
    """A cheapest assignment for the rows added so far, and the potentials that prove it.

    No cost is below the sum of the potentials of its row and column, and assigned pairs cost just that.
    """

    def __init__(self, costs: Sequence[Sequence[int]]) -> None:
        width = len(costs[0]) if costs else 0
        assert width >= len(costs), "more rows than columns"
        self.costs = costs
        self.holder: dict[int, int] = {}
        self.of_row = [0] * len(costs)
        self.of_column = [0] * width

    def add(self, row: int) -> None:
        """Find a column for one more row, by the cheapest chain of rows that move on to another."""
        slack = [_INFINITY] * len(self.of_column)
        giver: dict[int, int | None] = {}
        reached: list[int] = []
        mover, last = row, None
        while True:
            self._look(mover, last, slack, giver, reached)
            nearest = min(self._open(reached), key=slack.__getitem__)
            self._shift(int(slack[nearest]), row, reached, slack)
            reached.append(nearest)
            if nearest not in self.holder:
                return self._move(row, nearest, giver)
            mover, last = self.holder[nearest], nearest

    def _open(self, reached: Sequence[int]) -> list[int]:
        return [column for column in range(len(self.of_column)) if column not in reached]

    def _look(
        self, mover: int, at: int | None, slack: list[float], giver: dict[int, int | None], reached: Sequence[int]
    ) -> None:
        """Compute what each open column would cost the mover, which comes from the column where it is now."""
        for column in self._open(reached):
            reduced = self.costs[mover][column] - self.of_row[mover] - self.of_column[column]
            if reduced < slack[column]:
                slack[column], giver[column] = reduced, at

    def _shift(self, by: int, row: int, reached: Sequence[int], slack: list[float]) -> None:
        """Moves the potentials until the nearest open column costs nothing more."""
        self.of_row[row] += by
        for column in reached:
            self.of_row[self.holder[column]] += by
            self.of_column[column] -= by
        for column in self._open(reached):
            slack[column] -= by

    def _move(self, row: int, column: int, giver: dict[int, int | None]) -> None:
        while (before := giver[column]) is not None:
            self.holder[column] = self.holder[before]
            column = before
        self.holder[column] = row
