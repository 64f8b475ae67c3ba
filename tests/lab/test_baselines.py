"""The baselines, on plans whose answers follow from their definitions, and on the paper's scenarios."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from pyspark.sql import SparkSession

from sparkwhy.backtrace.backtrace import Conditions
from sparkwhy.errors import UnsupportedOperator
from sparkwhy.lab.conseil import conseil, why_not_joined
from sparkwhy.lab.whynot import Answers, Collect, frontier_picky
from sparkwhy.memory.interpreter import run as interpret
from sparkwhy.memory.values import Row
from sparkwhy.plan.exprs import AggCall, Attribute, AttrId, Compare, CompareOp, Expr, Literal, Ref
from sparkwhy.plan.nodes import (
    Aggregate,
    Column,
    Distinct,
    Filter,
    Flatten,
    Join,
    JoinType,
    OpId,
    Plan,
    Project,
    SetOperation,
    Source,
    Table,
    Union,
)
from sparkwhy.plan.types import INTEGER, LONG, STRING, Array, Type
from sparkwhy.question.bind import bind
from sparkwhy.question.match import conditions
from sparkwhy.question.pattern import gt, to_pattern
from sparkwhy.scenarios import SCENARIOS
from sparkwhy.scenarios.data.tables import GeneratedTables
from sparkwhy.scenarios.scenario import Scenario, Tables
from sparkwhy.spark.classic.read.operators import read
from sparkwhy.spark.classic.run.operators import run
from sparkwhy.spark.comma_joins import with_join_conditions
from tests.sessions import uncompiled


def attribute(id: int, name: str, type: Type = INTEGER) -> Attribute:
    return Attribute(AttrId(id), name, type)


A, B, C, D = (attribute(i, name) for i, name in enumerate("abcd", 1))
XS, X = attribute(5, "xs", Array(INTEGER)), attribute(6, "x")
L, N = attribute(7, "l", Array(INTEGER)), attribute(8, "n", LONG)
E, F = attribute(9, "e"), attribute(10, "f")


def table(step: int, *attributes: Attribute) -> Table:
    return Table(id=OpId(step), attributes=attributes, source=Source(f"t{step}"))


def compare(one: Attribute, op: CompareOp, other: int | Attribute) -> Expr:
    return Compare(op, Ref(one), Literal(other, INTEGER) if isinstance(other, int) else Ref(other))


def kept(step: int, input: Plan, one: Attribute, op: CompareOp, other: int) -> Filter:
    return Filter(id=OpId(step), input=input, condition=compare(one, op, other))


def joined(step: int, left: Plan, right: Plan, one: Attribute, other: Attribute, how: JoinType = "inner") -> Join:
    return Join(id=OpId(step), left=left, right=right, how=how, condition=compare(one, "=", other))


def grouped(step: int, input: Plan, key: Attribute, made: Attribute, function: str, of: Attribute) -> Aggregate:
    columns = (Column(key, Ref(key)),), (Column(made, AggCall(function, (Ref(of),))),)
    return Aggregate(id=OpId(step), input=input, keys=columns[0], aggregates=columns[1])


def asked(plan: Plan, pattern: Mapping[str, Any]) -> Conditions:
    return conditions(bind(to_pattern(pattern), plan.output))


def steps(found: Answers) -> list[set[int]]:
    return [{operator.id for operator in each} for each in found]


class Case:
    """A plan over tables 1, 2, ..., run by the reference engine, and a pattern."""

    def __init__(self, plan: Plan, pattern: Mapping[str, Any], *tables: Sequence[Row]) -> None:
        self.plan, self.asked = plan, asked(plan, pattern)
        self._tables = {OpId(i): rows for i, rows in enumerate(tables, 1)}

    def collect(self, plan: Plan) -> Sequence[Row]:
        return interpret(plan, self._tables)

    def why_not(self) -> list[set[int]]:
        return steps(frontier_picky(self.plan, self.asked, self.collect))

    def joined(self) -> list[set[int]]:
        return steps(why_not_joined(self.plan, self.asked, self.collect))

    def conseil(self) -> list[set[int]]:
        return steps(conseil(self.plan, self.asked, self.collect))


# --- one source ---


def test_the_frontier_is_where_the_last_successor_ends():
    plan = kept(3, kept(2, table(1, A, B), B, ">", 1), B, "<", 3)
    case = Case(plan, {"a": 1}, [(1, 0), (1, 4), (2, 2)])
    assert case.why_not() == [{3}]
    assert case.joined() == [{3}]
    assert case.conseil() == [{2}, {3}]


def test_the_first_operator_that_drops_all_ends_the_tracing():
    plan = kept(3, kept(2, table(1, A, B), B, ">", 1), B, "<", 0)
    case = Case(plan, {"a": 1}, [(1, 0), (2, 2)])
    assert case.why_not() == [{2}]
    assert case.conseil() == [{2, 3}]


def test_no_answer_if_the_result_has_the_row_or_no_source_has_it():
    plan = kept(2, table(1, A, B), B, ">", 1)
    there, nowhere = Case(plan, {"a": 1}, [(1, 0), (1, 2)]), Case(plan, {"a": 1}, [(2, 0)])
    for case in (there, nowhere):
        assert (case.why_not(), case.joined(), case.conseil()) == ([], [], [])


def test_values_of_groups_are_not_looked_at():
    """Both rows of the group are compatible, one gets through: the last operator that drops one is returned."""
    plan = grouped(3, kept(2, table(1, A, B), B, ">", 1), A, N, "count", B)
    case = Case(plan, {"a": 1, "n": gt(1)}, [(1, 0), (1, 2)])
    assert case.why_not() == [{2}]
    assert case.joined() == [{2}]
    assert case.conseil() == []


def test_nothing_is_picky_if_only_a_value_is_wrong():
    plan = grouped(2, table(1, A, B), A, N, "count", B)
    case = Case(plan, {"a": 1, "n": gt(1)}, [(1, 2)])
    assert (case.why_not(), case.joined(), case.conseil()) == ([], [], [])


def test_all_rows_are_compatible_if_the_pattern_speaks_of_no_source():
    plan = kept(3, grouped(2, kept(4, table(1, A, B), B, ">", 1), A, N, "sum", B), A, ">", 0)
    case = Case(plan, {"n": gt(10)}, [(1, 0), (1, 2), (2, 0)])
    assert case.why_not() == [{4}]


# --- nested data ---


def flattened(outer: bool = False) -> Flatten:
    return Flatten(id=OpId(2), input=table(1, A, XS), collection=Ref(XS), elements=(X,), outer=outer)


def test_an_inner_flatten_drops_rows_without_elements():
    case = Case(flattened(), {"a": 1}, [(1, ()), (1, None), (2, (5,))])
    assert case.why_not() == [{2}]
    assert case.joined() == [{2}]
    assert case.conseil() == [{2}]


def test_only_the_elements_that_are_asked_for_are_followed():
    """The element 7 ends at the filter; that 8 of the same row gets through does not matter."""
    case = Case(kept(3, flattened(), X, ">", 7), {"x": 7}, [(1, (7, 8)), (2, (8,))])
    assert case.why_not() == [{3}]
    assert case.joined() == [{3}]
    assert case.conseil() == [{3}]


def test_a_null_becomes_no_element_of_a_nested_collection():
    """As in T4: the row that is left has no successor among the elements, so nothing above can be picky."""
    nested = grouped(3, kept(2, table(1, A, B, C), C, ">", 1), A, L, "collect_list", B)
    above = kept(4, nested, A, ">", 1)
    case = Case(above, {"a": 1}, [(1, 5, 0), (1, None, 2)])
    assert case.why_not() == [{2}]
    with_value = Case(above, {"a": 1}, [(1, 5, 0), (1, 6, 2)])
    assert with_value.why_not() == [{4}]


# --- joins ---


def test_rows_of_sources_that_the_pattern_does_not_speak_of():
    """As in Q10 and D4: the row that is asked for ends at the join, its partner at a filter below."""
    plan = joined(4, table(1, A, B), kept(3, table(2, C, D), D, ">", 1), B, C)
    case = Case(plan, {"a": 1}, [(1, 10), (2, 20)], [(10, 0), (20, 2)])
    assert case.why_not() == [{4}]
    assert case.joined() == [{3}]
    assert case.conseil() == [{3}]


def test_nothing_is_inferred_from_join_conditions():
    plan = joined(4, table(1, A, B), kept(3, table(2, C, D), D, ">", 1), A, C)
    case = Case(plan, {"a": 1}, [(1, 10), (2, 20)], [(1, 0), (2, 2)])
    assert case.why_not() == [{4}]


def test_both_sides_have_what_is_asked_for_but_not_together():
    """As in C3: each side's row has a partner, no two of them are what was asked for."""
    plan = joined(3, table(1, A, B), table(2, C, D), B, C)
    case = Case(plan, {"a": 1, "d": 7}, [(1, 10), (2, 20)], [(10, 6), (20, 7)])
    assert case.why_not() == [{3}]
    assert case.joined() == [{3}]
    assert case.conseil() == [{3}]


def test_fictive_partners_go_on():
    """As in C1: the filter and the first join stop the row; of a fictive partner every later condition holds."""
    filtered = kept(4, table(1, A, B), B, ">", 1)
    first = joined(5, table(2, C, D), filtered, C, A)
    plan = joined(6, table(3, E, F), first, E, D)
    case = Case(plan, {"a": 1}, [(1, 0), (2, 2)], [(2, 9)], [(9, 9)])
    assert case.why_not() == [{4}]
    assert case.joined() == [{4}]
    assert case.conseil() == [{4, 5}]


def test_an_outer_join_drops_nothing_of_its_side():
    plan = joined(3, table(1, A, B), table(2, C, D), B, C, "left")
    above = kept(4, plan, D, ">", 1)
    case = Case(above, {"a": 1}, [(1, 10)], [(20, 7)])
    assert case.why_not() == [{4}]
    assert case.conseil() == [{4}]


@pytest.mark.parametrize(("how", "partner"), [("semi", 20), ("anti", 10)])
def test_membership(how: JoinType, partner: int):
    plan = joined(3, table(1, A, B), table(2, C, D), B, C, how)
    case = Case(plan, {"a": 1}, [(1, 10)], [(partner, 0)])
    assert (case.why_not(), case.joined(), case.conseil()) == ([{3}], [{3}], [{3}])


# --- what else a plan has ---


def test_unions_distinct_rows_and_projections():
    left = kept(3, table(1, A, B), B, ">", 1)
    both = Union(id=OpId(4), branches=(left, table(2, C, D)), attributes=(E, F))
    plan = Project(id=OpId(6), input=Distinct(id=OpId(5), input=both), columns=(Column(E, Ref(E)),))
    case = Case(plan, {"e": 1}, [(1, 0), (1, 1)], [(2, 5)])
    assert case.conseil() == [{3}]
    one = Case(plan, {"e": 1}, [(1, 0)], [(1, 5)])
    assert one.why_not() == []


def test_differences_are_not_followed():
    plan = SetOperation(id=OpId(3), left=table(1, A, B), right=table(2, C, D), operation="except")
    case = Case(plan, {"a": 1}, [(1, 0)], [(1, 0)])
    for ask in (case.why_not, case.joined, case.conseil):
        with pytest.raises(UnsupportedOperator):
            ask()


def test_texts_are_compared_as_any_value():
    name = attribute(11, "name", STRING)
    plan = kept(2, table(1, name, A), A, ">", 1)
    assert Case(plan, {"name": "Roger"}, [("Roger", 0), ("Bo", 2)]).why_not() == [{2}]


# --- the paper's scenarios ---

DIRECT_DIFFERS = {
    # only the joined reading has what the paper returns
    "D4": [{"join on _key = crf"}],
    "T3": [{"join on uid = mid"}],
    "Q3F": [{27}],
    "C2": [{"join on hair, clothes"}],
}
JOINED_DIFFERS = {"Q10": [{35}], "Q10F": [{35}]}
ASKED = ["C1", "C2", "C3", "D2", "D4", "D5", "T1", "T2", "T3", "T4", "Q3", "Q3F", "Q6F", "Q10"]


@pytest.fixture(scope="module")
def session(spark: SparkSession) -> SparkSession:
    return uncompiled(spark)


@pytest.fixture(scope="module")
def tables(session: SparkSession) -> Tables:
    return GeneratedTables(session)


def planned(scenario: Scenario, tables: Tables) -> tuple[Plan, Conditions]:
    plan = with_join_conditions(read(scenario.query(tables)))
    return plan, asked(plan, scenario.question(tables))


def numbered(scenario: Scenario, found: Answers) -> list[set[int | str]]:
    return [{scenario.number(operator) for operator in each} for each in found]


def collecting(session: SparkSession) -> Collect:
    return lambda plan: run(session, plan).collect()


@pytest.mark.spark
@pytest.mark.parametrize("name", ASKED)
def test_why_not_on_the_papers_scenarios(session: SparkSession, tables: Tables, name: str):
    scenario = SCENARIOS[name]
    plan, wanted = planned(scenario, tables)
    paper = [set(each) for each in scenario.paper.whynot]
    found = numbered(scenario, frontier_picky(plan, wanted, collecting(session)))
    assert found == DIRECT_DIFFERS.get(name, paper)
    joined = numbered(scenario, why_not_joined(plan, wanted, collecting(session)))
    assert joined == JOINED_DIFFERS.get(name, paper)


@pytest.mark.spark
@pytest.mark.parametrize("name", ["C1", "C2", "C3"])
def test_conseil_on_the_papers_scenarios(session: SparkSession, tables: Tables, name: str):
    scenario = SCENARIOS[name]
    plan, wanted = planned(scenario, tables)
    assert scenario.paper.conseil is not None
    assert numbered(scenario, conseil(plan, wanted, collecting(session))) == [set(e) for e in scenario.paper.conseil]
