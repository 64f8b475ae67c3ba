"""Candidates: by the definition, on generated plans, in the interpreter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random

import pytest

from sparkwhy.alternatives.variant import QueryVariant
from sparkwhy.backtrace.backtrace import Conditions
from sparkwhy.explain.candidates import Candidate, candidate_plan, candidates_of, explain
from sparkwhy.memory.interpreter import run
from sparkwhy.memory.values import Row
from sparkwhy.plan.exprs import AggCall, Compare, Literal, Ref
from sparkwhy.plan.nodes import Aggregate, Column, Filter, Join, OpId, Plan, Table
from sparkwhy.plan.types import INTEGER, LONG, Array
from sparkwhy.plan.walk import fold, with_inputs
from sparkwhy.question import match
from sparkwhy.question.bind import bind
from sparkwhy.question.pattern import ANY, to_pattern
from sparkwhy.trace.blame import Bits, Dropper
from sparkwhy.trace.relax import relax
from sparkwhy.trace.trace import trace
from tests.plan.test_nodes import attribute, table
from tests.trace.plans import Generator
from tests.trace.test_law import MOST_DROPPERS, droppers, meeting, subsets
from tests.trace.test_law_of_alternatives import alternatives

Tables = dict[OpId, list[Row]]


def candidates(
    plan: Plan, tables: Tables, conditions: Conditions, alternatives: Sequence[Plan] = ()
) -> tuple[Candidate, ...]:
    traced = trace(plan, conditions, alternatives=alternatives, records=True)
    return candidates_of(traced, run(candidate_plan(traced), tables), "UTC")


def minimal(sets: set[int]) -> set[int]:
    return {s for s in sets if not any(other != s and other & ~s == 0 for other in sets)}


def cases(label: str, count: int) -> list[tuple[Generator, Plan, Conditions]]:
    found: list[tuple[Generator, Plan, Conditions]] = []
    for seed in range(count):
        generator = Generator(Random(f"{label}/{seed}"))
        plan = generator.plan(1 + seed % 5)
        if len(droppers(plan)) <= MOST_DROPPERS:
            found.append((generator, plan, (generator.condition(plan),)))
    return found


def test_the_smallest_certain_candidates_are_the_smallest_sets_that_bring_a_matching_row() -> None:
    with_answer = 0
    for generator, plan, conditions in cases("definition", 150):
        bits = trace(plan, conditions).bits
        successful = {
            bits.of(relaxed)
            for relaxed in subsets(droppers(plan))
            if run(meeting(relax(plan, relaxed), conditions), generator.tables)
        }
        found = {c.blame for c in candidates(plan, generator.tables, conditions) if c.certain}
        assert found <= successful
        assert minimal(found) == minimal(successful)
        with_answer += bool(successful - {0})
    assert with_answer > 25


def shuffled(tables: Tables, random: Random) -> Tables:
    return {id: random.sample(rows, len(rows)) for id, rows in tables.items()}


def renamed(plan: Plan) -> Plan:
    """The plan with other names for the columns of its tables; attributes keep their identity."""

    def combine(node: Plan, inputs: tuple[Plan, ...]) -> Plan:
        if not isinstance(node, Table):
            return with_inputs(node, inputs)
        return replace(node, attributes=tuple(replace(a, name=f"{a.name} `x`.") for a in node.attributes))

    return fold(plan, combine)


def summary(found: tuple[Candidate, ...]) -> set[tuple[int, bool, int]]:
    return {(c.blame, c.certain, c.count) for c in found}


def test_neither_the_order_of_rows_nor_names_of_columns_change_a_candidate() -> None:
    for generator, plan, conditions in cases("invariance", 100):
        before = summary(candidates(plan, generator.tables, conditions))
        assert summary(candidates(plan, shuffled(generator.tables, generator.random), conditions)) == before
        assert summary(candidates(renamed(plan), generator.tables, conditions)) == before


def test_the_same_question_twice_has_the_same_answer() -> None:
    for generator, plan, conditions in cases("again", 30):
        assert candidates(plan, generator.tables, conditions) == candidates(plan, generator.tables, conditions)


Sets = set[tuple[frozenset[Dropper], bool]]


def sets_of(found: tuple[Candidate, ...], bits: Bits, alternative: int) -> Sets:
    """What is found in an alternative, by operators: bits are numbered in another way if it is alone."""
    own = [c for c in found if c.alternative == alternative]
    return {(frozenset(bits.droppers(c.blame, alternative)), c.certain) for c in own}


def found_in(plan: Plan, others: Sequence[Plan], tables: Tables, conditions: Conditions) -> list[Sets]:
    traced = trace(plan, conditions, alternatives=others, records=True)
    found = candidates_of(traced, run(candidate_plan(traced), tables), "UTC")
    return [sets_of(found, traced.bits, i) for i in range(len(traced.plans))]


def test_an_alternative_has_the_candidates_that_it_has_alone_whatever_stands_beside_it() -> None:
    """So adding one never removes an explanation, and their order does not matter."""
    with_answer = 0
    for generator, plan, conditions in cases("beside others", 75):
        others = alternatives(generator, plan, 2)
        together = found_in(plan, others, generator.tables, conditions)
        alone = [found_in(each, (), generator.tables, conditions)[0] for each in (plan, *others)]
        assert together == alone
        turned = found_in(plan, others[::-1], generator.tables, conditions)
        assert [turned[0], turned[2], turned[1]] == together
        with_answer += any(together[1:])
    assert with_answer > 20


def test_a_set_that_only_takes_rows_away_is_no_explanation() -> None:
    """Paper 1 by Ann is in volume 7 of 2013. Relax the filter, and she has a paper; or relax the join, and she has one
    without a volume. Relaxed together, the first is there and the second is gone: nothing that one alone lacks."""
    volume, year = attribute(1, "volume"), attribute(2, "year")
    author, of = attribute(5, "author"), attribute(6, "of")
    filter = Filter(id=OpId(2), input=table(1, volume, year), condition=Compare("=", Ref(year), Literal(2015, INTEGER)))
    condition = Compare("=", Ref(volume), Ref(of))
    join = Join(id=OpId(4), left=filter, right=table(3, author, of), how="inner", condition=condition)
    count = Column(TOTAL, AggCall("count", (Literal(1, INTEGER),)))
    plan = Aggregate(id=OpId(5), input=join, keys=(Column(author, Ref(author)),), aggregates=(count,))
    rows: Tables = {OpId(1): [(7, 2013)], OpId(3): [(1, 7)]}
    asked = (Compare("=", Ref(author), Literal(1, INTEGER)),)
    found = candidates(plan, rows, asked)
    bits = trace(plan, asked).bits
    told = [claim.explanation for claim in explain((QueryVariant({}, plan, ()),), bits, found)]
    assert [[op.id for op in each.operators] for each in told] == [[2], [4]]


# --- attainable values ---

K, V = attribute(1, "k"), attribute(2, "v")
TOTAL = attribute(3, "total", LONG)
ROWS: Tables = {OpId(1): [(1, 5), (1, 20), (1, 40), (2, -3)]}


def filtered_sum(keys: tuple[Column, ...] = ()) -> Plan:
    """The sum of the values below 10, which somebody may have meant to be another bound."""
    kept = Filter(id=OpId(2), input=table(1, K, V), condition=Compare("<", Ref(V), Literal(10, INTEGER)))
    total = Column(TOTAL, AggCall("sum", (Ref(V),)))
    return Aggregate(id=OpId(3), input=kept, keys=keys, aggregates=(total,))


@pytest.mark.parametrize(
    ("op", "value", "found"),
    [
        ("=", 2, {(0, True), (1, False)}),  # 5 - 3, as the query has it; so could another bound
        ("=", 62, {(1, True)}),  # all rows: 5 + 20 + 40 - 3
        ("=", 22, {(1, False)}),  # 5 + 20 - 3: some of the rows
        (">", 50, {(1, True)}),
        ("=", 66, set()),  # more than all positive values together
        ("<", -3, set()),
        ("=", -3, {(1, False)}),
    ],
)
def test_a_sum_can_take_values_between_its_bounds(op, value, found) -> None:
    asked = (Compare(op, Ref(TOTAL), Literal(value, LONG)),)
    assert {(c.blame, c.certain) for c in candidates(filtered_sum(), ROWS, asked)} == found


def test_a_condition_on_an_aggregate_passes_what_can_meet_it() -> None:
    """HAVING total = 25 fails in every world, but 5 + 20 is within reach of another bound of the filter below."""
    plan = filtered_sum((Column(K, Ref(K)),))
    having = Filter(id=OpId(4), input=plan, condition=Compare("=", Ref(TOTAL), Literal(25, LONG)))
    asked = (Compare("=", Ref(K), Literal(1, INTEGER)),)
    found = {(c.blame, c.certain) for c in candidates(having, ROWS, asked)}
    below, above = 1, 2
    assert found == {(above, True), (below | above, True), (below, False)}


LIST = attribute(3, "values", Array(INTEGER))


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ([5], {(0, True), (1, False)}),  # as it is
        ([5, 20, 40, ...], {(1, True)}),  # all rows
        ([5, 20], {(1, False)}),  # some of the rows
        ([20, 20, ...], set()),  # it is there once
        ([ANY] * 4, set()),  # more than there are
    ],
)
def test_a_list_can_be_any_part_of_itself(asked, found) -> None:
    kept = Filter(id=OpId(2), input=table(1, K, V), condition=Compare("<", Ref(V), Literal(10, INTEGER)))
    nested = Column(LIST, AggCall("collect_list", (Ref(V),)))
    plan = Aggregate(id=OpId(3), input=kept, keys=(Column(K, Ref(K)),), aggregates=(nested,))
    question = bind(to_pattern({"k": 1, "values": asked}), plan.output)
    assert {(c.blame, c.certain) for c in candidates(plan, ROWS, match.conditions(question))} == found
