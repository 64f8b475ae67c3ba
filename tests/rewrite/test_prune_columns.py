"""What nobody reads is not computed, and nothing else changes."""

from __future__ import annotations

from random import Random

import pytest

from sparkwhy.explain.candidates import candidate_plan
from sparkwhy.memory.interpreter import run
from sparkwhy.plan.build import carry, long
from sparkwhy.plan.exprs import AggCall, Attribute, Compare, Literal, Ref
from sparkwhy.plan.nodes import Aggregate, Column, Filter, OpId, Plan, Project, Union
from sparkwhy.plan.types import INTEGER, LONG
from sparkwhy.plan.walk import walk
from sparkwhy.rewrite.prune_columns import prune_columns, prune_own_plan
from sparkwhy.trace.trace import trace
from tests.plan.test_nodes import attribute, table
from tests.trace.plans import Generator
from tests.trace.test_law import bag

K, V, W = attribute(1, "k"), attribute(2, "v"), attribute(3, "w")
COUNT, TOTAL = attribute(4, "count", LONG), attribute(5, "total", LONG)


def groups(*, keys: bool = True) -> Aggregate:
    return Aggregate(
        id=OpId(2),
        input=table(1, K, V, W),
        keys=carry((K,)) if keys else (),
        aggregates=(Column(COUNT, AggCall("count", (long(1),))), Column(TOTAL, AggCall("sum", (Ref(V),)))),
    )


def narrow(plan: Plan) -> Aggregate:
    """The grouping of the plan without what nobody reads."""
    (found,) = prune_columns((plan,))
    assert found.output == plan.output
    return next(node for node in walk(found) if isinstance(node, Aggregate))


def test_an_aggregate_that_nobody_reads_goes() -> None:
    plan = Project(id=OpId(3), input=groups(), columns=carry((K, TOTAL)))
    assert [column.attribute for column in narrow(plan).aggregates] == [TOTAL]


def test_a_grouping_may_have_nothing_but_its_keys() -> None:
    plan = Project(id=OpId(3), input=groups(), columns=carry((K,)))
    assert narrow(plan).aggregates == ()


def test_a_grouping_without_keys_keeps_what_makes_its_row() -> None:
    plan = Project(id=OpId(3), input=groups(keys=False), columns=(Column(W, Literal(1, INTEGER)),))
    assert [column.attribute for column in narrow(plan).aggregates] == [COUNT]


def test_what_a_filter_reads_stays() -> None:
    having = Filter(id=OpId(3), input=groups(), condition=Compare(">", Ref(COUNT), long(1)))
    plan = Project(id=OpId(4), input=having, columns=carry((K,)))
    assert [column.attribute for column in narrow(plan).aggregates] == [COUNT]


def test_what_another_reading_of_the_query_reads_stays() -> None:
    one = Project(id=OpId(3), input=groups(), columns=(Column(W, Ref(K)),))
    other = Project(id=OpId(3), input=groups(), columns=(Column(W, Ref(TOTAL)),))
    for found in prune_columns((one, other)):
        (grouping,) = (node for node in walk(found) if isinstance(node, Aggregate))
        assert [column.attribute for column in grouping.aggregates] == [TOTAL]


def test_a_union_needs_all_columns_of_its_branches() -> None:
    first = groups()
    union = Union(id=OpId(4), branches=(first, table(3, attribute(7, "a"), *_longs())), attributes=(K, COUNT, TOTAL))
    assert len(narrow(Project(id=OpId(5), input=union, columns=carry((K,)))).aggregates) == 2


def _longs() -> tuple[Attribute, ...]:
    return attribute(8, "b", LONG), attribute(9, "c", LONG)


def test_a_namesake_stays_so_that_the_other_keeps_its_name() -> None:
    again = attribute(6, "total", LONG)
    renamed = Project(id=OpId(3), input=groups(), columns=(*carry((K, COUNT, TOTAL)), Column(again, Ref(COUNT))))
    plan = Project(id=OpId(4), input=renamed, columns=carry((K, again)))
    assert [column.attribute for column in narrow(plan).aggregates] == [COUNT, TOTAL]


# --- plans of our own ---


def test_columns_of_a_union_go_by_their_place() -> None:
    both = (COUNT, TOTAL)
    union = Union(id=OpId(3), branches=(groups(), groups()), attributes=(W, *both))
    plan = prune_own_plan(Project(id=OpId(4), input=union, columns=carry((TOTAL,))))
    for grouping in (node for node in walk(plan) if isinstance(node, Aggregate)):
        assert [column.attribute for column in grouping.aggregates] == [TOTAL]
    (narrow_union,) = (node for node in walk(plan) if isinstance(node, Union))
    assert narrow_union.attributes == (TOTAL,)
    assert plan.output == (TOTAL,)


@pytest.mark.parametrize("seed", range(60))
def test_a_lean_plan_gives_the_same_rows(seed: int) -> None:
    generator = Generator(Random(f"lean/{seed}"))
    query = generator.plan(1 + seed % 6)
    plan = candidate_plan(trace(query, records=True, references=seed % 2 == 0))
    found = prune_own_plan(plan)
    assert found.output == plan.output
    assert bag(run(found, generator.tables), plan) == bag(run(plan, generator.tables), plan)
