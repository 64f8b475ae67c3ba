"""Alternatives: which there are, what they change, and what the changed queries return."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from random import Random
from typing import Any

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import Window as SparkWindow
from pyspark.sql import functions as F

from sparkwhy.alternatives.declared import Alternative
from sparkwhy.alternatives.enumerate import Mode, alternatives_of
from sparkwhy.alternatives.fitting import widens
from sparkwhy.alternatives.paths import Meanings, meanings_of, source_paths
from sparkwhy.alternatives.variant import Alternatives, QueryVariant
from sparkwhy.errors import AlternativeError, AmbiguousAttribute, TooManyAlternatives, UnknownAttribute
from sparkwhy.lab.tables import rows_of, tables_of
from sparkwhy.limits import Limits
from sparkwhy.memory.interpreter import run
from sparkwhy.memory.values import Row, unordered_bag
from sparkwhy.plan.build import equal, exists, keep, reduce, transform
from sparkwhy.plan.exprs import (
    AggCall,
    Call,
    Compare,
    Expr,
    FieldOf,
    ItemOf,
    Literal,
    MakeStruct,
    Opaque,
    Ref,
)
from sparkwhy.plan.nodes import (
    Distinct,
    Flatten,
    OpId,
    Plan,
    Project,
    SetOperation,
    Sort,
    SortKey,
    Union,
)
from sparkwhy.plan.show import show_op, show_plan
from sparkwhy.plan.types import (
    DATE,
    DOUBLE,
    FLOAT,
    INTEGER,
    LONG,
    SHORT,
    STRING,
    Array,
    Decimal,
    Map,
    Type,
)
from sparkwhy.plan.walk import inputs, walk
from sparkwhy.spark.classic.read.operators import read
from sparkwhy.spark.classic.run.operators import run as run_in_spark
from tests.build_plans import Query, compare, of, struct
from tests.trace.plans import Generator

# --- asking ---


def changes(found: Alternatives) -> list[Mapping[str, str]]:
    return [dict(each.changes) for each in found.found]


def one(found: Alternatives) -> QueryVariant:
    """The only alternative beside the query as written."""
    _, other = found.found
    return other


def steps(rewritten: QueryVariant) -> list[int]:
    assert all(id.part == 0 for id in rewritten.changed)
    return [id.step for id in rewritten.changed]


def texts(rewritten: QueryVariant) -> dict[int, str]:
    """The changed operators as a user would say them."""
    return {node.id.step: show_op(node) for node in walk(rewritten.plan) if node.id in rewritten.changed}


def reasons(found: Alternatives) -> list[str]:
    return [each.reason for each in found.pruned]


def check_shape(plan: Plan, found: Alternatives) -> None:
    """Every alternative has the operators and the output of the query, node by node."""
    for each in found.found:
        assert [n.id for n in walk(each.plan)] == [n.id for n in walk(plan)]
        assert [type(n) for n in walk(each.plan)] == [type(n) for n in walk(plan)]
        names = [[(a.id, a.name) for a in n.output] for n in walk(plan)]
        assert [[(a.id, a.name) for a in n.output] for n in walk(each.plan)] == names
        assert all(b.id in {n.id for n in walk(plan)} for n in walk(each.plan) for b in inputs(n))


def asked(plan: Plan, *declared: Iterable[str] | Alternative, **options: Any) -> Alternatives:
    found = alternatives_of(plan, declared, **options)
    assert found.found[0].plan is plan
    assert found.found[0].changes == {}
    assert found.found[0].changed == ()
    check_shape(plan, found)
    return found


# --- the running example ---

ADDRESSES = Array(struct(city=STRING, year=INTEGER))


def running_example() -> Plan:
    q = Query()
    person = q.table("person", name=STRING, address1=ADDRESSES, address2=ADDRESSES)
    flat = q.flatten(person, "address2", "a")
    recent = q.filter(flat, compare(of(flat, "a.year"), ">=", 2019))
    cities = q.project(recent, "name", city="a.city")
    return q.group(cities, "city", nList=AggCall("collect_list", (of(cities, "name"),)))


PERSONS = [
    ("Peter", (("NY", 2010), ("LA", 2019), ("LV", 2017)), (("LA", 2010), ("SF", 2018))),
    ("Sue", (("LA", 2019), ("NY", 2018)), (("LA", 2019), ("NY", 2018))),
]


def test_the_running_example_has_two_alternatives_and_one_changes_the_flatten() -> None:
    plan = running_example()
    found = asked(plan, {"address1", "address2"})
    assert changes(found) == [{}, {"address2": "address1"}]
    assert steps(one(found)) == [2]
    assert texts(one(found)) == {2: "explode address1 as a"}
    rows = [run(each.plan, {OpId(1): PERSONS}) for each in found.found]
    assert rows == [[("LA", ("Sue",))], [("LA", ("Peter", "Sue"))]]


def test_a_field_of_the_other_collection_cannot_be_reached_from_flattened_elements() -> None:
    found = asked(running_example(), {"address1.year", "address2.year"})
    assert changes(found) == [{}]
    assert reasons(found) == ["address1.year is array<int>, not int: the schema would change"]


def test_no_declared_alternatives_leave_the_query_as_written() -> None:
    assert changes(asked(running_example())) == [{}]


def test_a_group_that_the_query_does_not_use_changes_nothing() -> None:
    q = Query()
    t = q.table("t", a=INTEGER, b=INTEGER, c=INTEGER)
    plan = q.filter(t, compare(of(t, "c"), ">", 0))
    assert asked(plan, {"a", "b"}).found[1:] == ()


# --- TPC-H ---

LINEITEM = struct(
    l_extendedprice=DOUBLE,
    l_quantity=DOUBLE,
    l_discount=DOUBLE,
    l_tax=DOUBLE,
    l_shipdate=DATE,
    l_commitdate=DATE,
    l_receiptdate=DATE,
)
RATES = {"l_discount", "l_tax"}
DATES = {"l_shipdate", "l_commitdate", "l_receiptdate"}
PRIORITIES = {"o_orderpriority", "o_shippriority"}


def orders(q: Query, shippriority: Type = STRING) -> Plan:
    return q.table(
        "nestedOrders",
        o_orderkey=LONG,
        o_custkey=LONG,
        o_orderpriority=STRING,
        o_shippriority=shippriority,
        o_lineitems=Array(LINEITEM),
    )


def price(plan: Plan) -> Expr:
    return Call("*", (of(plan, "i.l_extendedprice"), of(plan, "i.l_discount")))


def test_q1() -> None:
    q = Query()
    flat = q.flatten(orders(q), "o_lineitems", "i")
    shipped = q.filter(flat, compare(of(flat, "i.l_shipdate"), "<=", None))
    plan = q.group(shipped, avgDisc=AggCall("avg", (of(shipped, "i.l_tax"),)))
    found = asked(plan, RATES, DATES, PRIORITIES)
    assert len(found.found) == 6
    assert [steps(each) for each in found.found] == [[], [3], [3], [4], [3, 4], [3, 4]]


def q3(shippriority: Type) -> Plan:
    q = Query()
    customer = q.table("customer", c_custkey=LONG, c_mktsegment=STRING)
    flat = q.flatten(orders(q, shippriority), "o_lineitems", "i")
    both = q.join(customer, flat, equal(of(customer, "c_custkey"), of(flat, "o_custkey")))
    late = q.filter(both, compare(of(both, "i.l_commitdate"), ">", None))
    priced = q.project(late, "o_orderkey", "o_shippriority", "o_orderpriority", disc_price=price(late))
    return q.group(priced, "o_orderkey", "o_shippriority", revenue=AggCall("sum", (of(priced, "disc_price"),)))


def test_q3_has_twelve() -> None:
    found = asked(q3(STRING), RATES, DATES, PRIORITIES)
    assert len(found.found) == 12
    assert found.pruned == ()


def test_q3_has_six_where_the_priorities_have_different_types() -> None:
    found = asked(q3(INTEGER), RATES, DATES, PRIORITIES)
    assert len(found.found) == 6
    assert [dict(each.changes) for each in found.pruned] == [{"o_shippriority": "o_orderpriority"}]
    assert reasons(found) == ["o_orderpriority is string, not int: the schema would change"]


def q4() -> Plan:
    q = Query()
    flat = q.flatten(orders(q), "o_lineitems", "i")
    late = q.filter(flat, Compare("<", of(flat, "i.l_shipdate"), of(flat, "i.l_receiptdate")))
    keys = q.group(late, "o_orderkey")
    renamed = q.project(keys, l_orderkey="o_orderkey")
    all = orders(q)
    both = q.join(all, renamed, equal(of(all, "o_orderkey"), of(renamed, "l_orderkey")))
    return q.group(both, "o_shippriority", order_count=AggCall("count", (of(both, "o_orderkey"),)))


def test_q4() -> None:
    assert len(asked(q4(), RATES, DATES).found) == 6
    found = asked(q4(), RATES, DATES, PRIORITIES)
    assert len(found.found) == 12
    assert {"nestedOrders#6.o_shippriority": "nestedOrders#6.o_orderpriority"} in changes(found)


def test_q6_swaps_the_rates_in_the_projection_and_in_the_filter() -> None:
    q = Query()
    flat = q.flatten(orders(q), "o_lineitems", "i")
    taxed = q.filter(flat, compare(of(flat, "i.l_tax"), ">=", 0.05))
    shipped = q.filter(taxed, compare(of(taxed, "i.l_shipdate"), ">=", None))
    priced = q.project(shipped, disc_price=price(shipped))
    plan = q.group(priced, revenue=AggCall("sum", (of(priced, "disc_price"),)))
    found = asked(plan, RATES, DATES, PRIORITIES)
    assert len(found.found) == 6
    swapped = [each for each in found.found if len(each.changes) == 2 and "o_lineitems.l_tax" in each.changes]
    assert [steps(each) for each in swapped] == [[3, 5]]
    assert texts(swapped[0])[3] == "filter i.l_discount >= 0.05"


# --- where a reference is replaced ---


def test_d5_the_projection_that_dropped_the_substitute_is_changed() -> None:
    q = Query()
    urls = q.table("U", author=STRING, url=Array(STRING), note=Array(STRING))
    plan = q.flatten(q.project(urls, "author", "url"), "url", "u")
    found = asked(plan, {"url", "note"})
    assert steps(one(found)) == [2]
    assert texts(one(found)) == {2: "select author, note as url"}
    assert run(one(found).plan, {OpId(1): [("Ann", ("x",), ("y", "z"))]}) == [
        ("Ann", ("y", "z"), "y"),
        ("Ann", ("y", "z"), "z"),
    ]


def test_the_highest_of_several_projections_is_changed() -> None:
    q = Query()
    t = q.table("t", a=INTEGER, b=INTEGER, c=INTEGER)
    narrow = q.project(q.project(q.project(t, "a", "b"), "a", "b"), "a")
    plan = q.filter(q.project(narrow, "a"), compare(of(narrow, "a"), ">", 0))
    assert texts(one(asked(plan, {"a", "b"}))) == {4: "select b as a"}
    assert texts(one(asked(plan, {"a", "c"}))) == {2: "select c as a, b"}


def test_t2_a_renaming_projection_is_changed_and_not_the_filter_on_the_new_name() -> None:
    q = Query()
    tweets = q.table("T", text=STRING, place=struct(country=STRING), user=struct(name=STRING, location=STRING))
    renamed = q.project(tweets, "text", country="place.country", name="user.name")
    plan = q.filter(renamed, compare(of(renamed, "country"), "=", "US"))
    found = asked(plan, {"place.country", "user.location"})
    assert changes(found)[1] == {"place.country": "user.location"}
    assert texts(one(found)) == {2: "select text, user.location as country, user.name"}
    rows = [("BTS", ("UK",), ("Jo", "US")), ("BTS", None, ("Al", "UK"))]
    assert run(one(found).plan, {OpId(1): rows}) == [("BTS", "US", "Jo")]
    assert run(plan, {OpId(1): rows}) == []


def test_d3_a_struct_is_built_of_another_attribute() -> None:
    q = Query()
    t = q.table("P", author=STRING, editor=STRING, title=STRING, booktitle=STRING)
    pair = MakeStruct(("author", "title"), (of(t, "author"), of(t, "title")))
    pairs = q.project(t, "booktitle", pair=pair)
    plan = q.group(pairs, "booktitle", papers=AggCall("collect_list", (of(pairs, "pair"),)))
    found = asked(plan, {"author", "editor"})
    assert steps(one(found)) == [2]
    assert run(one(found).plan, {OpId(1): [("Ann", "Ed", "T", "B")]}) == [("B", (("Ed", "T"),))]


def test_a_substitute_inside_of_a_dropped_struct_dangles() -> None:
    q = Query()
    t = q.table("T", place=struct(country=STRING, city=STRING), user=struct(location=STRING))
    narrow = q.project(t, "place")
    plan = q.filter(narrow, compare(of(narrow, "place.country"), "=", "US"))
    found = asked(plan, {"place.country", "user.location"}, {"place.country", "place.city"})
    assert changes(found) == [{}, {"place.country": "place.city"}]
    assert reasons(found) == ["user.location does not reach step 3"]


def test_what_is_merely_carried_along_is_no_use() -> None:
    q = Query()
    t = q.table("t", a=INTEGER, b=INTEGER, c=INTEGER)
    for kept in (("a", "c"), ("a", "b", "c")):  # in the end neither is shown, or both are
        plan = q.filter(q.project(t, *kept), compare(of(t, "c"), ">", 0))
        plan = q.project(plan, "c") if len(kept) == 2 else plan
        assert changes(asked(plan, {"a", "b"})) == [{}]


@pytest.mark.parametrize("declared", [{"a", "b"}, Alternative({"a": "b"})], ids=["group", "explicit"])
@pytest.mark.parametrize("mode", ["swap", "each"])
def test_what_is_only_selected_is_used_by_the_result(declared: set[str] | Alternative, mode: Mode) -> None:
    q = Query()
    t = q.table("t", a=INTEGER, b=INTEGER, c=INTEGER)
    plan = q.filter(q.project(t, "a", "c"), compare(of(t, "c"), ">", 0))
    found = alternatives_of(plan, [declared], mode=mode)
    assert (changes(found), steps(one(found))) == ([{}, {"a": "b"}], [2])
    assert run(one(found).plan, {OpId(1): [(1, 2, 3)]}) == [(2, 3)]


def test_what_an_operator_uses_is_not_changed_in_the_result() -> None:
    q = Query()
    t = q.table("t", a=INTEGER, b=INTEGER, c=INTEGER)
    plan = q.project(q.filter(t, compare(of(t, "a"), ">", 0)), "a", "c")
    assert steps(one(asked(plan, {"a", "b"}))) == [2]


ITEMS = Array(struct(ship=INTEGER, commit=INTEGER, tax=INTEGER))


@pytest.mark.parametrize(
    "taken", [("ship", "commit", "tax"), ("commit", "ship"), ()], ids=["star", "single fields", "path"]
)
def test_a_field_that_is_taken_under_its_own_name_is_carried_along(taken: tuple[str, ...]) -> None:
    q = Query()
    t = q.table("t", id=INTEGER, items=ITEMS)
    items = q.flatten(t, "items", "item")
    below = q.project(items, "id", **{name: of(items, f"item.{name}") for name in taken}) if taken else items
    plan = q.filter(below, compare(of(below, "ship" if taken else "item.ship"), ">", 5))
    found = one(asked(plan, {"items.ship", "items.commit"}))
    assert steps(found) == [plan.id.step]
    assert [row[0] for row in run(found.plan, {OpId(1): [(1, ((9, 1, 0),)), (2, ((1, 9, 0),))]})] == [2]


def test_a_field_that_is_taken_alone_is_replaced_where_the_other_was_dropped() -> None:
    q = Query()
    t = q.table("t", id=INTEGER, items=ITEMS)
    items = q.flatten(t, "items", "item")
    below = q.project(items, "id", ship=of(items, "item.ship"))
    found = one(asked(q.filter(below, compare(of(below, "ship"), ">", 5)), {"items.ship", "items.commit"}))
    assert texts(found) == {3: "select id, item.commit as ship"}


def test_a_struct_is_replaced_below_the_fields_that_are_taken_of_it() -> None:
    q = Query()
    t = q.table("t", home=struct(city=STRING), work=struct(city=STRING))
    narrow = q.project(t, "home")
    below = q.project(narrow, city=of(narrow, "home.city"))
    found = asked(q.filter(below, compare(of(below, "city"), "=", "LA")), {"home", "work"})
    assert steps(one(found)) == [2]


def test_grouping_keys_are_uses_and_keep_their_names() -> None:
    q = Query()
    t = q.table("t", k=INTEGER, v=INTEGER, w=INTEGER)
    grouped = q.group(t, "k", total=AggCall("sum", (of(t, "w"),)))
    plan = q.filter(grouped, compare(of(grouped, "k"), ">", 0))
    found = asked(plan, {"k", "v"})
    assert steps(one(found)) == [2]
    assert run(one(found).plan, {OpId(1): [(0, 1, 5), (0, 2, 7)]}) == [(1, 5), (2, 7)]


def test_aggregated_attributes_and_their_conditions_are_uses() -> None:
    q = Query()
    t = q.table("t", k=INTEGER, v=INTEGER, w=INTEGER, x=INTEGER)
    positive = AggCall("sum", (of(t, "v"),), condition=compare(of(t, "x"), ">", 0))
    plan = q.group(t, "k", total=positive, all=AggCall("collect_list", (of(t, "v"),)))
    rows = {OpId(1): [(1, 10, 20, 1), (1, 30, -40, 0)]}
    found = asked(plan, {"v", "w"}, {"k", "x"})
    results = [run(each.plan, rows) for each in found.found]
    assert changes(found)[1:3] == [{"v": "w"}, {"k": "x", "x": "k"}]
    assert results == [
        [(1, 10, (10, 30))],
        [(1, 20, (20, -40))],
        [(1, 10, (10,)), (0, 30, (30,))],
        [(1, 20, (20,)), (0, -40, (-40,))],
    ]


def test_join_keys_of_both_sides() -> None:
    q = Query()
    left = q.table("l", a=INTEGER, b=INTEGER)
    right = q.table("r", c=INTEGER, d=INTEGER)
    plan = q.join(left, right, equal(of(left, "a"), of(right, "c")))
    found = asked(plan, {"a", "b"}, {"c", "d"})
    assert changes(found) == [{}, {"a": "b"}, {"c": "d"}, {"a": "b", "c": "d"}]
    assert [texts(each).get(3) for each in found.found[1:]] == ["join on b = c", "join on a = d", "join on b = d"]


def test_a_table_that_is_read_twice_is_changed_in_each_place_by_itself() -> None:
    q = Query()
    left, right = (q.table("person", id=INTEGER, a=INTEGER, b=INTEGER) for _ in range(2))
    near, far = (q.filter(t, compare(of(t, "a"), ">", 0)) for t in (left, right))
    ids = [next(a for a in t.output if a.name == "id") for t in (near, far)]
    plan = q.join(near, far, equal(Ref(ids[0]), Ref(ids[1])))
    found = asked(plan, {"a", "b"})
    assert changes(found) == [
        {},
        {"person#1.a": "person#1.b"},
        {"person#2.a": "person#2.b"},
        {"person#1.a": "person#1.b", "person#2.a": "person#2.b"},
    ]
    assert [steps(each) for each in found.found] == [[], [3], [4], [3, 4]]
    assert changes(asked(plan, {"person#2.a", "person#2.b"})) == [{}, {"person#2.a": "person#2.b"}]
    assert changes(asked(plan, Alternative({"a": "b"})))[1:] == changes(found)[3:]


def test_swapping_where_a_changed_column_is_no_substitute_any_more() -> None:
    q = Query()
    t = q.table("t", a=INTEGER, b=INTEGER, c=INTEGER)
    narrow = q.project(t, "a", "b")
    plan = q.filter(narrow, compare(of(narrow, "a"), "=", 1), compare(of(narrow, "b"), "=", 2))
    found = asked(plan, Alternative({"a": "b", "b": "c"}))
    assert texts(one(found)) == {2: "select b as a, c as b"}
    assert run(one(found).plan, {OpId(1): [(0, 1, 2)]}) == [(1, 2)]


def test_sort_window_and_duplicates() -> None:
    q = Query()
    t = q.table("t", a=INTEGER, b=INTEGER, s=struct(x=INTEGER))
    ranked = q.window(t, "a", "b")
    kept = Distinct(id=q.step(), input=ranked, keys=tuple(x for x in ranked.output if x.name == "a"))
    plan = Sort(id=q.step(), input=kept, order=(SortKey(of(kept, "a")),))
    found = asked(plan, Alternative({"a": "b"}), {"a", "b"})
    assert changes(found) == [{}, {"a": "b"}, {"a": "b", "b": "a"}]
    by_text = {str(dict(each.changes)): texts(each) for each in found.found}
    assert by_text["{'a': 'b', 'b': 'a'}"] == {
        2: "window row_number() as rank by b ordered by a",
        3: "distinct by b",
        4: "sort by b",
    }
    assert by_text["{'a': 'b'}"][2] == "window row_number() as rank by b ordered by b"


def test_duplicates_are_dropped_by_whole_columns_only() -> None:
    q = Query()
    t = q.table("t", a=INTEGER, s=struct(x=INTEGER))
    plan = Distinct(id=q.step(), input=t, keys=(t.output[0],))
    found = asked(plan, {"a", "s.x"})
    assert changes(found) == [{}]
    assert reasons(found) == ["step 2 drops duplicates by whole columns of the same type only"]


def test_the_same_keys_in_another_order_are_no_alternative() -> None:
    q = Query()
    t = q.table("t", a=INTEGER, b=INTEGER)
    wide = q.project(t, "a", "b", c=Literal(1, INTEGER))
    plan = Distinct(id=q.step(), input=wide, keys=wide.output[:2])
    assert changes(asked(plan, {"a", "b"})) == [{}]


# --- unions ---


def both_halves(q: Query, *columns: str) -> Plan:
    first, second = (q.table(name, k=INTEGER, a=INTEGER, b=INTEGER) for name in ("t", "u"))
    return q.union(q.project(first, *columns), q.project(second, *columns))


def test_above_a_union_the_substitute_is_another_attribute_of_the_union() -> None:
    q = Query()
    all = both_halves(q, "k", "a", "b")
    plan = q.filter(all, compare(of(all, "a"), ">", 0))
    found = asked(plan, {"a", "b"})
    assert changes(found) == [{}, {"t.a": "t.b"}, {"u.a": "u.b"}, {"t.a": "t.b", "u.a": "u.b"}]
    assert [steps(each) for each in found.found] == [[], [3], [4], [6]]
    rows = {OpId(1): [(1, 0, 7)], OpId(2): [(2, 0, 8)]}
    assert [run(each.plan, rows) for each in found.found] == [[], [(1, 7, 7)], [(2, 8, 8)], [(1, 0, 7), (2, 0, 8)]]
    assert texts(found.found[3]) == {6: "filter b > 0"}


def test_above_a_union_of_tables_all_branches_change_together() -> None:
    q = Query()
    all = q.union(*(q.table(name, k=INTEGER, a=INTEGER, b=INTEGER) for name in ("t", "u")))
    plan = q.filter(all, compare(of(all, "a"), ">", 0))
    found = asked(plan, {"a", "b"})
    assert changes(found) == [{}, {"t.a": "t.b", "u.a": "u.b"}]
    assert texts(one(found)) == {4: "filter b > 0"}
    assert [dict(each.changes) for each in found.pruned] == [{"t.a": "t.b"}, {"u.a": "u.b"}]
    assert set(reasons(found)) == {"b does not reach the operators that would read it"}


def test_above_a_union_that_dropped_the_substitute_its_branches_are_changed() -> None:
    q = Query()
    all = both_halves(q, "k", "a")
    plan = q.filter(all, compare(of(all, "a"), ">", 0))
    found = asked(plan, {"a", "b"})
    assert {str(dict(each.changes)): steps(each) for each in found.found} == {
        "{}": [],
        "{'t.a': 't.b'}": [3],
        "{'u.a': 'u.b'}": [4],
        "{'t.a': 't.b', 'u.a': 'u.b'}": [3, 4],
    }
    rows = {OpId(1): [(1, 0, 7)], OpId(2): [(2, 0, 8)]}
    assert run(found.found[-1].plan, rows) == [(1, 7), (2, 8)]


def test_a_union_with_a_computed_branch_is_a_new_thing() -> None:
    q = Query()
    first, second = (q.table(name, k=INTEGER, a=INTEGER, b=INTEGER) for name in ("t", "u"))
    all = q.union(q.project(first, "k", "a"), q.project(second, "k", c="b"))
    plan = q.filter(all, compare(of(all, "a"), ">", 0))
    assert changes(asked(plan, {"t.a", "t.b"})) == [{}]
    assert [steps(each) for each in asked(plan, {"u.a", "u.b"}).found] == [[], [4]]


# --- elements ---


def test_a_field_of_elements_is_replaced_through_the_same_flatten() -> None:
    q = Query()
    twice = q.flatten(q.flatten(orders(q), "o_lineitems", "i"), "o_lineitems", "j")
    plan = q.filter(twice, Compare("<", of(twice, "j.l_tax"), of(twice, "i.l_quantity")))
    found = asked(plan, RATES)
    assert texts(one(found)) == {4: "filter j.l_discount < i.l_quantity"}


def test_elements_of_elements() -> None:
    q = Query()
    item = struct(sku=STRING, code=STRING)
    t = q.table("t", orders=Array(struct(items=Array(item), gifts=Array(item))), old=Array(struct(items=Array(item))))
    inner = q.flatten(q.flatten(t, "orders", "o"), "o.items", "i")
    plan = q.filter(inner, compare(of(inner, "i.sku"), "=", "A"))
    assert texts(one(asked(plan, {"orders.items", "orders.gifts"}))) == {3: "explode o.gifts as i"}
    assert texts(one(asked(plan, {"orders.items.sku", "orders.items.code"}))) == {4: "filter i.code = 'A'"}
    assert reasons(asked(plan, {"orders", "old"})) == []
    assert one(asked(plan, {"orders", "old"})).notes == ("old has no field gifts: null",)


def test_inlined_fields() -> None:
    q = Query()
    flat = q.inline(q.table("person", address1=ADDRESSES, address2=ADDRESSES, city1=STRING), "address2")
    plan = q.filter(flat, compare(of(flat, "city"), "=", "NY"))
    assert texts(one(asked(plan, {"address1", "address2"}))) == {2: "explode address1 as city, year"}
    assert texts(one(asked(plan, {"address2.city", "city1"}))) == {3: "filter city1 = 'NY'"}


def test_arrays_of_arrays() -> None:
    q = Query()
    grid = Array(Array(struct(x=INTEGER, y=INTEGER)))
    t = q.table("t", grid=grid, other=grid)
    cells = q.flatten(q.flatten(t, "grid", "row"), "row", "cell")
    plan = q.filter(cells, compare(of(cells, "cell.x"), ">", 0))
    assert texts(one(asked(plan, {"grid.x", "grid.y"}))) == {4: "filter cell.y > 0"}
    assert texts(one(asked(plan, {"grid", "other"}))) == {2: "explode other as row"}


def test_maps_end_paths() -> None:
    q = Query()
    t = q.table("t", m=Map(STRING, struct(x=INTEGER)), n=Map(STRING, struct(x=INTEGER)))
    key, value = q.attribute("key", STRING), q.attribute("value", struct(x=INTEGER))
    flat = Flatten(id=q.step(), input=t, collection=of(t, "m"), elements=(key, value))
    plan = q.filter(flat, compare(of(flat, "value.x"), ">", 0))
    assert texts(one(asked(plan, {"m", "n"}))) == {2: "explode n as key, value"}
    with pytest.raises(UnknownAttribute):
        asked(plan, {"m.x", "n.x"})


def test_items_of_arrays_are_transparent() -> None:
    q = Query()
    t = q.table("t", a=Array(struct(x=INTEGER, y=INTEGER)), b=Array(struct(x=INTEGER, y=INTEGER)), i=INTEGER, j=INTEGER)
    first = FieldOf(ItemOf(of(t, "a"), of(t, "i")), 0)
    plan = q.filter(t, compare(first, "=", 1))
    rows = {OpId(1): [(((1, 2), (3, 4)), ((5, 6), (1, 8)), 0, 1)]}
    found = asked(plan, {"a.x", "a.y"})
    assert texts(one(found)) == {2: "filter a[i].y = 1"}
    assert texts(one(asked(plan, {"a", "b"}))) == {2: "filter b[i].x = 1"}
    assert texts(one(asked(plan, {"i", "j"}))) == {2: "filter a[j].x = 1"}
    both = asked(plan, {"a", "b"}, {"i", "j"}).found[-1]
    assert texts(both) == {2: "filter b[j].x = 1"}
    assert run(both.plan, rows) == rows[OpId(1)]


def test_lambda_variables_stand_for_the_elements_of_their_array() -> None:
    q = Query()
    t = q.table("t", a=Array(struct(x=INTEGER, y=INTEGER)), b=Array(struct(x=INTEGER, y=INTEGER)))
    some = exists(of(t, "a"), lambda e: compare(FieldOf(e, 0), ">", 5))
    plan = q.filter(t, some)
    rows = {OpId(1): [(((1, 9),), ((7, 0),))]}
    for group, expected in (({"a.x", "a.y"}, True), ({"a", "b"}, True), (set(), False)):
        last = asked(plan, *([group] if group else [])).found[-1]
        assert (run(last.plan, rows) == rows[OpId(1)]) == expected
    assert changes(asked(plan, {"a.x", "a.y"}, {"a", "b"})) == [
        {},
        {"a": "b"},
        {"a.x": "a.y"},
        {"a": "b", "a.x": "a.y"},
    ]


def test_a_group_of_fields_does_not_hold_back_a_group_of_structs() -> None:
    q = Query()
    pair = struct(x=INTEGER, y=INTEGER)
    t = q.table("t", a=pair, b=pair)
    plan = q.filter(t, compare(of(t, "a.x"), ">", 0))
    found = asked(plan, {"a.x", "a.y"}, {"a", "b"})
    assert texts(next(each for each in found.found if each.changes == {"a": "b"})) == {2: "filter b.x > 0"}


def test_the_element_of_a_fold_is_its_second_variable() -> None:
    q = Query()
    t = q.table("t", a=Array(struct(x=INTEGER, y=INTEGER)))
    total = reduce(of(t, "a"), Literal(0, INTEGER), lambda so_far, e: Call("+", (so_far, FieldOf(e, 0))))
    plan = q.project(t, total=total)
    found = asked(plan, {"x", "y"})
    assert [run(each.plan, {OpId(1): [(((1, 10), (2, 20)),)]}) for each in found.found] == [[(3,)], [(30,)]]


def test_what_a_function_computes_of_an_array_has_no_path() -> None:
    q = Query()
    t = q.table("t", a=Array(struct(x=INTEGER, y=INTEGER)))
    kept = keep(of(t, "a"), lambda e: compare(FieldOf(e, 0), ">", 0))
    plan = q.project(t, ys=transform(kept, lambda e: FieldOf(e, 1)))
    found = asked(plan, {"x", "y"})
    assert changes(found)[1] == {"a.x": "a.y"}
    assert [run(each.plan, {OpId(1): [(((0, 3), (1, 0)),)]}) for each in found.found] == [[((0,),)], [((3,),)]]


def test_the_input_of_an_opaque_expression_is_replaced() -> None:
    q = Query()
    t = q.table("t", a=STRING, b=STRING)
    plan = q.project(t, x=Opaque("udf(a)", (of(t, "a"),), STRING))
    (column,) = [c for n in walk(one(asked(plan, {"a", "b"})).plan) if isinstance(n, Project) for c in n.columns]
    assert isinstance(column.expr, Opaque)
    assert column.expr.inputs == (of(t, "b"),)


# --- types ---


def test_structs_are_mapped_by_name_and_missing_fields_are_null() -> None:
    q = Query()
    t = q.table(
        "t",
        address1=Array(struct(year=SHORT, City=STRING)),
        address2=Array(struct(city=STRING, year=INTEGER, zip=STRING)),
    )
    flat = q.flatten(t, "address2", "a")
    plan = q.filter(flat, compare(of(flat, "a.year"), ">", 2000))
    other = one(asked(plan, {"address1", "address2"}))
    assert other.notes == ("address1 has no field zip: null", "address1.year is smallint: cast to int")
    row = (((2019, "NY"), None, (1999, "LA")), ())
    assert run(other.plan, {OpId(1): [row]}) == [(*row, ("NY", 2019, None))]


def test_a_missing_field_that_is_read_prunes() -> None:
    q = Query()
    t = q.table("t", address1=Array(struct(city1=STRING, year=INTEGER)), address2=ADDRESSES)
    flat = q.flatten(t, "address2", "a")
    found = asked(q.project(flat, city="a.city"), {"address1", "address2"})
    assert changes(found) == [{}]
    assert reasons(found) == ["address1 has no field city, which the query reads: the schema would change"]


def test_structs_without_a_common_field_do_not_map() -> None:
    q = Query()
    t = q.table("t", a=Array(struct(x=INTEGER)), b=Array(struct(y=INTEGER)))
    assert reasons(asked(q.flatten(t, "a", "e"), {"a", "b"})) == ["b has none of the fields: the schema would change"]


def test_a_path_that_the_other_struct_lacks_prunes() -> None:
    q = Query()
    t = q.table("t", place=struct(country=STRING), user=struct(location=STRING))
    plan = q.filter(t, compare(of(t, "place.country"), "=", "US"))
    assert reasons(asked(plan, {"place", "user"})) == ["user has no field country"]


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        (SHORT, INTEGER),
        (INTEGER, LONG),
        (INTEGER, Decimal(10, 0)),
        (LONG, Decimal(21, 2)),
        (FLOAT, DOUBLE),
        (INTEGER, DOUBLE),
        (Decimal(5, 2), Decimal(7, 3)),
        (DATE, STRING),
        (Decimal(5, 2), STRING),
    ],
)
def test_values_widen_in_one_direction(given: Type, wanted: Type) -> None:
    assert widens(given, wanted)
    assert not widens(wanted, given)


@pytest.mark.parametrize(
    ("given", "wanted"),
    [(LONG, DOUBLE), (INTEGER, Decimal(9, 0)), (Decimal(5, 2), Decimal(6, 4)), (Array(INTEGER), STRING)],
)
def test_values_that_would_lose_something(given: Type, wanted: Type) -> None:
    assert not widens(given, wanted)


def test_a_cast_is_told() -> None:
    q = Query()
    t = q.table("t", a=STRING, b=INTEGER)
    other = one(asked(q.filter(t, compare(of(t, "a"), "=", "7")), {"a", "b"}))
    assert other.notes == ("b is int: cast to string",)
    assert run(other.plan, {OpId(1): [("x", 7)]}) == [("x", 7)]


# --- modes, combinations, order ---


def two_filters() -> Plan:
    q = Query()
    t = q.table("t", a=INTEGER, b=INTEGER, c=INTEGER)
    first = q.filter(t, compare(of(t, "a"), ">", 0))
    return q.filter(first, compare(of(first, "a"), "<", 9))


def test_swap_counts_the_injective_assignments_of_the_used_members() -> None:
    q = Query()
    t = q.table("t", a=INTEGER, b=INTEGER, c=INTEGER)
    one_used = q.filter(t, compare(of(t, "a"), ">", 0))
    two_used = q.filter(one_used, compare(of(t, "b"), ">", 0))
    assert len(asked(one_used, {"a", "b", "c"}).found) == 3
    assert len(asked(two_used, {"a", "b", "c"}).found) == 6
    assert len(asked(two_used, {"a", "b"}).found) == 2


def test_in_mode_each_every_reference_chooses_by_itself() -> None:
    assert len(asked(two_filters(), {"a", "b"}).found) == 2
    found = asked(two_filters(), {"a", "b"}, mode="each")
    assert changes(found) == [{}, {"a (step 2)": "b"}, {"a (step 3)": "b"}, {"a": "b"}]
    assert [steps(each) for each in found.found] == [[], [2], [3], [2, 3]]
    assert len(asked(two_filters(), {"a", "b", "c"}, mode="each").found) == 9


def test_in_mode_each_uses_above_one_projection_share_their_choice() -> None:
    q = Query()
    t = q.table("t", a=INTEGER, b=INTEGER)
    narrow = q.project(t, "a")
    first = q.filter(narrow, compare(of(narrow, "a"), ">", 0))
    plan = q.filter(first, compare(of(first, "a"), "<", 9))
    found = asked(plan, {"a", "b"}, mode="each")
    assert [steps(each) for each in found.found] == [[], [2]]
    assert set(reasons(found)) == {"the operators above step 2 need different columns in the place of a"}


def test_explicit_alternatives_stand_beside_the_groups() -> None:
    found = asked(two_filters(), {"a", "b"}, Alternative({"a": "c"}))
    assert changes(found) == [{}, {"a": "b"}, {"a": "c"}]


def test_an_explicit_alternative_that_is_a_member_of_a_group_appears_once() -> None:
    assert changes(asked(two_filters(), {"a", "b"}, Alternative({"a": "b"}))) == [{}, {"a": "b"}]


def test_an_explicit_alternative_that_changes_nothing_is_told() -> None:
    found = asked(two_filters(), Alternative({"b": "c"}))
    assert changes(found) == [{}]
    assert reasons(found) == ["the query does not use b"]


def test_overlapping_groups_never_replace_one_attribute_twice() -> None:
    assert changes(asked(two_filters(), {"a", "b"}, {"a", "c"})) == [{}, {"a": "b"}, {"a": "c"}]


def test_the_order_of_groups_and_members_means_nothing() -> None:
    plan = q3(STRING)
    groups = [sorted(RATES), sorted(DATES), sorted(PRIORITIES)]
    expected = [(each.changes, each.changed) for each in asked(plan, *groups).found]
    for order in itertools.permutations(groups):
        found = asked(plan, *(list(reversed(group)) for group in order))
        assert [(each.changes, each.changed) for each in found.found] == expected


def test_alternatives_come_by_the_number_of_changed_operators() -> None:
    found = asked(q3(STRING), RATES, DATES, PRIORITIES)
    counts = [(len(each.changed), len(each.changes)) for each in found.found]
    assert counts == sorted(counts)


# --- a law ---


def is_followed(node: Plan, meanings: Mapping[OpId, Meanings]) -> bool:
    """Whether an operator makes nothing new of carried columns but by a use that an alternative replaces."""
    match node:
        case SetOperation() | Distinct(keys=None):
            return False
        case Union():
            carried = [{i for i, a in enumerate(n.output) if a.id in meanings[n.id]} for n in (node, *inputs(node))]
            return all(each == carried[0] for each in carried)
        case _:
            return True


def settled(plan: Plan, rows: list[Row]) -> Any:
    """The columns that stand for no attribute of a source, as a bag."""
    carried = meanings_of(plan)[plan.id]
    places = [i for i, a in enumerate(plan.output) if a.id not in carried]
    return unordered_bag([tuple(row[i] for i in places) for row in rows], [plan.output[i].type for i in places])


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 6])
def test_swapping_two_attributes_everywhere_is_swapping_them_in_the_data(size: int) -> None:
    swapped = 0
    for seed in range(150):
        generator = Generator(Random(f"swap/{size}/{seed}"))
        plan = generator.plan(size)
        meanings = meanings_of(plan)
        if not all(is_followed(node, meanings) for node in walk(plan)):
            continue
        found = asked(plan, Alternative({"k": "v", "v": "k"}))
        if len(found.found) == 2:
            tables = generator.tables
            turned = {id: [(r[1], r[0], *r[2:]) if len(r) > 1 else r for r in tables[id]] for id in tables}
            expected = settled(plan, run(plan, turned))
            assert settled(plan, run(one(found).plan, tables)) == expected, show_plan(plan)
            swapped += 1
        else:
            known = ("reach", "does not use", "need different columns")
            assert all(any(part in reason for part in known) for reason in reasons(found)), reasons(found)
    assert swapped > 30


# --- names ---


def test_names_may_be_ends_of_paths_or_in_other_case_or_have_their_source() -> None:
    plan = running_example()
    expected = changes(asked(plan, {"address1", "address2"}))
    for group in (
        {"person.address1", "person.address2"},
        {"ADDRESS1", "address2"},
        {"Person.Address1", "address2"},
    ):
        assert changes(asked(plan, group)) == expected


@pytest.mark.parametrize("source", ["db.person", "/data/person.json", "person.json", "person"])
def test_sources_are_called_by_the_last_part_of_their_name(source: str) -> None:
    q = Query()
    t = q.table(source, a=INTEGER, b=INTEGER)
    plan = q.filter(t, compare(of(t, "a"), ">", 0))
    assert changes(asked(plan, {"person.a", f"{source}.b"})) == [{}, {"a": "b"}]


def test_names_with_dots_are_written_in_backticks() -> None:
    q = Query()
    columns: dict[str, Type] = {"a.b": INTEGER, "a": struct(b=INTEGER), "c": INTEGER}
    t = q.table("t", **columns)
    plan = q.filter(t, compare(Ref(t.output[0]), ">", 0))
    assert changes(asked(plan, {"`a.b`", "c"})) == [{}, {"`a.b`": "c"}]
    assert changes(asked(plan, {"`a.b`", "a.b"})) == [{}, {"`a.b`": "a.b"}]


def test_an_unknown_name_is_answered_with_the_nearest() -> None:
    with pytest.raises(UnknownAttribute, match=r"did you mean `o_lineitems\.l_tax`") as caught:
        asked(q3(STRING), {"l_taxx", "l_discount"})
    assert caught.value.nearest[0] == "o_lineitems.l_tax"
    with pytest.raises(UnknownAttribute, match="the sources have c_custkey"):
        asked(q3(STRING), {"zzzzzz", "l_discount"})


def test_an_ambiguous_end_is_answered_with_the_full_paths() -> None:
    with pytest.raises(AmbiguousAttribute) as caught:
        asked(running_example(), {"year", "address1"})
    assert caught.value.paths == ("address1.year", "address2.year")


def test_attributes_of_different_sources_cannot_replace_each_other() -> None:
    with pytest.raises(AlternativeError, match="not attributes of one source"):
        asked(q3(STRING), {"c_mktsegment", "o_orderpriority"})
    with pytest.raises(AlternativeError, match="not attributes of one source"):
        asked(q3(STRING), Alternative({"c_mktsegment": "o_orderpriority"}))


@pytest.mark.parametrize(
    "declared",
    [
        "address1",
        ["address1"],
        [{"address1"}],
        [["address1", "address1"]],
        [{"address1", 2}],
        [3],
        3,
        None,
        {"address1": "address2"},
        [{"address1": "address2"}],
        Alternative({"address1": "address2"}),
        [Alternative({})],
        [Alternative({"address1": 3})],  # type: ignore[dict-item]
        [Alternative({"address1": "address1"})],
        [{"address1.", "address2"}],
        [{"", "address2"}],
        [{"`address1", "address2"}],
    ],
)
def test_what_is_no_group_is_an_error(declared: Any) -> None:
    with pytest.raises(AlternativeError) as caught:
        alternatives_of(running_example(), declared)
    assert caught.value.hint


def test_an_unknown_mode_is_an_error() -> None:
    with pytest.raises(AlternativeError, match="unknown mode 'all'"):
        alternatives_of(running_example(), mode="all")  # type: ignore[arg-type]


# --- too many ---


def test_too_many_alternatives_are_counted_and_named() -> None:
    with pytest.raises(TooManyAlternatives) as caught:
        asked(q3(STRING), RATES, DATES, PRIORITIES, limits=Limits(alternatives=11))
    assert (caught.value.count, caught.value.limit) == (12, 11)
    assert "l_commitdate" in str(caught.value)
    assert len(asked(q3(STRING), RATES, DATES, PRIORITIES, limits=Limits(alternatives=12)).found) == 12


def test_combinations_are_not_enumerated_blindly() -> None:
    q = Query()
    names = [f"c{i:02}" for i in range(24)]
    t = q.table("t", **dict.fromkeys(names, INTEGER))
    plan = q.filter(t, *(compare(of(t, name), ">", 0) for name in names))
    with pytest.raises(TooManyAlternatives) as caught:
        asked(plan, names)
    assert caught.value.count > 10**20
    with pytest.raises(TooManyAlternatives):
        asked(plan, names, mode="each")


def test_pruned_combinations_do_not_count() -> None:
    assert len(asked(q3(INTEGER), RATES, DATES, PRIORITIES, limits=Limits(alternatives=6)).found) == 6


# --- what sources offer ---


def test_source_paths_go_through_structs_and_arrays() -> None:
    (paths,) = source_paths(running_example()).values()
    assert [path.text for path in paths] == [
        "name", "address1", "address1.city", "address1.year", "address2", "address2.city", "address2.year",
    ]  # fmt: skip
    assert paths[3].type == INTEGER


# --- queries of Spark ---


def same_in_spark(session: SparkSession, found: Alternatives) -> list[Any]:
    """The results of all alternatives, of which the interpreter and Spark say the same."""
    results = []
    for each in found.found:
        types = [a.type for a in each.plan.output]
        here = run(each.plan, tables_of(session, each.plan))
        there = rows_of(run_in_spark(session, each.plan), each.plan)
        assert unordered_bag(here, types) == unordered_bag(there, types)
        results.append(sorted(here, key=repr))
    return results


def persons(session: SparkSession) -> None:
    schema = (
        "name string, age int, years bigint, "
        "address1 array<struct<city: string, year: smallint>>, "
        "address2 array<struct<year: int, city: string, zip: string>>"
    )
    rows = [("Sue", 30, 31, [("LA", 2019), ("NY", 2018)], [(2019, "LA", "1"), (2018, "NY", "2")])]
    rows += [("Peter", 40, 41, [("NY", 2010), ("LA", 2019)], [(2010, "LA", "3"), (2018, "SF", "4")])]
    session.createDataFrame(rows, schema).createOrReplaceTempView("person")


def test_the_running_example_in_spark(spark: SparkSession) -> None:
    persons(spark)
    df = (
        spark.table("person")
        .select("name", F.explode("address2").alias("a"))
        .where("a.year >= 2019")
        .groupBy("a.city")
        .agg(F.collect_list("name").alias("nList"))
    )
    found = asked(read(df), {"person.address1", "address2"})
    assert [dict(each.changes) for each in found.found] == [{}, {"address2": "address1"}]
    assert steps(one(found)) == [2]
    assert one(found).notes == ("address1 has no field zip: null", "address1.year is smallint: cast to int")
    first, second = same_in_spark(spark, found)
    assert first == [("LA", ("Sue",))]
    assert [(city, sorted(names)) for city, names in second] == [("LA", ["Peter", "Sue"])]


def test_a_dropped_substitute_and_lambdas_in_spark(spark: SparkSession) -> None:
    persons(spark)
    df = (
        spark.table("person")
        .select("name", "years", "address2")
        .where(F.exists("address2", lambda a: a["city"] == "NY"))
        .where("years > 30")
    )
    found = asked(read(df), {"address1", "address2"}, {"age", "years"})
    assert [steps(each) for each in found.found] == [[], [2], [2], [2]]
    names = [[row[0] for row in rows] for rows in same_in_spark(spark, found)]
    assert names == [["Sue"], ["Peter", "Sue"], [], ["Peter"]]


def test_windows_and_joins_in_spark(spark: SparkSession) -> None:
    t = spark.createDataFrame([(1, 2, 5), (2, 1, 6), (2, 2, 7)], "a int, b int, v int")
    u = spark.createDataFrame([(1, 2), (2, 9)], "c int, d int")
    ranked = t.withColumn("n", F.row_number().over(SparkWindow.partitionBy("a").orderBy("v")))
    df = ranked.join(u, F.col("b") == F.col("c"))
    found = asked(read(df), {"a", "b"}, {"c", "d"})
    results = same_in_spark(spark, found)
    assert len(results) == 4
    assert results[0] == [(1, 2, 5, 1, 2, 9), (2, 1, 6, 1, 1, 2), (2, 2, 7, 2, 2, 9)]
    assert results[3] == [(2, 1, 6, 1, 1, 2), (2, 2, 7, 2, 1, 2)]
