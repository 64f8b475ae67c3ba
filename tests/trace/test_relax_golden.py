"""Relaxing beside golden files: the query with one of its operators letting every row through."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from sparkwhy.plan.build import equal
from sparkwhy.plan.nodes import OpId, Plan, SetOperation
from sparkwhy.plan.show_nodes import number_names, show_nodes
from sparkwhy.plan.types import INTEGER, Array
from sparkwhy.plan.walk import walk
from sparkwhy.trace.blame import droppers_of
from sparkwhy.trace.relax import relax
from tests.build_plans import Query, compare, of
from tests.golden_files import CheckGolden, Tables, check_no_other, show_rows

ROWS: Tables = {OpId(1): [(1, 2, (7,)), (2, 3, ()), (None, 4, None)], OpId(2): [(1, 2), (3, 5)]}


def tables() -> tuple[Query, Plan, Plan]:
    q = Query()
    return q, q.table("one", k=INTEGER, v=INTEGER, xs=Array(INTEGER)), q.table("two", id=INTEGER, u=INTEGER)


def filter_() -> Plan:
    q, one, _ = tables()
    return q.filter(one, compare(of(one, "k"), ">", 1))


def flatten() -> Plan:
    q, one, _ = tables()
    return q.flatten(one, "xs", "x")


def inner_join() -> Plan:
    q, one, two = tables()
    return q.join(one, two, equal(of(one, "k"), of(two, "id")))


def anti_join() -> Plan:
    q, one, two = tables()
    return q.join(one, two, equal(of(one, "k"), of(two, "id")), how="anti")


def limit() -> Plan:
    q, one, _ = tables()
    return q.limit(one, "v", 1)


def intersect() -> Plan:
    q, one, two = tables()
    return SetOperation(id=q.step(), left=q.project(one, "k", "v"), right=two, operation="intersect")


CASES: Mapping[str, Callable[[], Plan]] = {
    case.__name__.strip("_"): case for case in (filter_, flatten, inner_join, anti_join, limit, intersect)
}


@pytest.mark.parametrize("name", CASES)
def test_relax(name: str, check_golden: CheckGolden) -> None:
    plan = CASES[name]()
    names = number_names((plan,))
    sections = {"plan": show_nodes(plan, names), "rows": show_rows(plan, ROWS, names)}
    for dropper in (dropper for node in walk(plan) for dropper in droppers_of(node)):
        after, side = relax(plan, {dropper}), "" if dropper.side is None else f" {dropper.side}"
        sections[f"relaxed {dropper.op}{side}"] = show_nodes(after, names)
        sections[f"rows with {dropper.op}{side} relaxed"] = show_rows(after, ROWS, names)
    check_golden(f"relax/{name}.txt", sections)


def test_every_golden_file_has_a_test() -> None:
    check_no_other("relax", CASES)
