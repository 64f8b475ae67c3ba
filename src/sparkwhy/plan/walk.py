"""Moving over plans, in loops: no pass recurses by itself, so a plan of thousands of operators is no problem."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import TypeVar

from sparkwhy.errors import assert_never
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

T = TypeVar("T")


def inputs(plan: Plan) -> tuple[Plan, ...]:
    """Return the operators that this one reads, left to right."""
    match plan:
        case Table() | OneRow():
            return ()
        case Join() | SetOperation():
            return (plan.left, plan.right)
        case Union():
            return plan.branches
        case Project() | Filter() | Flatten() | Aggregate() | Window() | Distinct() | Sort() | Limit() | Sample():
            return (plan.input,)
        case _:
            assert_never(plan)


def with_inputs(plan: Plan, new: tuple[Plan, ...]) -> Plan:
    """Return the same operator over other inputs."""
    match plan:
        case Table() | OneRow():
            return plan
        case Join() | SetOperation():
            left, right = new
            return replace(plan, left=left, right=right)
        case Union():
            return replace(plan, branches=new)
        case Project() | Filter() | Flatten() | Aggregate() | Window() | Distinct() | Sort() | Limit() | Sample():
            (only,) = new
            return replace(plan, input=only)
        case _:
            assert_never(plan)


def walk(plan: Plan) -> Iterator[Plan]:
    """Yield all operators in reading order: inputs before the operator that reads them, left before right."""
    todo: list[tuple[Plan, bool]] = [(plan, False)]
    while todo:
        current, ready = todo.pop()
        if ready:
            yield current
        else:
            todo.append((current, True))
            todo.extend((below, False) for below in reversed(inputs(current)))


def fold(plan: Plan, combine: Callable[[Plan, tuple[T, ...]], T]) -> T:
    """Compute bottom-up: `combine` gets each operator with the results of its inputs."""
    done: list[T] = []
    for current in walk(plan):
        count = len(inputs(current))
        results = tuple(done[len(done) - count :])
        del done[len(done) - count :]
        done.append(combine(current, results))
    (result,) = done
    return result


def push_down(plan: Plan, seed: T, split: Callable[[Plan, T], tuple[T, ...]]) -> Mapping[OpId, T]:
    """Compute top-down: `split` gets each operator with what came to it, and says what goes to each input."""
    came: dict[OpId, T] = {}
    todo: list[tuple[Plan, T]] = [(plan, seed)]
    while todo:
        current, value = todo.pop()
        came[current.id] = value
        todo.extend(zip(inputs(current), split(current, value), strict=True))
    return came
