"""The equalities of `from a, b where a.x = b.y` belong to the join."""

from __future__ import annotations

from sparkwhy.plan.exprs import And, Compare, Expr, Literal, Ref
from sparkwhy.plan.nodes import Filter, Join, OpId, Place, Plan
from sparkwhy.plan.show import show_plan
from sparkwhy.plan.types import INTEGER
from sparkwhy.spark.comma_joins import with_join_conditions
from tests.plan.test_nodes import attribute, table

A, B, C = attribute(1, "a"), attribute(2, "b"), attribute(3, "c")
TWO = Compare(">", Ref(A), Literal(2, INTEGER))


def equal(left, right) -> Expr:
    return Compare("=", Ref(left), Ref(right))


def joined(left: Plan, right: Plan, step: int, condition: Expr | None = None) -> Join:
    return Join(id=OpId(step), left=left, right=right, how="inner", condition=condition)


def filtered(plan: Plan, *parts: Expr) -> Plan:
    return Filter(id=OpId(9), where=Place("etl.py", 3), input=plan, condition=And(parts))


def shown(plan: Plan) -> list[str]:
    return [line.split("  ", 1)[1].strip() for line in show_plan(with_join_conditions(plan)).splitlines()]


def test_equalities_move_to_the_join_whose_sides_they_compare() -> None:
    three = joined(joined(table(1, A), table(2, B), 3), table(4, C), 5)
    assert shown(filtered(three, equal(B, A), TWO, equal(C, B))) == [
        "table t1 (a)",
        "table t2 (b)",
        "join on b = a of 1 and 2  etl.py:3",
        "table t4 (c)",
        "join on c = b of 3 and 4  etl.py:3",
        "filter a > 2              etl.py:3",
    ]


def test_a_join_with_a_key_of_its_own_takes_no_other() -> None:
    plan = filtered(joined(table(1, A), table(2, B), 3, equal(A, B)), equal(A, B), TWO)
    assert with_join_conditions(plan) == plan


def test_outer_joins_and_other_comparisons_are_left_alone() -> None:
    outer = Join(id=OpId(3), left=table(1, A), right=table(2, B), how="left")
    assert with_join_conditions(filtered(outer, equal(A, B), TWO)).kind == "filter"
    assert with_join_conditions(filtered(outer, equal(A, B), TWO)) == filtered(outer, equal(A, B), TWO)
    less = filtered(joined(table(1, A), table(2, B), 3), Compare("<", Ref(A), Ref(B)), TWO)
    assert with_join_conditions(less) == less
