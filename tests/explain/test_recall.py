"""Trails that are looked up are those that rows would have carried along."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from sparkwhy.backtrace.backtrace import Conditions
from sparkwhy.explain.candidates import Found, candidate_plan, candidates_of, resolve
from sparkwhy.explain.witnesses import find_witnesses
from sparkwhy.memory.interpreter import run
from sparkwhy.memory.values import Row
from sparkwhy.plan.exprs import AggCall, Compare, In, Literal, Ref, conjuncts
from sparkwhy.plan.nodes import Aggregate, Filter, OpId, Plan, Sample
from sparkwhy.plan.types import INTEGER, LONG
from sparkwhy.plan.walk import walk
from sparkwhy.trace.recorded import GroupReference
from sparkwhy.trace.trace import TracedQuery, trace
from sparkwhy.trace.witness import read_entries
from tests.fix.test_ladder import totals
from tests.trace.plans import Generator
from tests.trace.test_law import MOST_DROPPERS, droppers
from tests.trace.test_law_of_alternatives import alternatives, is_determined

Told = dict[tuple[Any, ...], tuple[int, float, set[Any]]]


def told(query: TracedQuery, rows: Sequence[Sequence[Any]], looked_up: Found | None = None) -> Told:
    """By what candidates say: how many rows say so, how far the nearest of them is, and what it recorded."""
    found: Told = {}
    for *key, count, first, _last in rows:
        (far, entries), _row = first
        known = list(resolve(read_entries(query.legend, entries), looked_up or {}))
        found[tuple(key)] = count, round(far, 6), {(entry.op.step, type(entry.recorded)) for entry in known}
    return found


def both_ways(
    plan: Plan, tables: dict[OpId, list[Row]], conditions: Conditions, others: Sequence[Plan]
) -> tuple[Told, Told]:
    carried = trace(plan, conditions, alternatives=others, records=True)
    referring = trace(plan, conditions, alternatives=others, records=True, references=True)
    rows = run(candidate_plan(referring), tables)
    return (
        told(carried, run(candidate_plan(carried), tables)),
        told(referring, rows, find_witnesses(referring, rows, lambda each: run(each, tables))),
    )


@pytest.mark.parametrize("batch", range(3))
def test_what_is_looked_up_is_what_would_be_carried_along(batch: int) -> None:
    compared = 0
    for seed in range(40):
        generator = Generator(Random(f"recall/{batch}/{seed}"))
        plan = generator.plan(2 + seed % 4)
        groupings = [node for node in walk(plan) if isinstance(node, Aggregate)]
        if len(droppers(plan)) > MOST_DROPPERS or not is_determined(plan) or not groupings:
            continue
        conditions = (generator.condition(plan),) if seed % 2 else ()
        carried, looked_up = both_ways(plan, generator.tables, conditions, alternatives(generator, plan, seed % 3))
        assert {key: each[:2] for key, each in looked_up.items()} == {key: each[:2] for key, each in carried.items()}
        if len(groupings) == 1:  # with several, groups that are equally near may come in another order
            for key, (_, _, entries) in looked_up.items():
                assert not any(entry[1] is GroupReference for entry in entries)
                assert {entry[0] for entry in entries} == {entry[0] for entry in carried[key][2]}
        compared += 1
    assert compared > 5


def test_only_groups_with_the_keys_that_references_name_are_looked_at() -> None:
    plan = totals("sum", "<", 10)
    (key, total) = plan.output
    query = trace(plan, (Compare(">", Ref(total), Literal(50, LONG)),), records=True, references=True)
    rows = {OpId(1): [(1, 5), (1, 20), (1, 40), (2, 8), (2, 60), (3, 1)]}
    looked_at: list[Plan] = []

    def look(each: Plan) -> list[Row]:
        looked_at.append(each)
        return run(each, rows)

    candidate_rows = run(candidate_plan(query), rows)
    found = candidates_of(query, candidate_rows, "UTC", find_witnesses(query, candidate_rows, look))
    observed = [seen for each in found for witness in each.witnesses for seen in witness.at.values()]
    assert {name for seen in observed for name in (*seen.values, *seen.verdicts)} == {"v", "v < 10"}
    (again,) = looked_at
    wanted = {part for node in walk(again) if isinstance(node, Filter) for part in conjuncts(node.condition)}
    assert In(Ref(key), (Literal(1, INTEGER), Literal(2, INTEGER))) in wanted


def sums() -> Plan:
    """`select sum(v) from t where v < 10`, over text keys that nobody groups by."""
    plan = totals("sum", "<", 10)
    assert isinstance(plan, Aggregate)
    return replace(plan, keys=())


MANY = [(i, i) for i in range(100)]


def looked(tables: dict[OpId, list[Row]], plans: list[Plan]) -> Callable[[Plan], Sequence[Row]]:
    """What runs a plan and remembers it; of a sample nobody knows anything here."""

    def look(plan: Plan) -> Sequence[Row]:
        plans.append(plan)
        return [] if any(isinstance(node, Sample) for node in walk(plan)) else run(plan, tables)

    return look


@pytest.mark.parametrize(("glanced_at", "looks"), [(MANY[:50], 0), (MANY[:10], 2), ([], 2)])
def test_an_example_is_looked_for_among_some_of_the_data_first(glanced_at: list[Row], looks: int) -> None:
    plan = sums()
    query = trace(plan, (Compare(">", Ref(plan.output[0]), Literal(50, LONG)),), records=True, references=True)
    some: list[Plan] = []
    more: list[Plan] = []
    rows = run(candidate_plan(query), {OpId(1): MANY})
    found = find_witnesses(query, rows, looked({OpId(1): MANY}, more), [looked({OpId(1): glanced_at}, some)])
    assert len(some) == 1
    assert len(more) == looks, "a share of all rows, then all"
    (seen,) = candidates_of(query, rows, "UTC", found)[0].witnesses[0].at.values()
    assert seen.verdicts == {"v < 10": False}
    assert seen.values == {"v": 10}, "the nearest"


def test_a_longer_glance_spares_a_look_at_all_rows() -> None:
    plan = sums()
    query = trace(plan, (Compare(">", Ref(plan.output[0]), Literal(50, LONG)),), records=True, references=True)
    some: list[Plan] = []
    more: list[Plan] = []
    glances = [looked({OpId(1): MANY[:count]}, some) for count in (10, 50)]
    find_witnesses(query, run(candidate_plan(query), {OpId(1): MANY}), looked({OpId(1): MANY}, more), glances)
    assert (len(some), len(more)) == (2, 0)


def test_nothing_is_recorded_of_rows_whose_story_is_looked_up() -> None:
    plan = sums()
    query = trace(plan, (Compare(">", Ref(plan.output[0]), Literal(50, LONG)),), records=True, references=True)
    (first,) = [node for node in walk(candidate_plan(query)) if isinstance(node, Aggregate)][:1]
    assert [column.expr.function for column in first.aggregates if isinstance(column.expr, AggCall)].count("min") == 0
