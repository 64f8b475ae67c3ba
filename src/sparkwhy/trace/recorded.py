"""What a traced row can record at an operator, and the legend that says which slot holds what.

A traced row carries numbers and encoded values only. The legend gives them their meaning: slot 2 of the filter is the
value of `year`, slot 3 whether `year >= 2019` held.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from sparkwhy.plan.exprs import Attribute, AttrId, Expr
from sparkwhy.plan.join_types import Side
from sparkwhy.plan.nodes import OpId


@dataclass(frozen=True, slots=True)
class ReadValue:
    """The value of an expression that the operator read."""

    expr: Expr


@dataclass(frozen=True, slots=True)
class ConjunctVerdict:
    """How a conjunct of the operator's condition came out: true, false or null."""

    conjunct: Expr


@dataclass(frozen=True, slots=True)
class NoPartner:
    """The row has no partner on this side of a join. It carries no value."""

    side: Side


@dataclass(frozen=True, slots=True)
class HasPartner:
    """The row has a partner on this side of an anti join. It carries no value."""

    side: Side


@dataclass(frozen=True, slots=True)
class CollectionState:
    """Why a flatten makes no row of this collection: "null" or "empty"."""

    expr: Expr


@dataclass(frozen=True, slots=True)
class Rank:
    """The position of the row in the order that a limit sees, from 1."""


@dataclass(frozen=True, slots=True)
class LastRank:
    """The last position that a limit keeps."""


@dataclass(frozen=True, slots=True)
class CutOff:
    """The value of an order expression on the last row that a limit keeps."""

    expr: Expr


@dataclass(frozen=True, slots=True)
class Rival:
    """The row with the same key that is kept instead: the values of these attributes."""

    attributes: tuple[Attribute, ...]


@dataclass(frozen=True, slots=True)
class Copies:
    """The number of copies of the row on this side of a set operation."""

    side: Side


@dataclass(frozen=True, slots=True)
class GroupReference:
    """Refers to a row below a grouping, by a mark and the values of these keys (whole numbers) of its group."""

    grouping: OpId
    keys: tuple[AttrId, ...]


Recorded: TypeAlias = (
    ReadValue
    | ConjunctVerdict
    | NoPartner
    | HasPartner
    | CollectionState
    | Rank
    | LastRank
    | CutOff
    | Rival
    | Copies
    | GroupReference
)

Legend: TypeAlias = Mapping[tuple[OpId, int], Recorded]
"""What each slot of each operator holds."""
