"""Cause codes: one for each way in which an operator drops a row, from what tracing records."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from sparkwhy.explain.causes import CAUSES, Cause, cause_of
from sparkwhy.memory.values import Row
from sparkwhy.plan.exprs import And, Compare, Expr, IsNotNull, Literal, Ref
from sparkwhy.plan.nodes import Distinct, Filter, Flatten, Join, Limit, OpId, Plan, SetOperation, Sort, SortKey
from sparkwhy.plan.types import INTEGER, Array
from sparkwhy.trace.witness import Observation
from tests.plan.test_nodes import attribute, table
from tests.trace.test_witness import J, K, V, integer_is, observed

XS = attribute(5, "xs", Array(INTEGER))
SMALL = Compare("<", Ref(V), Literal(5, INTEGER))
EQUAL = Compare("=", Ref(K), Ref(J))

Case = tuple[Cause, Plan, dict[int, list[Row]], Expr]


def cases() -> Iterator[Case]:
    """Yield each cause, with a plan and rows of its tables, and a question about a row that is dropped for it."""
    one = integer_is(K, 1)
    small = Filter(id=OpId(2), input=table(1, K, V), condition=SMALL)
    yield "condition_false", small, {1: [(1, 9)]}, one
    yield "condition_null", small, {1: [(1, None)]}, one
    both = Filter(id=OpId(2), input=table(1, K, V), condition=And((SMALL, IsNotNull(Ref(V)))))
    yield "condition_false", both, {1: [(1, None)]}, one
    left, right = table(1, K), table(2, J)
    inner = Join(id=OpId(3), left=left, right=right, how="inner", condition=EQUAL)
    yield "no_join_partner", inner, {1: [(1,)], 2: [(2,)]}, one
    semi = Join(id=OpId(3), left=left, right=right, how="semi", condition=EQUAL)
    yield "no_join_partner", semi, {1: [(1,)], 2: [(2,)]}, one
    anti = Join(id=OpId(3), left=left, right=right, how="anti", condition=EQUAL)
    yield "has_join_partner", anti, {1: [(1,)], 2: [(1,)]}, one
    for all in (False, True):
        common = SetOperation(id=OpId(3), left=left, right=right, operation="intersect", all=all)
        yield "no_set_partner", common, {1: [(1,)], 2: [(2,)]}, one
        difference = SetOperation(id=OpId(3), left=left, right=right, operation="except", all=all)
        yield "has_set_partner", difference, {1: [(1,)], 2: [(1,)]}, one
    exploded = Flatten(id=OpId(2), input=table(1, K, XS), collection=Ref(XS), elements=(attribute(6, "x"),))
    yield "empty_array", exploded, {1: [(1, ())]}, one
    yield "null_array", exploded, {1: [(1, None)]}, one
    order = Sort(id=OpId(2), input=table(1, K), order=(SortKey(Ref(K)),))
    yield "beyond_limit", Limit(id=OpId(3), input=order, count=1), {1: [(0,), (1,)]}, one
    once = Distinct(id=OpId(2), input=table(1, K, V), keys=(K,))
    yield "duplicate_of", once, {1: [(1, 5), (1, 6)]}, integer_is(V, 6)


@pytest.mark.parametrize("case", list(cases()), ids=lambda case: f"{case[0]}, {case[1].kind}")
def test_what_was_recorded_tells_the_cause(case: Case) -> None:
    cause, plan, rows, asked = case
    assert cause_of(observed(plan, rows, asked)) == cause


def test_every_cause_has_a_case() -> None:
    found_later: set[Cause] = {"not_recorded", "several_join_partners"}
    assert {cause for cause, *_ in cases()} == set(CAUSES) - found_later
    assert cause_of(Observation()) == "not_recorded"
    assert cause_of(Observation(partners={"right": 2})) == "several_join_partners"
