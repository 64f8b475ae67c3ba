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
    """An operator that drops rows; a join does so on each side by itself."""

    op: OpId
    side: Side | None = None


class Bits:
    """The bit of every dropper of a traced query, handed out in the order in which the operators are traced.

    With several alternatives the lowest bits are *gates*, one for each: a row with the gate of an alternative in its
    blame does not exist there. In an alternative all gates but its own count as relaxed, and so do the conditions of
    filters that it does not use.

    Operators that are taken `together` share one bit: they are relaxed all at once, or not. In a set of droppers a
    *bundle* stands for them, which is no operator of the query.
    """

    def __init__(self, alternatives: int = 1, together: Sequence[Set[OpId]] = ()) -> None:
        self.alternatives = alternatives
        self.gates = (1 << alternatives) - 1 if alternatives > 1 else 0
        self.together = tuple(map(frozenset, together))
        self._bundles = {bundle(i): frozenset(ops) for i, ops in enumerate(together)}
        self._bundle_of = {op: name for name, ops in self._bundles.items() for op in ops}
        self._claims: list[tuple[Dropper, int]] = []

    def claim(self, op: OpId, side: Side | None = None, *, within: int | None = None) -> int:
        """The bit of a dropper, in these alternatives (None: in all); the same again if it is asked for again."""
        everywhere = (1 << self.alternatives) - 1
        claim = Dropper(op, side), everywhere if within is None else within
        if op in self._bundle_of:
            claim = Dropper(self._bundle_of[op]), everywhere
        if claim not in self._claims:
            self._claims.append(claim)
            if self.gates.bit_length() + len(self._claims) > MAX_BITS:
                raise TooManyOperators(len(self._claims), MAX_BITS - self.gates.bit_length(), self.alternatives)
        return 1 << self._position(self._claims.index(claim))

    def _position(self, index: int) -> int:
        return self.gates.bit_length() + index

    def unused(self, block: int) -> int:
        """The bits of conditions that none of these alternatives uses."""
        return sum(1 << self._position(i) for i, (_, within) in enumerate(self._claims) if not within & block)

    def active(self, alternative: int) -> int:
        """The bits of the droppers of one alternative."""
        found = enumerate(self._claims)
        return sum(1 << self._position(i) for i, (_, within) in found if within >> alternative & 1)

    def droppers_of(self, ops: Set[OpId], alternative: int) -> tuple[Dropper, ...]:
        """The droppers of one alternative that are among these operators, and bundles with one of them."""
        known = ops | {name for name, members in self._bundles.items() if members & ops}
        return tuple(dropper for dropper in self.positions(alternative) if dropper.op in known)

    def positions(self, alternative: int = 0) -> Mapping[Dropper, int]:
        """The droppers of one alternative, each with the position of its bit."""
        found = enumerate(self._claims)
        return {dropper: self._position(i) for i, (dropper, within) in found if within >> alternative & 1}

    def of(self, droppers: Iterable[Dropper], alternative: int = 0) -> int:
        """A set of droppers of one alternative; those that no row has ever blamed do not matter."""
        positions = self.positions(alternative)
        return sum(1 << positions[dropper] for dropper in set(droppers) if dropper in positions)

    def droppers(self, set: int, alternative: int = 0) -> tuple[Dropper, ...]:
        """What a set of bits means in one alternative."""
        return tuple(dropper for dropper, at in self.positions(alternative).items() if set >> at & 1)


def bundle(number: int) -> OpId:
    """The name of operators that are taken together."""
    return OpId(-1 - number)


def is_bundle(op: OpId) -> bool:
    return op.step < 0


def drops(op: Plan, side: Side | None = None) -> bool:
    """Whether an operator drops rows in this way."""
    return Dropper(op.id, side) in droppers_of(op)


def droppers_of(node: Plan) -> tuple[Dropper, ...]:
    """In which ways an operator drops rows. What Spark inserted to carry out another operation drops none."""
    match node:
        case Filter():
            return () if node.condition == Literal(True, node.condition.type) else (Dropper(node.id),)
        case Flatten():
            return () if node.outer or _is_never_empty(node.collection) else (Dropper(node.id),)
        case Join():
            return () if node.id.part else _join_droppers(node)
        case SetOperation() | Limit():
            return (Dropper(node.id),)
        case Distinct():
            return () if node.keys is None else (Dropper(node.id),)
        case Sample():
            raise refusal_of(node)
        case Table() | OneRow() | Project() | Aggregate() | Window() | Union() | Sort():
            return ()
        case _:
            assert_never(node)


def _join_droppers(join: Join) -> tuple[Dropper, ...]:
    """Return a dropper for each side of which a join drops rows; one that returns left rows only has no sides."""
    return tuple(Dropper(join.id, side if join.traits.pairs else None) for side in join.traits.drops)


def _is_never_empty(collection: Expr) -> bool:
    return isinstance(collection, Call) and collection.function == "array" and bool(collection.args)
