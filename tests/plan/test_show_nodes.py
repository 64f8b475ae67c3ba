"""Plans are shown node by node: every node has a line, and different plans have different texts."""

from __future__ import annotations

from random import Random

import pytest

from sparkwhy.plan.build import carry
from sparkwhy.plan.exprs import AggCall, Call, Cast, Compare, Frame, ItemOf, Literal, Ref, WindowCall
from sparkwhy.plan.nodes import (
    Aggregate,
    Column,
    Distinct,
    Filter,
    Flatten,
    Join,
    Limit,
    OneRow,
    OpId,
    Plan,
    Project,
    Sample,
    SetOperation,
    Sort,
    SortKey,
    Union,
    Window,
)
from sparkwhy.plan.show import show_plan
from sparkwhy.plan.show_nodes import number_names, show_exactly, show_nodes
from sparkwhy.plan.types import BOOLEAN, INTEGER, LONG, Array
from sparkwhy.plan.walk import walk
from sparkwhy.trace.trace import trace
from tests.golden_files import CheckGolden, Tables, show_rows
from tests.plan.test_nodes import attribute, table
from tests.trace.plans import Generator

K, V, XS = attribute(1, "k"), attribute(2, "v"), attribute(3, "xs", Array(INTEGER))
K2, W, X, N, R = attribute(4, "k"), attribute(5, "w"), attribute(6, "x"), attribute(7, "n", LONG), attribute(8, "r")
POSITION, HAS = attribute(9, "at"), attribute(10, "has", BOOLEAN)
ORDER = (SortKey(Ref(V), ascending=False), SortKey(Ref(K), nulls_first=False))


def every_operator() -> Plan:
    """Return a plan with all kinds of nodes that the interpreter runs."""
    rows: Plan = Filter(id=OpId(2), input=table(1, K, V, XS), condition=Compare("<=>", Ref(V), Literal(2, INTEGER)))
    rows = Flatten(id=OpId(3), input=rows, collection=Ref(XS), elements=(X,), outer=True, position=POSITION)
    rank = WindowCall(Call("row_number", ()), Frame("rows", None, "current row"))
    rows = Window(id=OpId(4), input=rows, partition=(Ref(K),), order=ORDER, columns=(Column(R, rank),))
    plus = Column(W, Call("+", (Ref(V), Literal(1, INTEGER)), "try"))
    rows = Project(id=OpId(4, 1), input=rows, columns=(*carry((K, V, R)), plus))
    other = Join(id=OpId(6), left=rows, right=table(5, K2), how="existence", exists=HAS, condition=_equal())
    distinct = Distinct(id=OpId(7), input=other, keys=(K,))
    names = (K, V, R, W, HAS)
    both = Union(id=OpId(8), branches=(distinct, other), attributes=names)
    rest = SetOperation(id=OpId(9), left=both, right=other, operation="except", all=True)
    count = Column(N, AggCall("count", (Literal(1, INTEGER),)))
    groups = Aggregate(id=OpId(10), input=rest, keys=carry((K,)), aggregates=(count,))
    crossed = Join(id=OpId(11, 1), left=groups, right=OneRow(id=OpId(11)), how="cross")
    order = (SortKey(Ref(N), ascending=False, nulls_first=False),)
    return Limit(id=OpId(13), input=Sort(id=OpId(12), input=crossed, order=order), count=10, offset=0)


def _equal() -> Compare:
    return Compare("=", Ref(K), Ref(K2))


def test_every_operator(check_golden: CheckGolden) -> None:
    plan = every_operator()
    tables: Tables = {OpId(1): [(1, 2, (5, 6)), (3, 2, ()), (None, 2, None), (4, 0, (7,))], OpId(5): [(1,), (1,)]}
    names = number_names((plan,))
    check_golden("show/every_operator.txt", {"plan": show_nodes(plan), "rows": show_rows(plan, tables, names)})


def test_a_sample_is_shown_with_its_bounds() -> None:
    plan = Sample(id=OpId(2), input=table(1, K), lower=0.0, upper=0.5, replacement=False, seed=7)
    assert show_nodes(plan) == "2 sample from 0 to 0.5 seed 7\n1 table t1 (k int)"


@pytest.mark.parametrize("seed", range(20))
def test_every_node_has_a_line(seed: int) -> None:
    traced = trace(Generator(Random(f"show/{seed}")).plan(1 + seed % 6)).rows.plan
    lines = show_nodes(traced).splitlines()
    nodes = list(walk(traced))
    assert sorted(line.split()[0] for line in lines) == sorted(str(node.id) for node in nodes)
    assert len(show_plan(traced).splitlines()) <= len(lines)


def test_modes_are_shown() -> None:
    one, quotient = Literal(1, INTEGER), (Ref(K), Ref(V))
    shown = {show_exactly(Call("/", quotient, mode)) for mode in ("legacy", "ansi", "try")}
    assert shown == {"k / v", "ansi(k / v)", "try(k / v)"}
    assert show_exactly(Cast(one, LONG, "try")) == "try_cast(1 as bigint)"
    assert show_exactly(ItemOf(Ref(XS), one, "ansi")) == "ansi(xs[1])"
    assert show_exactly(AggCall("sum", (Ref(V),), mode="ansi")) == "ansi_sum(v)"
    assert show_exactly(Compare("<=>", Ref(HAS), Literal(True, BOOLEAN))) == "has <=> true"


def test_names_are_numbered_alike_in_several_plans() -> None:
    one, other = table(1, K), table(2, K2)
    names = number_names((one, other))
    assert [show_nodes(plan, names) for plan in (one, other)] == ["1 table t1 (k#1 int)", "2 table t2 (k#2 int)"]
    assert show_nodes(other) == "2 table t2 (k int)"


def test_a_deep_plan_is_shown() -> None:
    plan: Plan = table(1, K)
    for step in range(2, 5_000):
        plan = Distinct(id=OpId(step), input=plan)
    assert len(show_nodes(plan).splitlines()) == 4_999
