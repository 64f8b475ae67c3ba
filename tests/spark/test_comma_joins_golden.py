"""Comma joins beside golden files: equalities of a filter become keys of the joins below it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from sparkwhy.plan.build import equal
from sparkwhy.plan.nodes import OpId, Plan
from sparkwhy.plan.types import INTEGER
from sparkwhy.spark.comma_joins import with_join_conditions
from tests.build_plans import Query, compare, of
from tests.golden_files import CheckGolden, Tables, check_no_other, compare_plans

TABLES: Tables = {
    OpId(1): [(1, 5), (2, 6), (3, 9), (None, 7)],
    OpId(2): [(1, 8), (2, 8), (3, 9)],
    OpId(4): [(8,), (9,)],
}


def three_tables() -> Plan:
    q = Query()
    customers, orders = q.table("customers", c=INTEGER, age=INTEGER), q.table("orders", owner=INTEGER, item=INTEGER)
    both = q.join(customers, orders, how="cross")
    all_three = q.join(both, q.table("items", i=INTEGER), how="cross")
    owns, has = equal(of(all_three, "owner"), of(all_three, "c")), equal(of(all_three, "i"), of(all_three, "item"))
    return q.filter(all_three, owns, compare(of(all_three, "age"), ">", 5), has)


def join_with_a_key() -> Plan:
    q = Query()
    customers, orders = q.table("customers", c=INTEGER, age=INTEGER), q.table("orders", owner=INTEGER, item=INTEGER)
    keyed = q.join(customers, orders, equal(of(customers, "c"), of(orders, "owner")))
    return q.filter(keyed, equal(of(keyed, "age"), of(keyed, "item")))


CASES: dict[str, Callable[[], Plan]] = {"three_tables": three_tables, "join_with_a_key": join_with_a_key}


@pytest.mark.parametrize("name", CASES)
def test_comma_joins(name: str, check_golden: CheckGolden) -> None:
    plan = CASES[name]()
    check_golden(f"comma_joins/{name}.txt", compare_plans(plan, with_join_conditions(plan), TABLES))


def test_every_golden_file_has_a_test() -> None:
    check_no_other("comma_joins", CASES)
