"""Side effects: rows as bags, nested values without order, and nothing that was asked for."""

from __future__ import annotations

from typing import Any

import pytest

from sparkwhy.alternatives.variant import QueryVariant
from sparkwhy.backtrace.backtrace import Conditions
from sparkwhy.explain.model import SideEffects
from sparkwhy.explain.repair import Change, Repair
from sparkwhy.fix.context import FixContext
from sparkwhy.fix.effects import bounds_of, bounds_plan, effects_of, effects_plan
from sparkwhy.fix.propose import apply_changes
from sparkwhy.memory.interpreter import run
from sparkwhy.memory.values import MapValue, Row
from sparkwhy.plan.exprs import AggCall, Call, Compare, CompareOp, Expr, Frame, Literal, Ref, WindowCall
from sparkwhy.plan.nodes import Aggregate, Column, Filter, Flatten, Join, OpId, Plan, Project, SortKey, Table, Window
from sparkwhy.plan.types import INTEGER, STRING, Array, Field, Map, Struct, Type
from sparkwhy.trace.blame import Bits, Dropper
from tests.plan.test_nodes import attribute, table

K, V = attribute(1, "k"), attribute(2, "v")


def keep(source: Plan, op: CompareOp, value: int, step: int = 2) -> Filter:
    return Filter(id=OpId(step), input=source, condition=Compare(op, Ref(source.output[0]), Literal(value, INTEGER)))


def asked(attribute: Any, value: Any) -> Expr:
    return Compare("=", Ref(attribute), Literal(value, attribute.type))


def effects(plan: Plan, rows: dict[int, list[Row]], conditions: Conditions, *others: Plan) -> list[SideEffects]:
    """The side effects of having other operators in the place of some of a plan."""
    query = FixContext((QueryVariant({}, plan, ()),), Bits(), "UTC")
    return _effects(plan, rows, conditions, [apply_changes(query, 0, (Change(o.id, "constant", o),)) for o in others])


def _effects(
    plan: Plan, rows: dict[int, list[Row]], conditions: Conditions, repairs: list[Repair]
) -> list[SideEffects]:
    tables = {OpId(step): known for step, known in rows.items()}
    told, counted = (
        effects_of(plan, len(repairs), run(effects_plan(plan, repairs, conditions, examples=examples), tables), "UTC")
        for examples in (True, False)
    )
    assert {i: (each.added, each.removed) for i, each in counted.items()} == {
        i: (each.added, each.removed) for i, each in told.items()
    }
    bounds = bounds_of(len(repairs), run(bounds_plan(plan, repairs, conditions), tables))
    assert all(bounds[i].lower <= each.lower <= bounds[i].upper for i, each in told.items())
    return list(told.values())


def test_rows_that_come_and_go_are_counted_without_their_values() -> None:
    source = table(1, K, V)
    projected = Project(id=OpId(3), input=keep(source, "=", 1), columns=(Column(V, Ref(V)),))
    query = FixContext((QueryVariant({}, projected, ()),), Bits(), "UTC")
    more, other = keep(source, "<=", 3), keep(source, ">=", 2)
    repairs = [apply_changes(query, 0, (Change(OpId(2), "constant", each),)) for each in (more, other)]
    rows: list[Row] = [(1, 7), (2, 7), (3, 8), (4, 9)]
    tables, asked_for = {OpId(1): rows}, (asked(V, 9),)
    bounds = bounds_of(2, run(bounds_plan(projected, repairs, asked_for), tables))
    assert bounds == {0: SideEffects(2, 2, 2, 0), 1: SideEffects(1, 3)}
    exact = effects_of(projected, 2, run(effects_plan(projected, repairs, asked_for), tables), "UTC")
    assert [each.lower for each in exact.values()] == [2, 1]  # of the second, a 7 leaves and another enters


def test_rows_that_enter_and_leave_are_counted_with_examples() -> None:
    source = table(1, K, V)
    rows: list[Row] = [(1, 10), (2, 20), (3, 30), (4, 40)]
    low, high, none = (keep(source, "<=", 2), keep(source, ">=", 2), keep(source, "<", 2))
    found = effects(low, {1: rows}, (asked(K, 3),), high, none, low)
    assert found == [
        SideEffects(2, 2, 1, 1, ({"k": 4, "v": 40},), ({"k": 1, "v": 10},)),  # 3 was asked for
        SideEffects(1, 1, 0, 1, (), ({"k": 2, "v": 20},)),
        SideEffects(0, 0, 0, 0),
    ]


def test_the_first_and_the_last_of_many_are_the_examples() -> None:
    source = table(1, K, V)
    rows: list[Row] = [(n, None) for n in range(1, 10)]
    (found,) = effects(keep(source, "<", 1), {1: rows}, (asked(K, 5),), keep(source, ">=", 1))
    assert (found.added, found.removed) == (8, 0)
    assert found.added_rows == ({"k": 1, "v": None}, {"k": 9, "v": None})


def test_copies_count_and_a_row_that_comes_again_is_no_effect() -> None:
    """Three rows of one value before, two of them others afterwards: as bags one has left."""
    source = table(1, K, V)
    rows: list[Row] = [(1, 7), (1, 7), (1, 7), (2, 7), (2, 7)]
    values = Aggregate(
        id=OpId(3),
        input=keep(source, "=", 1),
        keys=(Column(V, Ref(V)), Column(K, Ref(K))),
        aggregates=(Column(attribute(9, "n", attribute(9, "n").type), AggCall("max", (Ref(V),))),),
    )
    (found,) = effects(values, {1: rows}, (asked(K, 9),), keep(source, "=", 2))
    assert (found.added, found.removed) == (1, 1)
    plain = _projected(keep(source, "=", 1))
    (found,) = effects(plain, {1: rows}, (asked(V, 9),), keep(source, "=", 2))
    assert (found.added, found.removed, found.removed_rows) == (0, 1, ({"v": 7},))


def _projected(plan: Plan) -> Plan:
    return Project(id=OpId(3), input=plan, columns=(Column(V, Ref(V)),))


NAMES = Array(STRING)
PEOPLE = Array(Struct((Field("name", STRING), Field("mails", NAMES))))


@pytest.mark.parametrize(
    ("type", "one", "other", "same"),
    [
        (NAMES, ("a", "b"), ("b", "a"), True),
        (NAMES, ("a", "b", "a"), ("b", "a", "b"), False),
        (NAMES, ("a", None), (None, "a"), True),
        (NAMES, None, (), False),
        (NAMES, (None,), (), False),
        (PEOPLE, (("x", ("a", "b")), ("y", None)), (("y", None), ("x", ("b", "a"))), True),
        (PEOPLE, (("x", ()),), (("x", None),), False),
        (PEOPLE, (None,), ((None, None),), False),
        (Struct((Field("s", NAMES),)), (("a", "b"),), (("b", "a"),), True),
        (Struct((Field("s", NAMES),)), None, (None,), False),
        (Array(NAMES), (("a", "b"), ("c",)), (("c",), ("b", "a")), True),
        (Map(STRING, INTEGER), MapValue((("a", 1), ("b", 2))), MapValue((("b", 2), ("a", 1))), True),
        (Map(STRING, INTEGER), MapValue((("a", 1), ("b", 2))), MapValue((("b", 1), ("a", 2))), False),
        (Map(STRING, NAMES), MapValue((("a", ("x", "y")),)), MapValue((("a", ("y", "x")),)), True),
        (Map(STRING, INTEGER), None, MapValue(()), False),
        (INTEGER, None, None, True),
        (INTEGER, None, 0, False),
    ],
)
def test_nested_values_are_compared_without_order(type: Type, one: Any, other: Any, same: bool) -> None:
    """Two rows that differ in a column at most: letting in the other in the place of one changes nothing, or both."""
    nested = attribute(5, "nested", type)
    source = Table(id=OpId(1), attributes=(K, nested), source=table(1).source)

    def query(value: int) -> Plan:
        return Project(id=OpId(3), input=keep(source, "=", value), columns=(Column(nested, Ref(nested)),))

    rows: dict[int, list[Row]] = {1: [(1, one), (2, other)]}
    (found,) = effects(query(1), rows, (Literal(False, asked(K, 1).type),), keep(source, "=", 2))
    assert (found.added, found.removed) == ((0, 0) if same else (1, 1))


def test_rows_that_were_asked_for_do_not_count_on_either_side() -> None:
    source = table(1, K, V)
    rows: list[Row] = [(1, 7), (2, 7), (2, 8)]
    (found,) = effects(keep(source, "=", 1), {1: rows}, (asked(V, 7),), keep(source, "=", 2))
    assert (found.added, found.removed) == (1, 0)


def test_an_outer_join_and_an_outer_flatten_are_counted_too() -> None:
    xs, x = attribute(5, "xs", Array(INTEGER)), attribute(6, "x")
    flat = Flatten(id=OpId(2), input=table(1, K, xs), collection=Ref(xs), elements=(x,))
    lists: dict[int, list[Row]] = {1: [(1, (5, 6)), (2, ()), (3, None)]}
    query = FixContext((QueryVariant({}, flat, ()),), Bits(), "UTC")
    repair = apply_changes(query, 0, (Change(flat.id, "flatten type", relaxed=Dropper(flat.id)),))
    (found,) = _effects(flat, lists, (asked(K, 2),), [repair])
    assert (found.added, found.removed, found.added_rows) == (1, 0, ({"k": 3, "xs": None, "x": None},))
    join = Join(id=OpId(4), left=table(1, K), right=table(3, V), how="inner", condition=Compare("=", Ref(K), Ref(V)))
    query = FixContext((QueryVariant({}, join, ()),), Bits(), "UTC")
    steps = (Change(join.id, "join type", relaxed=Dropper(join.id, "left")),)
    (found,) = _effects(
        join, {1: [(1,), (2,), (3,)], 3: [(1,), (9,)]}, (asked(K, 2),), [apply_changes(query, 0, steps)]
    )
    assert (found.added, found.removed, found.added_rows) == (1, 0, ({"k": 3, "v": None},))


def test_a_group_that_changes_leaves_and_enters() -> None:
    total = attribute(5, "total", AggCall("sum", (Ref(V),)).type)
    kept = Filter(id=OpId(2), input=table(1, K, V), condition=Compare("<", Ref(V), Literal(10, INTEGER)))
    plan = Aggregate(
        id=OpId(3), input=kept, keys=(Column(K, Ref(K)),), aggregates=(Column(total, AggCall("sum", (Ref(V),))),)
    )
    rows: dict[int, list[Row]] = {1: [(1, 5), (1, 20), (2, 3), (3, 20)]}
    wider = Filter(id=OpId(2), input=table(1, K, V), condition=Compare("<=", Ref(V), Literal(20, INTEGER)))
    (found,) = effects(plan, rows, (asked(K, 3),), wider)
    assert (found.added, found.removed) == (1, 1)
    assert found.added_rows == ({"k": 1, "total": 25},)
    assert found.removed_rows == ({"k": 1, "total": 5},)


def test_a_rank_that_moves_is_an_effect() -> None:
    rank = attribute(5, "rank")
    call = WindowCall(Call("row_number", ()), Frame("rows", None, "current row"))
    source = table(1, K)
    order = (SortKey(Ref(K), ascending=False),)
    plan = Window(id=OpId(3), input=keep(source, "<", 3), partition=(), order=order, columns=(Column(rank, call),))
    (found,) = effects(plan, {1: [(1,), (2,), (3,)]}, (asked(K, 3),), keep(source, "<", 4))
    assert (found.added, found.removed) == (2, 2)
