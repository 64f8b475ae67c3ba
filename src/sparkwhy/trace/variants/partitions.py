"""Partitions of the variants of a query: blocks of variants that agree on something.

A block is an integer with a bit for each variant. Blocks are listed by their first variant: `(0b101, 0b010)`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

Partition: TypeAlias = tuple[int, ...]


def whole(count: int) -> Partition:
    """Return the partition with all variants in one block."""
    return ((1 << count) - 1,)


def agreement(values: Sequence[object]) -> Partition:
    """Return the blocks of variants with equal values, given the value of each: `a, b, a` gives `(0b101, 0b010)`."""
    found: list[tuple[object, int]] = []
    for i, value in enumerate(values):
        for at, (known, block) in enumerate(found):
            if known is value or known == value:
                found[at] = (known, block | 1 << i)
                break
        else:
            found.append((value, 1 << i))
    return tuple(block for _, block in found)


def refine(partitions: Iterable[Partition]) -> Partition:
    """Return the coarsest partition that separates any two variants that one of these separates."""
    first, *others = partitions
    for other in others:
        first = tuple(a & b for a in first for b in other if a & b)
    return tuple(sorted(first, key=first_of))


def coarsen(one: Partition, other: Partition) -> Partition:
    """Return the finest partition that separates only variants that both separate."""
    blocks: list[int] = []
    for block in one + other:
        apart = [known for known in blocks if not known & block]
        joined = [known for known in blocks if known & block]
        blocks = [*apart, block | union_of(joined)]
    return tuple(sorted(blocks, key=first_of))


def is_finer(fine: Partition, coarse: Partition) -> bool:
    """Return whether `fine` separates all variants that `coarse` separates."""
    return all(any(block & ~wider == 0 for wider in coarse) for block in fine)


def first_of(block: int) -> int:
    """Return the first variant of a block."""
    return (block & -block).bit_length() - 1


def members(block: int) -> list[int]:
    """Return the variants of a block."""
    return [i for i in range(block.bit_length()) if block >> i & 1]


def union_of(blocks: Iterable[int]) -> int:
    """Return the union of blocks."""
    total = 0
    for block in blocks:
        total |= block
    return total
