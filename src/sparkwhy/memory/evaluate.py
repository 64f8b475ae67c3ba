"""Expressions made into Python functions of a row: once for an operator, then called for each row.

Arguments are evaluated from left to right and no further than Spark does: what stands behind a false
conjunct, a null operand or a taken branch cannot fail. Opaque expressions have no meaning here.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from sparkwhy.errors import EvaluationError, NotInterpretable, assert_never
from sparkwhy.memory.casts import caster
from sparkwhy.memory.collections import look_up
from sparkwhy.memory.functions import NULL_AWARE, STRICT
from sparkwhy.memory.settings import Settings
from sparkwhy.memory.values import Row, Value, compare, grouping_key
from sparkwhy.plan.exprs import (
    AggCall,
    And,
    Attribute,
    Call,
    Case,
    Cast,
    Compare,
    CompareOp,
    Expr,
    FieldOf,
    In,
    IsNotNull,
    IsNull,
    ItemOf,
    Lambda,
    Literal,
    MakeStruct,
    Mode,
    Not,
    Opaque,
    Or,
    Ref,
    Variable,
    WindowCall,
)
from sparkwhy.plan.types import BOOLEAN, INTEGER, LONG, STRING, Array, Map, Struct, Type
from sparkwhy.plan.walk_exprs import attributes_of, fold_expr, parts

Evaluator: TypeAlias = Callable[[Row], Value]

LambdaScope: TypeAlias = Mapping[int, Value]
"""The values of the lambda variables that are in reach, by their ids."""

RowFunction: TypeAlias = Callable[[Row, LambdaScope], Value]
RowFunctions: TypeAlias = tuple[RowFunction, ...]

_ORDER: Mapping[CompareOp, Callable[[int, int], bool]] = {
    "=": operator.eq,
    "<=>": operator.eq,
    "<>": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def evaluator(expr: Expr, attributes: Sequence[Attribute], settings: Settings) -> Evaluator:
    """Return the function that computes the expression from a row of these attributes."""
    place = {attribute.id: i for i, attribute in enumerate(attributes)}

    def combine(part: Expr, below: RowFunctions) -> RowFunction:
        if isinstance(part, Ref):
            index = place[part.attribute.id]
            return lambda row, _: row[index]
        return _step(part, below, settings)

    step = fold_expr(expr, combine)
    read = dict.fromkeys(attributes_of(expr))
    if any(isinstance(part, Lambda) for part in parts(expr)) and all(_is_hashed_exactly(a.type) for a in read):
        return _memoize(step, [place[attribute.id] for attribute in read])
    return lambda row: step(row, {})


def _memoize(step: RowFunction, read: Sequence[int]) -> Evaluator:
    """Lambdas take long, and what they read is often the same on all rows of a group: each value is computed once."""
    known: dict[tuple[Value, ...], Value] = {}

    def evaluate_once(row: Row) -> Value:
        values = tuple(row[i] for i in read)
        if values not in known:
            known[values] = step(row, {})
        return known[values]

    return evaluate_once


def _is_hashed_exactly(type: Type) -> bool:
    """Return whether values that Python holds for equal are the same: not so 0.0 and -0.0, or 1.0 and 1.00."""
    match type:
        case Array(element):
            return _is_hashed_exactly(element)
        case Struct(fields):
            return all(_is_hashed_exactly(field.type) for field in fields)
        case _:
            return type in (BOOLEAN, INTEGER, LONG, STRING)


def _step(expr: Expr, below: RowFunctions, settings: Settings) -> RowFunction:
    match expr:
        case Literal():
            return lambda _row, _scope: expr.value
        case Variable():
            return lambda _row, scope: scope[expr.id]
        case FieldOf():
            return _field(expr, below[0])
        case ItemOf():
            return _strict(_item(expr.input.type, expr.mode), below)
        case Compare():
            return _compare(expr.op, *below)
        case And():
            return _connective(below, decisive=False)
        case Or():
            return _connective(below, decisive=True)
        case Not():
            return _strict(operator.not_, below)
        case IsNull():
            (inner,) = below
            return lambda row, scope: inner(row, scope) is None
        case IsNotNull():
            (inner,) = below
            return lambda row, scope: inner(row, scope) is not None
        case In():
            return _membership(below[0], below[1:])
        case Cast():
            cast = caster(expr.input.type, expr.type, expr.mode, settings)
            return lambda row, scope: cast(below[0](row, scope))
        case MakeStruct():
            return lambda row, scope: tuple([value(row, scope) for value in below])
        case Case():
            return _case(below, expr.otherwise is not None)
        case Call():
            return _call(expr, below, settings)
        case Lambda():
            return _lambda(expr, below[-1])
        case Opaque():
            raise NotInterpretable(f"only Spark knows what {expr.text} means")
        case Ref() | AggCall() | WindowCall():
            raise AssertionError(f"{expr} has no value for a single row")
        case _:
            assert_never(expr)


def _strict(function: Callable[..., Value], args: RowFunctions) -> RowFunction:
    """Null as soon as an argument is null."""
    if len(args) == 2:  # most have two
        return _strict_pair(function, *args)

    def step(row: Row, scope: LambdaScope) -> Value:
        values = []
        for arg in args:
            value = arg(row, scope)
            if value is None:
                return None
            values.append(value)
        return function(*values)

    return step


def _strict_pair(function: Callable[..., Value], left: RowFunction, right: RowFunction) -> RowFunction:
    def step(row: Row, scope: LambdaScope) -> Value:
        one = left(row, scope)
        if one is None:
            return None
        other = right(row, scope)
        return None if other is None else function(one, other)

    return step


# --- logic --------------------------------------------------------------------------------------------------


def _connective(operands: RowFunctions, *, decisive: bool) -> RowFunction:
    """`decisive` decides wherever it stands; without it, a null leaves the matter open."""

    def step(row: Row, scope: LambdaScope) -> bool | None:
        unknown = False
        for operand in operands:
            verdict: bool | None = operand(row, scope)
            if verdict is decisive:
                return decisive
            unknown = unknown or verdict is None
        return None if unknown else not decisive

    return step


def _compare(op: CompareOp, left: RowFunction, right: RowFunction) -> RowFunction:
    holds = _ORDER[op]
    if op == "<=>":
        return lambda row, scope: compare(left(row, scope), right(row, scope)) == 0
    return _strict(lambda a, b: holds(compare(a, b), 0), (left, right))


def _membership(input: RowFunction, options: RowFunctions) -> RowFunction:
    def step(row: Row, scope: LambdaScope) -> bool | None:
        value = input(row, scope)
        if value is None:
            return None
        wanted, unknown = grouping_key(value), False
        for option in options:
            offered = option(row, scope)
            if offered is None:
                unknown = True
            elif grouping_key(offered) == wanted:
                return True
        return None if unknown else False

    return step


def _case(parts: RowFunctions, otherwise: bool) -> RowFunction:
    last = parts[-1] if otherwise else None
    branches = list(zip(parts[0::2], parts[1::2], strict=False))

    def step(row: Row, scope: LambdaScope) -> Value:
        for condition, value in branches:
            if condition(row, scope) is True:
                return value(row, scope)
        return None if last is None else last(row, scope)

    return step


# --- parts of values ----------------------------------------------------------------------------------------


def _field(expr: FieldOf, input: RowFunction) -> RowFunction:
    ordinal = expr.ordinal
    if isinstance(expr.input.type, Array):
        return _strict(lambda array: tuple([None if e is None else e[ordinal] for e in array]), (input,))
    return _strict(lambda struct: struct[ordinal], (input,))


def _item(type: object, mode: Mode) -> Callable[..., Value]:
    if isinstance(type, Map):
        return look_up

    def item(array: tuple[Value, ...], index: int) -> Value:
        if 0 <= index < len(array):
            return array[index]
        if mode == "ansi":
            raise EvaluationError(f"no element {index} in an array of {len(array)}")
        return None

    return item


# --- functions ----------------------------------------------------------------------------------------------


def _call(expr: Call, args: RowFunctions, settings: Settings) -> RowFunction:
    if expr.function == "coalesce":
        return _coalesce(args)
    if expr.function in STRICT:
        return _strict(STRICT[expr.function](expr, settings), args)
    if expr.function in NULL_AWARE:
        function = NULL_AWARE[expr.function](expr, settings)
        return lambda row, scope: function(*[arg(row, scope) for arg in args])
    raise AssertionError(f"{expr.function} has no value for a single row")


def _coalesce(args: RowFunctions) -> RowFunction:
    def step(row: Row, scope: LambdaScope) -> Value:
        return next((value for arg in args if (value := arg(row, scope)) is not None), None)

    return step


def _lambda(expr: Lambda, body: RowFunction) -> RowFunction:
    """Return a lambda as a Python function of its parameters; it sees the row and the variables around it."""
    ids = [param.id for param in expr.params]

    def step(row: Row, scope: LambdaScope) -> Callable[..., Value]:
        return lambda *values: body(row, {**scope, **dict(zip(ids, values, strict=True))})

    return step
