"""Facts about operators, as closed matches: a new operator has to be placed in every one of them.

Other modules ask these functions instead of listing node classes, so that the type checker names what a new operator
still needs. Facts about join types are in `join_types`.
"""

from __future__ import annotations

from collections.abc import Mapping
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


# --- one row at a time ---


def rows_per_row(node: Plan) -> OneOf["one", "at most one", "any number"] | None:
    """Return how many rows come out for one row of the only input, or None if other rows have a say in that."""
    match node:
        case Project() | Sort():
            return "one"
        case Filter():
            return "at most one"
        case Flatten():
            return "any number"
        case Join() | Aggregate() | Window() | SetOperation() | Distinct() | Limit() | Sample():
            return None
        case Table() | OneRow() | Union():  # no input, or several
            return None
        case _:
            assert_never(node)


def is_row_map(node: Plan) -> TypeGuard[RowMap]:
    """Return whether each input row becomes one row, by itself."""
    return rows_per_row(node) == "one"


def is_rowwise(node: Plan) -> TypeGuard[RowwiseOp]:
    """Return whether each input row becomes at most one row, by itself."""
    return rows_per_row(node) in ("one", "at most one")


def reads_rows_alone(node: Plan) -> bool:
    """Return whether each input row becomes rows or none whatever other rows there are."""
    return rows_per_row(node) is not None


# --- rows together ---


def is_grouping(node: Plan) -> bool:
    """Return whether the operator makes one row of several: of a group, or of equal rows."""
    match node:
        case Aggregate() | SetOperation():
            return True
        case Distinct():
            return node.keys is None
        case Table() | OneRow() | Project() | Filter() | Join() | Flatten() | Window() | Union():
            return False
        case Sort() | Limit() | Sample():
            return False
        case _:
            assert_never(node)


def computes_across_rows(node: Plan) -> bool:
    """Return whether the operator computes values from several rows."""
    match node:
        case Aggregate() | Window():
            return True
        case Table() | OneRow() | Project() | Filter() | Join() | Flatten() | Union() | SetOperation():
            return False
        case Distinct() | Sort() | Limit() | Sample():
            return False
        case _:
            assert_never(node)


def columns_across_rows(node: Plan) -> tuple[Column, ...]:
    """Return the columns that the operator computes from several rows."""
    match node:
        case Aggregate():
            return node.aggregates
        case Window():
            return node.columns
        case Table() | OneRow() | Project() | Filter() | Join() | Flatten() | Union() | SetOperation():
            return ()
        case Distinct() | Sort() | Limit() | Sample():
            return ()
        case _:
            assert_never(node)


def buffers_rows(node: Plan) -> bool:
    """Return whether an engine has to hold many rows at a time to run the operator."""
    match node:
        case Aggregate() | Distinct() | Join() | SetOperation() | Sort() | Window():
            return True
        case Table() | OneRow() | Project() | Filter() | Flatten() | Union() | Limit() | Sample():
            return False
        case _:
            assert_never(node)


def reacts_to_fewer_rows(node: Plan) -> tuple[bool, ...]:
    """Return for each input whether the operator may return other rows, not only fewer, when that input has fewer.

    A count is smaller, a limit reaches further, an anti join finds no partner, an outer join pads.
    """
    match node:
        case Table() | OneRow():
            return ()
        case Project() | Filter() | Flatten() | Sort() | Sample():
            return (False,)
        case Aggregate():
            return (bool(node.aggregates),)
        case Window() | Limit():
            return (True,)
        case Distinct():
            return (node.keys is not None,)
        case Union():
            return tuple(False for _ in node.branches)
        case Join():
            return tuple(side in node.traits.reacts for side in SIDES)
        case SetOperation():
            return False, is_subtraction(node)
        case _:
            assert_never(node)


def query_reacts(plan: Plan) -> Mapping[OpId, bool]:
    """Return for each operator whether the whole query may return other rows when this operator returns fewer."""

    def split(node: Plan, above: bool) -> tuple[bool, ...]:
        return tuple(above or reacts for reacts in reacts_to_fewer_rows(node))

    return push_down(plan, False, split)


# --- rows and columns ---


def is_positional(node: Plan) -> bool:
    """Return whether the operator matches the columns of several inputs by position; each row is one input's row."""
    match node:
        case Union() | SetOperation():
            return True
        case Table() | OneRow() | Project() | Filter() | Join() | Flatten() | Aggregate() | Window():
            return False
        case Distinct() | Sort() | Limit() | Sample():
            return False
        case _:
            assert_never(node)


def reads_whole_rows(node: Plan) -> bool:
    """Return whether every column matters: all of them tell rows apart, or have their place among others."""
    match node:
        case Union() | SetOperation() | Distinct():
            return True
        case Table() | OneRow() | Project() | Filter() | Join() | Flatten() | Aggregate() | Window():
            return False
        case Sort() | Limit() | Sample():
            return False
        case _:
            assert_never(node)


def row_origins(node: Plan) -> tuple[tuple[int, ...], ...]:
    """Return the ways in which a row comes about, each as the places of the inputs that it is made of.

    A join of pairs: `((0, 1),)`, from both inputs. A union of two: `((0,), (1,))`, from one or the other. A semi join:
    `((0,),)`, for a row of the right only lets it through. A table: `((),)`, from no input.
    """
    match node:
        case Table() | OneRow():
            return ((),)
        case Union():
            return tuple((place,) for place in range(len(node.branches)))
        case Join():
            return (tuple(range(len(node.traits.returns))),)
        case Project() | Filter() | Flatten() | Aggregate() | Window() | SetOperation():
            return ((0,),)
        case Distinct() | Sort() | Limit() | Sample():
            return ((0,),)
        case _:
            assert_never(node)


def is_subtraction(node: Plan) -> bool:
    """Return whether rows of the right input keep rows of the left out: an anti join, an `except`."""
    match node:
        case Join():
            return node.traits.rejects_partners
        case SetOperation():
            return node.operation == "except"
        case Table() | OneRow() | Project() | Filter() | Flatten() | Aggregate() | Window() | Union():
            return False
        case Distinct() | Sort() | Limit() | Sample():
            return False
        case _:
            assert_never(node)


# --- conditions ---


def condition_of(node: Plan) -> Expr | None:
    """Return the condition that the operator tests on rows or pairs of rows, if it has one."""
    match node:
        case Filter() | Join():
            return node.condition
        case Table() | OneRow() | Project() | Flatten() | Aggregate() | Window() | Union() | SetOperation():
            return None
        case Distinct() | Sort() | Limit() | Sample():
            return None
        case _:
            assert_never(node)


def tests_rows(node: Plan) -> bool:
    """Return whether the operator looks for something in each row and may drop those without it."""
    match node:
        case Filter() | Join():
            return True
        case Flatten():
            return not node.outer
        case Table() | OneRow() | Project() | Aggregate() | Window() | Union() | SetOperation():
            return False
        case Distinct() | Sort() | Limit() | Sample():
            return False
        case _:
            assert_never(node)
