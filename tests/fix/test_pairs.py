"""Joins that keep a pair apart: the opened query is the query, and what is said of it holds for the join."""

from __future__ import annotations

from functools import cache
from random import Random

from sparkwhy.backtrace.backtrace import Conditions
from sparkwhy.explain.candidates import Claim
from sparkwhy.fix.pairs import explain_pairs, with_filter_as_join, with_join_as_filter
from sparkwhy.limits import Limits
from sparkwhy.memory.interpreter import run
from sparkwhy.plan.exprs import AggCall, Attribute, AttrId, Compare, CompareOp, IsNull, Literal, Ref
from sparkwhy.plan.nodes import Aggregate, Column, Join, JoinType, OpId, Plan, Source, Table
from sparkwhy.plan.show import show_plan
from sparkwhy.plan.types import INTEGER, LONG
from sparkwhy.plan.walk import walk
from tests.fix.chain import Case, Tables
from tests.memory_engine import MemoryEngine
from tests.trace.plans import Generator
from tests.trace.test_law import bag, meeting
from tests.trace.test_law_of_alternatives import is_determined

A, B = (Attribute(AttrId(i), name, INTEGER, True) for i, name in ((1, "a"), (2, "b")))
LEFT = Table(id=OpId(1), attributes=(A,), source=Source("left"))
RIGHT = Table(id=OpId(2), attributes=(B,), source=Source("right"))


def joined(how: JoinType, op: CompareOp = "=") -> Join:
    return Join(id=OpId(3), left=LEFT, right=RIGHT, how=how, condition=Compare(op, Ref(A), Ref(B)))


def equals(attribute: Attribute, value: int) -> Compare:
    return Compare("=", Ref(attribute), Literal(value, INTEGER))


def asked(plan: Plan, rows: tuple[list[int], list[int]], conditions: Conditions) -> tuple[Claim, ...]:
    tables = {OpId(i): [(value,) for value in side] for i, side in enumerate(rows, 1)}
    return explain_pairs(MemoryEngine(tables), plan, conditions, "UTC", verify=True)


def generated() -> list[Case]:
    """Questions about queries with joins."""
    found = []
    for seed in range(900):
        generator = Generator(Random(f"pairs/{seed}"))
        plan = generator.plan(1 + seed % 4)
        joins = [node for node in walk(plan) if isinstance(node, Join) and node.condition is not None]
        if joins and is_determined(plan):
            conditions = tuple(generator.condition(plan) for _ in range(generator.random.randint(1, 3)))
            case = Case.of(plan, generator.tables, conditions)
            if not case.matching(plan):
                found.append(case)
    return found


@cache
def answers() -> list[tuple[Case, Claim]]:
    return [
        (case, each)
        for case in generated()
        for each in explain_pairs(MemoryEngine(case.tables), case.plan, case.conditions, "UTC", verify=True)
    ]


def test_an_inner_join_is_its_condition_over_all_pairs() -> None:
    checked = 0
    for case in generated():
        for join in walk(case.plan):
            if isinstance(join, Join) and join.how == "inner" and join.condition is not None:
                other = with_join_as_filter(case.plan, join)
                assert bag(case.rows(other), other) == bag(case.rows(case.plan), case.plan), show_plan(case.plan)
                assert with_filter_as_join(other, join) == case.plan
                checked += 1
    assert checked >= 20


def test_a_verified_change_of_the_join_returns_the_row() -> None:
    verified = [(case, each) for case, each in answers() if each.verified]
    assert len(verified) >= 2  # few joins of the generated queries compare by order
    for case, each in verified:
        assert each.repair is not None
        assert run(meeting(each.repair.fixed_plan, case.conditions), case.tables), show_plan(case.plan)


def test_a_join_is_among_the_operators_and_its_fix_is_a_join() -> None:
    for case, each in answers():
        kinds = {operator.kind for operator in each.explanation.operators}
        assert "join" in kinds, show_plan(case.plan)
        changed = [fix for fix in each.explanation.fixes if fix.operator.kind == "join"]
        assert all("join" in fix.after for fix in changed)


def test_both_parts_are_there_and_the_join_keeps_them_apart() -> None:
    (found,) = asked(joined("inner"), ([1, 5], [1, 7]), (equals(A, 5), equals(B, 7)))
    assert [operator.text for operator in found.explanation.operators] == ["join on a = b"]
    (witness,) = found.explanation.witnesses
    assert witness.at[3].verdicts == {"a = b": False}
    assert witness.at[3].values == {"a": 5, "b": 7}
    assert found.explanation.fixes == ()  # `a <= b` would let the pair through, and mean nothing


def test_a_join_that_compares_by_order_can_compare_otherwise() -> None:
    (found,) = asked(joined("inner", "<"), ([5], [5]), (equals(A, 5), equals(B, 5)))
    assert found.verified
    assert [fix.after for fix in found.explanation.fixes] == ["join on a <= b"]


def test_an_outer_join_stays_outer() -> None:
    (found,) = asked(joined("left", "<"), ([5], [3]), (equals(A, 5), equals(B, 3)))
    assert [fix.after for fix in found.explanation.fixes] == ["left join on a <> b"]


def test_what_is_not_there_cannot_be_joined() -> None:
    assert asked(joined("inner"), ([1, 5], [1]), (equals(A, 5), equals(B, 7))) == ()


def test_the_product_of_many_rows_is_not_made() -> None:
    many = list(range(10, 11 + Limits().pair_rows))
    assert asked(joined("inner"), (many, [1]), (equals(B, 1),)) == ()
    assert asked(joined("inner"), (many[1:], [1]), (equals(B, 1),)) != ()


def test_a_group_may_change_by_a_further_pair_so_it_is_left_alone() -> None:
    pairs = joined("inner")
    count = Attribute(AttrId(3), "n", LONG, False)
    number = Column(count, AggCall("count", (Literal(1, LONG),)))
    keys = (Column(A, Ref(A)), Column(B, Ref(B)))
    values = ([5], [7]), (equals(A, 5), equals(B, 7))
    assert asked(Aggregate(id=OpId(4), input=pairs, keys=keys, aggregates=(number,)), *values) == ()
    assert len(asked(Aggregate(id=OpId(4), input=pairs, keys=keys, aggregates=()), *values)) == 1


def test_a_reason_speaks_of_the_sides_of_the_join() -> None:
    """Both sides have a column of this name; a null has no other comparison that holds."""
    twin = Attribute(AttrId(2), "a", INTEGER, True)
    other = Table(id=OpId(2), attributes=(twin,), source=Source("right"))
    plan = Join(id=OpId(3), left=LEFT, right=other, how="inner", condition=Compare("=", Ref(A), Ref(twin)))
    tables: Tables = {OpId(1): [(None,)], OpId(2): [(7,)]}
    (found,) = explain_pairs(MemoryEngine(tables), plan, (IsNull(Ref(A)), equals(twin, 7)), "UTC", verify=True)
    assert not found.verified
    assert found.explanation.reason is not None
    assert "left.a = right.a" in found.explanation.reason
    assert "#" not in found.explanation.reason
