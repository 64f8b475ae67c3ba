"""Drawing by hand: what generators need of hypothesis, cheap enough for deeply nested data."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar

from hypothesis import strategies as st

T = TypeVar("T")


@lru_cache(maxsize=256)
def _up_to(limit: int) -> st.SearchStrategy[int]:
    """One strategy for each range: to make and check a strategy costs more than to draw from it."""
    return st.integers(0, limit)


@dataclass(frozen=True)
class Choices:
    """Choices that hypothesis makes, records and shrinks; it shrinks towards the first of the possibilities."""

    draw: st.DrawFn

    def count(self, least: int, most: int) -> int:
        return least + self.draw(_up_to(most - least))

    def pick(self, possible: Sequence[T]) -> T:
        return possible[self.count(0, len(possible) - 1)]

    def one_in(self, n: int) -> bool:
        return self.count(0, n - 1) == n - 1

    def some(self, possible: Sequence[T], least: int, most: int) -> list[T]:
        """Different ones of the possible, in any order."""
        left, found = list(possible), []
        for _ in range(self.count(min(least, len(left)), min(most, len(left)))):
            found.append(left.pop(self.count(0, len(left) - 1)))
        return found

    def several(self, make: Callable[[], T], least: int, most: int) -> list[T]:
        return [make() for _ in range(self.count(least, most))]
