"""Groups of which only the key is read refer to their rows after a join: few of them may have a partner."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from sparkwhy.plan.build import carry
from sparkwhy.plan.exprs import Call, Compare, Ref
from sparkwhy.plan.node_exprs import exprs_of
from sparkwhy.plan.nodes import Join, JoinType, OpId, Plan, Project
from sparkwhy.plan.walk import walk
from sparkwhy.plan.walk_exprs import parts
from sparkwhy.trace.trace import trace
from tests.explain.test_recall import Told, both_ways
from tests.fix.test_ladder import totals
from tests.trace.plans import PAIRING, Generator


def joined(how: JoinType, generator: Generator) -> Plan:
    """A table beside the keys of groups."""
    left, groups = generator.table(), totals("sum")
    same = Compare("=", Ref(left.output[0]), Ref(groups.output[0]))
    both = Join(id=generator.id(), left=left, right=groups, how=how, condition=same)
    return Project(id=generator.id(), input=both, columns=carry((*left.output, groups.output[0])))


def texts(plan: Plan) -> int:
    """How many texts are put together of what a row has."""
    found = (part for node in walk(plan) for expr in exprs_of(node) for part in parts(expr))
    return sum(isinstance(part, Call) and part.function == "concat_ws" for part in found)


def said(told: Told) -> dict[Any, Any]:
    """What is told of the nearest rows, but for their values: rows that are equally near have others."""
    return {key: (*each[:2], {entry[:2] for entry in each[2]}) for key, each in told.items()}


@pytest.mark.parametrize("how", sorted(set(PAIRING)))
def test_groups_refer_to_their_rows_after_a_join(how: JoinType) -> None:
    generator = Generator(Random(how))
    for _ in range(50):  # other numbers than those of the groups
        generator.attribute("x")
        generator.id()
    plan = joined(how, generator)
    rows = trace(plan, records=True, references=True).rows.plan
    (join,) = [node for node in walk(rows) if isinstance(node, Join)]
    assert texts(rows) > 0
    assert texts(join) == 0
    tables = {**generator.tables, OpId(1): [(1, 5), (1, 20), (2, 40), (None, 3), (0, 12)]}
    carried, looked_up = both_ways(plan, tables, (), ())
    assert said(looked_up) == said(carried)
