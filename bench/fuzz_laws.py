"""The laws that `make fuzz` tries: each makes a case from a label, or none, and checks it.

The generators and the laws themselves are those of the tests.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from random import Random
from typing import Any, TypeAlias

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession

from bench.quality_cases import case as oracle_case
from bench.quality_compare import compared, our_answer
from sparkwhy import SparkWhyError, why_not
from sparkwhy.backtrace.backtrace import Conditions
from sparkwhy.lab.tables import rows_of
from sparkwhy.memory.interpreter import run
from sparkwhy.memory.values import Row
from sparkwhy.plan.nodes import Distinct, Limit, OpId, Plan, SetOperation, Window
from sparkwhy.plan.walk import walk
from sparkwhy.plan.walk_exprs import attributes_of
from sparkwhy.question.bind import bind
from sparkwhy.question.match import row_matches
from sparkwhy.question.pattern import to_pattern
from sparkwhy.spark.classic.jobs.failures import SPARK_FAILURES
from sparkwhy.spark.classic.read.operators import read
from sparkwhy.spark.classic.run import operators as spark_run
from sparkwhy.trace.trace import trace
from tests.fix.chain import Case, tried
from tests.fix.test_laws import CHECKS
from tests.generate.queries import build, queries
from tests.question.generate import a_literal
from tests.question.test_agree import check_conditions
from tests.spark.test_generated import INTERPRETED, check
from tests.trace.plans import Generator
from tests.trace.test_evaluate import check_evaluation
from tests.trace.test_law import MOST_DROPPERS, bag, check_law, droppers
from tests.trace.test_law_of_alternatives import alternatives, is_determined
from tests.trace.test_law_on_spark import with_data

Tables: TypeAlias = dict[OpId, list[Row]]


@dataclass(frozen=True)
class Attempt:
    """A law about to be checked: what it says of these tables, or of others of the same shape."""

    tables: Tables
    check: Callable[[Tables], None]


Law: TypeAlias = Callable[[str], Attempt | None]
SparkLaw: TypeAlias = Callable[[SparkSession, str], Attempt | None]


# --- in the interpreter ---


def _drawn(label: str) -> tuple[Generator, Plan] | None:
    """A plan with few enough operators that drop rows, for every set of them is tried."""
    generator = Generator(Random(label))
    plan = generator.plan(generator.random.randint(1, 6))
    return (generator, plan) if len(droppers(plan)) <= MOST_DROPPERS else None


def _asked(generator: Generator, plan: Plan) -> Conditions:
    return tuple(generator.condition(plan) for _ in range(generator.random.randint(1, 2)))


def _numbers_no_ties(plan: Plan) -> bool:
    """Whether the windows order rows by all that these have: an alternative may order by one column twice instead."""
    windows = [node for node in walk(plan) if isinstance(node, Window)]
    ordered = [{a for key in node.order for a in attributes_of(key.expr)} for node in windows]
    return all(set(node.input.output) <= by for node, by in zip(windows, ordered, strict=True))


def _is_settled(plan: Plan) -> bool:
    """Whether no operator keeps any of several rows in an order that readings may make differently.

    A window puts rows in its order; where alternatives have another one, all of them still share one result. What an
    except or an intersect keeps is found by joins when it is traced, after which rows are in any order.
    """
    choosing = [node for node in walk(plan) if isinstance(node, Limit) or (isinstance(node, Distinct) and node.keys)]
    return is_determined(plan) and not any(
        isinstance(below, Window | SetOperation) for node in choosing for below in walk(node)
    )


def tracing(label: str) -> Attempt | None:
    """The traced rows alive in a set of operators are the rows of the query with this set relaxed."""
    if (drawn := _drawn(label)) is None:
        return None
    generator, plan = drawn
    return Attempt(generator.tables, lambda tables: check_law(plan, tables))


def tracing_a_question(label: str) -> Attempt | None:
    """A question prunes only rows that do not match it."""
    if (drawn := _drawn(label)) is None:
        return None
    generator, plan = drawn
    asked = _asked(generator, plan)
    return Attempt(generator.tables, lambda tables: check_law(plan, tables, asked))


def tracing_alternatives(label: str) -> Attempt | None:
    """Each variant is traced as if it were the only one."""
    drawn = _drawn(label)
    if drawn is None or not _is_settled(drawn[1]) or len(droppers(drawn[1])) > MOST_DROPPERS - 2:
        return None
    generator, plan = drawn
    others = alternatives(generator, plan, generator.random.randint(1, 3))
    if not all(map(_numbers_no_ties, others)):
        return None
    asked = _asked(generator, plan) if generator.random.random() < 0.5 else ()
    return Attempt(generator.tables, lambda tables: check_law(plan, tables, asked, others))


def evaluating(label: str) -> Attempt | None:
    """Many queries evaluated at once return the same rows as each query alone."""
    drawn = _drawn(label)
    if drawn is None or not _is_settled(drawn[1]):
        return None
    generator, plan = drawn
    plans = [plan, *alternatives(generator, plan, generator.random.randint(0, 4))]
    if not all(map(_numbers_no_ties, plans)):
        return None
    asked = _asked(generator, plan) if generator.random.random() < 0.5 else ()
    return Attempt(generator.tables, lambda _: check_evaluation(generator, plans, asked))


def fixing(label: str) -> Attempt | None:
    """The fixed query returns a matching row, and its side effects are as reported."""
    drawn = _drawn(label)
    if drawn is None or not _is_settled(drawn[1]):
        return None
    generator, plan = drawn
    others = alternatives(generator, plan, generator.random.choice((0, 0, 2)))
    if not all(map(_numbers_no_ties, others)):
        return None
    asked = _asked(generator, plan)

    def check_fixes(tables: Tables) -> None:
        case = Case.of(plan, tables, asked, others)
        for each in () if case.matching(plan) else tried(case).verified:
            if each.repair is not None:
                for law in CHECKS:
                    law(case, each, each.repair.fixed_plan)

    return Attempt(generator.tables, check_fixes)


def matching(label: str) -> Attempt | None:
    """The conditions of a pattern hold for exactly the rows that match by its definition."""
    return Attempt({}, lambda _: check_conditions(Random(label)))


def answering(label: str) -> Attempt | None:
    """Every verified explanation is successful according to the exact oracle."""
    made = oracle_case(label)
    if made is None:
        return None

    def check_soundness(_: Tables) -> None:
        result = compared(made, our_answer(made))
        assert result.sound == result.verified, f"a verified fix does not return the row: case({label!r})"

    return Attempt({}, check_soundness)


# --- on Spark ---


def tracing_on_spark(session: SparkSession, label: str) -> Attempt | None:
    """Spark and the interpreter return the same rows for a traced plan, including blame."""
    generator = Generator(Random(label))
    plan = generator.plan(generator.random.randint(1, 5))
    if any(isinstance(node, Distinct) and node.keys for node in walk(plan)):
        return None  # of rows with the same key each engine may keep another

    def check_engines(tables: Tables) -> None:
        traced = trace(with_data(session, plan, tables), records=len(label) % 2 == 0).rows.plan
        found = rows_of(spark_run.run(session, traced), traced)
        assert bag(found, traced) == bag(run(traced, tables), traced), f"{plan}\n{tables}"

    return Attempt(generator.tables, check_engines)


def reading_on_spark(session: SparkSession, label: str) -> Attempt | None:
    """Spark returns the same rows for the query and for the plan read from it, and so does the interpreter."""

    def check_query(data: st.DataObject) -> None:
        check(build(session, data.draw(queries(session))))

    return _generated(label, check_query)


def asking_on_spark(session: SparkSession, label: str) -> Attempt | None:
    """A question returns an answer or a SparkWhyError, and reports a row as present exactly if it is."""

    def check_answer(data: st.DataObject) -> None:
        df = build(session, data.draw(queries(session, most_steps=4)))
        random = data.draw(st.randoms(use_true_random=False))
        plan = read(df)
        named = [a for a in plan.output if [b.name.lower() for b in plan.output].count(a.name.lower()) == 1]
        wanted = {a.name: a_literal(random, a.type) for a in random.sample(named, min(len(named), 2))}
        try:
            answer = why_not(df, wanted, side_effects="none")
        except SparkWhyError:
            return
        try:
            rows = rows_of(df, plan)
        except SPARK_FAILURES:  # a query that fails by itself, in columns that nobody asks for
            return
        question = bind(to_pattern(wanted), plan.output, timezone="UTC")
        there = any(row_matches(question, row) for row in rows)
        assert (answer.outcome == "not_missing") == there, f"{wanted}\n{answer}"
        assert str(answer)

    return _generated(label, check_answer)


def _generated(label: str, law: Callable[[st.DataObject], None]) -> Attempt:
    """A few queries by hypothesis, which makes a failing one small and prints it."""
    few = settings(
        max_examples=QUERIES_AT_ONCE,
        deadline=None,
        database=None,
        derandomize=False,
        print_blob=False,
        phases=[Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
    )

    def check_some(_: Tables) -> None:
        def body(data: st.DataObject) -> None:
            law(data)

        body.__hypothesis_seed__ = None  # type: ignore[attr-defined]
        test: Any = seed(label)(few(given(data=st.data())(body)))
        test()

    return Attempt({}, check_some)


QUERIES_AT_ONCE = 3


@contextmanager
def quick(session: SparkSession) -> Iterator[SparkSession]:
    """The session with settings under which tiny queries take less time."""
    before = {name: session.conf.get(name) for name in INTERPRETED}
    for name, value in INTERPRETED.items():
        session.conf.set(name, value)
    try:
        yield session
    finally:
        for name, old in before.items():
            if old is not None:
                session.conf.set(name, old)


LAWS: dict[str, Law] = {
    "tracing": tracing,
    "tracing a question": tracing_a_question,
    "tracing alternatives": tracing_alternatives,
    "evaluating": evaluating,
    "fixing": fixing,
    "matching": matching,
    "answering": answering,
}

SPARK_LAWS: dict[str, SparkLaw] = {
    "tracing on Spark": tracing_on_spark,
    "reading on Spark": reading_on_spark,
    "asking on Spark": asking_on_spark,
}
