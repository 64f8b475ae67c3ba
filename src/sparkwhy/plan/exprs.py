"""Expressions over the attributes of a row: frozen values, each knowing its type.

What sparkwhy reasons about is modelled; everything else is `Opaque`: it runs, and is never altered inside.
Expressions are moved over by `walk`, evaluated by the engines, printed by `show`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NewType, TypeAlias
from typing import Literal as OneOf

from sparkwhy.plan.functions import aggregate_type, call_type
from sparkwhy.plan.types import BOOLEAN, Array, Field, Map, Struct, Type

AttrId = NewType("AttrId", int)

CompareOp = OneOf["=", "<=>", "<>", "<", "<=", ">", ">="]

Mode = OneOf["legacy", "ansi", "try"]
"""What an operation does when it has no result: null or wrap around, fail, or null."""


@dataclass(frozen=True, slots=True)
class Attribute:
    """A column of an operator's output. Its identity is its id: names may repeat.

    `qualifier` is the alias or table by which an expression names it: `o` in `o.city`.
    """

    id: AttrId
    name: str = field(compare=False)
    type: Type = field(compare=False)
    nullable: bool = field(default=True, compare=False)
    qualifier: str | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Ref:
    """The value of an attribute of the input row."""

    attribute: Attribute

    @property
    def type(self) -> Type:
        return self.attribute.type


@dataclass(frozen=True, slots=True)
class Literal:
    """A constant, as the Python value that the engines use for its type; None is null.

    `text` is what was written where Spark compares with another number: for `n >= 0.05` with a whole n it is `n >= 1`.
    """

    value: Any
    type: Type
    text: str | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class FieldOf:
    """A field of a struct, or of every struct of an array: `place.country`, `o_lineitems.l_tax`."""

    input: Expr
    ordinal: int

    def __post_init__(self) -> None:
        assert self.ordinal < len(self.struct.fields), "no such field"

    @property
    def struct(self) -> Struct:
        return _struct_in(self.input.type)

    @property
    def field(self) -> Field:
        return self.struct.fields[self.ordinal]

    @property
    def type(self) -> Type:
        """The input is asked once: with each level of a nested value that asks twice, the work would double."""
        described = self.input.type
        field = _struct_in(described).fields[self.ordinal]
        if isinstance(described, Array):
            return Array(field.type, described.contains_null or field.nullable)
        return field.type


def _struct_in(type: Type) -> Struct:
    """Return the struct that has the fields: of an array, that of its elements."""
    inner = type.element if isinstance(type, Array) else type
    assert isinstance(inner, Struct), f"no fields in {type}"
    return inner


@dataclass(frozen=True, slots=True)
class ItemOf:
    """An element of an array by its index from 0, or the value of a map at a key."""

    input: Expr
    key: Expr
    mode: Mode = "legacy"

    @property
    def type(self) -> Type:
        match self.input.type:
            case Array(element):
                return element
            case Map(_, value):
                return value
            case other:
                raise AssertionError(f"no items in {other}")


@dataclass(frozen=True, slots=True)
class Compare:
    op: CompareOp
    left: Expr
    right: Expr

    @property
    def type(self) -> Type:
        return BOOLEAN


@dataclass(frozen=True, slots=True)
class And:
    operands: tuple[Expr, ...]

    @property
    def type(self) -> Type:
        return BOOLEAN


@dataclass(frozen=True, slots=True)
class Or:
    operands: tuple[Expr, ...]

    @property
    def type(self) -> Type:
        return BOOLEAN


@dataclass(frozen=True, slots=True)
class Not:
    input: Expr

    @property
    def type(self) -> Type:
        return BOOLEAN


@dataclass(frozen=True, slots=True)
class IsNull:
    input: Expr

    @property
    def type(self) -> Type:
        return BOOLEAN


@dataclass(frozen=True, slots=True)
class IsNotNull:
    input: Expr

    @property
    def type(self) -> Type:
        return BOOLEAN


@dataclass(frozen=True, slots=True)
class In:
    input: Expr
    options: tuple[Expr, ...]

    @property
    def type(self) -> Type:
        return BOOLEAN


@dataclass(frozen=True, slots=True)
class Cast:
    """A value in another type. One that is `spared` was written to fail, and gives null while rows are followed.

    An `implied` cast was not written: Spark compares or computes numbers in a common type.
    """

    input: Expr
    type: Type
    mode: Mode = "legacy"
    spared: bool = field(default=False, compare=False)
    implied: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class MakeStruct:
    """A struct made of named expressions: the paper's tuple nesting.

    `nullable` names the fields that shall count as nullable whatever is in them.
    """

    names: tuple[str, ...]
    values: tuple[Expr, ...]
    nullable: frozenset[str] = field(default=frozenset(), compare=False)

    def __post_init__(self) -> None:
        assert len(self.names) == len(self.values)

    @property
    def type(self) -> Type:
        return Struct(tuple(Field(name, value.type) for name, value in zip(self.names, self.values, strict=True)))


@dataclass(frozen=True, slots=True)
class Case:
    """`CASE WHEN ... THEN ... ELSE ... END`; without `otherwise`, null."""

    branches: tuple[tuple[Expr, Expr], ...]
    otherwise: Expr | None

    @property
    def type(self) -> Type:
        return self.branches[0][1].type


@dataclass(frozen=True, slots=True)
class Call:
    """A function of the catalogue in `functions`, applied."""

    function: str
    args: tuple[Expr, ...]
    mode: Mode = "legacy"

    @property
    def type(self) -> Type:
        return call_type(self.function, tuple(arg.type for arg in self.args))


@dataclass(frozen=True, slots=True)
class Variable:
    """A parameter of a lambda, by an id of its own."""

    id: int
    name: str = field(compare=False)
    type: Type = field(compare=False)


@dataclass(frozen=True, slots=True)
class Lambda:
    """The function argument of `transform`, `filter`, `exists`, `aggregate`, ..."""

    params: tuple[Variable, ...]
    body: Expr

    @property
    def type(self) -> Type:
        return self.body.type


@dataclass(frozen=True, slots=True)
class AggCall:
    """An aggregate function over a group of rows, or over a window frame."""

    function: str
    args: tuple[Expr, ...]
    distinct: bool = False
    condition: Expr | None = None
    mode: Mode = "legacy"

    @property
    def type(self) -> Type:
        return aggregate_type(self.function, tuple(arg.type for arg in self.args))


FrameBound: TypeAlias = int | OneOf["current row"] | None
"""An offset in rows (negative: before), None for unbounded, or the current row."""


@dataclass(frozen=True, slots=True)
class Frame:
    """Which rows around the current one a window function sees."""

    unit: OneOf["rows", "range"]
    lower: FrameBound
    upper: FrameBound


@dataclass(frozen=True, slots=True)
class WindowCall:
    """A ranking, offset or aggregate function over the frame of the current row."""

    function: Call | AggCall | Opaque
    frame: Frame

    @property
    def type(self) -> Type:
        return self.function.type


@dataclass(frozen=True, slots=True)
class Opaque:
    """An expression that only Spark understands: it reads `inputs`, and is never altered inside.

    `handle` belongs to the reader that made it; `text` is how Spark prints it.
    """

    text: str
    inputs: tuple[Expr, ...]
    type: Type
    aggregate: bool = False
    deterministic: bool = True
    handle: Any = field(default=None, compare=False, repr=False)


Expr: TypeAlias = (
    Ref
    | Literal
    | FieldOf
    | ItemOf
    | Compare
    | And
    | Or
    | Not
    | IsNull
    | IsNotNull
    | In
    | Cast
    | MakeStruct
    | Case
    | Call
    | Variable
    | Lambda
    | AggCall
    | WindowCall
    | Opaque
)

TRUE = Literal(True, BOOLEAN)


def conjuncts(condition: Expr) -> tuple[Expr, ...]:
    """Return the parts of a condition that must all hold, left to right."""
    return condition.operands if isinstance(condition, And) else (condition,)


def is_true(condition: Expr) -> Expr:
    """Return the condition with null counted as false: the only reading of null under which a filter keeps a row."""
    return Compare("<=>", condition, TRUE)
