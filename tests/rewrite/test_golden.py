"""Each rewrite rule beside a golden file: the plan before, the plan after, and the rows that both return."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal as Number

import pytest

from sparkwhy.errors import EvaluationError
from sparkwhy.memory.interpreter import run
from sparkwhy.plan.build import Fresh, call, carry
from sparkwhy.plan.exprs import AggCall, And, Call, Cast, Expr, Literal, MakeStruct
from sparkwhy.plan.nodes import Aggregate, Column, OpId, Plan, Project
from sparkwhy.plan.show_nodes import show_nodes
from sparkwhy.plan.types import INTEGER, STRING, Decimal, Type
from sparkwhy.rewrite.decimals_as_integers import compute_numbers_once, split_decimal_sum
from sparkwhy.rewrite.inline_structs import inline_structs
from sparkwhy.rewrite.lower_filters import lower_filters
from sparkwhy.rewrite.merge_projections import merge_projections
from sparkwhy.rewrite.partial_aggregates import Stages, split_aggregate
from sparkwhy.rewrite.prune_columns import prune_columns, prune_own_plan
from sparkwhy.rewrite.sink_filters import sink_filters
from sparkwhy.rewrite.split_small import SmallAt, split_small
from sparkwhy.rewrite.tolerant import make_strict, make_tolerant
from tests.build_plans import Query, compare, of
from tests.golden_files import CheckGolden, Tables, check_no_other, compare_plans, show_rows

NUMBERS: Tables = {OpId(1): [(1, 2), (2, 5), (2, 5), (3, None), (None, 4)]}


def plus(plan: Plan, name: str, number: int) -> Expr:
    return call("+", of(plan, name), Literal(number, INTEGER))


def add_columns() -> Plan:
    q = Query()
    numbers = q.table("numbers", k=INTEGER, n=INTEGER)
    one = q.project(numbers, "k", "n", x=plus(numbers, "n", 1))
    two = q.project(one, "k", "n", "x", y=plus(one, "n", 2))
    return q.project(two, "k", "y", z=plus(two, "x", 1))


def filter_last() -> Plan:
    q = Query()
    numbers = q.table("numbers", k=INTEGER, n=INTEGER)
    one = q.project(numbers, "k", "n", x=plus(numbers, "n", 1))
    return q.filter(one, compare(of(one, "k"), ">", 1), compare(of(one, "x"), "<", 7))


def read_fields() -> Plan:
    q = Query()
    numbers = q.table("numbers", k=INTEGER, n=INTEGER)
    packed = q.project(numbers, "k", s=MakeStruct(("a", "b"), (of(numbers, "n"), plus(numbers, "n", 1))))
    return q.project(packed, "k", x="s.a", y="s.b")


def count_twice() -> Plan:
    q = Query()
    numbers = q.table("numbers", k=INTEGER, n=INTEGER)
    count, total = AggCall("count", (Literal(1, INTEGER),)), AggCall("sum", (of(numbers, "n"),))
    groups = q.group(numbers, "k", count=count, total=total)
    return q.project(groups, "k", "total")


def unite_wide_rows() -> Plan:
    q = Query()
    numbers = q.table("numbers", k=INTEGER, n=INTEGER)
    both = q.union(numbers, q.filter(numbers, compare(of(numbers, "k"), "=", 2)))
    return q.project(both, "n")


RULES: dict[str, tuple[Callable[[], Plan], Callable[[Plan], Plan]]] = {
    "merge_projections": (add_columns, merge_projections),
    "sink_filters": (filter_last, sink_filters),
    "lower_filters": (filter_last, lower_filters),
    "inline_structs": (read_fields, lambda plan: inline_structs(plan, set(_input(plan).output))),
    "prune_columns": (count_twice, lambda plan: prune_columns((plan,))[0]),
    "prune_own_plan": (unite_wide_rows, prune_own_plan),
}


def _input(plan: Plan) -> Plan:
    assert isinstance(plan, Project)
    return plan.input


@pytest.mark.parametrize("name", RULES)
def test_rule(name: str, check_golden: CheckGolden) -> None:
    build, rule = RULES[name]
    plan = build()
    assert rule(plan) != plan
    check_golden(f"rewrite/{name}.txt", compare_plans(plan, rule(plan), NUMBERS))


def test_split_small(check_golden: CheckGolden) -> None:
    q = Query()
    numbers = q.table("numbers", k=INTEGER, n=INTEGER)
    groups = q.group(numbers, "k", total=AggCall("sum", (of(numbers, "n"),)))
    plan = q.filter(groups, compare(of(groups, "total"), ">", 3))
    split = split_small(plan, SmallAt(lambda node: isinstance(node, Aggregate)))
    assert split is not None
    upper: Tables = {split.rows: run(split.lower, NUMBERS)}
    assert run(split.upper, upper) == run(plan, NUMBERS)
    sections = {"plan": show_nodes(plan), "lower": show_nodes(split.lower), "upper": show_nodes(split.upper)}
    rows = {"lower rows": show_rows(split.lower, NUMBERS), "rows": show_rows(split.upper, upper)}
    check_golden("rewrite/split_small.txt", sections | rows)


def test_tolerant(check_golden: CheckGolden) -> None:
    q = Query()
    texts = q.table("texts", s=STRING, n=INTEGER)
    ratio = Call("/", (Cast(of(texts, "s"), INTEGER, "ansi"), of(texts, "n")), "ansi")
    plan = q.filter(texts, And((compare(of(texts, "n"), ">", 0), compare(ratio, ">=", 2))))
    tables: Tables = {OpId(1): [("6", 3), ("x", 1), ("1", 0), ("1", 4)]}
    with pytest.raises(EvaluationError):
        run(plan, tables)
    after = make_tolerant(plan)
    assert make_strict(after, plan) == plan
    sections = {"plan": show_nodes(plan), "rows before": "fails: 'x' is not an integer", "after": show_nodes(after)}
    check_golden("rewrite/tolerant.txt", sections | {"rows": show_rows(after, tables)})


# --- aggregates in two stages ---

PARTS: Tables = {OpId(1): [(1, 1, 2), (1, 1, 5), (1, 2, 5), (1, 2, None), (2, 1, None), (3, 1, 7), (3, 2, -1)]}


def aggregate(function: str, type: Type, *, distinct: bool = False) -> Aggregate:
    """Return an aggregation by k over a table (k, w, v); the parts of a group differ in w."""
    q = Query()
    rows = q.table("rows", k=INTEGER, w=INTEGER, v=type)
    plan = q.group(rows, "k", value=AggCall(function, (of(rows, "v"),), distinct=distinct))
    assert isinstance(plan, Aggregate)
    return plan


def in_two_stages(plan: Aggregate, split: Callable[[Fresh, AggCall], Stages | None]) -> Plan:
    """Compute the only aggregate of a plan in two stages, as tracing does it for each world."""
    (column,), fresh = plan.aggregates, Fresh(plan)
    assert isinstance(column.expr, AggCall)
    stages = split(fresh, column.expr)
    assert stages is not None
    keys = carry(plan.input.output[:2]) + stages.keys
    rows, first = compute_numbers_once(fresh, plan, plan.input, stages.first)
    parts = Aggregate(id=fresh.part(plan), input=rows, keys=keys, aggregates=first)
    whole = Aggregate(id=fresh.part(plan), input=parts, keys=plan.keys, aggregates=stages.second)
    value = Column(column.attribute, stages.value)
    return Project(id=fresh.part(plan), input=whole, columns=(*carry(k.attribute for k in plan.keys), value))


CALLS = {
    "sum": ("sum", False),
    "count": ("count", False),
    "average": ("avg", False),
    "maximum": ("max", False),
    "list": ("collect_list", False),
    "set": ("collect_set", False),
    "count_distinct": ("count", True),
}


@pytest.mark.parametrize("name", CALLS)
def test_partial_aggregates(name: str, check_golden: CheckGolden) -> None:
    function, distinct = CALLS[name]
    plan = aggregate(function, INTEGER, distinct=distinct)
    check_golden(f"partial_aggregates/{name}.txt", compare_plans(plan, in_two_stages(plan, split_aggregate), PARTS))


DECIMALS = {"sum": ("sum", Decimal(10, 2)), "average": ("avg", Decimal(10, 2)), "long_sum": ("sum", Decimal(25, 2))}


@pytest.mark.parametrize("name", DECIMALS)
def test_decimals_as_integers(name: str, check_golden: CheckGolden) -> None:
    function, type = DECIMALS[name]
    plan = aggregate(function, type)
    most = "123456789012345678901.23" if type.precision > 18 else "99999999.99"
    values = ("0.01", "12.50", "-3.00", None, None, most, "0.02")
    more: Tables = {OpId(1): [(k, w, None if v is None else Number(v)) for (k, w, _), v in _zip(values)]}
    check_golden(f"decimals_as_integers/{name}.txt", compare_plans(plan, in_two_stages(plan, split_decimal_sum), more))


def _zip(values: tuple[str | None, ...]) -> list[tuple[tuple[int, int, object], str | None]]:
    return list(zip(PARTS[OpId(1)], values, strict=True))


def test_every_golden_file_has_a_test() -> None:
    check_no_other("rewrite", {*RULES, "split_small", "tolerant"})
    check_no_other("partial_aggregates", CALLS)
    check_no_other("decimals_as_integers", DECIMALS)
