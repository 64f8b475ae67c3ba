"""The values that filters compare, those of several filters in one pass."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from sparkwhy.alternatives.variant import QueryVariant
from sparkwhy.backtrace.backtrace import Conditions, backtrace
from sparkwhy.fix.context import FixContext
from sparkwhy.fix.search.constants import ComparedConstant, compared_constants
from sparkwhy.fix.search.samples import SampleRequest, looking
from sparkwhy.fix.search.search import FixSearch
from sparkwhy.memory.interpreter import run
from sparkwhy.plan.build import Fresh, all_of
from sparkwhy.plan.exprs import AggCall, Compare, Literal, Ref
from sparkwhy.plan.nodes import Aggregate, Column, Filter, OpId, Plan, Project
from sparkwhy.plan.types import INTEGER, LONG
from sparkwhy.plan.walk import walk
from sparkwhy.trace.blame import Bits
from tests.fix.chain import Case, Tables, claims_of, generated
from tests.memory_engine import MemoryEngine
from tests.plan.test_nodes import attribute, table

A, B = attribute(1, "a"), attribute(2, "b")
ROWS: Tables = {OpId(1): [(1, 5), (2, 1), (3, 7), (9, 2), (9, 4)]}


def less(id: int, input: Plan, side: Any, constant: int) -> Filter:
    return Filter(id=OpId(id), input=input, condition=Compare("<", Ref(side), Literal(constant, INTEGER)))


def alone(query: FixContext, look: SampleRequest, conditions: Conditions) -> Plan:
    """What one look sees, by the definition: the sides over the rows that the filter reads in its alternative."""
    plan, node = query.alternatives[look.alternative].plan, look.filter
    fresh = Fresh(plan)
    wanted = backtrace(plan, conditions)[node.input.id] + look.further
    rows = Filter(id=fresh.part(node), input=node.input, condition=all_of(wanted))
    columns = tuple(Column(fresh.attribute("side", each.side.type, nullable=True), each.side) for each in look.compared)
    return Project(id=fresh.part(node), input=rows, columns=columns)


def seen(
    tables: Tables, query: FixContext, looks: Sequence[SampleRequest], conditions: Conditions
) -> dict[tuple[int, int], Counter[Any]]:
    """The values of each comparison of each look, but nulls."""
    found = {}
    for plan, places in looking(query, looks, conditions):
        columns = iter(zip(*run(plan, tables), strict=True)) if run(plan, tables) else iter(())
        for at in places:
            for ladder in range(len(looks[at].compared)):
                found[at, ladder] = Counter(value for value in next(columns, ()) if value is not None)
    return found


def chain(*, distinct: bool = False) -> FixContext:
    """Two filters, the second of which reads what the first lets through; then a sum."""
    low = less(2, table(1, A, B), A, 5)
    high = less(3, low, B, 6)
    total = Column(attribute(3, "total", LONG), AggCall("sum", (Ref(B),), distinct))
    return FixContext(
        (QueryVariant({}, Aggregate(id=OpId(4), input=high, keys=(), aggregates=(total,)), ()),), Bits(), "UTC"
    )


def looks_of(query: FixContext) -> list[SampleRequest]:
    nodes = [node for node in walk(query.plan) if isinstance(node, Filter)]
    return [SampleRequest(0, (ComparedConstant(node, 0, node.condition.left, node.condition.right),)) for node in nodes]  # type: ignore[union-attr]


def test_filters_that_follow_one_another_are_looked_at_in_one_pass() -> None:
    query = chain()
    looks = looks_of(query)
    assert len(list(looking(query, looks, ()))) == 1
    assert seen(ROWS, query, looks, ()) == {
        (0, 0): Counter({1: 1, 2: 1, 3: 1, 9: 2}),
        (1, 0): Counter({5: 1, 1: 1, 7: 1}),  # of the rows with a < 5
    }


def test_a_look_may_be_at_some_of_the_rows() -> None:
    query = chain()
    first, second = looks_of(query)
    between = SampleRequest(0, second.compared, (Compare(">", Ref(B), Literal(4, INTEGER)),))
    assert seen(ROWS, query, [first, between], ()) == {
        (0, 0): Counter({1: 1, 2: 1, 3: 1, 9: 2}),
        (1, 0): Counter({5: 1, 7: 1}),
    }


def test_many_looks_see_what_each_would_see_alone() -> None:
    """The law, on generated queries with other readings."""
    shared = 0
    for case in generated("looks", 150, 2):
        claims, query = claims_of(case)
        looks = list(_looks(query, [candidate for claim in claims for candidate in claim.candidates]))
        found = seen(case.tables, query, looks, case.conditions)
        shared += len(looks) > len(list(looking(query, looks, case.conditions)))
        for at, look in enumerate(looks):
            columns = list(zip(*run(alone(query, look, case.conditions), case.tables), strict=True))
            for ladder, values in enumerate(columns or [()] * len(look.compared)):
                assert set(found[at, ladder]) == {value for value in values if value is not None}
    assert shared > 5, "some cases have looks that share a pass"


def _looks(query: FixContext, candidates: Sequence[Any]) -> Iterator[SampleRequest]:
    known = set()
    for candidate in candidates:
        found = compared_constants(query, candidate)
        if len({ladder.filter.id for ladder in found}) == 1:
            place = candidate.alternative, found[0].filter.id
            if place not in known:
                known.add(place)
                yield SampleRequest(candidate.alternative, found)


def test_constants_of_many_filters_are_looked_for_in_one_job() -> None:
    """Two filters are in question; their values are seen in one pass, not in one for each.

    A sum of different values is not made of sums of parts.
    """
    case = Case.of(chain(distinct=True).plan, ROWS, (Compare("=", Ref(attribute(3, "total", LONG)), Literal(1, LONG)),))
    claims, query = claims_of(case)
    passes = []

    class Counting(MemoryEngine):
        def quantiles(self, plan: Plan, count: int, *, share: float = 1.0) -> Sequence[Sequence[str]]:
            passes.append(plan)
            return super().quantiles(plan, count, share=share)

    trial = FixSearch(Counting(case.tables), query, case.conditions)
    trial.verdicts(claims)
    assert len(passes) == 1
    assert len(passes[0].output) > 1
