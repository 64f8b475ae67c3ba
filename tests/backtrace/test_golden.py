"""Backtracing beside golden files: what is asked of the rows of each operator, given what is asked of the result.

A row that fails what is asked of it cannot contribute to a matching answer. So the tables are run with only the rows
that meet the conditions: the matching rows of the query must be the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from sparkwhy.backtrace.backtrace import Conditions, backtrace
from sparkwhy.memory.interpreter import run
from sparkwhy.memory.values import Row, unordered_bag
from sparkwhy.plan.build import all_of, call, equal
from sparkwhy.plan.exprs import AggCall, Expr, IsNull, Literal
from sparkwhy.plan.nodes import Filter, Flatten, OpId, Plan, SetOperation, Table
from sparkwhy.plan.show import Names
from sparkwhy.plan.show_nodes import number_names, show_exactly, show_nodes
from sparkwhy.plan.types import INTEGER, Array
from sparkwhy.plan.walk import walk
from tests.build_plans import Query, compare, of
from tests.golden_files import CheckGolden, Tables, check_no_other, show_rows

ROWS: Tables = {
    OpId(1): [(1, 2, (7, 8)), (1, 3, ()), (2, 2, (8,)), (None, 4, None), (3, 9, (None, 7))],
    OpId(2): [(1, 5), (2, 5), (4, 6), (None, 2)],
}


def project() -> tuple[Plan, Conditions]:
    q = Query()
    one = q.table("one", k=INTEGER, v=INTEGER, xs=Array(INTEGER))
    plan = q.project(one, "k", w=call("+", of(one, "v"), Literal(1, INTEGER)))
    return plan, (compare(of(plan, "k"), "=", 1), compare(of(plan, "w"), ">", 3))


def flatten() -> tuple[Plan, Conditions]:
    q = Query()
    plan = q.flatten(q.table("one", k=INTEGER, v=INTEGER, xs=Array(INTEGER)), "xs", "x")
    return plan, (compare(of(plan, "k"), "<", 3), compare(of(plan, "x"), "=", 8))


def flatten_to_null() -> tuple[Plan, Conditions]:
    q = Query()
    inner = q.flatten(q.table("one", k=INTEGER, v=INTEGER, xs=Array(INTEGER)), "xs", "x")
    assert isinstance(inner, Flatten)
    plan = Flatten(id=inner.id, input=inner.input, collection=inner.collection, elements=inner.elements, outer=True)
    return plan, (IsNull(of(plan, "x")),)


def sides() -> tuple[Query, Plan, Plan]:
    q = Query()
    return q, q.table("one", k=INTEGER, v=INTEGER, xs=Array(INTEGER)), q.table("two", id=INTEGER, u=INTEGER)


def inner_join() -> tuple[Plan, Conditions]:
    q, one, two = sides()
    plan = q.join(one, two, equal(of(one, "k"), of(two, "id")))
    return plan, (compare(of(plan, "k"), "=", 1), compare(of(plan, "u"), "=", 5))


def left_join_to_null() -> tuple[Plan, Conditions]:
    q, one, two = sides()
    plan = q.join(one, two, equal(of(one, "k"), of(two, "id")), how="left")
    return plan, (compare(of(plan, "v"), ">", 3), IsNull(of(plan, "u")))


def semi_join() -> tuple[Plan, Conditions]:
    q, one, two = sides()
    plan = q.join(one, two, equal(of(one, "k"), of(two, "id")), how="semi")
    return plan, (compare(of(plan, "k"), "=", 2),)


def aggregate() -> tuple[Plan, Conditions]:
    q = Query()
    one = q.table("one", k=INTEGER, v=INTEGER, xs=Array(INTEGER))
    kept = q.filter(one, compare(of(one, "v"), ">", 1))
    plan = q.group(kept, "k", total=AggCall("sum", (of(kept, "v"),)))
    return plan, (compare(of(plan, "k"), "=", 1), compare(of(plan, "total"), ">", 2))


def window() -> tuple[Plan, Conditions]:
    q = Query()
    plan = q.window(q.table("one", k=INTEGER, v=INTEGER, xs=Array(INTEGER)), "k", "v")
    return plan, (compare(of(plan, "k"), "=", 1), compare(of(plan, "v"), "=", 3), compare(of(plan, "rank"), "=", 2))


def union() -> tuple[Plan, Conditions]:
    q, one, two = sides()
    plan = q.union(q.project(one, "k", "v"), two)
    return plan, (compare(of(plan, "v"), "=", 2),)


def set_operation() -> tuple[Plan, Conditions]:
    q, one, two = sides()
    plan = SetOperation(id=q.step(), left=q.project(one, "k", "v"), right=two, operation="except")
    return plan, (compare(of(plan, "v"), ">", 2),)


def distinct_by() -> tuple[Plan, Conditions]:
    q = Query()
    plan = q.distinct(q.table("one", k=INTEGER, v=INTEGER, xs=Array(INTEGER)), "k")
    return plan, (compare(of(plan, "k"), "=", 1), compare(of(plan, "v"), "=", 2))


def limit() -> tuple[Plan, Conditions]:
    q = Query()
    plan = q.limit(q.table("one", k=INTEGER, v=INTEGER, xs=Array(INTEGER)), "v", 3)
    return plan, (compare(of(plan, "k"), "=", 1),)


CASES: Mapping[str, Callable[[], tuple[Plan, Conditions]]] = {
    case.__name__: case
    for case in (
        project, flatten, flatten_to_null, inner_join, left_join_to_null, semi_join, aggregate, window, union,
        set_operation, distinct_by, limit,
    )
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_backtrace(name: str, check_golden: CheckGolden) -> None:
    plan, conditions = CASES[name]()
    asked, names = backtrace(plan, conditions), number_names((plan,))
    wanted = Filter(id=OpId(99), input=plan, condition=all_of(conditions))
    types = [attribute.type for attribute in plan.output]
    few = {node.id: _rows_that_meet(node, asked[node.id]) for node in walk(plan) if isinstance(node, Table)}
    assert unordered_bag(run(wanted, few), types) == unordered_bag(run(wanted, ROWS), types)
    shown = "\n".join(f"{node.id}: {_show(asked[node.id], names)}" for node in reversed(tuple(walk(plan))))
    sections = {"plan": show_nodes(plan, names), "conditions": shown}
    check_golden(f"backtrace/{name}.txt", sections | {"matching rows": show_rows(wanted, ROWS, names)})


def _rows_that_meet(table: Table, conditions: Conditions) -> list[Row]:
    return run(Filter(id=OpId(99), input=table, condition=all_of(conditions)), ROWS)


def _show(conditions: tuple[Expr, ...], names: Names) -> str:
    return ", ".join(show_exactly(condition, names) for condition in conditions) or "nothing"


def test_every_golden_file_has_a_test() -> None:
    check_no_other("backtrace", CASES)
