"""How far possible answers come: counted from the explanations, for the query as written."""

from __future__ import annotations

from pyspark.sql import SparkSession

from sparkwhy import why_not
from sparkwhy.explain.model import Explanation
from sparkwhy.plan.exprs import Attribute, AttrId, Compare, Literal, Ref
from sparkwhy.plan.join_types import Side
from sparkwhy.plan.nodes import Filter, Join, JoinType, Limit, OpId, Plan, SetOperation, Source, Table, Union
from sparkwhy.plan.types import INTEGER
from sparkwhy.report.flow import Flow
from sparkwhy.report.graph import draw, layout
from sparkwhy.report.report import Report
from sparkwhy.trace.witness import Observation, Observations, Witness
from tests.report.answers import PLAN, filtered, operator


def table(step: int) -> Plan:
    return Table(id=OpId(step), attributes=(Attribute(AttrId(step), "n", INTEGER),), source=Source(f"t{step}"))


def some(step: int, input: Plan) -> Plan:
    condition = Compare(">=", Ref(input.output[0]), Literal(1, INTEGER))
    return Filter(id=OpId(step), input=input, condition=condition)


def join(step: int, left: Plan, right: Plan, how: JoinType = "inner") -> Plan:
    same = Compare("=", Ref(left.output[0]), Ref(right.output[0]))
    return Join(id=OpId(step), left=left, right=right, how=how, condition=same)


def dropped(plan: Plan, *steps: int, count: int, alone_at: dict[int, Side] | None = None) -> Explanation:
    """So many rows that blame these steps, and have no partner on a side of some joins."""
    seen = Observations({at: Observation(no_partner=side) for at, side in (alone_at or {}).items()})
    blamed = tuple(operator(step, plan) for step in steps)
    return Explanation(blamed, 1, count=count, witnesses=(Witness({}, seen),), plan=plan)


CHAIN = some(3, some(2, table(1)))
PAIRS = join(5, some(2, table(1)), some(4, table(3)))


def test_rows_are_there_up_to_the_operator_that_drops_them() -> None:
    assert Flow.of(CHAIN, [dropped(CHAIN, 3, count=2)]) == Flow(2, {1: 2, 2: 2, 3: 0}, {3: 2})


def test_only_the_first_of_several_operators_loses_a_row() -> None:
    told = [dropped(CHAIN, 2, 3, count=5), dropped(CHAIN, 3, count=1)]
    assert Flow.of(CHAIN, told) == Flow(6, {1: 6, 2: 1, 3: 0}, {2: 5, 3: 1})


def test_operators_on_different_inputs_each_lose_it() -> None:
    flow = Flow.of(PAIRS, [dropped(PAIRS, 2, 4, count=1)])
    assert flow == Flow(1, {1: 1, 2: 0, 3: 1, 4: 0, 5: 0}, {2: 1, 4: 1})


def test_a_row_without_a_partner_comes_from_one_side_only() -> None:
    right = dropped(PAIRS, 5, count=3, alone_at={5: "right"})
    left = dropped(PAIRS, 5, count=4, alone_at={5: "left"})
    assert Flow.of(PAIRS, [right]) == Flow(3, {1: 3, 2: 3, 5: 0}, {5: 3})
    assert Flow.of(PAIRS, [left]) == Flow(4, {3: 4, 4: 4, 5: 0}, {5: 4})
    assert Flow.of(PAIRS, [right, left]) == Flow(7, {1: 3, 2: 3, 3: 4, 4: 4, 5: 0}, {5: 7})


def test_what_a_query_takes_away_is_no_way_for_a_row() -> None:
    for plan in (
        join(5, some(2, table(1)), some(4, table(3)), "anti"),
        SetOperation(id=OpId(5), left=some(2, table(1)), right=some(4, table(3)), operation="except"),
    ):
        assert Flow.of(plan, [dropped(plan, 5, count=1)]) == Flow(1, {1: 1, 2: 1, 5: 0}, {5: 1})


def test_from_which_input_of_a_union_a_row_comes_is_known_only_if_it_is_dropped_there() -> None:
    branches = (some(2, table(1)), some(4, table(3)))
    union = Union(id=OpId(5), branches=branches, attributes=(Attribute(AttrId(9), "n", INTEGER),))
    plan = Limit(id=OpId(6), input=union, count=1)
    above, below = dropped(plan, 6, count=2), dropped(plan, 2, count=1)
    assert Flow.of(plan, [above]) == Flow(2, {5: 2, 6: 0}, {6: 2})
    assert Flow.of(plan, [below]) == Flow(1, {1: 1, 2: 0, 5: 0, 6: 0}, {2: 1})
    assert Flow.of(plan, [above, below]) == Flow(3, {5: 2, 6: 0}, {6: 2, 2: 1})


def test_the_query_as_written_is_counted_if_there_is_anything_to_count() -> None:
    other = filtered(alternative={"year": "month"}, count=9)
    assert Flow.of(PLAN, [filtered(count=0)]) is None
    assert Flow.of(PLAN, [other]) == Flow(9, {1: 9, 2: 9, 3: 0, 4: 0}, {3: 9}, {"year": "month"})
    assert Flow.of(PLAN, [other, filtered(alternative={"id": "buyer"}, count=1)]) == Flow.of(PLAN, [other])
    assert Flow.of(PLAN, [other, filtered(count=1)]) == Flow.of(PLAN, [filtered(count=1)]) != None  # noqa: E711


def test_the_drawing_says_how_many_are_left_and_lost() -> None:
    text = draw(layout(CHAIN), Flow.of(CHAIN, [dropped(CHAIN, 2, 3, count=5), dropped(CHAIN, 3, count=1)])).text
    assert [text.count(f">{label}<") for label in ("6 of 6", "1 of 6", "0 of 6", "5 lost", "1 lost")] == [1] * 5
    assert "6 of 6 possible answers come out of it" in text
    assert "lost" not in draw(layout(CHAIN)).text


def test_without_groups_these_are_the_rows_that_are_there(spark: SparkSession) -> None:
    """The numbers are those of the query run step by step on the rows that were asked for."""
    rows = spark.createDataFrame([(1, 5, 0), (1, 0, 5), (1, 0, 0), (1, 0, 0), (2, 5, 5)], "k int, a int, b int")
    first = rows.filter("a > 1")
    second = first.filter("b > 1")
    flow = Report.of(why_not(second, {"k": 1}, verify=False)).flow
    there = [df.filter("k = 1").count() for df in (rows, first, second)]
    assert flow == Flow(4, dict(zip((1, 2, 3), there, strict=True)), {2: 3, 3: 1})
