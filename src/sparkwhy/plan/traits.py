"""Facts about operators: one entry for each in `traits_of`, and functions that ask for one fact.

Other modules ask these functions instead of listing node classes. A new operator needs an entry here, which the type
checker demands, and nothing in the modules that only ask. Facts about join types are in `join_types`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal as OneOf
from typing import TypeAlias, TypeGuard

from sparkwhy.errors import assert_never
from sparkwhy.plan.exprs import Expr
from sparkwhy.plan.join_types import SIDES
from sparkwhy.plan.nodes import (
    Aggregate,
    Column,
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
from sparkwhy.plan.walk import push_down

RowwiseOp: TypeAlias = Project | Filter | Sort
"""The operators for which `is_rowwise` holds."""

RowMap: TypeAlias = Project | Sort
"""The operators for which `is_row_map` holds."""


@dataclass(frozen=True, kw_only=True)
class OperatorTraits:
    """Facts about an operator. What has a default holds for few operators and is given only for these.

    `reacts`: for each input, whether the operator may return other rows, not only fewer, when that input has fewer. A
        count is smaller, a limit reaches further, an anti join finds no partner, an outer join pads.
    `origins`: the ways in which a row comes about, each as the places of the inputs that it is made of. A join of
        pairs: `((0, 1),)`, from both inputs. A union of two: `((0,), (1,))`, from one or the other. A semi join:
        `((0,),)`, for a row of the right only lets it through. A table: `((),)`, from no input.
    `rows_per_row`: how many rows come out for one row of the only input; None if other rows have a say in that.
    `is_grouping`: it makes one row of several: of a group, or of equal rows.
    `computes_across_rows`: it computes values from several rows, in these `columns`.
    `buffers_rows`: an engine has to hold many rows at a time to run it.
    `is_positional`: it matches the columns of several inputs by position; each row is one input's row.
    `reads_whole_rows`: every column matters: all of them tell rows apart, or have their place among others.
    `is_subtraction`: rows of the right input keep rows of the left out: an anti join, an `except`.
    `condition`: what it tests on rows or pairs of rows.
    `tests_rows`: it looks for something in each row and may drop those without it.
    """

    reacts: tuple[bool, ...]
    origins: tuple[tuple[int, ...], ...] = ((0,),)
    rows_per_row: OneOf["one", "at most one", "any number"] | None = None
    is_grouping: bool = False
    computes_across_rows: bool = False
    columns: tuple[Column, ...] = ()
    buffers_rows: bool = False
    is_positional: bool = False
    reads_whole_rows: bool = False
    is_subtraction: bool = False
    condition: Expr | None = None
    tests_rows: bool = False


def traits_of(node: Plan) -> OperatorTraits:
    """Return the facts about an operator."""
    match node:
        case Table() | OneRow():
            return OperatorTraits(reacts=(), origins=((),))
        case Project():
            return OperatorTraits(reacts=(False,), rows_per_row="one")
        case Filter():
            return OperatorTraits(
                reacts=(False,), rows_per_row="at most one", condition=node.condition, tests_rows=True
            )
        case Flatten():
            return OperatorTraits(reacts=(False,), rows_per_row="any number", tests_rows=not node.outer)
        case Join():
            return _join_traits(node)
        case Aggregate():
            return OperatorTraits(
                reacts=(bool(node.aggregates),),
                is_grouping=True,
                computes_across_rows=True,
                columns=node.aggregates,
                buffers_rows=True,
            )
        case Window():
            return OperatorTraits(reacts=(True,), computes_across_rows=True, columns=node.columns, buffers_rows=True)
        case Union():
            return OperatorTraits(
                reacts=tuple(False for _ in node.branches),
                origins=tuple((place,) for place in range(len(node.branches))),
                is_positional=True,
                reads_whole_rows=True,
            )
        case SetOperation():
            is_except = node.operation == "except"
            return OperatorTraits(
                reacts=(False, is_except),
                is_grouping=True,
                buffers_rows=True,
                is_positional=True,
                reads_whole_rows=True,
                is_subtraction=is_except,
            )
        case Distinct():
            by_keys = node.keys is not None
            return OperatorTraits(reacts=(by_keys,), is_grouping=not by_keys, buffers_rows=True, reads_whole_rows=True)
        case Sort():
            return OperatorTraits(reacts=(False,), rows_per_row="one", buffers_rows=True)
        case Limit():
            return OperatorTraits(reacts=(True,))
        case Sample():
            return OperatorTraits(reacts=(False,))
        case _:
            assert_never(node)


def _join_traits(node: Join) -> OperatorTraits:
    return OperatorTraits(
        reacts=tuple(side in node.traits.reacts for side in SIDES),
        origins=(tuple(range(len(node.traits.returns))),),
        buffers_rows=True,
        is_subtraction=node.traits.rejects_partners,
        condition=node.condition,
        tests_rows=True,
    )


# --- one row at a time ---


def is_row_map(node: Plan) -> TypeGuard[RowMap]:
    """Return whether each input row becomes one row, by itself."""
    return traits_of(node).rows_per_row == "one"


def is_rowwise(node: Plan) -> TypeGuard[RowwiseOp]:
    """Return whether each input row becomes at most one row, by itself."""
    return traits_of(node).rows_per_row in ("one", "at most one")


def reads_rows_alone(node: Plan) -> bool:
    """Return whether each input row becomes rows or none whatever other rows there are."""
    return traits_of(node).rows_per_row is not None


# --- rows together ---


def is_grouping(node: Plan) -> bool:
    """Return whether the operator makes one row of several: of a group, or of equal rows."""
    return traits_of(node).is_grouping


def computes_across_rows(node: Plan) -> bool:
    """Return whether the operator computes values from several rows."""
    return traits_of(node).computes_across_rows


def columns_across_rows(node: Plan) -> tuple[Column, ...]:
    """Return the columns that the operator computes from several rows."""
    return traits_of(node).columns


def buffers_rows(node: Plan) -> bool:
    """Return whether an engine has to hold many rows at a time to run the operator."""
    return traits_of(node).buffers_rows


def query_reacts(plan: Plan) -> Mapping[OpId, bool]:
    """Return for each operator whether the whole query may return other rows when this operator returns fewer."""

    def split(node: Plan, above: bool) -> tuple[bool, ...]:
        return tuple(above or reacts for reacts in traits_of(node).reacts)

    return push_down(plan, False, split)


# --- rows and columns ---


def is_positional(node: Plan) -> bool:
    """Return whether the operator matches the columns of several inputs by position; each row is one input's row."""
    return traits_of(node).is_positional


def reads_whole_rows(node: Plan) -> bool:
    """Return whether every column matters: all of them tell rows apart, or have their place among others."""
    return traits_of(node).reads_whole_rows


def row_origins(node: Plan) -> tuple[tuple[int, ...], ...]:
    """Return the ways in which a row comes about, each as the places of the inputs that it is made of."""
    return traits_of(node).origins


def is_subtraction(node: Plan) -> bool:
    """Return whether rows of the right input keep rows of the left out: an anti join, an `except`."""
    return traits_of(node).is_subtraction


# --- conditions ---


def condition_of(node: Plan) -> Expr | None:
    """Return the condition that the operator tests on rows or pairs of rows, if it has one."""
    return traits_of(node).condition


def tests_rows(node: Plan) -> bool:
    """Return whether the operator looks for something in each row and may drop those without it."""
    return traits_of(node).tests_rows
