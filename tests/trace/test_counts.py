"""Rows that are only counted above a join are counted before they are joined, and the law holds."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from sparkwhy.plan.exprs import AggCall, Attribute, Compare, Ref
from sparkwhy.plan.nodes import Aggregate, Column, Filter, Join, Plan
from sparkwhy.plan.types import LONG
from sparkwhy.plan.walk import walk
from sparkwhy.trace.joins.counts import counting
from sparkwhy.trace.recorded import GroupReference
from sparkwhy.trace.trace import trace
from tests.explain.test_recall import both_ways
from tests.trace.plans import PAIRING, Generator
from tests.trace.test_law import MOST_DROPPERS, check_law, droppers


def partners(generator: Generator) -> Plan:
    """Rows of a table that are filtered, flattened or joined."""
    plan, more = generator.table(), [generator.filter, generator.filter, generator.join, generator.flatten]
    for _ in range(generator.random.randint(1, 2)):
        plan = generator.random.choice(more)(plan)
    return plan


def counts(generator: Generator) -> Aggregate:
    """How many rows of one side of a join there are, by a column of the other or by the key."""
    sides = [generator.filter(generator.table()) if generator.random.random() < 0.5 else generator.table()]
    sides.insert(generator.random.randint(0, 1), partners(generator))
    at = generator.random.randint(0, 1)
    keys = [generator.number(side) for side in sides]
    joined = Join(
        id=generator.id(),
        left=sides[0],
        right=sides[1],
        how=generator.random.choice(PAIRING),
        condition=Compare("=", Ref(keys[0]), Ref(keys[1])),
    )
    by: Attribute = generator.random.choice([keys[at], generator.number(sides[1 - at])])
    made = [AggCall("count", (Ref(generator.number(sides[at])),)) for _ in range(generator.random.randint(1, 2))]
    aggregates = tuple(Column(generator.attribute(f"n{i}", LONG), call) for i, call in enumerate(made))
    return Aggregate(id=generator.id(), input=joined, keys=(Column(by, Ref(by)),), aggregates=aggregates)


def counted_below_a_join(plan: Plan) -> bool:
    """Whether rows are grouped below a join."""
    joins = [node for node in walk(plan) if isinstance(node, Join)]
    return any(isinstance(node, Aggregate) for join in joins for node in walk(join) if node is not join)


@pytest.mark.parametrize("batch", range(4))
def test_rows_that_are_counted_before_they_are_joined_keep_the_law(batch: int) -> None:
    before = 0
    for seed in range(30):
        generator = Generator(Random(f"counts/{batch}/{seed}"))
        plan: Plan = counts(generator)
        above = [generator.filter, generator.aggregate, generator.distinct]
        plan = generator.random.choice(above)(plan) if generator.random.random() < 0.5 else plan
        if len(droppers(plan)) > MOST_DROPPERS:
            continue
        conditions = (generator.condition(plan),) if seed % 2 else ()
        check_law(plan, generator.tables, conditions)
        before += counted_below_a_join(trace(plan, conditions).rows.plan)
    assert before > 10


@pytest.mark.parametrize("batch", range(2))
def test_trails_of_counted_rows_are_looked_up(batch: int) -> None:
    compared = 0
    for seed in range(30):
        generator = Generator(Random(f"counts told/{batch}/{seed}"))
        plan = counts(generator)
        if len(droppers(plan)) > MOST_DROPPERS:
            continue
        carried, looked_up = both_ways(plan, generator.tables, (generator.condition(plan),) if seed % 2 else (), ())
        assert {key: each[:2] for key, each in looked_up.items()} == {key: each[:2] for key, each in carried.items()}
        entries = [entry for _, _, told in looked_up.values() for entry in told]
        assert not any(entry[1] is GroupReference for entry in entries)
        compared += 1
    assert compared > 10


def test_what_is_read_of_a_row_is_not_counted_away() -> None:
    generator = Generator(Random("read"))
    left, right = generator.table(), generator.filter(generator.table())
    same = Compare("=", Ref(left.output[0]), Ref(right.output[0]))
    joined = Join(id=generator.id(), left=left, right=right, how="inner", condition=same)
    count = AggCall("count", (Ref(right.output[0]),))
    by_key = Column(left.output[0], Ref(left.output[0]))

    def grouped(by: Column, *calls: AggCall, over: Plan = joined) -> Aggregate:
        columns = tuple(Column(generator.attribute("n", LONG), call) for call in calls)
        return Aggregate(id=generator.id(), input=over, keys=(by,), aggregates=columns)

    assert counting([grouped(by_key, count)])
    assert not counting([grouped(Column(right.output[1], Ref(right.output[1])), count)])
    assert not counting([grouped(by_key, count, AggCall("count", (Ref(left.output[0]),)))])
    assert not counting([grouped(by_key, count, AggCall("sum", (Ref(right.output[0]),)))])
    assert not counting([grouped(by_key, AggCall("count", count.args, distinct=True))])
    written, other = grouped(by_key, count), grouped(by_key, AggCall("count", (Ref(right.output[1]),)))
    assert not counting([written, replace(other, id=written.id)]), "another reading counts something else"
    assert not counting([grouped(by_key, count, over=Filter(id=generator.id(), input=joined, condition=same))])
