"""How far expressions are evaluated, and what they make of null."""

from __future__ import annotations

import pytest

from sparkwhy.errors import EvaluationError
from sparkwhy.memory.evaluate import evaluator
from sparkwhy.memory.settings import Settings
from sparkwhy.memory.values import Value
from sparkwhy.plan.exprs import (
    And,
    Attribute,
    AttrId,
    Call,
    Case,
    Cast,
    Compare,
    Expr,
    In,
    Lambda,
    Literal,
    Or,
    Ref,
    Variable,
)
from sparkwhy.plan.types import BOOLEAN, DOUBLE, INTEGER, STRING, Array

TRUE, FALSE, NULL = (Literal(value, BOOLEAN) for value in (True, False, None))
ONE = Literal(1, INTEGER)
FAILS = Cast(Literal("x", STRING), INTEGER, "ansi")
FAILS_TOO = Compare("=", FAILS, ONE)


def value(expr: Expr) -> Value:
    return evaluator(expr, (), Settings())(())


@pytest.mark.parametrize(
    ("expr", "expected"),
    [
        (And((TRUE, NULL)), None),
        (And((NULL, FALSE)), False),
        (Or((NULL, TRUE)), True),
        (Or((FALSE, NULL)), None),
        (And((FALSE, FAILS_TOO)), False),
        (Or((TRUE, FAILS_TOO)), True),
        (Case(((TRUE, ONE),), FAILS), 1),
        (Case(((NULL, FAILS),), ONE), 1),
        (Call("coalesce", (ONE, FAILS)), 1),
        (Call("+", (Literal(None, INTEGER), FAILS)), None),
        (In(ONE, (ONE, FAILS)), True),
        (In(Literal(None, INTEGER), (FAILS,)), None),
    ],
)
def test_evaluation_stops_where_the_result_is_known(expr: Expr, expected: Value) -> None:
    assert value(expr) is expected or value(expr) == expected


@pytest.mark.parametrize("expr", [And((NULL, FAILS_TOO)), Or((FALSE, FAILS_TOO)), Call("coalesce", (NULL, FAILS_TOO))])
def test_evaluation_goes_on_where_it_is_not(expr: Expr) -> None:
    with pytest.raises(EvaluationError, match="cannot read 'x' as int"):
        value(expr)


def test_lambdas_see_the_row_and_the_lambdas_around_them() -> None:
    outer, inner = Variable(1, "x", Array(INTEGER)), Variable(2, "y", INTEGER)
    arrays = Attribute(AttrId(1), "arrays", Array(Array(INTEGER)))
    n = Attribute(AttrId(2), "n", INTEGER)
    sums = Call("+", (Call("+", (inner, Ref(n))), Call("size", (outer,))))
    nested = Lambda((outer,), Call("transform", (outer, Lambda((inner,), sums))))
    compute = evaluator(Call("transform", (Ref(arrays), nested)), (arrays, n), Settings())
    assert compute((((1, 2), (), (3,)), 10)) == ((13, 14), (), (14,))


def test_a_lambda_that_occurs_twice() -> None:
    x = Variable(1, "x", INTEGER)
    array = Literal((1, 2), Array(INTEGER))
    twice = Call("transform", (array, Lambda((x,), Call("+", (x, x)))))
    again = Call("transform", (twice, Lambda((x,), Call("size", (twice,)))))
    assert value(again) == (2, 2)


def texts_of(attribute: Attribute) -> Expr:
    """`transform(array(a), x -> cast(x as string))`."""
    x = Variable(1, "x", attribute.type)
    each = Lambda((x,), Cast(x, STRING))
    return Call("transform", (Call("array", (Ref(attribute),)), each))


def test_what_lambdas_say_of_equal_values_is_computed_once() -> None:
    number = Attribute(AttrId(1), "a", INTEGER)
    evaluated = evaluator(texts_of(number), (number,), Settings())
    assert list(evaluated((7,))) == ["7"]
    assert evaluated((7,)) is evaluated((7,))
    assert list(evaluated((8,))) == ["8"]
    assert list(evaluated((None,))) == [None]


def test_values_that_are_equal_but_not_the_same_are_told_apart() -> None:
    number = Attribute(AttrId(1), "a", DOUBLE)
    evaluated = evaluator(texts_of(number), (number,), Settings())
    assert [list(evaluated((zero,))) for zero in (0.0, -0.0)] == [["0.0"], ["-0.0"]]
