"""A test of text: shorten its constant to what the value has. `s contains 'Arsenal'` becomes `s contains 'rsenal'`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import takewhile

from sparkwhy.fix.context import ValueOf
from sparkwhy.fix.proposals.conditions.form import Form
from sparkwhy.plan.exprs import Call, Expr, Literal
from sparkwhy.plan.types import STRING


def propose(part: Expr, value_of: ValueOf) -> Iterator[Form]:
    """Propose the test with another constant, which holds for the value."""
    match part:
        case Call(function, (inner, Literal(str() as constant))) if function in TEXT_TESTS:
            value = value_of(inner)
            if value is not None:
                pattern = TEXT_TESTS[function](constant, value)
                yield Form(Call(function, (inner, Literal(pattern, STRING))), "constant")
        case _:
            return


def _shared_part(constant: str, value: str) -> str:
    """Return the longest part of the constant in the value; the value itself if they share next to nothing."""
    lengths = range(len(constant), max(2, len(constant) // 2) - 1, -1)
    parts = (constant[at : at + n] for n in lengths for at in range(len(constant) - n + 1))
    return next((part for part in parts if part in value), value)


def _shared_start(constant: str, value: str) -> str:
    shared = takewhile(lambda pair: pair[0] == pair[1], zip(constant, value, strict=False))
    return "".join(a for a, _ in shared) or value


def _shared_end(constant: str, value: str) -> str:
    return _shared_start(constant[::-1], value[::-1])[::-1]


def _as_pattern(_: str, value: str) -> str:
    """Return the value as a pattern of LIKE that matches nothing else."""
    return value.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")


TEXT_TESTS: dict[str, Callable[[str, str], str]] = {
    "contains": _shared_part,
    "startswith": _shared_start,
    "endswith": _shared_end,
    "like": _as_pattern,
}
"""Tests of text with a constant, and what makes another constant of the old one and the value."""
