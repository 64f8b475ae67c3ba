"""Where few rows are left, by what the question says."""

from __future__ import annotations

from sparkwhy.backtrace.selectivity import attributes_from_groups, find_small_groupings
from sparkwhy.plan.build import carry, long
from sparkwhy.plan.exprs import AggCall, Compare, Literal, Ref
from sparkwhy.plan.nodes import Aggregate, Column, OpId
from sparkwhy.plan.types import INTEGER, LONG
from tests.plan.test_nodes import attribute, table

K, V = attribute(1, "k"), attribute(2, "v")
COUNT, GROUPS = attribute(3, "count", LONG), attribute(4, "groups", LONG)

counts = Aggregate(
    id=OpId(2), input=table(1, K, V), keys=carry((K,)), aggregates=(Column(COUNT, AggCall("count", (Ref(V),))),)
)
counts_of_counts = Aggregate(
    id=OpId(3), input=counts, keys=carry((COUNT,)), aggregates=(Column(GROUPS, AggCall("count", (long(1),))),)
)


def test_a_group_that_is_asked_for_by_its_key_has_few_rows() -> None:
    few = find_small_groupings(counts, (Compare("=", Ref(K), Literal(7, INTEGER)),))
    assert few.groups(counts)
    assert few.last


def test_groups_that_are_asked_for_by_a_value_may_be_all() -> None:
    few = find_small_groupings(counts, (Compare("=", Ref(COUNT), long(7)),))
    assert not few.groups(counts)
    assert not few.last


def test_what_is_counted_below_is_no_key_that_tells_few() -> None:
    """Every group below might come to have this count."""
    few = find_small_groupings(counts_of_counts, (Compare("=", Ref(COUNT), long(0)),))
    assert not few.groups(counts_of_counts)
    assert not few.last
    assert attributes_from_groups(counts_of_counts) == {COUNT, GROUPS}
