"""The conditions of a question that an operator must still check, since none of its inputs did."""

from __future__ import annotations

from sparkwhy.backtrace.backtrace import Conditions, push_through
from sparkwhy.errors import assert_never
from sparkwhy.plan.nodes import (
    Aggregate,
    Distinct,
    Filter,
    Flatten,
    Join,
    Limit,
    OneRow,
    Plan,
    Project,
    Sample,
    SetOperation,
    Sort,
    Table,
    Union,
    Window,
)


def remaining_conditions(op: Plan, wanted: Conditions) -> Conditions:
    """Return the conditions that no input has checked already in the same form; above a join all are checked again.

    Of `x > 1 and n > 1` over `project k, count as n` the input has checked neither, if x is computed there.
    """
    match op:
        case Table() | OneRow() | Join():
            return wanted
        case Filter() | Sort() | Union() | SetOperation() | Distinct(keys=None):
            return ()
        case Project():
            return wanted if len(push_through(op, wanted)[0]) < len(wanted) else ()
        case Flatten() | Aggregate() | Window() | Distinct() | Limit() | Sample():
            below = {id(condition) for conditions in push_through(op, wanted) for condition in conditions}
            return tuple(condition for condition in wanted if id(condition) not in below)
        case _:
            assert_never(op)
