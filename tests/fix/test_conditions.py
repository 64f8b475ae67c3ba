"""Other forms of a condition: each holds for the values for which the old one does not."""

from __future__ import annotations

import datetime as dt
import decimal
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import pytest

from sparkwhy.fix.context import UnknownValue
from sparkwhy.fix.kinds import cost_of
from sparkwhy.fix.proposals.condition_forms import Forms, change_failed, forms_of
from sparkwhy.fix.proposals.conditions.form import Form
from sparkwhy.fix.proposals.reasons import reason_without_form
from sparkwhy.memory.evaluate import evaluator
from sparkwhy.memory.settings import Settings
from sparkwhy.messages import Message
from sparkwhy.plan.exprs import (
    And,
    Attribute,
    Call,
    Cast,
    Compare,
    CompareOp,
    Expr,
    In,
    IsNotNull,
    IsNull,
    Literal,
    Not,
    Or,
    Ref,
    conjuncts,
)
from sparkwhy.plan.show import show_expr
from sparkwhy.plan.types import BOOLEAN, DATE, DOUBLE, INTEGER, LONG, STRING, TIMESTAMP, Decimal, Type
from tests.plan.test_nodes import attribute

PRICE = Decimal(9, 2)
N, M, S, D = attribute(1, "n"), attribute(2, "m"), attribute(3, "s", STRING), attribute(4, "d", DATE)
T, X, P = attribute(5, "t", TIMESTAMP), attribute(6, "x", DOUBLE), attribute(7, "p", PRICE)
L, Z = attribute(8, "l", LONG), attribute(9, "z", STRING)
UTC = dt.timezone.utc
MORNING = dt.datetime(2024, 1, 31, 10, 15, tzinfo=UTC)


def at(text: str) -> Expr:
    """A time, as Spark has it where users write text."""
    return Cast(Literal(text, STRING), TIMESTAMP)


def number(value: int | None) -> Expr:
    return Literal(value, INTEGER)


def word(value: str | None) -> Expr:
    return Literal(value, STRING)


def price(text: str) -> Expr:
    return Literal(decimal.Decimal(text), PRICE)


def compare(op: CompareOp, left: Attribute | Expr, right: Attribute | Expr) -> Expr:
    return Compare(op, *(Ref(side) if isinstance(side, Attribute) else side for side in (left, right)))


def value_in(row: dict[Attribute, Any]) -> Callable[[Expr], Any]:
    """What expressions are on a row; attributes that it does not have are unknown."""

    def value(expr: Expr) -> Any:
        try:
            return evaluator(expr, tuple(row), Settings())(tuple(row.values()))
        except (AssertionError, KeyError, ValueError, LookupError) as error:
            raise UnknownValue from error

    return value


def no_form(of: str) -> Message:
    return Message("no_other_form", condition=of)


def compared(*conditions: str) -> list[tuple[str, str]]:
    return [(condition, "comparison") for condition in conditions]


def texts(forms: Sequence[Form]) -> list[tuple[str, str]]:
    return [(show_expr(form.condition), form.kind) for form in forms]


@pytest.mark.parametrize(
    ("part", "row", "expected"),
    [
        # the nearest constant that is enough
        (compare("=", N, number(5)), {N: 3}, [("n = 3", "constant")]),
        (compare("<=>", N, number(5)), {N: 3}, [("n <=> 3", "constant")]),
        (compare("<=", N, number(5)), {N: 7}, [("n <= 7", "constant")]),
        (compare(">=", N, number(2019)), {N: 2018}, [("n >= 2018", "constant")]),
        (compare("<", N, number(5)), {N: 7}, [("n < 8", "constant")]),
        (compare(">", N, number(5)), {N: 3}, [("n > 2", "constant")]),
        (compare(">", number(5), N), {N: 7}, [("n < 8", "constant")]),
        (compare("<", N, number(5)), {N: 2**31 - 1}, [("n <= 2147483647", "constant")]),
        # at the bound itself the bound comes in
        (compare("<", N, number(5)), {N: 5}, [("n <= 5", "comparison")]),
        (compare(">", N, number(5)), {N: 5}, [("n >= 5", "comparison")]),
        (compare("<>", N, number(5)), {N: 5}, compared("n is not null", "n <= 5", "n >= 5")),
        (compare("=", S, word("US")), {S: "UK"}, [("s = 'UK'", "constant")]),
        (compare("=", S, Z), {S: "us", Z: "US"}, compared("lower(s) = lower(z)", "s >= z", "s > z", "s <> z")),
        # other types
        (
            compare("=", S, word("Germany")),
            {S: "germany "},
            [("lower(trim(s)) = 'germany'", "comparison"), ("s = 'germany '", "constant")],
        ),
        (compare("<", S, word("b")), {S: "c"}, [("s <= 'c'", "constant")]),
        (compare(">", X, Literal(0.5, DOUBLE)), {X: 0.25}, [("x >= 0.25", "constant")]),
        (compare(">=", P, price("5.00")), {P: decimal.Decimal("4.99")}, [("p >= 4.99", "constant")]),
        (
            compare("<", D, Literal(dt.date(2024, 1, 31), DATE)),
            {D: dt.date(2024, 2, 28)},
            [("d < date '2024-02-29'", "constant")],
        ),
        # constants in the form in which they were written
        (compare("<=", T, at("2024-01-31")), {T: MORNING}, [("t <= '2024-01-31 10:15:00+00:00'", "constant")]),
        (
            compare("<", D, Cast(word("2024-01-31"), DATE)),
            {D: dt.date(2024, 1, 31)},
            [("d <= '2024-01-31'", "comparison")],
        ),
        (compare("<", T, at("2024-01-31 10:15:00")), {T: MORNING}, [("t <= '2024-01-31 10:15:00'", "comparison")]),
        (compare("<", N, Cast(word("5"), INTEGER)), {N: 5}, [("n <= cast('5' as int)", "comparison")]),
        (compare("=", L, Cast(number(5), LONG)), {L: 7}, [("l = 7", "constant")]),
        # a column may be in an expression
        (
            compare(">", Call("+", (Ref(N), number(1))), number(10)),
            {N: 3},
            [("(n + 1) > 3", "constant")],
        ),
        # two columns: what lets through all that came through before goes first
        (compare("<", N, M), {N: 5, M: 5}, compared("n <= m", "n = m", "n >= m")),
        (compare("=", N, M), {N: 5, M: 6}, compared("n <= m", "n < m", "n <> m")),
        (compare("=", N, M), {N: None, M: None}, [("n <=> m", "comparison")]),
        # null as a constant
        (compare("=", N, number(None)), {N: None}, [("n <=> null", "comparison")]),
        (compare("<>", N, number(None)), {N: 1}, [("not (n <=> null)", "other")]),
        (compare("<>", N, number(None)), {N: None}, [("(n <> null) or (n is null)", "other")]),
        # lists
        (In(Ref(N), (number(1), number(2))), {N: 7}, [("n in (1, 2, 7)", "constant")]),
        (Not(In(Ref(N), (number(1), number(2)))), {N: 2}, [("not (n in (1))", "constant")]),
        (Not(In(Ref(S), (word("US"), word(None)))), {S: "FR"}, [("not (s in ('US'))", "constant")]),
        (Not(In(Ref(S), (word("US"), word("CA"), word(None)))), {S: "US"}, [("not (s in ('CA'))", "constant")]),
        # texts
        (Call("contains", (Ref(S), word("Arsenal"))), {S: "arsenal London"}, [("s contains 'rsenal'", "constant")]),
        (Call("contains", (Ref(S), word("xyz"))), {S: "London"}, [("s contains 'London'", "constant")]),
        (Call("startswith", (Ref(S), word("New York"))), {S: "New Delhi"}, [("s startswith 'New '", "constant")]),
        (Call("startswith", (Ref(S), word("New York"))), {S: "New"}, [("s startswith 'New'", "constant")]),
        (Call("startswith", (Ref(S), word("a"))), {S: "b"}, [("s startswith 'b'", "constant")]),
        (Call("endswith", (Ref(S), word(".org"))), {S: "a.com"}, [("s endswith 'a.com'", "constant")]),
        (Call("endswith", (Ref(S), word("a.org"))), {S: "b.org"}, [("s endswith '.org'", "constant")]),
        (Call("like", (Ref(S), word("A%"))), {S: "B_1"}, [("s like 'B\\_1'", "constant")]),
        # negations, disjunctions
        (Not(compare("=", N, number(5))), {N: 5}, compared("n is not null", "n <= 5", "n >= 5")),
        (Not(compare("<", N, number(5))), {N: 3}, [("n >= 3", "constant")]),
        (
            Or((compare("=", N, number(1)), compare("<", M, number(2)))),
            {N: 3, M: 2},
            [("(n = 1) or (m <= 2)", "comparison"), ("(n = 3) or (m < 2)", "constant")],
        ),
        # nulls: only a form that the paper does not have lets them through
        (compare("=", N, number(5)), {N: None}, [("(n = 5) or (n is null)", "other")]),
        (compare("<>", S, word("blocked")), {S: None}, [("not (s <=> 'blocked')", "other")]),
        (In(Ref(N), (number(1),)), {N: None}, [("(n in (1)) or (n is null)", "other")]),
        (Call("like", (Ref(S), word("A%"))), {S: None}, [("s like 'A%' or (s is null)", "other")]),
        (Not(In(Ref(N), (number(1),))), {N: None}, [("not (n in (1)) or (n is null)", "other")]),
    ],
    ids=lambda value: show_expr(value) if not isinstance(value, list | dict) else "",
)  # fmt: skip
def test_the_forms_of_a_condition_that_hold(part: Expr, row: dict[Attribute, Any], expected: list) -> None:
    values = value_in(row)
    assert values(part) is not True
    found = forms_of(part, values)
    assert texts(found) == expected
    for form in found:
        assert values(form.condition) is True


@pytest.mark.parametrize(
    ("part", "row", "reason"),
    [
        (IsNotNull(Ref(S)), {S: None}, Message("is_null", column="s")),
        (IsNull(Ref(S)), {S: "x"}, Message("is_not_null", column="s")),
        (compare("=", N, M), {N: None, M: 1}, no_form("n = m")),
        (compare("=", N, number(1)), {M: 1}, no_form("n = 1")),
        (Not(In(Ref(N), (number(1),))), {N: 1}, no_form("not (n in (1))")),
        (Literal(False, BOOLEAN), {N: 1}, no_form("false")),
    ],
)  # fmt: skip
def test_where_there_is_no_other_form_the_reason_is_told(part: Expr, row: dict[Attribute, Any], reason: str) -> None:
    assert forms_of(part, value_in(row)) == ()
    assert reason_without_form(part, show_expr) == reason


# --- several conditions ---


def test_only_the_conjuncts_that_failed_are_changed() -> None:
    between = And((compare(">=", N, number(2)), compare("<=", N, number(4)), compare("=", S, word("x"))))
    values = value_in({N: 7, S: "x"})
    found = change_failed(between, lambda part: values(part) is not True, values)
    assert texts(found.found) == [("(n >= 2) and (n <= 7) and (s = 'x')", "constant")]


def test_all_that_failed_is_changed_together_and_the_worst_kind_is_told() -> None:
    both = And((compare("<", N, number(4)), compare("=", S, word("x")), IsNotNull(Ref(N))))
    values = value_in({N: 4, S: None})
    found = change_failed(both, lambda part: values(part) is not True, values)
    assert texts(found.found) == [("(n <= 4) and ((s = 'x') or (s is null)) and (n is not null)", "other")]


def test_one_conjunct_without_another_form_is_enough_for_none() -> None:
    both = And((compare("<", N, number(4)), IsNotNull(Ref(S))))
    values = value_in({N: 4, S: None})
    found = change_failed(both, lambda part: values(part) is not True, values)
    assert found == Forms(stuck=IsNotNull(Ref(S)))


# --- generated ---

OPS: list[CompareOp] = ["=", "<=>", "<>", "<", "<=", ">", ">="]
DAYS = [dt.date(2023, 12, 31), dt.date(2024, 1, 1), dt.date(2024, 2, 29)]
POOLS: dict[Type, list[Any]] = {
    INTEGER: [-(2**31), -1, 0, 1, 2, 2**31 - 1],
    LONG: [-(2**63), -1, 0, 1, 2**40],
    DOUBLE: [-0.5, 0.0, 1.0, 1e300, float("inf"), float("nan")],
    PRICE: [decimal.Decimal(text) for text in ("-0.01", "0.00", "1.00", "1234567.89")],
    STRING: ["", "a", "ab", "abc", "b", "A", "a%b", "a_\\b", "1"],
    DATE: DAYS,
    TIMESTAMP: [dt.datetime(day.year, day.month, day.day, hour, tzinfo=UTC) for day in DAYS for hour in (0, 7)],
}
COLUMNS: dict[Type, tuple[Attribute, Attribute]] = {
    a.type: (a, attribute(10 + a.id, f"{a.name}2", a.type)) for a in (N, L, X, P, S, D, T)
}


class Drawn:
    """A generated row, and conditions on it."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.row = {a: self.value(type) for type, both in COLUMNS.items() for a in both}

    def value(self, type: Type) -> Any:
        return None if self.random.random() < 0.15 else self.random.choice(POOLS[type])

    def constant(self, type: Type) -> Expr:
        known = [value for value in POOLS[type] if "\\" not in str(value)]  # which is an error in some patterns
        value = self.random.choice([*known, *known, None])
        if value is None or self.random.random() < 0.6:
            return Literal(value, type)
        if type in (LONG, PRICE, DOUBLE) and self.random.random() < 0.5:
            return Cast(number(self.random.choice([-1, 0, 7])), type)
        if type in (DATE, TIMESTAMP, INTEGER, LONG, PRICE):
            return Cast(word(str(value)), type)
        return Literal(value, type)

    def part(self) -> Expr:
        type = self.random.choice(list(POOLS))
        one, other = COLUMNS[type]
        options = tuple(self.constant(type) for _ in range(self.random.randint(1, 3)))
        text = Call(self.random.choice(["contains", "startswith", "endswith", "like"]), (Ref(S), self.constant(STRING)))
        comparison = compare(self.random.choice(OPS), one, self.random.choice([other, options[0], options[0]]))
        mirrored = compare(self.random.choice(OPS), options[0], one)
        simple = self.random.choice([comparison, comparison, mirrored, In(Ref(one), options), text])
        turned = Not(simple) if self.random.random() < 0.3 else simple
        return Or((turned, self.part())) if self.random.random() < 0.15 else turned


@pytest.mark.parametrize("batch", range(4))
def test_every_form_holds_and_nothing_else_is_touched(batch: int) -> None:
    found = 0
    for seed in range(600):
        drawn = Drawn(Random(f"conditions/{batch}/{seed}"))
        values = value_in(drawn.row)
        condition = And(tuple(drawn.part() for _ in range(2))) if seed % 2 else drawn.part()
        failed = [part for part in conjuncts(condition) if values(part) is not True]
        if not failed:
            continue
        forms = change_failed(condition, failed.__contains__, values)
        assert bool(forms.found) != bool(forms.stuck)
        assert [cost_of(form.kind) for form in forms.found] == sorted(cost_of(form.kind) for form in forms.found)
        for form in forms.found:
            assert values(form.condition) is True, f"{condition}\n{form}\n{drawn.row}"
            kept = zip(conjuncts(condition), conjuncts(form.condition), strict=True)
            assert all(old == new for old, new in kept if old not in failed)
        found += bool(forms.found)
    assert found > 200
