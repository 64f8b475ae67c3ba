"""The rules of tracing beside golden files: a query, its traced plan, and rows with the operators that they blame.

Each case is also run by the law: the rows alive in a set are those of the query with exactly these operators relaxed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import pytest

from sparkwhy.memory.interpreter import run
from sparkwhy.plan.build import equal, long
from sparkwhy.plan.exprs import AggCall, Call, Expr, Frame, WindowCall
from sparkwhy.plan.nodes import Column, Join, OpId, Plan, SetOperation, Sort, SortKey, Window
from sparkwhy.plan.show_nodes import number_names, show_nodes
from sparkwhy.plan.types import INTEGER, LONG, Array
from sparkwhy.trace.trace import TracedQuery, trace
from tests.build_plans import Query, compare, of
from tests.golden_files import CheckGolden, align, check_no_other, show_cell
from tests.trace.force_strategies import GROUPINGS, JOINS, force_aggregate_strategy, force_join_strategy
from tests.trace.test_law import check_law

TABLES: dict[OpId, list[tuple[object, ...]]] = {
    OpId(1): [(1, 1, (7, 8)), (1, 3, ()), (2, 2, (9,)), (2, 2, None)],
    OpId(2): [(1, 1), (3, 6)],
}


def tables() -> tuple[Query, Plan, Plan]:
    q = Query()
    return q, q.table("one", k=INTEGER, v=INTEGER, xs=Array(INTEGER)), q.table("two", id=INTEGER, u=INTEGER)


def above(plan: Plan, name: str, value: int) -> Expr:
    return compare(of(plan, name), ">", value)


def filtered() -> tuple[Query, Plan, Plan]:
    """Return two tables, each below a filter that drops some of its rows."""
    q, one, two = tables()
    return q, q.project(q.filter(one, above(one, "v", 1)), "k", "v"), q.filter(two, above(two, "u", 1))


def filter_() -> Plan:
    q, one, _ = tables()
    return q.filter(one, above(one, "v", 1))


def project() -> Plan:
    q, one, _ = filtered()
    return q.project(one, "k", w=Call("+", (of(one, "v"), of(one, "k"))))


def flatten() -> Plan:
    q, one, _ = tables()
    return q.flatten(one, "xs", "x")


def sort() -> Plan:
    q, one, _ = filtered()
    return Sort(id=q.step(), input=one, order=(SortKey(of(one, "v")),))


def union() -> Plan:
    q, one, two = tables()
    return q.union(q.project(q.filter(one, above(one, "v", 1)), "k", "v"), two)


def window() -> Plan:
    q, one, _ = filtered()
    count = WindowCall(AggCall("count", (long(1),)), Frame("rows", None, None))
    made = Column(q.attribute("n", LONG), count)
    return Window(id=q.step(), input=one, partition=(of(one, "k"),), order=(), columns=(made,))


def limit() -> Plan:
    q, one, _ = filtered()
    return q.limit(one, "v", 1)


def distinct() -> Plan:
    q, one, _ = tables()
    narrow = q.project(q.filter(q.filter(one, above(one, "v", 1)), compare(of(one, "v"), "<", 3)), "k")
    return q.distinct(narrow)


def distinct_by() -> Plan:
    q, one, _ = filtered()
    return q.distinct(Sort(id=q.step(), input=one, order=(SortKey(of(one, "v")),)), "k")


def set_operation() -> Plan:
    q, one, two = tables()
    left, right = q.project(one, "k"), q.project(q.filter(two, above(two, "u", 1)), "id")
    return SetOperation(id=q.step(), left=left, right=right, operation="except")


def aggregate() -> Plan:
    q, one, _ = filtered()
    return q.group(one, "k", total=AggCall("sum", (of(one, "v"),)))


def join() -> Plan:
    q, one, two = filtered()
    return q.join(one, two, equal(of(one, "k"), of(two, "id")))


def semi_join() -> Plan:
    q, one, two = filtered()
    return q.join(one, two, equal(of(one, "k"), of(two, "id")), how="semi")


CASES: Mapping[str, Callable[[], Plan]] = {
    case.__name__.strip("_"): case
    for case in (
        filter_,
        project,
        flatten,
        sort,
        union,
        window,
        limit,
        distinct,
        distinct_by,
        set_operation,
        aggregate,
        join,
        semi_join,
    )
}


@pytest.mark.parametrize("name", CASES)
def test_rule(name: str, check_golden: CheckGolden) -> None:
    plan = CASES[name]()
    check_law(plan, TABLES)
    traced = trace(plan)
    names = number_names((plan, traced.rows.plan))
    check_golden(f"trace/{name}.txt", {"plan": show_nodes(plan, names), **show_traced(traced)})


def show_traced(traced: TracedQuery) -> Mapping[str, str]:
    """Return the sections of a traced query: its plan, the bit of each dropper, and its rows."""
    names = number_names((traced.plans[0], traced.rows.plan))
    bits = (f"{1 << at:#b}: {dropper.op} {dropper.side or ''}" for dropper, at in traced.bits.positions().items())
    return {
        "traced plan": show_nodes(traced.rows.plan, names),
        "bits": "\n".join(map(str.rstrip, bits)),
        "rows": show_marked_rows(traced),
    }


def show_marked_rows(traced: TracedQuery) -> str:
    """Return the rows of a traced query with blame and unless, as binary sets."""
    rows = traced.rows
    places = {attribute: i for i, attribute in enumerate(rows.plan.output)}
    columns = [(a.name, places[a]) for a in traced.plans[0].output]
    lines = []
    for row in run(rows.plan, TABLES):
        blame = 0 if rows.blame is None else row[places[rows.blame]]
        unless = () if rows.unless is None else row[places[rows.unless]]
        lines.append([*(show_cell(row[at]) for _, at in columns), f"{blame:#b}", show_sets(unless)])
    return align([[*(name for name, _ in columns), "blame", "unless"], *sorted(lines)])


def show_sets(sets: Iterable[int]) -> str:
    return f"{{{', '.join(f'{each:#b}' for each in sorted(sets))}}}"


@pytest.mark.parametrize("kind", ["join", "aggregate"])
def test_strategies(kind: str, check_golden: CheckGolden, monkeypatch: pytest.MonkeyPatch) -> None:
    force = force_join_strategy if kind == "join" else force_aggregate_strategy
    sections: dict[str, str] = {}
    for name in JOINS if kind == "join" else GROUPINGS:
        with monkeypatch.context() as patch:
            used = force(patch, name)
            plan = STRATEGY_CASES[kind, name]()
            check_law(plan, TABLES)
            traced = trace(plan)
        assert name in used
        names = number_names((plan, traced.rows.plan))
        shown = {"plan": show_nodes(plan, names), **show_traced(traced)}
        sections |= {f"{name}: {title}": text for title, text in shown.items()}
    check_golden(f"trace/{kind}_strategies.txt", sections)


def no_padding() -> Plan:
    """Return a join that Spark made, a part of a step of the user: it drops rows of neither side, so it pads none."""
    q, one, two = filtered()
    condition = equal(of(one, "k"), of(two, "id"))
    return Join(id=OpId(q.step().step, 1), left=one, right=two, how="inner", condition=condition)


def certain_partners() -> Plan:
    q, one, two = tables()
    left = q.project(q.filter(one, above(one, "v", 1)), "k", "v")
    return q.join(left, two, equal(of(left, "k"), of(two, "id")), how="left")


def certain_groups() -> Plan:
    q, _, two = tables()
    return q.group(two, "id", n=AggCall("count", (of(two, "u"),)))


def keys() -> Plan:
    q, one, _ = filtered()
    return q.group(one, "k")


def keys_of_two_filters() -> Plan:
    q, one, _ = filtered()
    return q.group(q.filter(one, above(one, "v", 2)), "k")


STRATEGY_CASES: Mapping[tuple[str, str], Callable[[], Plan]] = {
    ("join", "no_padding"): no_padding,
    ("join", "certain_partners"): certain_partners,
    ("join", "one_set_per_key"): join,
    ("join", "general"): join,
    ("aggregate", "certain"): certain_groups,
    ("aggregate", "one_set_per_key"): keys,
    ("aggregate", "keys_only"): keys_of_two_filters,
    ("aggregate", "two_stages"): aggregate,
    ("aggregate", "general"): aggregate,
}


def test_every_golden_file_has_a_test() -> None:
    check_no_other("trace", {*CASES, "join_strategies", "aggregate_strategies"})
