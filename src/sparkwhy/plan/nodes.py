"""Operators: a query is a tree of these frozen nodes, checked when they are made.

Each node has an id, the place in the user's code where that is known, and an `output`, the attributes of its rows.
`output` is derived here and nowhere else. Attributes keep their identity while a row merely carries them along.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any, NamedTuple, TypeAlias
from typing import Literal as OneOf

from sparkwhy.plan.exprs import AggCall, Attribute, Expr, Opaque, Ref, WindowCall
from sparkwhy.plan.functions import COLLECTS
from sparkwhy.plan.join_types import JOIN_TYPES, SIDES, JoinTraits
from sparkwhy.plan.join_types import JoinType as JoinType
from sparkwhy.plan.types import BOOLEAN, INTEGER, NULL, Array, Map, Struct, Type, same_shape
from sparkwhy.plan.walk_exprs import attributes_of

Kind = OneOf[
    "table", "project", "filter", "join", "flatten", "nest", "aggregate", "window", "union",
    "distinct", "except", "intersect", "sort", "limit", "sample",
]  # fmt: skip


SQL_TEXT = "SQL"
"""Stands for the file in the place of an operation that was given as SQL text."""

VIEW_TEXT = "view"
"""Stands, with the name of the view, for the file in the place of an operation in the text of a view."""


class OpId(NamedTuple):
    """The number of a user's operation in reading order, and a part number for what Spark inserted to carry it out.

    `select(explode(c), ...)` is one operation of two nodes: the flatten 3 and the projection 3.1.
    """

    step: int
    part: int = 0

    def __str__(self) -> str:
        return f"{self.step}.{self.part}" if self.part else str(self.step)


@dataclass(frozen=True, slots=True)
class Place:
    """Where an operation stands in the user's code: a line of a file, of a notebook cell, or of a SQL text.

    `call` is the function that was called there, or the fragment of the SQL text. Of SQL, `text` is the whole text, and
    `start` the position of the fragment in it.
    """

    file: str
    line: int
    call: str | None = None
    text: str | None = field(default=None, compare=False, repr=False)
    start: int | None = field(default=None, compare=False, repr=False)

    @property
    def is_sql(self) -> bool:
        """Whether the operation was given as SQL text, as a query or as a view."""
        return self.file == SQL_TEXT or self.file.startswith(f"{VIEW_TEXT} ")

    def __str__(self) -> str:
        if self.file.startswith(f"{VIEW_TEXT} "):
            return f"{self.file}, line {self.line}"
        if self.file == SQL_TEXT or self.file.startswith("cell "):
            return f"{self.file} line {self.line}"
        return f"{PurePath(self.file).name}:{self.line}"


@dataclass(frozen=True, slots=True)
class Column:
    """An output attribute and the expression that computes it."""

    attribute: Attribute
    expr: Expr

    @property
    def is_carried(self) -> bool:
        """Whether the attribute is merely carried along, with its identity."""
        return isinstance(self.expr, Ref) and self.expr.attribute == self.attribute


@dataclass(frozen=True, slots=True)
class SortKey:
    expr: Expr
    ascending: bool = True
    nulls_first: bool = True


@dataclass(frozen=True, slots=True)
class Source:
    """What a table reads: a name for people, and a handle that belongs to the engine that runs it."""

    name: str
    handle: Any = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, kw_only=True, repr=False)
class Node:
    """What all operators have. `output` is set once, when the node is made."""

    id: OpId
    where: Place | None = field(default=None, compare=False)
    use_of: OpId | None = field(default=None, compare=False)
    """The operator of which this is a further use, if what the user wrote once is used several times."""

    output: tuple[Attribute, ...] = field(init=False, compare=False)

    def _derive(self, output: tuple[Attribute, ...]) -> None:
        assert len({attribute.id for attribute in output}) == len(output), f"{self!r} repeats an attribute"
        object.__setattr__(self, "output", output)

    @property
    def first_use(self) -> OpId:
        """The operator that the user wrote, by the id of its first use."""
        return self.id if self.use_of is None else self.use_of

    def __repr__(self) -> str:  # plans are deep: a node never prints its inputs
        return f"<{type(self).__name__.lower()} {self.id}>"


@dataclass(frozen=True, kw_only=True, repr=False)
class Table(Node):
    """A leaf: files, tables, local data, a range, a checkpoint."""

    attributes: tuple[Attribute, ...]
    source: Source

    def __post_init__(self) -> None:
        self._derive(self.attributes)

    @property
    def kind(self) -> Kind:
        return "table"


@dataclass(frozen=True, kw_only=True, repr=False)
class OneRow(Node):
    """One row without columns, for a pass that needs a row of its own making."""

    def __post_init__(self) -> None:
        self._derive(())

    @property
    def kind(self) -> Kind:
        return "table"


@dataclass(frozen=True, kw_only=True, repr=False)
class Project(Node):
    """Computes columns from each row: select, rename, struct building, field access."""

    input: Plan
    columns: tuple[Column, ...]

    def __post_init__(self) -> None:
        _check_reads(self, (column.expr for column in self.columns), self.input.output)
        self._derive(tuple(column.attribute for column in self.columns))

    @property
    def kind(self) -> Kind:
        return "project"


@dataclass(frozen=True, kw_only=True, repr=False)
class Filter(Node):
    """Keeps the rows for which the condition is true; null counts as false."""

    input: Plan
    condition: Expr

    def __post_init__(self) -> None:
        assert self.condition.type in (BOOLEAN, NULL), f"{self!r} has a condition of {self.condition.type}"
        _check_reads(self, (self.condition,), self.input.output)
        self._derive(self.input.output)

    @property
    def kind(self) -> Kind:
        return "filter"


@dataclass(frozen=True, kw_only=True, repr=False)
class Join(Node):
    """Pairs of rows that meet the condition; outer joins pad the side that found no partner with nulls.

    An existence join keeps every left row and says in `exists` whether it has a partner.
    """

    left: Plan
    right: Plan
    how: JoinType
    condition: Expr | None = None
    exists: Attribute | None = None

    def __post_init__(self) -> None:
        assert (self.exists is not None) == (self.how == "existence"), f"{self!r}: exists goes with existence"
        both = self.left.output + self.right.output
        assert len({a.id for a in both}) == len(both), f"{self!r}: both sides have the same attribute"
        _check_reads(self, () if self.condition is None else (self.condition,), both)
        self._derive(_join_output(self))

    @property
    def kind(self) -> Kind:
        return "join"

    @property
    def traits(self) -> JoinTraits:
        """The facts about the type of this join."""
        return JOIN_TYPES[self.how]


@dataclass(frozen=True, kw_only=True, repr=False)
class Flatten(Node):
    """One row for each element of an array or map, beside the columns of its input row.

    An outer flatten keeps a row whose collection is null or empty, padded with nulls. `elements` are one attribute
    for the elements of an array, two for the keys and values of a map, or with `inline` one for each field of an
    array of structs; `position` counts from 0.
    """

    input: Plan
    collection: Expr
    elements: tuple[Attribute, ...]
    outer: bool = False
    inline: bool = False
    position: Attribute | None = None

    def __post_init__(self) -> None:
        assert len(self.elements) == self._width(), f"{self!r}: wrong number of elements"
        assert self.position is None or self.position.type == INTEGER
        _check_reads(self, (self.collection,), self.input.output)
        position = () if self.position is None else (self.position,)
        self._derive(self.input.output + position + self.elements)

    def _width(self) -> int:
        match self.collection.type:
            case Array(Struct(fields)) if self.inline:
                return len(fields)
            case Array():
                return 1
            case Map():
                return 2
            case other:
                raise AssertionError(f"{self!r} cannot flatten {other}")

    @property
    def kind(self) -> Kind:
        return "flatten"


@dataclass(frozen=True, kw_only=True, repr=False)
class Aggregate(Node):
    """One row for each group of rows with equal keys; without keys, one row in all."""

    input: Plan
    keys: tuple[Column, ...]
    aggregates: tuple[Column, ...]

    def __post_init__(self) -> None:
        for column in self.aggregates:
            assert isinstance(column.expr, AggCall | Opaque), f"{self!r}: {column.expr} does not aggregate"
        columns = self.keys + self.aggregates
        _check_reads(self, (column.expr for column in columns), self.input.output)
        self._derive(tuple(column.attribute for column in columns))

    @property
    def kind(self) -> Kind:
        collects = [isinstance(c.expr, AggCall) and c.expr.function in COLLECTS for c in self.aggregates]
        if not collects:
            return "distinct"
        return "nest" if all(collects) else "aggregate"


@dataclass(frozen=True, kw_only=True, repr=False)
class Window(Node):
    """Each row with columns computed from the rows of its partition."""

    input: Plan
    partition: tuple[Expr, ...]
    order: tuple[SortKey, ...]
    columns: tuple[Column, ...]

    def __post_init__(self) -> None:
        for column in self.columns:
            assert isinstance(column.expr, WindowCall | Opaque), f"{self!r}: {column.expr} is no window function"
        read = [*self.partition, *(k.expr for k in self.order), *(c.expr for c in self.columns)]
        _check_reads(self, read, self.input.output)
        self._derive(self.input.output + tuple(column.attribute for column in self.columns))

    @property
    def kind(self) -> Kind:
        return "window"


@dataclass(frozen=True, kw_only=True, repr=False)
class Union(Node):
    """The rows of all inputs, by position, under attributes of its own."""

    branches: tuple[Plan, ...]
    attributes: tuple[Attribute, ...]

    def __post_init__(self) -> None:
        for branch in self.branches:
            assert len(branch.output) == len(self.attributes), f"{self!r}: branches of different width"
            for given, wanted in zip(branch.output, self.attributes, strict=True):
                _check_type(self, given.type, wanted.type)
        self._derive(self.attributes)

    @property
    def kind(self) -> Kind:
        return "union"


@dataclass(frozen=True, kw_only=True, repr=False)
class SetOperation(Node):
    """The rows of the left that are (intersect) or are not (except) in the right, by position.

    With `all` multiplicities count; without, each row comes out once.
    """

    left: Plan
    right: Plan
    operation: OneOf["except", "intersect"]
    all: bool = False

    def __post_init__(self) -> None:
        assert len(self.left.output) == len(self.right.output), f"{self!r}: sides of different width"
        self._derive(self.left.output)

    @property
    def kind(self) -> Kind:
        return self.operation


@dataclass(frozen=True, kw_only=True, repr=False)
class Distinct(Node):
    """Each row once: among all rows, or among those with equal `keys` (any one of them)."""

    input: Plan
    keys: tuple[Attribute, ...] | None = None

    def __post_init__(self) -> None:
        _check_reads(self, (Ref(key) for key in self.keys or ()), self.input.output)
        self._derive(self.input.output)

    @property
    def kind(self) -> Kind:
        return "distinct"


@dataclass(frozen=True, kw_only=True, repr=False)
class Sort(Node):
    """Orders rows. A bag has no order: it matters only to a limit above."""

    input: Plan
    order: tuple[SortKey, ...]

    def __post_init__(self) -> None:
        _check_reads(self, (key.expr for key in self.order), self.input.output)
        self._derive(self.input.output)

    @property
    def kind(self) -> Kind:
        return "sort"


@dataclass(frozen=True, kw_only=True, repr=False)
class Limit(Node):
    """The rows from `offset` on, at most `count` of them (None: all)."""

    input: Plan
    count: int | None
    offset: int = 0

    def __post_init__(self) -> None:
        assert self.count is None or self.count >= 0
        assert self.offset >= 0
        self._derive(self.input.output)

    @property
    def kind(self) -> Kind:
        return "limit"


@dataclass(frozen=True, kw_only=True, repr=False)
class Sample(Node):
    """A random share of the rows; only the engine that drew the sample can repeat it.

    With `split` it is the part between two bounds that a random split gave.
    """

    input: Plan
    lower: float
    upper: float
    replacement: bool
    seed: int
    split: bool = False

    def __post_init__(self) -> None:
        self._derive(self.input.output)

    @property
    def kind(self) -> Kind:
        return "sample"


Plan: TypeAlias = (
    Table
    | OneRow
    | Project
    | Filter
    | Join
    | Flatten
    | Aggregate
    | Window
    | Union
    | SetOperation
    | Distinct
    | Sort
    | Limit
    | Sample
)


def _join_output(join: Join) -> tuple[Attribute, ...]:
    given = dict(zip(SIDES, (join.left.output, join.right.output), strict=True))
    sides = [_as_nullable(given[side]) if side in join.traits.pads else given[side] for side in join.traits.returns]
    flag = () if join.exists is None else (join.exists,)
    return (*(attribute for side in sides for attribute in side), *flag)


def _as_nullable(attributes: tuple[Attribute, ...]) -> tuple[Attribute, ...]:
    return tuple(Attribute(a.id, a.name, a.type, True) for a in attributes)


def _check_reads(node: Node, exprs: Iterable[Expr], offered: tuple[Attribute, ...]) -> None:
    known = {attribute.id for attribute in offered}
    for expr in exprs:
        for attribute in attributes_of(expr):
            assert attribute.id in known, f"{node!r} reads {attribute.name}, which its input does not have"


def _check_type(node: Node, given: Type, wanted: Type) -> None:
    assert same_shape(given, wanted), f"{node!r} expects {wanted}, not {given}"
