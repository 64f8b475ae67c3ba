"""Operators check what they are made of, and derive their output in one place."""

from __future__ import annotations

import pytest

from sparkwhy.plan.exprs import AggCall, Attribute, AttrId, Compare, FieldOf, Literal, Ref
from sparkwhy.plan.nodes import (
    Aggregate,
    Column,
    Filter,
    Flatten,
    Join,
    OpId,
    Place,
    Plan,
    Project,
    Source,
    Table,
    Union,
)
from sparkwhy.plan.types import BOOLEAN, INTEGER, STRING, Array, Field, Struct, Type

ADDRESS = Struct((Field("city", STRING), Field("year", INTEGER)))


def attribute(number: int, name: str, type: Type = INTEGER, nullable: bool = True) -> Attribute:
    return Attribute(AttrId(number), name, type, nullable)


def table(step: int, *attributes: Attribute) -> Table:
    return Table(id=OpId(step), attributes=attributes, source=Source(f"t{step}"))


K, V = attribute(1, "k", nullable=False), attribute(2, "v", STRING)
OTHER = attribute(3, "k", nullable=False)
ADDRESSES = attribute(4, "addresses", Array(ADDRESS))


def test_a_filter_carries_its_input_through() -> None:
    plan = Filter(id=OpId(2), input=table(1, K, V), condition=Compare("=", Ref(K), Literal(1, INTEGER)))
    assert plan.output == (K, V)
    assert plan.kind == "filter"


def test_an_expression_cannot_read_what_its_input_does_not_have() -> None:
    with pytest.raises(AssertionError, match="reads v, which its input does not have"):
        Filter(id=OpId(2), input=table(1, K), condition=Compare("=", Ref(V), Literal("x", STRING)))


def test_a_condition_is_boolean() -> None:
    with pytest.raises(AssertionError, match="condition"):
        Filter(id=OpId(2), input=table(1, K), condition=Ref(K))


def test_the_sides_of_a_join_share_no_attribute() -> None:
    with pytest.raises(AssertionError, match="same attribute"):
        Join(id=OpId(3), left=table(1, K), right=table(2, K), how="inner")


@pytest.mark.parametrize(
    ("how", "names", "nullable"),
    [
        ("inner", ["k", "v", "k"], [False, True, False]),
        ("left", ["k", "v", "k"], [False, True, True]),
        ("right", ["k", "v", "k"], [True, True, False]),
        ("full", ["k", "v", "k"], [True, True, True]),
        ("semi", ["k", "v"], [False, True]),
        ("anti", ["k", "v"], [False, True]),
    ],
)
def test_the_output_of_a_join(how, names, nullable) -> None:
    plan = Join(id=OpId(3), left=table(1, K, V), right=table(2, OTHER), how=how)
    assert [a.name for a in plan.output] == names
    assert [a.nullable for a in plan.output] == nullable


def test_an_existence_join_adds_its_flag() -> None:
    flag = attribute(9, "exists", BOOLEAN, nullable=False)
    plan = Join(id=OpId(3), left=table(1, K), right=table(2, OTHER), how="existence", exists=flag)
    assert plan.output == (K, flag)
    with pytest.raises(AssertionError, match="existence"):
        Join(id=OpId(3), left=table(1, K), right=table(2, OTHER), how="existence")


def test_a_flatten_has_as_many_elements_as_its_collection_says() -> None:
    element = attribute(5, "a", ADDRESS)
    plan = Flatten(id=OpId(2), input=table(1, ADDRESSES), collection=Ref(ADDRESSES), elements=(element,))
    assert plan.output == (ADDRESSES, element)
    with pytest.raises(AssertionError, match="wrong number"):
        Flatten(id=OpId(2), input=table(1, ADDRESSES), collection=Ref(ADDRESSES), elements=(element,), inline=True)
    with pytest.raises(AssertionError, match="cannot flatten"):
        Flatten(id=OpId(2), input=table(1, K), collection=Ref(K), elements=(element,))


def test_fields_are_found_through_arrays() -> None:
    assert FieldOf(Ref(ADDRESSES), 1).type == Array(INTEGER)
    with pytest.raises(AssertionError, match="no such field"):
        FieldOf(Ref(ADDRESSES), 2)


def test_a_projection_cannot_make_the_same_attribute_twice() -> None:
    with pytest.raises(AssertionError, match="repeats"):
        Project(id=OpId(2), input=table(1, K), columns=(Column(K, Ref(K)), Column(K, Ref(K))))


def test_a_grouping_that_only_collects_is_a_nest() -> None:
    def grouped(function: str) -> str:
        made = attribute(7, "x", AggCall(function, (Ref(V),)).type)
        plan = Aggregate(
            id=OpId(2),
            input=table(1, K, V),
            keys=(Column(K, Ref(K)),),
            aggregates=(Column(made, AggCall(function, (Ref(V),))),),
        )
        return plan.kind

    assert grouped("collect_list") == "nest"
    assert grouped("max") == "aggregate"


def test_branches_of_a_union_have_one_shape() -> None:
    made = (attribute(8, "k"),)
    assert Union(id=OpId(3), branches=(table(1, K), table(2, OTHER)), attributes=made).output == made
    with pytest.raises(AssertionError, match="width"):
        Union(id=OpId(3), branches=(table(1, K, V), table(2, OTHER)), attributes=made)
    with pytest.raises(AssertionError, match="expects"):
        Union(id=OpId(3), branches=(table(1, V), table(2, OTHER)), attributes=made)


def test_a_node_does_not_print_its_inputs() -> None:
    plan: Plan = table(1, K)
    for step in range(2, 3000):
        plan = Filter(id=OpId(step), input=plan, condition=Literal(True, BOOLEAN))
    assert repr(plan) == "<filter 2999>"


@pytest.mark.parametrize(
    ("place", "text"),
    [
        (Place("/home/ann/etl.py", 13), "etl.py:13"),
        (Place("SQL", 2), "SQL line 2"),
        (Place("cell [5]", 3), "cell [5] line 3"),
    ],
)
def test_places_print_short(place, text) -> None:
    assert str(place) == text
