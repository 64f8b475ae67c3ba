"""What nobody reads is not computed, and nothing else changes."""

from __future__ import annotations

from sparkwhy.plan.build import carry, long
from sparkwhy.plan.exprs import AggCall, Attribute, Compare, Literal, Ref
from sparkwhy.plan.nodes import Aggregate, Column, Filter, OpId, Plan, Project, Union
from sparkwhy.plan.prune import pruned
from sparkwhy.plan.types import INTEGER, LONG
from sparkwhy.plan.walk import walk
from tests.plan.test_nodes import attribute, table

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
    (found,) = pruned((plan,))
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
    for found in pruned((one, other)):
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
