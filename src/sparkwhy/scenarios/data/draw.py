"""Values drawn by hashing, as SQL text: the same key, name and seed give the same value on any number of machines.

Generators write their rows as nested dicts of SQL text, which `record` turns into one expression.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

Value: TypeAlias = "str | Mapping[str, Value]"

_GRAIN = 1_000_000


@dataclass(frozen=True, slots=True)
class Draw:
    """What is drawn for one key: SQL text of one or more columns, with commas between them."""

    key: str
    seed: int

    def number(self, name: str, below: int | str, start: int = 0) -> str:
        """Return a whole number from `start`, with `below` possible values."""
        return f"({start} + pmod({self._hash(name)}, {below}))"

    def is_drawn(self, name: str, share: float) -> str:
        """True for that share of the keys."""
        return f"(pmod({self._hash(name)}, {_GRAIN}) < {round(share * _GRAIN)})"

    def value_or_null(self, name: str, share: float, value: str) -> str:
        """Return the value for that share of the keys, else null."""
        return f"if({self.is_drawn(f'{name}?', share)}, {value}, null)"

    def pick(self, name: str, choices: str) -> str:
        """Return one of the strings that stand between bars: `red|green|blue`."""
        return f"split_part({text(choices)}, '|', cast({self.number(name, choices.count('|') + 1, 1)} as int))"

    def digits(self, name: str, length: int) -> str:
        """Return this number of hexadecimal digits."""
        return f"substr(sha1(cast({self._hash(name)} as string)), 1, {length})"

    def array(self, name: str, count: str, element: Callable[[Draw], str]) -> str:
        """Return an array of `count` elements, each drawn for itself; empty if that is 0."""
        inner = Draw(f"{self.key}, '{name}', {name}_nr", self.seed)
        elements = f"transform(sequence(1, cast({count} as int)), {name}_nr -> {element(inner)})"
        return f"slice({elements}, 1, cast({count} as int))"  # a sequence from 1 to 0 has two elements

    def words(self, name: str, vocabulary: str, fewest: int, most: int) -> str:
        """Return a text of `fewest` to `most` words."""
        count = self.number(f"{name} length", most - fewest + 1, fewest)
        return f"array_join({self.array(name, count, lambda d: d.pick('word', vocabulary))}, ' ')"

    def _hash(self, name: str) -> str:
        return f"xxhash64({self.key}, '{name}', {self.seed})"


def text(value: str) -> str:
    """Return the string as a constant."""
    return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"


def record(fields: Mapping[str, Value]) -> str:
    """Return one expression for a struct, from the SQL text of its fields.

    >>> record({"id": "1", "user": {"name": "'Ann'"}})
    "named_struct('id', 1, 'user', named_struct('name', 'Ann'))"
    """
    parts = (f"'{name}', {value if isinstance(value, str) else record(value)}" for name, value in fields.items())
    return f"named_struct({', '.join(parts)})"
