"""Is an answer true as it is printed? Each of its fixes is done to the user's own calls, and the result looked at."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame

from sparkwhy import Answer, Explanation
from sparkwhy.memory.values import unordered_bag
from sparkwhy.question.bind import bind
from sparkwhy.question.match import row_matches
from sparkwhy.question.pattern import to_pattern
from sparkwhy.spark.engine import engine_for
from tests.printed.apply import CannotApply, apply_printed


@dataclass
class Tally:
    """What was looked at so far."""

    true: int = 0
    unknown: list[str] = field(default_factory=list)
    false: list[str] = field(default_factory=list)

    def note(self, explanation: Explanation, problem: str | None) -> None:
        self.true += problem is None
        self.false += [] if problem is None else [f"{_printed(explanation)}: {problem}"]

    def lines(self) -> Iterator[str]:
        yield from (f"FALSE   {each}" for each in self.false)
        yield from (f"unknown {count} x {each}" for each, count in Counter(self.unknown).items())
        yield f"{self.true} printed fixes are true, {len(self.false)} false, {len(self.unknown)} could not be applied"


def is_checked(explanation: Explanation) -> bool:
    """Return whether a fix was called one that works."""
    return bool(explanation.verified and explanation.fixes)


def check_answer(df: DataFrame, missing: Any, answer: Answer, tally: Tally) -> None:
    """Do each verified fix of an answer, and compare the row and the side effects with what the answer says."""
    for explanation in filter(is_checked, answer.explanations):
        try:
            fixed = apply_printed(df, explanation.fixes)
        except CannotApply as reason:
            tally.unknown.append(f"{_printed(explanation)} ({reason})")
        except PySparkException as error:
            tally.note(explanation, f"the query does not run: {str(error).splitlines()[0]}")
        else:
            tally.note(explanation, find_problem(df, fixed, missing, explanation))


def _printed(explanation: Explanation) -> str:
    return "; ".join(f"{fix.before} -> {fix.after}" for fix in explanation.fixes)


def find_problem(df: DataFrame, fixed: DataFrame, missing: Any, explanation: Explanation) -> str | None:
    """Return what is false in what is said of a fix."""
    wanted, after = _rows(fixed, missing)
    if not wanted:
        return "the row is not there"
    _, before = _rows(df, missing)
    entering, leaving = sum((after - before).values()), sum((before - after).values())
    effects = explanation.side_effects
    if effects is None or effects.lower <= entering + leaving <= effects.upper:
        return None
    return f"{entering} rows enter and {leaving} leave, not {effects.lower} to {effects.upper}"


def _rows(df: DataFrame, missing: Any) -> tuple[bool, Counter[Any]]:
    """Return whether a row that was asked for is there, and the other rows."""
    engine = engine_for(df)
    plan = engine.read_plan()
    question = bind(to_pattern(missing), plan.output, timezone=engine.timezone(), widths=engine.char_widths())
    rows = engine.collect(plan)
    others = [row for row in rows if not row_matches(question, tuple(row))]
    rounded = [tuple(float(f"{each:.9g}") if isinstance(each, float) else each for each in row) for row in others]
    return len(others) < len(rows), unordered_bag(rounded, [attribute.type for attribute in plan.output])
