"""Groups that come, go and change, counted without their values."""

from __future__ import annotations

import decimal
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from sparkwhy.alternatives.variant import QueryVariant
from sparkwhy.explain.model import SideEffects
from sparkwhy.explain.repair import Change
from sparkwhy.fix.context import FixContext
from sparkwhy.fix.effects import effects_of, effects_plan
from sparkwhy.fix.group_effects import GroupEffects, Seen, Weighing
from sparkwhy.fix.propose import apply_changes
from sparkwhy.memory.interpreter import run
from sparkwhy.memory.values import Row
from sparkwhy.plan.exprs import AggCall, Attribute, Compare, CompareOp, Expr, Literal, Ref
from sparkwhy.plan.nodes import Aggregate, Column, Filter, OpId, Plan, Project
from sparkwhy.plan.types import INTEGER, LONG, Decimal, Type
from sparkwhy.plan.walk import walk
from sparkwhy.plan.walk_exprs import attributes_of
from sparkwhy.trace.blame import Bits
from tests.plan.test_nodes import attribute, table

K, V, A, B = (attribute(i, name) for i, name in enumerate("kvab", 1))
SOURCE = table(1, K, V, A, B)


def kept(op: CompareOp, value: int) -> Filter:
    return Filter(id=OpId(2), input=SOURCE, condition=Compare(op, Ref(V), Literal(value, INTEGER)))


def grouped(*calls: AggCall, keys: tuple[Attribute, ...] = (K,)) -> Aggregate:
    made = tuple(Column(attribute(10 + i, f"g{i}", call.type), call) for i, call in enumerate(calls))
    return Aggregate(id=OpId(3), input=kept("<", 5), keys=tuple(Column(k, Ref(k)) for k in keys), aggregates=made)


def asked(attribute: Attribute, value: Any) -> Expr:
    return Compare("=", Ref(attribute), Literal(value, attribute.type))


def told(plan: Plan, rows: list[Row], condition: Expr, other: Filter) -> tuple[SideEffects, SideEffects]:
    """The bounds for another filter, and the exact numbers."""
    repair = apply_changes(
        FixContext((QueryVariant({}, plan, ()),), Bits(), "UTC"), 0, (Change(other.id, "constant", other),)
    )
    groups = GroupEffects.of(plan, [repair], (condition,))
    assert groups is not None
    counting, tables = groups.counting(), {OpId(1): rows}
    bounds = groups.effects(() if counting is None else (Seen(*row) for row in run(counting, tables)))
    exact = effects_of(plan, 1, run(effects_plan(plan, [repair], (condition,), examples=False), tables), "UTC")
    return bounds[0], exact[0]


COUNT, SUM = AggCall("count", (Literal(1, INTEGER),)), AggCall("sum", (Ref(V),))


def test_groups_that_come_and_go_and_those_that_are_counted_are_exact() -> None:
    rows: list[Row] = [(1, 4, 0, 0), (1, 6, 0, 0), (2, 6, 0, 0), (3, 3, 0, 0), (9, 6, 0, 0)]
    bounds, exact = told(grouped(COUNT), rows, asked(K, 9), kept("<", 7))
    assert bounds == exact == SideEffects(3, 3, 2, 1)  # 1 has a row more, 2 comes, 3 stays, 9 was asked for
    bounds, exact = told(grouped(COUNT), rows, asked(K, 9), kept(">", 4))
    assert bounds == SideEffects(2, 4)  # of 1 one row goes for another: the count is the same, which nobody looked at
    assert (exact.added, exact.removed) == (1, 1)


def test_a_sum_of_other_rows_may_be_the_same_sum() -> None:
    rows: list[Row] = [(1, 4, 0, 0), (1, 6, 0, 0), (1, 0, 0, 0), (9, 6, 0, 0)]
    bounds, exact = told(grouped(SUM), rows, asked(K, 9), kept("<", 7))
    assert (bounds, exact.lower) == (SideEffects(0, 2), 2)
    bounds, exact = told(grouped(SUM), rows, asked(K, 9), kept(">", 0))
    assert bounds.lower <= exact.lower <= bounds.upper


def test_a_row_that_counts_in_one_column_does_not_make_up_for_one_that_counts_in_another() -> None:
    """One row comes for each of two counts, and one goes for both."""
    plan = grouped(AggCall("count", (Ref(A),)), AggCall("count", (Ref(B),)))
    rows: list[Row] = [(1, 4, 1, 1), (1, 6, 1, None), (1, 6, None, 1), (9, 6, 0, 0)]
    bounds, exact = told(plan, rows, asked(K, 9), kept(">", 4))
    assert exact.upper == 0
    assert bounds.lower == 0


def test_a_group_of_the_keys_that_are_asked_for_is_the_answer_and_its_old_row_leaves() -> None:
    plan = grouped(COUNT)
    rows: list[Row] = [(1, 4, 0, 0), (1, 6, 0, 0)]
    condition = asked(plan.output[1], 2)
    bounds, exact = told(plan, rows, condition, kept("<", 7))
    assert bounds == exact == SideEffects(1, 1, 0, 1)


def test_without_keys_nothing_is_run() -> None:
    plan = grouped(SUM, keys=())
    bounds, exact = told(plan, [(1, 4, 0, 0), (1, 6, 0, 0)], asked(plan.output[0], 10), kept("<", 7))
    assert bounds == exact == SideEffects(1, 1, 0, 1)
    assert GroupEffects.of(plan, [], ()) is not None


def test_without_the_keys_one_row_may_come_for_another() -> None:
    grouping = grouped(COUNT)
    counts = Project(id=OpId(4), input=grouping, columns=(Column(grouping.output[1], Ref(grouping.output[1])),))
    rows: list[Row] = [(1, 4, 0, 0), (2, 6, 0, 0), (9, 6, 0, 0), (9, 6, 0, 0)]
    bounds, exact = told(counts, rows, asked(grouping.output[1], 2), kept(">", 4))
    assert exact.upper == 0
    assert bounds.lower == 0


def test_what_depends_on_the_values_of_groups_is_not_counted_like_this() -> None:
    grouping = grouped(COUNT)
    having = Filter(
        id=OpId(4), input=grouping, condition=Compare(">", Ref(grouping.output[1]), Literal(1, grouping.output[1].type))
    )
    assert GroupEffects.of(having, [], ()) is None


def test_only_keys_and_conditions_are_read() -> None:
    """What is summed up is not looked at: Spark does not read it from the file."""
    plan = grouped(AggCall("sum", (Ref(A),)))
    repair = apply_changes(
        FixContext((QueryVariant({}, plan, ()),), Bits(), "UTC"), 0, (Change(OpId(2), "constant", kept("<", 7)),)
    )
    groups = GroupEffects.of(plan, [repair], (asked(K, 9),))
    assert groups is not None
    counting = groups.counting()
    assert counting is not None
    computed = [c for node in walk(counting) if isinstance(node, Project) for c in node.columns if not c.is_carried]
    assert computed
    assert not any(A in attributes_of(column.expr) for column in computed)


def test_only_what_is_counted_listed_or_summed_up_tells_that_a_group_changes() -> None:
    average = AggCall("avg", (Ref(V),))

    def tells(plan: Aggregate) -> bool:
        query, other = FixContext((QueryVariant({}, plan, ()),), Bits(), "UTC"), kept("<", 7)
        repair = apply_changes(query, 0, (Change(other.id, "constant", other),))
        groups = GroupEffects.of(plan, [repair], (asked(K, 9),) if plan.keys else (), closely=True)
        assert groups is not None
        return groups.tells_changes

    assert tells(grouped(COUNT))
    assert tells(grouped(SUM, average))
    assert not tells(grouped(average))
    assert tells(grouped(average, keys=())), "one group, which is the answer"


def test_weights_are_compared_by_what_is_left_of_them() -> None:
    """Sums of long decimals: rows that come and go and add up to the same do not change their group, others do."""
    money = Decimal(32, 4)
    price = attribute(2, "price", money)
    source = table(1, K, price, A, B)
    summed = AggCall("sum", (Ref(price),))
    total = Column(attribute(10, "total", summed.type), summed)

    def grouping(op: CompareOp) -> Aggregate:
        condition = Compare(op, Ref(A), Literal(5, INTEGER))
        kept = Filter(id=OpId(2), input=source, condition=condition)
        return Aggregate(id=OpId(3), input=kept, keys=(Column(K, Ref(K)),), aggregates=(total,))

    plan, other = grouping("<"), grouping(">")
    modulus = decimal.Decimal(2**31 - 1)
    rows: list[Row] = [
        *((1, decimal.Decimal("0.5"), a, 0) for a in (1, 6)),  # one comes, one goes, of the same price
        *((2, price, a, 0) for price, a in ((decimal.Decimal("-7.25"), 1), (decimal.Decimal("7.25"), 6))),
        *((3, price, a, 0) for price, a in ((decimal.Decimal(0), 1), (modulus, 6))),  # as if nothing had come
    ]
    repair = apply_changes(
        FixContext((QueryVariant({}, plan, ()),), Bits(), "UTC"), 0, (Change(OpId(2), "constant", other.input),)
    )
    groups = GroupEffects.of(plan, [repair], (asked(K, 9),), closely=True)
    assert groups is not None
    counting = groups.counting()
    assert counting is not None
    sums = [c.expr for n in walk(counting) if isinstance(n, Aggregate) for c in n.aggregates if "sum" in str(c.expr)]
    assert sums
    assert not any(isinstance(each.type, Decimal) for each in sums), "decimals are not summed up for each repair"
    bounds = groups.effects(Seen(*row) for row in run(counting, {OpId(1): rows}))[0]
    assert (bounds.lower, bounds.upper) == (2, 6), "2 changes for certain, 1 and 3 may be as before"


@pytest.mark.parametrize("described", [Decimal(15, 2), Decimal(18, 18), Decimal(31, 4), Decimal(38, 9), LONG])
def test_what_is_left_of_a_number_is_that_of_its_digits(described: Type) -> None:
    """Also of numbers that a whole one does not hold; of null there is nothing left."""
    value, random = attribute(1, "value", described), Random(f"{described}")
    source = table(1, value)
    weighing = Weighing.SUMMED.weight((Ref(value),))
    plan = Project(id=OpId(2), input=source, columns=(Column(attribute(2, "left", LONG), weighing),))
    scale, digits = (described.scale, described.precision) if isinstance(described, Decimal) else (0, 18)
    numbers = [random.randint(-(10**length) + 1, 10**length - 1) for length in range(1, digits + 1)]
    known = [decimal.Decimal(n).scaleb(-scale, decimal.Context(prec=38)) if scale else n for n in numbers]
    left = [row[0] for row in run(plan, {OpId(1): [(each,) for each in known]})]
    assert [each % (2**31 - 1) for each in left] == [n % (2**31 - 1) for n in numbers]
    assert run(plan, {OpId(1): [(None,)]}) == [(None,)]


def test_rows_that_a_reading_does_not_have_make_no_groups_there() -> None:
    """A row is listed under the key that each query gives it, and only if the query has it."""
    plan = grouped(COUNT)
    other = replace(plan, input=kept(">", 4), keys=(Column(K, Ref(A)),))
    query = FixContext((QueryVariant({}, plan, ()), QueryVariant({"k": "a"}, other, (OpId(3),))), Bits(), "UTC")
    groups = GroupEffects.of(plan, [apply_changes(query, 1, ())], (asked(K, 9),))
    assert groups is not None
    counting = groups.counting()
    assert counting is not None
    rows: list[Row] = [(1, 4, 7, 0), (2, 6, 8, 0)]  # the query has 1, the other 8; 7 and 2 are in none
    seen = [Seen(*row) for row in run(counting, {OpId(1): rows})]
    assert sorted((each.inside, each.groups) for each in seen) == [(1, 1), (2, 1)]
