"""Conditions of many queries that are decided together keep a row where each of them by itself would keep it."""

from __future__ import annotations

import datetime
import decimal
from collections.abc import Sequence
from random import Random
from typing import Any

import pytest
from pyspark.sql import SparkSession

from sparkwhy.memory.interpreter import run
from sparkwhy.plan.build import all_of, call, either, long
from sparkwhy.plan.exprs import (
    Attribute,
    AttrId,
    Case,
    Cast,
    Compare,
    CompareOp,
    Expr,
    In,
    IsNull,
    Literal,
    Not,
    Opaque,
    Ref,
)
from sparkwhy.plan.nodes import Column, OpId, Plan, Project, Source, Table
from sparkwhy.plan.types import BOOLEAN, DATE, DOUBLE, INTEGER, LONG, STRING, Decimal, Type
from sparkwhy.spark.classic import jvm
from sparkwhy.spark.classic.run import operators as spark_run
from sparkwhy.trace.evaluation.bounds_by_halving import QueryCondition, queries_kept, split_conjuncts

OPS: list[CompareOp] = ["<", "<=", ">", ">=", "=", "<>", "<=>"]
TABLE = OpId(1)
QUERIES = 24
ALL = (1 << QUERIES) - 1
MONEY = Decimal(5, 2)
NAN = float("nan")

VALUES: dict[Type, list[Any]] = {
    INTEGER: [None, -2, 0, 1, 2, 3, 5, 8],
    DOUBLE: [None, NAN, -0.0, 0.0, 0.5, 1.0, 1.5, float("inf"), float("-inf")],
    MONEY: [None, *map(decimal.Decimal, ("-1.00", "0.00", "0.05", "0.07", "1.00"))],
    DATE: [None, *(datetime.date(1994, month, 1) for month in range(1, 6))],
}
COLUMNS = {type: Attribute(AttrId(i + 1), f"c{i}", type, True) for i, type in enumerate(VALUES)}


def constant(random: Random, type: Type) -> Expr:
    value = random.choice(VALUES[type])
    if type == DATE and value is not None and random.random() < 0.5:
        return Cast(Literal(value.isoformat(), STRING), DATE)
    if type in (DOUBLE, MONEY) and random.random() < 0.3:
        return Cast(Literal(random.randint(-2, 2), INTEGER), type)
    return Literal(value, type)


def condition(random: Random) -> Expr:
    type = random.choice(list(VALUES))
    column = Ref(COLUMNS[type])
    if random.random() < 0.1:
        return IsNull(column) if random.random() < 0.5 else Not(In(column, (constant(random, type),)))
    sides: list[Expr] = [column, constant(random, type)]
    random.shuffle(sides)
    return Compare(random.choice(OPS), *sides)


def conditions(random: Random) -> list[QueryCondition]:
    """Draw conditions of 24 queries, one for each."""
    return [
        QueryCondition(all_of(condition(random) for _ in range(random.randint(1, 3))), 1 << i) for i in range(QUERIES)
    ]


def rows(random: Random) -> list[tuple[Any, ...]]:
    return [tuple(random.choice(values) for values in VALUES.values()) for _ in range(20)]


def decided(asked: Sequence[QueryCondition], handle: Any = None) -> Plan:
    """Return a plan that computes the queries that keep a row, and beside them the condition of each."""
    source = Table(id=TABLE, source=Source("t", handle), attributes=tuple(COLUMNS.values()))
    each = [Column(Attribute(AttrId(50 + i), "kept", BOOLEAN, True), part.condition) for i, part in enumerate(asked)]
    together: Expr = long(ALL)
    for part in queries_kept(split_conjuncts(asked), ALL):
        together = call("&", together, part)
    made = Column(Attribute(AttrId(40), "present", LONG, False), together)
    return Project(id=OpId(2), input=source, columns=(made, *each))


def check(asked: Sequence[QueryCondition], found: Sequence[Sequence[Any]]) -> None:
    for present, *kept in found:
        assert present == sum(part.queries for part, holds in zip(asked, kept, strict=True) if holds is True)


@pytest.mark.parametrize("seed", range(60))
def test_decided_together_is_as_decided_alone(seed: int) -> None:
    random = Random(f"decisions/{seed}")
    asked = conditions(random)
    found = run(decided(asked), {TABLE: rows(random)})
    assert len(found) == 20
    check(asked, found)


@pytest.mark.parametrize("seed", range(3))
def test_spark_decides_as_the_interpreter(spark: SparkSession, seed: int) -> None:
    random = Random(f"decisions on spark/{seed}")
    asked = conditions(random)
    data = spark.createDataFrame(rows(random), "c0 int, c1 double, c2 decimal(5, 2), c3 date").coalesce(1)
    found = spark_run.run(spark, decided(asked, jvm.analyzed_plan(data))).collect()
    assert len(found) == 20
    check(asked, found)


def test_many_bounds_take_few_comparisons() -> None:
    column = Ref(COLUMNS[INTEGER])
    asked = [QueryCondition(Compare("<", column, Literal(i, INTEGER)), 1 << i) for i in range(60)]
    found = queries_kept(split_conjuncts(asked), (1 << 60) - 1)
    assert len(found) == 5  # of 12 each: Java would not compile many more
    assert max(map(_depth, found)) <= 6  # one for null, and the logarithm of the 24 borders


def test_what_chance_decides_is_computed_once_for_each_condition() -> None:
    drawn = Opaque("rand()", (Ref(COLUMNS[DOUBLE]),), DOUBLE, deterministic=False)
    parts = split_conjuncts([QueryCondition(Compare("<", drawn, Literal(i / 8, DOUBLE)), 1 << i) for i in range(8)])
    assert queries_kept(parts, 255) == [either(part.condition, long(255), long(255 & ~part.queries)) for part in parts]


def test_what_may_fail_stays_behind_its_guard() -> None:
    column = Ref(COLUMNS[INTEGER])
    guard = Compare("<>", column, Literal(0, INTEGER))
    risky = Compare(">", call("div", Literal(1, INTEGER), column), Literal(2, INTEGER))
    after = Compare("<", column, Literal(9, INTEGER))
    parts = split_conjuncts([QueryCondition(all_of((guard, risky, after)), 1)])
    assert [part.condition for part in parts] == [guard, all_of((guard, risky)), after]


def test_what_all_ask_for_is_one_part() -> None:
    column = Ref(COLUMNS[INTEGER])
    shared = IsNull(column)
    asked = [QueryCondition(all_of((shared, Compare("<", column, Literal(i, INTEGER)))), 1 << i) for i in range(5)]
    assert [part.queries for part in split_conjuncts(asked)] == [31, 1, 2, 4, 8, 16]


def _depth(expr: Expr) -> int:
    """How many conditions are decided at most, one after another."""
    if not isinstance(expr, Case) or expr.otherwise is None:
        return 0
    return 1 + max(_depth(expr.branches[0][1]), _depth(expr.otherwise))
