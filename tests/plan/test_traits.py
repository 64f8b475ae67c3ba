"""Facts about operators are true: each is checked by running operators of generated plans on few rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from random import Random

import pytest

from sparkwhy.memory.interpreter import run
from sparkwhy.memory.values import Row
from sparkwhy.plan.nodes import OpId, Plan, Source, Table
from sparkwhy.plan.traits import traits_of
from sparkwhy.plan.walk import inputs, walk, with_inputs
from tests.trace.plans import Generator

Rows = Sequence[Row]


def operators(batch: int) -> Iterator[tuple[Plan, tuple[Rows, ...]]]:
    """Yield the operators of generated plans over tables, with the rows that come to them."""
    for seed in range(20 * batch, 20 * batch + 20):
        generator = Generator(Random(f"traits/{seed}"))
        for node in walk(generator.plan(1 + seed % 6)):
            below = inputs(node)
            tables = tuple(
                Table(id=OpId(100 + i), attributes=each.output, source=Source(f"input {i}"))
                for i, each in enumerate(below)
            )
            if below:
                yield with_inputs(node, tables), tuple(run(each, generator.tables) for each in below)


def run_over(node: Plan, rows: Sequence[Rows]) -> list[Row]:
    return run(node, {OpId(100 + i): each for i, each in enumerate(rows)})


@pytest.mark.parametrize("batch", range(5))
def test_an_operator_that_does_not_react_returns_fewer_rows_and_no_others(batch: int) -> None:
    for node, rows in operators(batch):
        for place, reacts in enumerate(traits_of(node).reacts):
            for left_out in range(0 if reacts else len(rows[place])):
                fewer = [each for i, each in enumerate(rows[place]) if i != left_out]
                again = run_over(node, (*rows[:place], fewer, *rows[place + 1 :]))
                assert not Counter(again) - Counter(run_over(node, rows)), f"{node!r} {rows}"


@pytest.mark.parametrize("batch", range(5))
def test_rows_that_are_read_alone_become_what_they_become_alone(batch: int) -> None:
    for node, rows in operators(batch):
        per_row = traits_of(node).rows_per_row
        if per_row is not None:
            alone = [run_over(node, ([row],)) for row in rows[0]]
            assert Counter(run_over(node, rows)) == Counter(made for each in alone for made in each)
            most = {"one": 1, "at most one": 1, "any number": float("inf")}[per_row]
            assert all(len(each) <= most and (per_row != "one" or len(each) == 1) for each in alone)


@pytest.mark.parametrize("batch", range(5))
def test_facts_fit_the_inputs(batch: int) -> None:
    for node, rows in operators(batch):
        facts = traits_of(node)
        assert len(facts.reacts) == len(rows)
        assert {place for each in facts.origins for place in each} <= set(range(len(rows)))
        assert not facts.columns or facts.computes_across_rows
        assert {column.attribute for column in facts.columns} <= set(node.output)
