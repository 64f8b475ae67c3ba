"""Constants below an aggregate: no row tells them, values of the data do."""

from __future__ import annotations

import pytest

from sparkwhy.explain.candidates import Claim
from sparkwhy.plan.exprs import AggCall, And, Compare, CompareOp, Expr, Literal, Ref
from sparkwhy.plan.nodes import Aggregate, Column, Filter, Plan
from sparkwhy.plan.nodes import OpId as Id
from sparkwhy.plan.types import INTEGER, LONG, Type
from tests.fix.chain import Case, Tables, tried
from tests.plan.test_nodes import attribute, table

K, V = attribute(1, "k"), attribute(2, "v")
ROWS: Tables = {Id(1): [(1, 5), (1, 20), (1, 40), (1, 60), (2, -3), (2, 8), (3, 50)]}


def totals(function: str, op: CompareOp = "<", bound: int = 10) -> Plan:
    """An aggregate for each k of the values on one side of a bound."""
    kept = Filter(id=Id(2), input=table(1, K, V), condition=Compare(op, Ref(V), Literal(bound, INTEGER)))
    made = Column(attribute(3, "total", result(function)), AggCall(function, (Ref(V),)))
    return Aggregate(id=Id(3), input=kept, keys=(Column(K, Ref(K)),), aggregates=(made,))


def result(function: str) -> Type:
    return AggCall(function, (Ref(V),)).type


def asked(plan: Plan, k: int, total: float, op: CompareOp = "=") -> tuple[Expr, ...]:
    key, value = plan.output
    return (Compare("=", Ref(key), Literal(k, INTEGER)), Compare(op, Ref(value), Literal(total, value.type)))


def fixes(judged: Claim) -> list[str]:
    return [fix.after for fix in judged.explanation.fixes]


@pytest.mark.parametrize(
    ("function", "total", "fixed"),
    [
        ("sum", 25, "filter v < 21"),  # 5 + 20: the nearest row is enough
        ("sum", 65, "filter v < 41"),  # 5 + 20 + 40: no row tells
        ("sum", 125, "filter v < 61"),  # all of the group
        ("count", 3, "filter v < 41"),
        ("avg", 31.25, "filter v < 61"),
        ("max", 40, "filter v < 41"),
    ],
)
def test_a_bound_below_an_aggregate_is_found(function: str, total: float, fixed: str) -> None:
    plan = totals(function)
    (found,) = tried(Case.of(plan, ROWS, asked(plan, 1, total))).judged
    assert found.verified
    assert fixes(found) == [fixed]
    assert [fix.kind for fix in found.explanation.fixes] == ["constant"]


def test_a_minimum_needs_a_bound_from_above() -> None:
    plan = totals("min", ">", 50)
    result = tried(Case.of(plan, ROWS, asked(plan, 1, 20)))
    (first,), (found,) = result.verdicts, result.judged
    assert fixes(first) == ["filter v > 19"]  # the nearest row is 40
    assert fixes(found) == ["filter v = 20"]  # with fewer side effects


def test_of_the_constants_that_work_the_nearest_is_taken() -> None:
    plan = totals("sum")
    (found,) = tried(Case.of(plan, ROWS, asked(plan, 1, 50, ">"))).judged
    assert fixes(found) == ["filter v < 41"]  # 65; v < 61 would do too


def test_a_bound_is_made_stricter_where_a_sum_must_be_less() -> None:
    """All values of the group are let through; the nearest bound that does is just above the second of them."""
    plan = totals("sum", "<", 100)
    found = tried(Case.of(plan, ROWS, asked(plan, 1, 30, "<"))).judged
    assert ["filter v < 21"] in [fixes(each) for each in found]  # 5 + 20


def test_what_no_bound_gives_is_only_tried() -> None:
    """5 + 40 is a sum of some of the values, but of none that a bound keeps."""
    plan = totals("sum")
    answer = tried(Case.of(plan, ROWS, asked(plan, 1, 45)))
    assert answer.judged == ()
    (tried_in_vain,) = answer.verdicts
    assert tried_in_vain.explanation.certain is False
    assert tried_in_vain.explanation.reason is not None
    assert "total is 25, not total = 45" in tried_in_vain.explanation.reason


def test_a_condition_on_an_aggregate_is_a_filter_like_any_other() -> None:
    plan = totals("sum", "<", 30)
    total = plan.output[1]
    having = Filter(id=Id(4), input=plan, condition=Compare(">=", Ref(total), Literal(120, LONG)))
    case = Case.of(having, ROWS, (Compare("=", Ref(K), Literal(1, INTEGER)),))
    answer = tried(case)
    found = {tuple(op.id for op in each.explanation.operators): each for each in answer.verified}
    assert fixes(found[4,]) == ["filter total >= 25"]
    assert fixes(found[2,]) == ["filter v < 61"]
    assert all(case.matching(each.repair.fixed_plan) for each in answer.verified if each.repair is not None)


def test_a_constant_below_is_looked_for_so_that_a_condition_above_holds() -> None:
    """HAVING total = 65: the whole group has 125, as it is it has 5."""
    plan = totals("sum")
    having = Filter(id=Id(4), input=plan, condition=Compare("=", Ref(plan.output[1]), Literal(65, LONG)))
    answer = tried(Case.of(having, ROWS, (Compare("=", Ref(K), Literal(1, INTEGER)),)))
    found = {tuple(op.id for op in each.explanation.operators): each for each in answer.verified}
    assert fixes(found[2,]) == ["filter v < 41"]
    assert fixes(found[4,]) == ["filter total = 5"]


def test_one_of_several_comparisons_is_moved() -> None:
    between = And((Compare(">=", Ref(V), Literal(0, INTEGER)), Compare("<", Ref(V), Literal(10, INTEGER))))
    source = table(1, K, V)
    made = Column(attribute(3, "total", LONG), AggCall("sum", (Ref(V),)))
    kept = Filter(id=Id(2), input=source, condition=between)
    plan = Aggregate(id=Id(3), input=kept, keys=(Column(K, Ref(K)),), aggregates=(made,))
    (found,) = tried(Case.of(plan, ROWS, asked(plan, 1, 65))).judged
    assert fixes(found) == ["filter (v >= 0) and (v < 41)"]


@pytest.mark.parametrize("total", [100, 1234, 2345, 17_000])
def test_among_many_values_the_nearest_that_does_is_found(total: int) -> None:
    """Of 200 values 17 are tried first, then what is between those of them that work and those that do not."""
    plan = totals("sum", "<", 1)
    rows: Tables = {Id(1): [(1, value) for value in range(200)]}
    (found,) = tried(Case.of(plan, rows, asked(plan, 1, total, ">"))).judged
    least = next(bound for bound in range(200) if sum(range(bound)) > total)
    assert fixes(found) == [f"filter v < {least}"]
