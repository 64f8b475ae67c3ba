"""Which operators drop rows, and the bit of each in a set of operators."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from typing import NamedTuple

from sparkwhy.errors import TooManyOperators, assert_never
from sparkwhy.plan.exprs import Call, Expr, Literal
from sparkwhy.plan.join_types import Side
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
from sparkwhy.trace.supported import refusal_of

MAX_BITS = 62


class Dropper(NamedTuple):
    """An operator that drops rows; a join does so on each side by itself.

    It is what the user wrote: where that is used several times, all uses are one dropper.
    """

    op: OpId
    side: Side | None = None


class Bits:
    """The bit of every dropper of a traced query, handed out in the order in which the operators are traced.

    With several variants the lowest bits are *variant bits*, one for each: a row with the bit of a variant in its blame
    does not exist there. In a variant the bits of all others count as relaxed, and so do the conditions of filters that
    it does not use.

    Operators in one set of `coarse` share a bit: they are relaxed all at once, or not. In a set of droppers a name that
    is no operator of the query stands for them, `coarse_bit(i)`.
    """

    def __init__(self, alternatives: int = 1, coarse: Sequence[Set[OpId]] = ()) -> None:
        self.alternatives = alternatives
        self.variant_bits = (1 << alternatives) - 1 if alternatives > 1 else 0
        self.coarse = tuple(map(frozenset, coarse))
        self._members = {coarse_bit(i): frozenset(ops) for i, ops in enumerate(coarse)}
        self._coarse_bit_of = {op: name for name, ops in self._members.items() for op in ops}
        self._known: list[tuple[Dropper, int]] = []

    def bit_of(self, op: OpId, side: Side | None = None, *, within: int | None = None) -> int:
        """Return the bit of a dropper in these variants (None: in all); the same one if it is asked for again."""
        everywhere = (1 << self.alternatives) - 1
        wanted = Dropper(op, side), everywhere if within is None else within
        if op in self._coarse_bit_of:
            wanted = Dropper(self._coarse_bit_of[op]), everywhere
        if wanted not in self._known:
            self._known.append(wanted)
            if self._position(len(self._known)) > MAX_BITS:
                raise TooManyOperators(len(self._known), MAX_BITS - self._position(0), self.alternatives)
        return 1 << self._position(self._known.index(wanted))

    def _position(self, index: int) -> int:
        return self.variant_bits.bit_length() + index

    def bits_outside(self, block: int) -> int:
        """Return the bits of conditions that none of these variants uses."""
        return sum(1 << self._position(i) for i, (_, within) in enumerate(self._known) if not within & block)

    def active(self, variant: int) -> int:
        """Return the bits of the droppers of one variant."""
        return sum(1 << at for at in self.positions(variant).values())

    def droppers_of(self, ops: Set[OpId], variant: int) -> tuple[Dropper, ...]:
        """Return the droppers of one variant that are among these operators, and coarse bits with one of them."""
        known = ops | {name for name, members in self._members.items() if members & ops}
        return tuple(dropper for dropper in self.positions(variant) if dropper.op in known)

    def positions(self, variant: int = 0) -> Mapping[Dropper, int]:
        """Return the droppers of one variant, each with the position of its bit."""
        found = enumerate(self._known)
        return {dropper: self._position(i) for i, (dropper, within) in found if within >> variant & 1}

    def of(self, droppers: Iterable[Dropper], variant: int = 0) -> int:
        """Return a set of droppers of one variant as bits, without those that no row ever blamed."""
        positions = self.positions(variant)
        return sum(1 << positions[dropper] for dropper in set(droppers) if dropper in positions)

    def droppers(self, set: int, variant: int = 0) -> tuple[Dropper, ...]:
        """Return the droppers of one variant in a set of bits."""
        return tuple(dropper for dropper, at in self.positions(variant).items() if set >> at & 1)


def coarse_bit(number: int) -> OpId:
    """Return the name of operators that share a bit."""
    return OpId(-1 - number)


def is_coarse_bit(op: OpId) -> bool:
    return op.step < 0


def drops(op: Plan, side: Side | None = None) -> bool:
    """Return whether an operator drops rows in this way."""
    return Dropper(op.first_use, side) in droppers_of(op)


def droppers_of(node: Plan) -> tuple[Dropper, ...]:
    """Return the ways in which an operator drops rows. What Spark inserted to carry out an operation drops none."""
    match node:
        case Filter():
            return () if node.condition == Literal(True, node.condition.type) else (Dropper(node.first_use),)
        case Flatten():
            return () if node.outer or _is_never_empty(node.collection) else (Dropper(node.first_use),)
        case Join():
            return () if node.id.part else _join_droppers(node)
        case SetOperation() | Limit():
            return (Dropper(node.first_use),)
        case Distinct():
            return () if node.keys is None else (Dropper(node.first_use),)
        case Sample():
            raise refusal_of(node)
        case Table() | OneRow() | Project() | Aggregate() | Window() | Union() | Sort():
            return ()
        case _:
            assert_never(node)


def _join_droppers(join: Join) -> tuple[Dropper, ...]:
    """Return a dropper for each side of which a join drops rows; one that returns left rows only has no sides."""
    return tuple(Dropper(join.first_use, side if join.traits.pairs else None) for side in join.traits.drops)


def _is_never_empty(collection: Expr) -> bool:
    return isinstance(collection, Call) and collection.function == "array" and bool(collection.args)
