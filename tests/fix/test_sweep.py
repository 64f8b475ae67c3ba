"""Bounds below an aggregate, all places at once."""

from __future__ import annotations

import datetime as dt
import decimal
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from pyspark.sql import SparkSession

from sparkwhy.backtrace.backtrace import backtrace
from sparkwhy.fix.proposals.conditions.constants import constant_value
from sparkwhy.fix.search.constants import ComparedConstant, compared_constants
from sparkwhy.fix.search.search import FixSearch
from sparkwhy.fix.search.sweep import Found, Sweep, read_sweeps, swept
from sparkwhy.memory.interpreter import run
from sparkwhy.memory.values import Row
from sparkwhy.plan.build import Fresh, all_of, call, carry
from sparkwhy.plan.exprs import AggCall, Attribute, Compare, CompareOp, Expr, Literal, Ref, conjuncts
from sparkwhy.plan.nodes import Aggregate, Column, Filter, Join, JoinType, OpId, Plan, Project
from sparkwhy.plan.types import DATE, DOUBLE, INTEGER, LONG, Decimal
from sparkwhy.plan.walk import fold, walk, with_inputs
from sparkwhy.spark.classic.run import operators as spark_run
from sparkwhy.spark.engine import Rows
from tests.fix.chain import Case, Tables, claims_of
from tests.fix.test_ladder import ROWS, asked, fixes, totals
from tests.memory_engine import MemoryEngine
from tests.plan.test_nodes import attribute, table
from tests.trace.test_law_on_spark import with_data

MONEY = Decimal(9, 2)
K, V, D, M, X = (
    attribute(1, "k"),
    attribute(2, "v"),
    attribute(3, "d", DATE),
    attribute(4, "m", MONEY),
    attribute(5, "x", DOUBLE),
)
J, W = attribute(6, "j"), attribute(7, "w")
VALUES: dict[Attribute, Callable[[Random], Any]] = {
    V: lambda random: random.randint(-9, 9),
    D: lambda random: dt.date(2020, 1, 1) + dt.timedelta(days=random.randint(0, 40)),
    M: lambda random: decimal.Decimal(random.randint(-500, 500)).scaleb(-2),
    X: lambda random: random.randint(-50, 50) / 8,
    W: lambda random: random.randint(0, 20),
}
BOUNDS: tuple[CompareOp, ...] = ("<", "<=", ">", ">=")
JOINS: tuple[JoinType, ...] = ("inner", "left", "right", "full", "semi")


def compared(random: Random, attributes: Sequence[Attribute]) -> Expr:
    """A comparison with a constant, on either side of it."""
    side = random.choice(attributes)
    both = (Ref(side), Literal(VALUES[side](random), side.type))
    return Compare(random.choice(BOUNDS), *(both if random.random() < 0.7 else both[::-1]))


def rows_of(random: Random, attributes: Sequence[Attribute]) -> list[Row]:
    def value(a: Attribute) -> Any:
        return random.randint(1, 3) if a not in VALUES else VALUES[a](random) if random.random() < 0.9 else None

    return [tuple(value(a) for a in attributes) for _ in range(random.randint(0, 14))]


def made(seed: int) -> Case:
    """A question about an aggregate over filters, at times over a join, with a computed column, or filtered again."""
    random = Random(f"sweep/{seed}")
    plan: Plan = Filter(
        id=OpId(2),
        input=table(1, K, V, D, M, X),
        condition=all_of(compared(random, (V, D, M, X)) for _ in range(random.randint(1, 2))),
    )
    if random.random() < 0.5:
        right = Filter(id=OpId(4), input=table(3, J, W), condition=compared(random, (W,)))
        on = Compare("=", Ref(K), Ref(J))
        plan = Join(id=OpId(5), left=plan, right=right, how=random.choice(JOINS), condition=on)
    double = Column(attribute(8, "double"), call("*", Ref(V), Literal(2, INTEGER)))
    plan = Project(id=OpId(6), input=plan, columns=(*carry(plan.output), double))
    read = random.choice([a for a in plan.output if a in (V, M, X, W, double.attribute)])
    total = AggCall(random.choice(["sum", "count", "avg", "min", "max"]), (Ref(read),))
    keys = carry((K,)) if random.random() < 0.7 else ()
    told = Column(attribute(9, "total", total.type, nullable=True), total)
    count = Column(attribute(10, "n", AggCall("count", (Literal(1, INTEGER),)).type), AggCall("count", (Ref(V),)))
    plan = Aggregate(id=OpId(7), input=plan, keys=keys, aggregates=(told, count))
    if random.random() < 0.3:
        again = Compare(">", Ref(count.attribute), Literal(random.randint(0, 3), count.attribute.type))
        plan = Filter(id=OpId(8), input=plan, condition=again)
    tables: Tables = {OpId(1): rows_of(random, (K, V, D, M, X)), OpId(3): rows_of(random, (J, W))}
    return Case.of(plan, tables, tuple(wanted(random, plan, told.attribute)))


def wanted(random: Random, plan: Plan, total: Attribute) -> Iterator[Expr]:
    if K in plan.output and random.random() < 0.6:
        yield Compare("=", Ref(K), Literal(random.randint(1, 3), INTEGER))
    limit = Literal(random.randint(-20, 30), INTEGER)
    yield Compare(random.choice((*BOUNDS, "=")), call("+", Ref(total), limit), limit)


def sweeps_of(case: Case) -> Iterator[Sweep]:
    """All sweeps that could be made for a question."""
    claims, query = claims_of(case)
    for candidate in (candidate for claim in claims for candidate in claim.candidates):
        made = (Sweep.of(query, candidate, ladder) for ladder in compared_constants(query, candidate))
        yield from (sweep for sweep in made if sweep is not None)


def found(case: Case, sweeps: Sequence[Sweep]) -> dict[int, Found]:
    known = {}
    for each in swept(sweeps, case.conditions):
        plan, places = each.plan(), each.sweeps
        told = read_sweeps(run(plan, case.tables), [sweeps[at] for at in places])
        known.update({places[at]: each for at, each in told.items()})
    return known


def works(case: Case, sweep: Sweep, value: Any) -> bool:
    """Whether the query returns the row with its bound at a value."""
    ladder, plan = sweep.compared, sweep.repair.fixed_plan
    bound = Compare("<=" if is_less(ladder) else ">=", ladder.side, Literal(value, ladder.side.type))

    def changed(node: Plan, below: tuple[Plan, ...]) -> Plan:
        same = with_inputs(node, below)
        if node.id != ladder.filter.id or not isinstance(same, Filter):
            return same
        return replace(same, condition=all_of((same.condition, bound)))

    return bool(case.matching(fold(plan, changed)))


def by_running(case: Case, sweep: Sweep) -> Found:
    """The nearest bounds, by the definition: each value is tried that a row has which may come to the groups."""
    old, less = constant_value(sweep.compared.constant), is_less(sweep.compared)
    working = [value for value in values_of(case, sweep) if works(case, sweep, value)]
    looser = [value for value in working if (value >= old if less else value <= old)]
    stricter = [value for value in working if value not in looser]
    first, last = (min, max) if less else (max, min)
    return Found(first(looser, default=None), last(stricter, default=None))


def values_of(case: Case, sweep: Sweep) -> set[Any]:
    """What the comparison reads of the rows that come to the groups that are asked for, if nothing keeps them out."""
    plan = sweep.repair.fixed_plan
    fresh, top = Fresh(plan), next(node for node in walk(plan) if isinstance(node, Aggregate))
    side = Column(fresh.attribute("side", sweep.compared.side.type, nullable=True), sweep.compared.side)

    def with_side(node: Plan, below: tuple[Plan, ...]) -> Plan:
        if node.id == sweep.compared.filter.id:
            return Project(id=fresh.part(node), input=node, columns=(*carry(node.output), side))
        if isinstance(node, Project):
            return replace(node, input=below[0], columns=node.columns + carry((side.attribute,)))
        return with_inputs(node, below)

    rows = fold(top.input, with_side)
    some = Filter(id=fresh.part(top), input=rows, condition=all_of(backtrace(plan, case.conditions)[top.input.id]))
    return {
        row[-1] for row in run(Project(id=fresh.part(top), input=some, columns=carry((side.attribute,))), case.tables)
    }


def is_less(ladder: ComparedConstant) -> bool:
    part = conjuncts(ladder.filter.condition)[ladder.at]
    assert isinstance(part, Compare)
    return (part.op in ("<", "<=")) == (part.left == ladder.side)


def missing() -> Iterator[tuple[Case, list[Sweep], dict[int, Found]]]:
    for case in map(made, range(400)):
        if not case.matching(case.plan):
            sweeps = list(sweeps_of(case))
            yield case, sweeps, found(case, sweeps)


def test_bounds_are_those_that_one_finds_by_running_the_query_with_each() -> None:
    """The law, where one group is asked for. Where there are more, each is looked at where its own rows are."""
    shared, looser, stricter = 0, 0, 0
    for case, sweeps, known in missing():
        shared += len(sweeps) > len(list(swept(sweeps, case.conditions)))
        for at, sweep in enumerate(sweeps):
            if len(case.conditions) == 2 or not sweep.top.keys:
                expected = by_running(case, sweep)
                assert known.get(at, Found(None, None)) == expected
                looser += expected.looser is not None
                stricter += expected.stricter is not None
    assert min(shared, looser, stricter) > 20, "the law is tried where it says something"


def test_each_bound_that_is_told_works() -> None:
    told = [(case, sweeps[at], value) for case, sweeps, known in missing() for at, f in known.items() for value in f]
    bounds = [each for each in told if each[2] is not None]
    assert len(bounds) > 100
    assert all(works(*each) for each in bounds)


# --- fixes of much data ---


def test_of_much_data_a_bound_is_found_in_one_pass() -> None:
    """No values are looked at and no constants are tried one by one: the one that works is run, and that is all."""
    plan = totals("sum")
    case = Case.of(plan, ROWS, asked(plan, 1, 65))
    claims, query = claims_of(case)
    passes = []

    class Counting(MemoryEngine):
        def collect(self, plan: Plan, **options: Any) -> Rows:
            passes.append(plan)
            return super().collect(plan, **options)

        def quantiles(self, plan: Plan, count: int, *, share: float = 1.0) -> Sequence[Sequence[str]]:
            raise AssertionError("nothing has to be looked at")

    trial = FixSearch(Counting(case.tables), query, case.conditions, large=True)
    (judged,) = trial.verdicts(claims)
    assert fixes(judged) == ["filter v < 41"]  # 5 + 20 + 40: no row tells
    assert len(passes) == 3, "what the rows tell, the sweep, and what it tells"


def test_of_bounds_on_both_sides_the_nearer_one_is_taken() -> None:
    """Up to 40 the sum is 65, up to 5 it is 5."""
    plan = totals("sum", "<", 30)
    case = Case.of(plan, ROWS, (*asked(plan, 1, 25, "<>"), Compare("<>", Ref(plan.output[1]), Literal(125, LONG))))
    claims, query = claims_of(case)
    found = FixSearch(MemoryEngine(case.tables), query, case.conditions, large=True).verdicts(claims)
    assert ["filter v < 41"] in [fixes(each) for each in found]


def test_bounds_that_fail_are_looked_for_as_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    """A number of more digits than a double has may be rounded."""
    plan = totals("sum")
    case = Case.of(plan, ROWS, asked(plan, 1, 65))
    claims, query = claims_of(case)
    monkeypatch.setattr(Sweep, "value", lambda self, place: round(place) + 100)
    (judged,) = FixSearch(MemoryEngine(case.tables), query, case.conditions, large=True).verdicts(claims)
    assert fixes(judged) == ["filter v < 41"]


@pytest.mark.parametrize("how", ["left", "right", "full"])
def test_a_side_that_a_join_fills_with_nulls_is_not_swept(how: JoinType) -> None:
    """With other rows of it other rows of the other side stay alone."""
    kept = Filter(id=OpId(2), input=table(1, K, V), condition=Compare("<", Ref(V), Literal(3, INTEGER)))
    sides = (table(3, J, W), kept) if how == "left" else (kept, table(3, J, W))
    on = Compare("=", Ref(K), Ref(J))
    joined = Join(id=OpId(5), left=sides[0], right=sides[1], how=how, condition=on)
    total = Column(attribute(9, "total", LONG), AggCall("sum", (Ref(V),)))
    plan = Aggregate(id=OpId(7), input=joined, keys=(), aggregates=(total,))
    tables: Tables = {OpId(1): [(1, 2), (1, 7)], OpId(3): [(1, 5)]}
    case = Case.of(plan, tables, (Compare("=", Ref(total.attribute), Literal(9, LONG)),))
    assert not list(sweeps_of(case))
    inner = Case.of(with_inner(plan), tables, case.conditions)
    assert [found(inner, [sweep]) for sweep in sweeps_of(inner)] == [{0: Found(7, None)}]


def with_inner(plan: Plan) -> Plan:
    def combine(node: Plan, below: tuple[Plan, ...]) -> Plan:
        same = with_inputs(node, below)
        return replace(same, how="inner") if isinstance(same, Join) else same

    return fold(plan, combine)


def test_far_away_many_values_have_one_distance() -> None:
    """A bound a million away is told to some thousandths, and it works."""
    rows: Tables = {OpId(1): [(1, value) for value in range(1_000_000, 1_004_000)]}
    plan = totals("count")
    case = Case.of(plan, rows, asked(plan, 1, 3000, ">="))
    (sweep,) = sweeps_of(case)
    (bound,) = found(case, [sweep])[0].values
    assert 1_003_000 <= bound < 1_004_000
    assert works(case, sweep, bound)


@pytest.mark.spark
@pytest.mark.parametrize("seed", [3, 5, 8, 21])
def test_spark_finds_the_same_bounds(spark: SparkSession, seed: int) -> None:
    case = made(seed)
    sweeps = list(sweeps_of(case))
    assert sweeps
    for plan in (each.plan() for each in swept(sweeps, case.conditions)):
        on_spark = spark_run.run(spark, with_data(spark, plan, case.tables))
        assert sorted(map(tuple, on_spark.collect())) == sorted(map(tuple, run(plan, case.tables)))


def test_what_is_no_number_is_never_a_bound(spark: SparkSession) -> None:
    """Of doubles some are infinite, and some are no numbers: these are greater than all others."""
    values = [(1, value) for value in (1.0, 2.0, 4.0, float("inf"), float("nan"))]
    kept = Filter(id=OpId(2), input=table(1, K, X), condition=Compare("<", Ref(X), Literal(1.5, DOUBLE)))
    count = Column(attribute(9, "n", LONG), AggCall("count", (Ref(X),)))
    plan = Aggregate(id=OpId(7), input=kept, keys=(), aggregates=(count,))
    for wanted, bound in ((3, [4.0]), (5, [])):
        case = Case.of(plan, {OpId(1): values[:3]}, (Compare("=", Ref(count.attribute), Literal(wanted, LONG)),))
        for sweep in sweeps_of(case):
            (each,) = swept([sweep], case.conditions)
            made = each.plan()
            rows = spark_run.run(spark, with_data(spark, made, {OpId(1): values})).collect()
            assert [v for each in read_sweeps(rows, [sweep]).values() for v in each.values] == bound


@pytest.mark.parametrize(
    ("side", "place"),
    [(D, 1e7), (D, -1e7), (V, 2.0**31), (M, 1e12), (attribute(2, "wide", Decimal(38, 2)), 0.1 + 0.2)],
)
def test_what_no_value_has_is_never_a_bound(side: Attribute, place: float) -> None:
    """A day after the year 9999, a number that is too large for its type, and one that a double does not tell."""
    bound = Literal(VALUES.get(side, VALUES[M])(Random(0)), side.type)
    kept = Filter(id=OpId(2), input=table(1, K, side), condition=Compare("<", Ref(side), bound))
    count = Column(attribute(9, "n", LONG), AggCall("count", (Ref(side),)))
    plan = Aggregate(id=OpId(7), input=kept, keys=(), aggregates=(count,))
    case = Case.of(plan, {OpId(1): [(1, bound.value)]}, (Compare("=", Ref(count.attribute), Literal(1, LONG)),))
    (sweep,) = sweeps_of(case)
    assert sweep.value(place) is None
