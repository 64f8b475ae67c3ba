"""Join types: one row for each, with everything that depends on the type alone.

A type that is added here needs a row in `JOIN_TYPES`; no other module compares join types by name.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal as OneOf

JoinType = OneOf["inner", "cross", "left", "right", "full", "semi", "anti", "existence"]
Side = OneOf["left", "right"]

SIDES: tuple[Side, Side] = ("left", "right")
"""The sides of a join in the order of its inputs."""


@dataclass(frozen=True, slots=True)
class JoinTraits:
    """Facts about a join type.

    `returns`: the sides whose columns it returns.
    `keeps`: the sides all rows of which it returns, with or without a partner.
    `drops`: the sides of which it drops rows.
    `rejects_partners`: it drops the rows *with* a partner, not those without one.
    """

    returns: tuple[Side, ...]
    keeps: tuple[Side, ...] = ()
    drops: tuple[Side, ...] = ()
    rejects_partners: bool = False

    @property
    def pairs(self) -> bool:
        """Whether the join returns pairs of rows. The others return rows of the left side only."""
        return len(self.returns) == 2

    @property
    def is_inner(self) -> bool:
        """Whether the join returns pairs of partners and nothing else."""
        return self.pairs and not self.keeps

    @property
    def is_outer(self) -> bool:
        """Whether the join returns pairs, and rows without a partner padded with nulls."""
        return self.pairs and bool(self.keeps)

    @property
    def pads(self) -> tuple[Side, ...]:
        """The sides whose columns are null in rows without a partner: the right side of a left join."""
        return tuple(side for side in self.returns if self.is_outer and other_side(side) in self.keeps)

    @property
    def reacts(self) -> tuple[Side, ...]:
        """The sides on which fewer rows can mean other rows in the result: a row that loses its partner is padded."""
        rejected: tuple[Side, ...] = ("right",) if self.rejects_partners else ()
        return tuple(side for side in SIDES if other_side(side) in self.keeps or side in rejected)

    @property
    def independent(self) -> tuple[Side, ...]:
        """The sides whose rows are returned or not whatever other rows that side has."""
        return tuple(side for side in self.returns if side not in self.reacts)


JOIN_TYPES: Mapping[JoinType, JoinTraits] = {
    "inner": JoinTraits(returns=SIDES, drops=SIDES),
    "cross": JoinTraits(returns=SIDES, drops=SIDES),
    "left": JoinTraits(returns=SIDES, keeps=("left",), drops=("right",)),
    "right": JoinTraits(returns=SIDES, keeps=("right",), drops=("left",)),
    "full": JoinTraits(returns=SIDES, keeps=SIDES),
    "semi": JoinTraits(returns=("left",), drops=("left",)),
    "anti": JoinTraits(returns=("left",), drops=("left",), rejects_partners=True),
    "existence": JoinTraits(returns=("left",), keeps=("left",)),
}

_BY_KEPT_SIDES: Mapping[tuple[bool, bool], JoinType] = {
    (False, False): "inner",
    (True, False): "left",
    (False, True): "right",
    (True, True): "full",
}

PAIRING_TYPES: tuple[JoinType, ...] = tuple(_BY_KEPT_SIDES.values())
"""The types that return pairs and are written with a condition: one for each choice of sides to keep."""


def other_side(side: Side) -> Side:
    return "right" if side == "left" else "left"


def join_type_that_keeps(*, left: bool, right: bool) -> JoinType:
    """Return the type of a join of pairs that keeps all rows of the given sides: `left=True, right=False` is `left`."""
    return _BY_KEPT_SIDES[left, right]


def relax_join_type(how: JoinType, sides: frozenset[Side]) -> JoinType:
    """Return the join type that also keeps all rows of `sides`: `left` relaxed on the right is `full`."""
    kept = {*JOIN_TYPES[how].keeps, *sides}
    return join_type_that_keeps(left="left" in kept, right="right" in kept)


def join_type_with_condition(how: JoinType) -> JoinType:
    """Return the type of a join that is given a condition: a cross join with one is an inner join."""
    return "inner" if how == "cross" else how
