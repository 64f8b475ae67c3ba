"""Which operators drop rows, and the bit of each in a set of operators."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal as OneOf
from typing import NamedTuple

from sparkwhy.errors import TooManyOperators, UnsupportedOperator, assert_never
from sparkwhy.plan.exprs import Call, Expr, Literal
from sparkwhy.plan.nodes import (
    Aggregate,
    Distinct,
    Filter,
    Flatten,
    Join,
    Limit,
    OneRow,
    OpId,
    Plan,
    Project,
    Sample,
    SetOperation,
    Sort,
    Table,
    Union,
    Window,
)
from sparkwhy.plan.walk import walk

MAX_BITS = 62

Side = OneOf["left", "right"]


class Dropper(NamedTuple):
    """An operator that drops rows; a join does so on each side by itself."""

    op: OpId
    side: Side | None = None


@dataclass(frozen=True)
class Bits:
    """The bit of every dropper of a plan, in reading order."""

    positions: Mapping[Dropper, int]

    def bit(self, op: OpId, side: Side | None = None) -> int:
        return 1 << self.positions[Dropper(op, side)]

    def has(self, op: OpId, side: Side | None = None) -> bool:
        return Dropper(op, side) in self.positions

    def of(self, droppers: Iterable[Dropper]) -> int:
        return sum(1 << self.positions[dropper] for dropper in set(droppers))

    def droppers(self, set: int) -> tuple[Dropper, ...]:
        return tuple(dropper for dropper, position in self.positions.items() if set >> position & 1)


def assign_bits(plan: Plan) -> Bits:
    """A bit for everything that drops rows in the plan."""
    found = [dropper for node in walk(plan) for dropper in droppers_of(node)]
    if len(found) > MAX_BITS:
        raise TooManyOperators(len(found), MAX_BITS)
    return Bits({dropper: position for position, dropper in enumerate(found)})


def droppers_of(node: Plan) -> tuple[Dropper, ...]:
    """In which ways an operator drops rows. What Spark inserted to carry out another operation drops none."""
    match node:
        case Filter():
            return () if node.condition == Literal(True, node.condition.type) else (Dropper(node.id),)
        case Flatten():
            return () if node.outer or _is_never_empty(node.collection) else (Dropper(node.id),)
        case Join():
            return () if node.id.part else tuple(Dropper(node.id, side) for side in _SIDES[node.how])
        case SetOperation() | Limit():
            return (Dropper(node.id),)
        case Distinct():
            return () if node.keys is None else (Dropper(node.id),)
        case Sample():
            raise UnsupportedOperator(
                "sample",
                where=None if node.where is None else str(node.where),
                hint="which rows a sample draws changes with its input: ask without it, or put .localCheckpoint() "
                "after it.",
            )
        case Table() | OneRow() | Project() | Aggregate() | Window() | Union() | Sort():
            return ()
        case _:
            assert_never(node)


_SIDES: Mapping[str, tuple[Side | None, ...]] = {
    "inner": ("left", "right"),
    "cross": ("left", "right"),
    "left": ("right",),
    "right": ("left",),
    "full": (),
    "semi": (None,),
    "anti": (None,),
    "existence": (),
}
"""The sides on which a join drops rows without a partner; a semi or anti join drops left rows only."""


def _is_never_empty(collection: Expr) -> bool:
    return isinstance(collection, Call) and collection.function == "array" and bool(collection.args)
