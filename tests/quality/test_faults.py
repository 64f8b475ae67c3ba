"""Deliberate faults in tracing and verifying: each is noticed, by the laws of tracing or by the soundness of fixes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from functools import partial as partial_of
from random import Random
from typing import Any, cast

import pytest

from bench.quality_cases import Case, case
from bench.quality_compare import is_sound, our_answer
from sparkwhy.plan.build import boolean, call, either, integer, long, transform
from sparkwhy.plan.exprs import Expr
from sparkwhy.plan.nodes import Flatten, Plan
from sparkwhy.plan.walk import fold, with_inputs
from sparkwhy.rewrite import partial_aggregates as partial
from sparkwhy.trace import trace as annotate
from sparkwhy.trace.liveness import conjoin, is_inside
from sparkwhy.trace.trace import TracedQuery
from sparkwhy.trace.variants import split
from tests.trace.plans import Generator
from tests.trace.test_evaluate import check_evaluation
from tests.trace.test_law import check_law
from tests.trace.test_law_of_alternatives import cases, is_determined

COPIES = 40
LAW_CASES = 60
QUESTIONS = 40


def nothing(*_: Any) -> tuple[()]:
    return ()


def only_left(left: Expr, _: Expr) -> Expr:
    return left


def null_is_true(condition: Expr, then: Expr, otherwise: Expr) -> Expr:
    return either(call("coalesce", condition, boolean(True)), then, otherwise)


def single_sets(sets: Expr, most: int) -> Expr:
    return sets


def alive_whatever_takes_it_away(blame: Expr, _: Expr, relaxed: Expr) -> Expr:
    return is_inside(blame, relaxed)


def first_block(rows: Any, partition: Any, numbers: Expr, _possible: Any = split._possible) -> Expr:
    return call("slice", _possible(rows, partition, numbers), integer(1), integer(1))


def padded_only_if_outer(op: Any, side: str) -> bool:
    return side in op.traits.keeps


def every_copy(_: Expr, copies: Expr) -> Expr:
    return copies


def each_partner(row: Expr, partners: Expr) -> Expr:
    return transform(partners, lambda partner: conjoin(row, partner))


def beside_its_partners(row: Expr, _: Expr) -> Expr:
    return call("array", row)


def every_query(evaluated: Any) -> Expr:
    return long(evaluated.query_mask)


def wherever_it_is(_op: Any, row: Any, _other: Any) -> Expr:
    return cast(Expr, row.rows.present_expr)


def always(*_: Any) -> Expr:
    return boolean(True)


def largest_part(fresh: Any, first: Any, merge: str, value: Any, _merged: Any = partial.merge_parts) -> Any:
    return _merged(fresh, first, "max" if merge == "sum" else merge, value)


def without_outer_flattens(*given: Any, _traced: Callable[..., TracedQuery] = annotate.trace_plans) -> TracedQuery:
    traced = _traced(*given)

    def inner(node: Plan, below: tuple[Plan, ...]) -> Plan:
        return with_inputs(_with_outer_false(node), below)

    object.__setattr__(traced.rows, "plan", fold(traced.rows.plan, inner))
    return traced


def _with_outer_false(node: Plan) -> Plan:
    if not isinstance(node, Flatten):
        return node
    return Flatten(
        id=node.id,
        input=node.input,
        collection=node.collection,
        elements=node.elements,
        inline=node.inline,
        position=node.position,
    )


FAULTS: dict[str, tuple[str, Any]] = {
    "a flatten is not made outer": ("trace.trace.trace_plans", without_outer_flattens),
    "blame of the right side is forgotten in a join": ("trace.joins.rows.unite_sets", only_left),
    "null counts as true": ("trace.context.either", null_is_true),
    "unions of worlds are missed": ("trace.worlds.world_blames", single_sets),
    "unless is ignored in worlds": ("trace.worlds.is_alive", alive_whatever_takes_it_away),
    "a split row exists in all variants": ("trace.variants.split.unite_sets", only_left),
    "a split keeps one block": ("trace.variants.split._possible", first_block),
    "padded rows are forgotten": ("trace.rules.join_strategies.is_padded", padded_only_if_outer),
    "a padded row stays beside its partners": ("trace.joins.rows.exclude_all", beside_its_partners),
    "a semi join counts its partners": ("trace.rules.semi_join.with_any", each_partner),
    "distinct keeps every copy": ("trace.rules.distinct.with_any", every_copy),
    "one set stands for rows with several reasons": ("trace.rules.distinct.is_one_set_enough", always),
    "a limit keeps all rows": ("trace.rules.limit._is_within", always),
    "partial aggregates are merged by their maximum": ("rewrite.partial_aggregates.merge_parts", largest_part),
    "a window looks into all worlds at once": ("trace.rules.window.world_of", nothing),
    "a repaired query has the rows of all": ("fix.verify.present_in", every_query),
    "a limit of a repaired query keeps all rows": ("trace.evaluation.ranks._is_within", always),
    "a window of a repaired query reads the rows of all": ("trace.evaluation.ranks._block", nothing),
    "a pair of a repaired query forgets its right row": ("trace.evaluation.join.intersect", only_left),
    "a row of a repaired query is padded beside its partners": ("trace.evaluation.join.present_alone", wherever_it_is),
}


@cache
def traces() -> list[tuple[Generator, Plan, list[Plan]]]:
    drawn = (make(seed) for make in (copies, limits) for seed in range(COPIES))
    return [*drawn, *cases("faults", LAW_CASES)]


def copies(seed: int) -> tuple[Generator, Plan, list[Plan]]:
    """Values that come in several ways, each once."""
    generator = Generator(Random(f"copies/{seed}"))
    twice = generator.filter(generator.filter(generator.table()))
    return generator, generator.distinct(generator.narrow(twice)), []


def limits(seed: int) -> tuple[Generator, Plan, list[Plan]]:
    """Draw a query that keeps the first rows, of which a filter takes some away."""
    generator = Generator(Random(f"limits/{seed}"))
    return generator, generator.limit(generator.filter(generator.table())), []


@cache
def questions() -> list[Case]:
    return [each for each in (case(f"quality/{i}") for i in range(QUESTIONS)) if each is not None]


def checks() -> Iterator[Callable[[], None]]:
    """The laws on seeded plans, then the soundness of verified fixes on seeded questions."""
    for generator, plan, others in traces():
        yield partial_of(check_law, plan, generator.tables, alternatives=others)
    for generator, plan, others in traces():
        if is_determined(plan):
            yield partial_of(check_evaluation, generator, [plan, *others])
    for asked in questions():
        yield partial_of(check_soundness, asked)


def check_soundness(asked: Case) -> None:
    assert all(is_sound(asked, each) for each in our_answer(asked).verified)


def is_noticed() -> bool:
    for check in checks():
        try:
            check()
        except AssertionError:
            return True
    return False


def test_without_a_fault_nothing_is_noticed() -> None:
    assert not is_noticed()


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_noticed(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    where, wrong = FAULTS[fault]
    traces(), questions()
    monkeypatch.setattr(f"sparkwhy.{where}", wrong)
    assert is_noticed()
