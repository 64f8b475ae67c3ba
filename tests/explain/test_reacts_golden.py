"""Where a query returns other rows, not only fewer, when an operator returns fewer: beside golden files.

Filters at these places are tried in a stricter form. Each file shows one input that a stricter filter shortens, and the
rows that come instead.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping

import pytest

from sparkwhy.memory.interpreter import run
from sparkwhy.plan.build import equal
from sparkwhy.plan.exprs import AggCall
from sparkwhy.plan.nodes import OpId, Plan, Table
from sparkwhy.plan.show_nodes import number_names, show_nodes
from sparkwhy.plan.traits import query_reacts
from sparkwhy.plan.types import INTEGER
from sparkwhy.plan.walk import walk
from tests.build_plans import Query, compare, of
from tests.golden_files import CheckGolden, Tables, check_no_other, show_rows

ROWS: Tables = {OpId(1): [(1, 2), (1, 5), (2, 3)], OpId(3): [(1,), (2,)]}
FEWER: Tables = {OpId(1): [(1, 5), (2, 3)], OpId(3): [(2,)]}


def kept() -> tuple[Query, Plan]:
    q = Query()
    one = q.table("one", k=INTEGER, v=INTEGER)
    return q, q.filter(one, compare(of(one, "v"), ">", 0))


def count() -> Plan:
    q, rows = kept()
    return q.group(rows, "k", n=AggCall("count", (of(rows, "v"),)))


def keys_only() -> Plan:
    q, rows = kept()
    return q.group(rows, "k")


def limit() -> Plan:
    q, rows = kept()
    return q.limit(rows, "v", 2)


def anti_join() -> Plan:
    q, rows = kept()
    two = q.table("two", id=INTEGER)
    other = q.filter(two, compare(of(two, "id"), ">", 0))
    return q.join(rows, other, equal(of(rows, "k"), of(other, "id")), how="anti")


def left_join() -> Plan:
    q, rows = kept()
    two = q.table("two", id=INTEGER)
    other = q.filter(two, compare(of(two, "id"), ">", 0))
    return q.join(rows, other, equal(of(rows, "k"), of(other, "id")), how="left")


CASES: Mapping[str, Callable[[], Plan]] = {
    case.__name__: case for case in (count, keys_only, limit, anti_join, left_join)
}


@pytest.mark.parametrize("name", CASES)
def test_reacts(name: str, check_golden: CheckGolden) -> None:
    plan = CASES[name]()
    reacts, names = query_reacts(plan), number_names((plan,))
    for table in (node for node in walk(plan) if isinstance(node, Table) and not reacts[node.id]):
        fewer = Counter(run(plan, {**ROWS, table.id: FEWER[table.id]}))
        assert not fewer - Counter(run(plan, ROWS)), "only fewer rows, no others"
    shown = "\n".join(f"{node.id}: {'yes' if reacts[node.id] else 'no'}" for node in reversed(tuple(walk(plan))))
    sections = {"plan": show_nodes(plan, names), "query reacts to fewer rows of": shown}
    rows = {"rows": show_rows(plan, ROWS, names), "rows with fewer in the tables": show_rows(plan, FEWER, names)}
    check_golden(f"reacts/{name}.txt", sections | rows)


def test_every_golden_file_has_a_test() -> None:
    check_no_other("reacts", CASES)
