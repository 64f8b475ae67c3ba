"""Witnesses: rows that would become the answer, with typed observations of what happened to them at each operator.

The entries that traced rows carry are decoded here, once, by the legend of the traced query:

    (2, 0, 0, "2018", -1), (2, 0, 1, "false", -1)   becomes   year is 2018, year >= 2019 is False   at step 2
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NamedTuple
from typing import Literal as OneOf

from sparkwhy.errors import assert_never
from sparkwhy.messages import Message
from sparkwhy.plan.exprs import Attribute, Expr
from sparkwhy.plan.join_types import Side
from sparkwhy.plan.nodes import OpId, Plan
from sparkwhy.plan.show import Names, names_for, plain, show_expr
from sparkwhy.plan.types import LONG, Type
from sparkwhy.trace.encode import Typed, decode, decode_row
from sparkwhy.trace.recorded import (
    CollectionState,
    ConjunctVerdict,
    Copies,
    CutOff,
    GroupReference,
    HasPartner,
    LastRank,
    Legend,
    NoPartner,
    Rank,
    ReadValue,
    Recorded,
    Rival,
)

Row = Mapping[str, Typed]


class NotRecorded(LookupError):
    """No row recorded this expression at this operator."""


# --- entries ---


class Entry(NamedTuple):
    """A raw entry of a traced row with its meaning: the operator, what was recorded, and the encoded value."""

    op: OpId
    recorded: Recorded
    text: str | None
    variants: int


def read_entries(legend: Legend, raw: Iterable[Sequence[Any]]) -> Iterator[Entry]:
    """Yield the entries of a trail, as they come out of the cluster, with the meaning of their slots in the legend."""
    for step, part, slot, text, variants in raw:
        op = OpId(step, part)
        yield Entry(op, legend[op, slot], text, variants)


@dataclass(frozen=True, slots=True)
class WitnessRef:
    """A reference to a row below a grouping: the mark of the row, and values of whole-number keys of its group."""

    grouping: OpId
    mark: int
    keys: tuple[tuple[int, int], ...]

    @classmethod
    def of(cls, entry: Entry) -> WitnessRef | None:
        """Decode an entry that is a reference; None for any other entry."""
        if not isinstance(entry.recorded, GroupReference) or entry.text is None:
            return None
        ids = entry.recorded.keys
        mark, *keys = decode_row(entry.text, (LONG,) * (1 + len(ids)), "UTC")
        known = tuple((id, value) for id, value in zip(ids, keys, strict=True) if value is not None)
        return cls(entry.recorded.grouping, mark, known)


# --- observations ---


@dataclass(frozen=True)
class Observation:
    """What happened to a row at one operator, as far as it was recorded.

    `read` has the values that the operator read, `outcomes` how each conjunct of its condition came out (True, False or
    None for null), both by expression; `values` and `verdicts` have the same by text. `no_partner` and `has_partner`
    are sides of a join. `rank` is the position of the row before a limit, `last_rank` the last one that it keeps,
    `cut_off` the order values of the row there. `rival` is the row that was kept instead. `copies` are numbers of
    copies by side, `partners` numbers of join partners by side. `collections` says why a flatten made no row: of which
    expression, and whether it was "null" or "empty".

    `nearest`, `partner`, `group` and `kept` are rows that were looked up about it, `hints` sentences on these.
    """

    read: tuple[tuple[Expr, Typed], ...] = ()
    outcomes: tuple[tuple[Expr, bool | None], ...] = ()
    no_partner: Side | None = None
    has_partner: Side | None = None
    rank: int | None = None
    last_rank: int | None = None
    cut_off: tuple[tuple[Expr, Typed], ...] = ()
    rival: Row | None = None
    copies: Mapping[Side, int] = field(default_factory=dict)
    partners: Mapping[Side, int] = field(default_factory=dict)
    collections: tuple[tuple[Expr, OneOf["null", "empty"]], ...] = ()
    nearest: tuple[Row, ...] = ()
    partner: tuple[Row, ...] = ()
    group: tuple[Row, ...] = ()
    kept: tuple[Row, ...] = ()
    hints: tuple[Message, ...] = ()
    node: Plan | None = field(default=None, compare=False, repr=False)

    def value_of(self, expr: Expr) -> Typed:
        """Return the value that the operator read; raise `NotRecorded` if it did not read this expression."""
        return _look_up(self.read, expr)

    def verdict_of(self, conjunct: Expr) -> bool | None:
        """Return how a conjunct came out; raise `NotRecorded` if it is no conjunct of the operator."""
        found: bool | None = _look_up(self.outcomes, conjunct)
        return found

    def has_value(self, expr: Expr) -> bool:
        return _has(self.read, expr)

    def has_verdict(self, conjunct: Expr) -> bool:
        return _has(self.outcomes, conjunct)

    @property
    def names(self) -> Names:
        """The names of attributes as the operator's own text has them."""
        return plain if self.node is None else names_for(self.node)

    @property
    def values(self) -> Mapping[str, Typed]:
        """The values that the operator read, by the text of each expression."""
        return _index_by_text(self.read, self.names)

    @property
    def verdicts(self) -> Mapping[str, bool | None]:
        """How each conjunct came out, by its text."""
        return _index_by_text(self.outcomes, self.names)


def _look_up(pairs: Sequence[tuple[Expr, Any]], expr: Expr) -> Any:
    """Compare one by one: expressions can be nested deeper than a hash can go."""
    for known, value in pairs:
        if known is expr or known == expr:
            return value
    raise NotRecorded(show_expr(expr))


def _has(pairs: Sequence[tuple[Expr, Any]], expr: Expr) -> bool:
    return any(known is expr or known == expr for known, _ in pairs)


def _index_by_text(pairs: Sequence[tuple[Expr, Any]], names: Names) -> Mapping[str, Any]:
    found: dict[str, Any] = {}
    for expr, value in pairs:
        found.setdefault(show_expr(expr, names), value)
    return found


class Observations(Mapping[int, Observation]):
    """Observations by operator: `at[operator]`, or `at[2]` by the operator's number. Read-only."""

    __slots__ = ("_by_step",)

    def __init__(self, by_step: Mapping[int, Observation] = MappingProxyType({})) -> None:
        self._by_step = dict(by_step)

    def __getitem__(self, operator: Any) -> Observation:
        return self._by_step[getattr(operator, "id", operator)]

    def __iter__(self) -> Iterator[int]:
        return iter(self._by_step)

    def __len__(self) -> int:
        return len(self._by_step)

    def __repr__(self) -> str:
        return f"Observations({self._by_step!r})"

    def map(self, change: Callable[[int, Observation], Observation]) -> Observations:
        """Return the observations with each one changed; `change` takes the operator's number too."""
        return Observations({step: change(step, each) for step, each in self._by_step.items()})


@dataclass(frozen=True)
class Witness:
    """A row that would become the answer: its values in the result, and what happened to it at each operator.

    For example `witness.row["city"]` is `"NY"`, and `witness.at[operator].values["year"]` is `2018`.
    """

    row: Row
    at: Observations = field(default_factory=Observations)


def observe(entries: Iterable[Entry], nodes: Mapping[OpId, Plan], timezone: str) -> Observations:
    """Decode the entries of one row in one variant, whose operators are `nodes`; the first of equal ones counts.

    References must have been replaced by what they refer to.
    """
    by_step: dict[int, list[Entry]] = {}
    for entry in entries:
        by_step.setdefault(entry.op.step, []).append(entry)
    return Observations({step: _observation(found, nodes, timezone) for step, found in by_step.items()})


def _observation(entries: Sequence[Entry], nodes: Mapping[OpId, Plan], timezone: str) -> Observation:
    read, outcomes, cut_off = list[tuple[Expr, Any]](), list[tuple[Expr, Any]](), list[tuple[Expr, Any]]()
    collections, copies, one = list[tuple[Expr, Any]](), dict[Side, int](), dict[str, Any]()
    for entry in entries:
        match entry.recorded:
            case ReadValue(expr):
                _add(read, expr, decode(entry.text, expr.type, timezone))
            case ConjunctVerdict(conjunct):
                _add(outcomes, conjunct, _VERDICTS[entry.text])
            case CutOff(expr):
                _add(cut_off, expr, decode(entry.text, expr.type, timezone))
            case CollectionState(expr):
                _add(collections, expr, entry.text)
            case NoPartner(side):
                one.setdefault("no_partner", side)
            case HasPartner(side):
                one.setdefault("has_partner", side)
            case Rank():
                one.setdefault("rank", _number(entry))
            case LastRank():
                one.setdefault("last_rank", _number(entry))
            case Rival(attributes):
                one.setdefault("rival", _rival(entry, attributes, timezone))
            case Copies(side):
                copies.setdefault(side, _number(entry))
            case GroupReference():
                continue  # the row that it refers to was not found
            case _:
                assert_never(entry.recorded)
    return Observation(
        tuple(read),
        tuple(outcomes),
        cut_off=tuple(cut_off),
        collections=tuple(collections),
        copies=copies,
        node=nodes.get(entries[0].op),
        **one,
    )


_VERDICTS = {"true": True, "false": False, None: None}


def _add(pairs: list[tuple[Expr, Any]], expr: Expr, value: Any) -> None:
    if not _has(pairs, expr):
        pairs.append((expr, value))


def _number(entry: Entry) -> int:
    assert entry.text is not None, "a count is never null"
    return int(entry.text)


def _rival(entry: Entry, attributes: Sequence[Attribute], timezone: str) -> Row | None:
    if entry.text is None:
        return None
    return name_values(attributes, decode_row(entry.text, [a.type for a in attributes], timezone))


# --- rows ---


def decode_values(attributes: Sequence[Attribute], texts: Sequence[str | None], timezone: str) -> Row:
    """Decode the values of a row of the result, by the names of its columns."""
    types: Iterable[Type] = (attribute.type for attribute in attributes)
    values = [decode(text, type, timezone) for text, type in zip(texts, types, strict=True)]
    return name_values(attributes, values)


def name_values(attributes: Sequence[Attribute], values: Sequence[Typed]) -> Row:
    """Return values by the names of their attributes; a name that repeats gets a number: `status`, `status (2)`."""
    return dict(zip(unique_names(attributes), values, strict=True))


def unique_names(attributes: Iterable[Attribute]) -> list[str]:
    """Return the names of attributes, numbered where one repeats: `status`, `status (2)`."""
    names: list[str] = []
    seen: dict[str, int] = {}
    for attribute in attributes:
        seen[attribute.name] = again = seen.get(attribute.name, 0) + 1
        names.append(attribute.name if again == 1 else f"{attribute.name} ({again})")
    return names
