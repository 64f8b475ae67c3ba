"""Substitution beside golden files: the query with one attribute of a source in the place of another."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from sparkwhy.alternatives.substitute import Analysis, Substitution, substitute
from sparkwhy.plan.nodes import OpId, Plan
from sparkwhy.plan.show_nodes import number_names, show_nodes
from sparkwhy.plan.types import INTEGER, LONG, STRING, Array
from tests.build_plans import Query, compare, of, struct
from tests.golden_files import CheckGolden, Tables, check_no_other, show_rows

ADDRESS = struct(city=STRING, year=INTEGER)
PEOPLE: Tables = {
    OpId(1): [
        ("Sue", 30, 31, (("LA", 2019), ("NY", 2018)), (("SF", 2020),)),
        ("Peter", 20, 40, (), (("NY", 2010), ("LA", 2019))),
    ]
}


def people(q: Query) -> Plan:
    return q.table("people", name=STRING, age=LONG, pension=INTEGER, home=Array(ADDRESS), work=Array(ADDRESS))


def at_the_use() -> tuple[Plan, Substitution]:
    q = Query()
    rows = people(q)
    return q.filter(rows, compare(of(rows, "age"), ">", 25)), Substitution(OpId(1), ("age",), ("pension",))


def at_the_projection_below() -> tuple[Plan, Substitution]:
    q = Query()
    narrow = q.project(people(q), "name", "age")
    return q.filter(narrow, compare(of(narrow, "age"), ">", 25)), Substitution(OpId(1), ("age",), ("pension",))


def of_a_flatten() -> tuple[Plan, Substitution]:
    q = Query()
    flat = q.flatten(people(q), "home", "a")
    recent = q.filter(flat, compare(of(flat, "a.year"), ">=", 2019))
    return q.project(recent, "name", city="a.city"), Substitution(OpId(1), ("home",), ("work",))


CASES: Mapping[str, Callable[[], tuple[Plan, Substitution]]] = {
    case.__name__: case for case in (at_the_use, at_the_projection_below, of_a_flatten)
}


@pytest.mark.parametrize("name", CASES)
def test_substitute(name: str, check_golden: CheckGolden) -> None:
    plan, change = CASES[name]()
    after, _ = substitute(Analysis.of(plan), (change,))
    names = number_names((plan, after))
    sections = {"plan": show_nodes(plan, names), "rows": show_rows(plan, PEOPLE, names)}
    change_text = f"{'.'.join(change.old)} -> {'.'.join(change.new)}"
    sections |= {f"after {change_text}": show_nodes(after, names), "rows after": show_rows(after, PEOPLE, names)}
    check_golden(f"substitute/{name}.txt", sections)


def test_every_golden_file_has_a_test() -> None:
    check_no_other("substitute", CASES)
