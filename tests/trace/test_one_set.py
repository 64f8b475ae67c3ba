"""Partners are brought together as one set where that says all, and as a list of sets only where it does not."""

from __future__ import annotations

from random import Random

import pytest

from sparkwhy.plan.exprs import AggCall, Compare, Literal, Ref, WindowCall
from sparkwhy.plan.nodes import Filter, Join, OpId, Plan, Window
from sparkwhy.plan.types import INTEGER
from sparkwhy.plan.walk import walk
from sparkwhy.trace.trace import trace
from tests.trace.plans import Generator
from tests.trace.test_law import check_law


def joined(generator: Generator, filters: int) -> Plan:
    """A table beside another one, of which so many filters keep some rows."""
    left, right = generator.table(), generator.table()
    kept: Plan = right
    for i in range(filters):
        condition = Compare("<>", Ref(right.output[i]), Literal(i + 1, INTEGER))
        kept = Filter(id=OpId(100 + i), input=kept, condition=condition)
    same = Compare("=", Ref(left.output[0]), Ref(right.output[0]))
    return Join(id=OpId(200), left=left, right=kept, how="inner", condition=same)


def functions(plan: Plan) -> set[str]:
    """The functions by which rows of the same key learn of each other."""
    calls = [column.expr for node in walk(plan) if isinstance(node, Window) for column in node.columns]
    found = (each.function for each in calls if isinstance(each, WindowCall))
    return {each.function for each in found if isinstance(each, AggCall)}


@pytest.mark.parametrize(("filters", "expected"), [(0, set()), (1, {"bit_and"}), (2, {"collect_set"})])
def test_one_set_stands_for_partners_with_one_reason_to_miss(filters: int, expected: set[str]) -> None:
    for seed in range(20):
        generator = Generator(Random(f"one set/{seed}"))
        plan = joined(generator, filters)
        assert functions(trace(plan).rows.plan) == expected
        check_law(plan, generator.tables)
