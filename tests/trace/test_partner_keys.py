"""Keys that partners must have: looked up where the question leaves few, and of no effect but on speed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from random import Random
from typing import Any

import pytest

from sparkwhy.backtrace.backtrace import Conditions
from sparkwhy.backtrace.find_keys import KeyFinder, find_no_keys
from sparkwhy.explain.candidates import candidate_plan, candidates_of
from sparkwhy.fix.propose import propose_repairs
from sparkwhy.fix.verify import conditions_on_rows, outcome_plan, outcomes_of, returned_attributes
from sparkwhy.limits import Limits
from sparkwhy.memory.interpreter import run
from sparkwhy.plan.exprs import Attribute, Compare, Expr, In, Literal, Ref
from sparkwhy.plan.nodes import Filter, Join, OpId, Plan, Table
from sparkwhy.plan.types import INTEGER
from sparkwhy.plan.walk import walk
from sparkwhy.trace.trace import trace
from tests.fix.chain import Case, claims_of
from tests.plan.test_nodes import attribute, table
from tests.trace.plans import Generator
from tests.trace.test_law import MOST_DROPPERS, droppers
from tests.trace.test_law_of_alternatives import alternatives, is_determined

ID, CUSTOMER, ORDER, ITEM, NAME = (
    attribute(i, n) for i, n in enumerate(("id", "customer", "order", "item", "name"), 1)
)
ORDERS, ITEMS, CUSTOMERS = table(1, ID, CUSTOMER), table(2, ORDER, ITEM), table(3, NAME)


def joined(left: Plan, right: Plan, one: Attribute, other: Attribute, step: int, how: Any = "inner") -> Join:
    return Join(id=OpId(step), left=left, right=right, how=how, condition=Compare("=", Ref(one), Ref(other)))


def looked_up(
    plan: Plan, rows: dict[int, list[Any]], *conditions: Expr, large: bool = True
) -> list[tuple[int, list[Any]]]:
    """The joins for which keys were looked up, and what they are."""
    tables = {OpId(step): known for step, known in rows.items()}
    keys = KeyFinder(lambda plan: run(plan, tables), lambda _: large)
    (found,) = keys([plan], tuple(conditions))
    values = {
        join.step: [o.value for c in known if isinstance(c, In) for o in c.options if isinstance(o, Literal)]
        for (join, _), known in found.items()
    }
    return [(join, sorted(each)) for join, each in values.items()]


def watched(tables: Mapping[OpId, list[Any]]) -> tuple[KeyFinder, list[Plan]]:
    """What looks up all keys that it can, and the plans that it runs for that, as they come."""
    looks: list[Plan] = []

    def collect(plan: Plan) -> Iterable[Sequence[Any]]:
        looks.append(plan)
        return run(plan, tables)

    return KeyFinder(collect, lambda _: True), looks


def asks(attribute: Attribute, value: int) -> Expr:
    return Compare("=", Ref(attribute), Literal(value, INTEGER))


ROWS: dict[int, list[Any]] = {
    1: [(1, 7), (2, 7), (3, 8)],
    2: [(1, 10), (1, 11), (2, 12), (3, 13)],
    3: [(7,), (8,)],
}


def test_the_keys_of_few_rows_are_looked_up_and_lead_to_further_ones() -> None:
    orders = joined(CUSTOMERS, ORDERS, NAME, CUSTOMER, 4)
    plan = joined(orders, ITEMS, ID, ORDER, 5)
    assert looked_up(plan, ROWS, asks(NAME, 7)) == [(4, [7]), (5, [1, 2])]
    assert looked_up(plan, ROWS, asks(NAME, 7), large=False) == []
    assert looked_up(plan, ROWS) == []


def test_only_the_side_that_is_there_as_a_partner_has_keys() -> None:
    """Of the items nothing is asked, so an order without any may be the answer, and an item without an order not."""
    plan = joined(ORDERS, ITEMS, ID, ORDER, 5, "full")
    assert looked_up(plan, ROWS, asks(CUSTOMER, 7)) == [(5, [1, 2])]
    semi = joined(ORDERS, ITEMS, ID, ORDER, 5, "semi")
    assert looked_up(semi, ROWS, asks(CUSTOMER, 8)) == [(5, [3])]


def test_many_keys_are_no_condition() -> None:
    plan = joined(ORDERS, ITEMS, ID, ORDER, 5)
    many = {**ROWS, 1: [(n, 7) for n in range(Limits().partner_keys + 1)]}
    assert looked_up(plan, many, asks(CUSTOMER, 7)) == [(5, [])]


def test_a_key_is_looked_up_where_it_stands_whatever_drops_rows_above() -> None:
    kept = Filter(id=OpId(6), input=ORDERS, condition=asks(ID, 3))
    plan = joined(kept, ITEMS, ID, ORDER, 5)
    assert looked_up(plan, ROWS, asks(CUSTOMER, 7)) == [(5, [1, 2])]


def test_a_key_is_not_looked_up_among_partners_that_a_row_may_lack() -> None:
    """Order 3 has no item. Where the join with the items is relaxed it is there all the same, and its bill too."""
    bill, paid = attribute(7, "bill"), attribute(8, "paid")
    bills = table(6, bill, paid)
    plan = joined(joined(ITEMS, ORDERS, ORDER, ID, 4), bills, ID, bill, 5)
    rows = {1: [(3, 8)], 2: [(1, 10)], 6: [(3, 99)]}
    asked = (asks(ID, 3), asks(paid, 99))
    tables = {OpId(step): known for step, known in rows.items()}
    keys = KeyFinder(lambda plan: run(plan, tables), lambda _: True)([plan], asked)
    traced = trace(plan, asked, records=True, keys=keys)
    (found,) = candidates_of(traced, run(candidate_plan(traced), tables), "UTC")
    assert found.certain
    assert looked_up(plan, rows, *asked) == [(4, [3]), (5, [3])]


@pytest.mark.parametrize("batch", range(3))
def test_changed_queries_with_keys_return_the_same(batch: int) -> None:
    found = 0
    for seed in range(400):
        generator = Generator(Random(f"keys of fixes/{batch}/{seed}"))
        plan = generator.join(generator.plan(1 + seed % 3))
        plan = generator.aggregate(plan) if seed % 2 else plan
        if len(droppers(plan)) > MOST_DROPPERS - 2 or not is_determined(plan):
            continue
        conditions = (*_pins(generator, plan), generator.condition(plan))
        case = Case.of(plan, generator.tables, conditions, alternatives(generator, plan, seed % 3))
        keys, looks = watched(generator.tables)
        claims, query = claims_of(case)
        told = returned_attributes(plan, conditions, more=12)
        for claim in claims:
            if repairs := propose_repairs(query, claim.candidates).repairs:
                plans, asked = [repair.plan for repair in repairs], conditions_on_rows(repairs[0].plan, conditions)
                plain, keyed = (
                    outcomes_of(case.rows(outcome_plan(repairs, conditions, told, find(plans, asked))), told, "UTC")
                    for find in (find_no_keys, keys)
                )
                assert plain == keyed
                found += bool(looks)
    assert found > 5


@pytest.mark.parametrize("batch", range(4))
def test_tracing_with_keys_finds_the_same(batch: int) -> None:
    found = 0
    for seed in range(120):
        generator = Generator(Random(f"partner keys/{batch}/{seed}"))
        plan = generator.join(generator.plan(1 + seed % 3))
        if len(droppers(plan)) <= MOST_DROPPERS - 2 and is_determined(plan):
            others = alternatives(generator, plan, seed % 3)
            conditions = (*_pins(generator, plan), generator.condition(plan))
            keys, looks = watched(generator.tables)
            plain, keyed = (
                candidates_of(traced, run(candidate_plan(traced), generator.tables), "UTC")
                for traced in (
                    trace(plan, conditions, alternatives=others, records=True),
                    trace(plan, conditions, alternatives=others, records=True, keys=keys([plan, *others], conditions)),
                )
            )
            assert sorted(map(repr, plain)) == sorted(map(repr, keyed))
            found += bool(looks and plain)
    assert found > 5


def _pins(generator: Generator, plan: Plan) -> Conditions:
    """That some columns of sources have some values that they have."""
    output = set(plan.output)
    shown = [
        (node, at)
        for node in walk(plan)
        if isinstance(node, Table)
        for at, a in enumerate(node.attributes)
        if a in output and a.type == INTEGER
    ]
    rows = [
        (node.attributes[at], [row[at] for row in generator.tables[node.id] if row[at] is not None])
        for node, at in shown
    ]
    known = [(a, values) for a, values in rows if values]
    return tuple(
        asks(a, generator.random.choice(values)) for a, values in generator.random.sample(known, min(1, len(known)))
    )
