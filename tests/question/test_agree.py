"""The two meanings of a question agree: its conditions, in both engines, and matching by the definition."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from sparkwhy.memory.evaluate import evaluator
from sparkwhy.memory.settings import Settings
from sparkwhy.memory.values import Row
from sparkwhy.plan.exprs import TRUE, And, Attribute, AttrId, Expr
from sparkwhy.plan.types import Type
from sparkwhy.question.bind import Question, bind
from sparkwhy.question.match import conditions, row_matches
from sparkwhy.question.pattern import show_pattern, to_pattern
from sparkwhy.spark.classic.run.columns import name_of, to_column
from tests.lab.agreement import frame
from tests.question.generate import a_literal, a_type, a_value

ROWS_FOR_A_PATTERN = 10


def a_question(random: Random, output: tuple[Attribute, ...]) -> Question:
    return bind(to_pattern({each.name: a_literal(random, each.type) for each in output}), output)


def all_of(question: Question) -> Expr:
    return And((TRUE, *conditions(question)))


@given(st.randoms(use_true_random=False))
@settings(max_examples=1000)
def test_the_conditions_hold_exactly_where_the_definition_says(random: Random) -> None:
    check_conditions(random)


def check_conditions(random: Random) -> None:
    output = tuple(Attribute(AttrId(i), f"c{i}", a_type(random, 3)) for i in range(random.choice((1, 1, 2))))
    question = a_question(random, output)
    evaluate = evaluator(all_of(question), output, Settings())
    for _ in range(ROWS_FOR_A_PATTERN):
        row = tuple(a_value(random, each.type) for each in output)
        assert (evaluate(row) is True) == row_matches(question, row), (show_pattern(question.pattern), row)


def test_generated_values_match_about_as_often_as_not() -> None:
    random = Random(3)
    verdicts = []
    for _ in range(1500):
        output = (Attribute(AttrId(0), "c", a_type(random, 2)),)
        verdicts.append(row_matches(a_question(random, output), (a_value(random, output[0].type),)))
    assert 0.25 < sum(verdicts) / len(verdicts) < 0.75


@pytest.mark.spark
def test_spark_agrees(spark: SparkSession) -> None:
    """One job: a column of values for each type, and a verdict for each pattern of that type."""
    random = Random(20)
    output = tuple(_named(i, a_type(random, 2)) for i in range(24))
    rows: list[Row] = [tuple(a_value(random, each.type) for each in output) for _ in range(10)]
    questions = [a_question(random, (each,)) for each in output for _ in range(5)]
    verdicts = [
        F.coalesce(to_column(spark, all_of(question)), F.lit(False)).alias(f"q{i}")
        for i, question in enumerate(questions)
    ]
    found = frame(spark, output, rows).orderBy("id").select(*verdicts).collect()
    wrong = [
        (show_pattern(question.pattern), value)
        for row, given in zip(found, rows, strict=True)
        for i, question in enumerate(questions)
        for value in [given[output.index(question.output[0])]]
        if row[i] != row_matches(question, (value,))
    ]
    assert not wrong


def _named(i: int, type: Type) -> Attribute:
    """An attribute with the name that its column has while a plan runs."""
    return Attribute(AttrId(i), name_of(Attribute(AttrId(i), "", type)), type)
