"""Partitions of the alternatives of a query: blocks of alternatives that agree on something.

A block is an integer with a bit for each alternative. Blocks are listed by their first alternative.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

Partition: TypeAlias = tuple[int, ...]


def whole(count: int) -> Partition:
    """All alternatives in one block."""
    return ((1 << count) - 1,)


def agreement(values: Sequence[object]) -> Partition:
    """The alternatives with equal values in one block, given the value of each."""
    found: list[tuple[object, int]] = []
    for i, value in enumerate(values):
        for at, (known, block) in enumerate(found):
            if known is value or known == value:
                found[at] = (known, block | 1 << i)
                break
        else:
            found.append((value, 1 << i))
    return tuple(block for _, block in found)


def refined(partitions: Iterable[Partition]) -> Partition:
    """The coarsest partition that tells apart whatever one of these does."""
    first, *others = partitions
    for other in others:
        first = tuple(a & b for a in first for b in other if a & b)
    return tuple(sorted(first, key=first_of))


def coarsened(one: Partition, other: Partition) -> Partition:
    """The finest partition that tells apart only what both do."""
    blocks: list[int] = []
    for block in one + other:
        apart = [known for known in blocks if not known & block]
        joined = [known for known in blocks if known & block]
        blocks = [*apart, block | union_of(joined)]
    return tuple(sorted(blocks, key=first_of))


def is_finer(fine: Partition, coarse: Partition) -> bool:
    """Whether alternatives that `coarse` tells apart are told apart by `fine` too."""
    return all(any(block & ~wider == 0 for wider in coarse) for block in fine)


def first_of(block: int) -> int:
    """The first alternative of a block."""
    return (block & -block).bit_length() - 1


def members(block: int) -> list[int]:
    """The alternatives of a block."""
    return [i for i in range(block.bit_length()) if block >> i & 1]


def union_of(blocks: Iterable[int]) -> int:
    """All that is in one of these."""
    total = 0
    for block in blocks:
        total |= block
    return total
