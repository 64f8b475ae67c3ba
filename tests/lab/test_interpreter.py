"""The meaning of each operator, on examples small enough to be worked out by hand."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import get_args

import pytest

from sparkwhy.errors import EvaluationError, NotInterpretable
from sparkwhy.memory.interpreter import run
from sparkwhy.memory.values import MapValue, Row, bag
from sparkwhy.plan.exprs import (
    AggCall,
    And,
    Attribute,
    AttrId,
    Call,
    Compare,
    Expr,
    Frame,
    Literal,
    Opaque,
    Ref,
    WindowCall,
)
from sparkwhy.plan.nodes import (
    Aggregate,
    Column,
    Distinct,
    Filter,
    Flatten,
    Join,
    JoinType,
    Limit,
    OpId,
    Plan,
    Project,
    Sample,
    SetOperation,
    Sort,
    SortKey,
    Source,
    Table,
    Union,
    Window,
)
from sparkwhy.plan.types import BOOLEAN, DOUBLE, INTEGER, LONG, STRING, Array, Field, Map, Struct, Type

NAN = math.nan


def attribute(id: int, type: Type = INTEGER) -> Attribute:
    return Attribute(AttrId(id), f"a{id}", type)


def table(step: int, *attributes: Attribute) -> Table:
    return Table(id=OpId(step), attributes=attributes, source=Source(f"t{step}"))


def column(id: int, expr: Expr) -> Column:
    return Column(Attribute(AttrId(id), f"a{id}", expr.type), expr)


def number(value: int | None) -> Literal:
    return Literal(value, INTEGER)


A, B, C, D = (attribute(i) for i in (1, 2, 3, 4))
LEFT, RIGHT = table(1, A, B), table(2, C, D)
OUT = OpId(9)


def result(plan: Plan, *tables: Sequence[Row]) -> list[Row]:
    """The result over the rows of the tables 1, 2, ..."""
    return run(plan, {OpId(i): rows for i, rows in enumerate(tables, 1)})


def test_project_computes_each_row() -> None:
    plan = Project(id=OUT, input=LEFT, columns=(column(5, Call("+", (Ref(A), Ref(B)))), column(6, Ref(A))))
    assert result(plan, [(1, 2), (3, None)]) == [(3, 1), (None, 3)]


def test_filter_keeps_what_is_true_and_not_what_is_null() -> None:
    plan = Filter(id=OUT, input=LEFT, condition=Compare("<", Ref(A), Ref(B)))
    assert result(plan, [(1, 2), (2, 1), (None, 1), (1, 1)]) == [(1, 2)]


# --- joins -----------------------------------------------------------------------------------------------------------

LEFTS: list[Row] = [(1, 10), (1, 11), (2, 20), (None, 0)]
RIGHTS: list[Row] = [(1, 100), (1, 101), (None, 0), (3, 300)]
PAIRS: list[Row] = [(1, 10, 1, 100), (1, 10, 1, 101), (1, 11, 1, 100), (1, 11, 1, 101)]
NO_PARTNER: list[Row] = [(2, 20, None, None), (None, 0, None, None)]
NOBODYS: list[Row] = [(None, None, None, 0), (None, None, 3, 300)]


@pytest.mark.parametrize(
    ("how", "expected"),
    [
        ("inner", PAIRS),
        ("cross", PAIRS),
        ("left", PAIRS + NO_PARTNER),
        ("right", PAIRS + NOBODYS),
        ("full", PAIRS + NO_PARTNER + NOBODYS),
        ("semi", [(1, 10), (1, 11)]),
        ("anti", [(2, 20), (None, 0)]),
        ("existence", [(1, 10, True), (1, 11, True), (2, 20, False), (None, 0, False)]),
    ],
)
def test_join(how: JoinType, expected: list[Row]) -> None:
    exists = attribute(8, BOOLEAN) if how == "existence" else None
    same = Compare("=", Ref(A), Ref(C))
    plan = Join(id=OUT, left=LEFT, right=RIGHT, how=how, condition=same, exists=exists)
    assert bag(result(plan, LEFTS, RIGHTS)) == bag(expected)
    turned = replace(plan, condition=And((Compare("=", Ref(C), Ref(A)), Literal(True, BOOLEAN))))
    assert bag(result(turned, LEFTS, RIGHTS)) == bag(expected)
    unindexed = replace(plan, condition=And((Literal(True, BOOLEAN), same)))
    assert bag(result(unindexed, LEFTS, RIGHTS)) == bag(expected)


def test_every_type_of_join_is_tried() -> None:
    (tried,) = (mark.args[1] for mark in test_join.pytestmark)  # type: ignore[attr-defined]
    assert {how for how, _ in tried} == set(get_args(JoinType))


def test_join_on_nulls() -> None:
    plan = Join(id=OUT, left=LEFT, right=RIGHT, how="inner", condition=Compare("<=>", Ref(A), Ref(C)))
    assert bag(result(plan, LEFTS, RIGHTS)) == bag([*PAIRS, (None, 0, None, 0)])


def test_join_without_condition_pairs_all() -> None:
    plan = Join(id=OUT, left=LEFT, right=RIGHT, how="left")
    assert result(plan, [(1, 1)], [(2, 2), (3, 3)]) == [(1, 1, 2, 2), (1, 1, 3, 3)]
    assert result(plan, [(1, 1)], []) == [(1, 1, None, None)]


def test_join_finds_nan_and_negative_zero() -> None:
    left, right = table(1, attribute(1, DOUBLE)), table(2, attribute(2, DOUBLE))
    same = Compare("=", Ref(left.attributes[0]), Ref(right.attributes[0]))
    plan = Join(id=OUT, left=left, right=right, how="inner", condition=same)
    assert bag(result(plan, [(NAN,), (0.0,), (None,)], [(NAN,), (-0.0,), (None,)])) == bag([(NAN, NAN), (0.0, -0.0)])


# --- flatten ---------------------------------------------------------------------------------------------------------

POINT = Struct((Field("x", INTEGER), Field("y", STRING)))


@pytest.mark.parametrize(
    ("outer", "expected"),
    [
        (False, [(0, 5), (1, None), (0, 7)]),
        (True, [(0, 5), (1, None), (None, None), (None, None), (0, 7)]),
    ],
)
def test_flatten_of_arrays(outer: bool, expected: list[Row]) -> None:
    array, position, element = attribute(1, Array(INTEGER)), attribute(2), attribute(3)
    source = table(1, array)
    plan = Flatten(id=OUT, input=source, collection=Ref(array), elements=(element,), outer=outer, position=position)
    rows: list[Row] = [((5, None),), ((),), (None,), ((7,),)]
    assert [row[1:] for row in result(plan, rows)] == expected


def test_flatten_of_maps() -> None:
    entries = attribute(1, Map(STRING, INTEGER))
    elements = (attribute(2, STRING), attribute(3))
    plan = Flatten(id=OUT, input=table(1, entries), collection=Ref(entries), elements=elements, outer=True)
    entry = MapValue((("a", 1), ("b", None)))
    assert result(plan, [(entry,), (None,)]) == [(entry, "a", 1), (entry, "b", None), (None, None, None)]


def test_inlining_structs_gives_null_fields_for_a_null_struct() -> None:
    structs = attribute(1, Array(POINT))
    elements = (attribute(2), attribute(3, STRING))
    plan = Flatten(id=OUT, input=table(1, structs), collection=Ref(structs), elements=elements, inline=True)
    assert [row[1:] for row in result(plan, [(((1, "a"), None),), ((),)])] == [(1, "a"), (None, None)]


# --- groups ----------------------------------------------------------------------------------------------------------


def aggregate(keys: Sequence[Expr], *calls: AggCall, input: Table = LEFT) -> Aggregate:
    return Aggregate(
        id=OUT,
        input=input,
        keys=tuple(column(10 + i, key) for i, key in enumerate(keys)),
        aggregates=tuple(column(20 + i, call) for i, call in enumerate(calls)),
    )


COUNT = AggCall("count", (number(1),))
SUM = AggCall("sum", (Ref(B),))


def test_groups_have_equal_keys_and_null_is_a_key() -> None:
    rows: list[Row] = [(1, 1), (None, 2), (1, None), (None, 4)]
    assert bag(result(aggregate([Ref(A)], COUNT, SUM), rows)) == bag([(1, 2, 1), (None, 2, 6)])


def test_keys_that_are_equal_numbers() -> None:
    source = table(1, attribute(1, DOUBLE), attribute(2))
    plan = aggregate([Ref(source.attributes[0])], COUNT, input=source)
    grouped = result(plan, [(-0.0, 1), (0.0, 1), (NAN, 1), (float("nan"), 1)])
    assert bag(grouped) == bag([(0.0, 2), (NAN, 2)])
    assert math.copysign(1, grouped[0][0]) == 1


def test_without_keys_there_is_always_one_row() -> None:
    nothing = AggCall("collect_list", (Ref(B),))
    assert result(aggregate([], COUNT, SUM, nothing), []) == [(0, None, ())]
    assert result(aggregate([Ref(A)], COUNT), []) == []


def test_lists_skip_nulls() -> None:
    calls = (AggCall("collect_list", (Ref(B),)), AggCall("collect_set", (Ref(B),)))
    assert result(aggregate([], *calls), [(1, 3), (1, None), (1, 3)]) == [((3, 3), (3,))]


def test_distinct_and_filtered_aggregates() -> None:
    several = AggCall("count", (Ref(A), Ref(B)), distinct=True)
    some = AggCall("sum", (Ref(B),), condition=Compare(">", Ref(A), number(1)))
    rows: list[Row] = [(1, 1), (1, 1), (2, 5), (2, None), (None, 7)]
    assert result(aggregate([], several, some), rows) == [(2, 5)]


def test_a_sum_that_overflows() -> None:
    source = table(1, attribute(1), attribute(2, LONG))
    rows: list[Row] = [(1, 2**63 - 1), (1, 1)]
    total = AggCall("sum", (Ref(source.attributes[1]),))
    assert result(aggregate([], total, input=source), rows) == [(-(2**63),)]
    assert result(aggregate([], replace(total, mode="try"), input=source), rows) == [(None,)]
    with pytest.raises(EvaluationError, match="does not fit bigint"):
        result(aggregate([], replace(total, mode="ansi"), input=source), rows)


def test_window_adds_columns_to_each_row() -> None:
    frame = Frame("range", None, "current row")
    calls = (WindowCall(Call("rank", ()), frame), WindowCall(AggCall("sum", (Ref(B),)), frame))
    plan = Window(
        id=OUT,
        input=LEFT,
        partition=(Ref(A),),
        order=(SortKey(Ref(B), ascending=False),),
        columns=tuple(column(10 + i, call) for i, call in enumerate(calls)),
    )
    rows: list[Row] = [(1, 5), (1, 7), (2, 1), (1, 7), (1, None)]
    expected = [(1, None, 1, None), (1, 7, 2, 14), (1, 7, 2, 14), (1, 5, 4, 19), (2, 1, 1, 1)]
    assert result(plan, rows) == expected


# --- sets ------------------------------------------------------------------------------------------------------------


def test_union_keeps_all_rows() -> None:
    plan = Union(id=OUT, branches=(LEFT, RIGHT), attributes=(attribute(5), attribute(6)))
    assert result(plan, [(1, 1)], [(1, 1), (2, 2)]) == [(1, 1), (1, 1), (2, 2)]


@pytest.mark.parametrize(
    ("operation", "all", "expected"),
    [
        ("except", False, [(2, 2)]),
        ("except", True, [(1, 1), (2, 2), (2, 2)]),
        ("intersect", False, [(1, 1), (None, NAN)]),
        ("intersect", True, [(1, 1), (1, 1), (None, NAN)]),
    ],
)
def test_set_operations(operation: str, all: bool, expected: list[Row]) -> None:
    left = [(1, 1), (1, 1), (1, 1), (2, 2), (2, 2), (None, NAN)]
    right = [(1, 1), (1, 1), (None, float("nan")), (3, 3)]
    plan = SetOperation(id=OUT, left=LEFT, right=RIGHT, operation=operation, all=all)  # type: ignore[arg-type]
    assert bag(result(plan, left, right)) == bag(expected)


def test_distinct_takes_the_first_of_equal_rows() -> None:
    rows: list[Row] = [(1, 1), (1, 2), (None, 3), (1, 1), (None, 3)]
    assert result(Distinct(id=OUT, input=LEFT), rows) == [(1, 1), (1, 2), (None, 3)]
    assert result(Distinct(id=OUT, input=LEFT, keys=(A,)), rows) == [(1, 1), (None, 3)]
    assert result(Distinct(id=OUT, input=LEFT, keys=()), rows) == [(1, 1)]


@pytest.mark.parametrize(
    ("ascending", "nulls_first", "expected"),
    [
        (True, True, [None, 1, 1, 2]),
        (True, False, [1, 1, 2, None]),
        (False, True, [None, 2, 1, 1]),
        (False, False, [2, 1, 1, None]),
    ],
)
def test_sort(ascending: bool, nulls_first: bool, expected: list[int | None]) -> None:
    plan = Sort(id=OUT, input=LEFT, order=(SortKey(Ref(A), ascending, nulls_first),))
    ordered = result(plan, [(1, 0), (None, 1), (2, 2), (1, 3)])
    assert [row[0] for row in ordered] == expected
    assert [row[1] for row in ordered if row[0] == 1] == [0, 3]


@pytest.mark.parametrize(("count", "offset", "expected"), [(2, 0, [0, 1]), (2, 3, [3]), (None, 2, [2, 3]), (0, 0, [])])
def test_limit(count: int | None, offset: int, expected: list[int]) -> None:
    plan = Limit(id=OUT, input=LEFT, count=count, offset=offset)
    assert [row[0] for row in result(plan, [(i, i) for i in range(4)])] == expected


# --- what has no meaning here ----------------------------------------------------------------------------------------


def test_a_sample_is_refused() -> None:
    with pytest.raises(NotInterpretable, match="sample"):
        result(Sample(id=OUT, input=LEFT, lower=0.0, upper=0.5, replacement=False, seed=1), [])


@pytest.mark.parametrize("place", ["filter", "aggregate", "window"])
def test_an_opaque_expression_is_refused_by_its_text(place: str) -> None:
    opaque = Opaque("my_udf(a1)", (Ref(A),), BOOLEAN, aggregate=place == "aggregate")
    plans: dict[str, Plan] = {
        "filter": Filter(id=OUT, input=LEFT, condition=opaque),
        "aggregate": Aggregate(id=OUT, input=LEFT, keys=(), aggregates=(column(9, opaque),)),
        "window": Window(id=OUT, input=LEFT, partition=(), order=(), columns=(column(9, opaque),)),
    }
    with pytest.raises(NotInterpretable, match=r"my_udf\(a1\)"):
        result(plans[place], [])


def test_a_plan_of_thousands_of_operators() -> None:
    plan: Plan = LEFT
    for step in range(3000):
        plan = Filter(id=OpId(step + 10), input=plan, condition=Literal(True, BOOLEAN))
    assert result(plan, [(1, 2)]) == [(1, 2)]
