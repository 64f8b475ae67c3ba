"""Ask the question of a scenario, and compare the answers of sparkwhy and the baselines with the paper."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import TypeAlias

from pyspark.sql import DataFrame, SparkSession

from sparkwhy import Answer, Explanation, why_not
from sparkwhy.backtrace.backtrace import Conditions
from sparkwhy.lab import conseil, whynot
from sparkwhy.lab.whynot import Answers, Collect
from sparkwhy.plan.nodes import Plan
from sparkwhy.question.bind import bind
from sparkwhy.question.match import conditions
from sparkwhy.question.pattern import to_pattern
from sparkwhy.scenarios.differences import DIFFERENCES, Column
from sparkwhy.scenarios.scenario import Missing, Scenario, Tables
from sparkwhy.spark.classic.read.operators import read
from sparkwhy.spark.classic.run.operators import run
from sparkwhy.spark.comma_joins import with_join_conditions

BASELINES: tuple[Column, ...] = ("why-not", "why-not, joined", "conseil")
OURS: tuple[Column, ...] = ("without alternatives", "with alternatives")

Set: TypeAlias = frozenset[int | str]
Sets: TypeAlias = tuple[Set, ...]
Baseline: TypeAlias = Callable[[Plan, Conditions, Collect], Answers]


@dataclass(frozen=True)
class Cell:
    """One column of a scenario: the sets returned, and those of the paper. `unverified` sets have no fix that works."""

    column: Column
    ours: Sets
    paper: Sets
    unverified: frozenset[Set] = frozenset()

    @property
    def missing(self) -> Sets:
        return tuple(each for each in self.paper if each not in self.ours)

    @property
    def extra(self) -> Sets:
        return tuple(each for each in self.ours if each not in self.paper)

    @property
    def differs(self) -> bool:
        return bool(self.missing or self.extra)


@dataclass(frozen=True)
class ScenarioResult:
    """The answers of all algorithms for one scenario."""

    scenario: Scenario
    cells: tuple[Cell, ...]
    seconds: float

    @property
    def rank(self) -> int | None:
        """The position of the explanation that consists of exactly the planted errors, from 1; None if missing."""
        found = next(cell.ours for cell in self.cells if cell.column == "with alternatives")
        gold = self.scenario.gold
        return None if gold is None or gold not in found else found.index(frozenset(gold)) + 1

    @property
    def differences(self) -> tuple[Column, ...]:
        """The columns that need a reason; a difference without alternatives is not repeated with alternatives."""
        known: set[Set] = set()
        found: tuple[Column, ...] = ()
        for cell in self.cells:
            changed = {*cell.missing, *cell.extra}
            if changed - known:
                found = (*found, cell.column)
            known = changed if cell.column in OURS else known
        ranked = self.scenario.gold_rank
        lower = ranked is not None and (self.rank is None or self.rank > ranked)
        return (*found, "rank") if lower else found


# --- asking ---


def ask(session: SparkSession, scenario: Scenario, tables: Tables) -> ScenarioResult:
    """Return all columns of one scenario."""
    start = perf_counter()
    df, missing, paper = scenario.query(tables), scenario.question(tables), scenario.paper
    without = why_not(df, missing)
    with_them = why_not(df, missing, alternatives=scenario.alternatives) if scenario.alternatives else without
    cells = (
        _baseline(session, scenario, df, missing, whynot.frontier_picky, "why-not"),
        _baseline(session, scenario, df, missing, conseil.why_not_joined, "why-not, joined"),
        *([_baseline(session, scenario, df, missing, conseil.conseil, "conseil")] if paper.conseil is not None else []),
        _our_cell(scenario, without, "without alternatives", paper.rp_no_alternatives),
        _our_cell(scenario, with_them, "with alternatives", paper.rp),
    )
    return ScenarioResult(scenario, cells, perf_counter() - start)


def _baseline(
    session: SparkSession, scenario: Scenario, df: DataFrame, missing: Missing, method: Baseline, column: Column
) -> Cell:
    plan = with_join_conditions(read(df))
    zone = session.conf.get("spark.sql.session.timeZone") or "UTC"
    asked = conditions(bind(to_pattern(missing), plan.output, timezone=zone))
    found = method(plan, asked, lambda each: run(session, each).collect())
    named = tuple(frozenset(scenario.number(operator) for operator in each) for each in found)
    paper = scenario.paper.conseil if column == "conseil" else scenario.paper.whynot
    return Cell(column, named, _sets(paper or ()))


def _our_cell(scenario: Scenario, answer: Answer, column: Column, paper: Iterable[Iterable[int]]) -> Cell:
    """Return our explanations in order; alternatives that change the same operators count once."""
    unverified = _number_sets(scenario, (each for each in answer.explanations if not each.verified))
    verified = _number_sets(scenario, (each for each in answer.explanations if each.verified))
    return Cell(
        column, _number_sets(scenario, answer.explanations), _sets(paper), frozenset(unverified) - set(verified)
    )


def _number_sets(scenario: Scenario, explanations: Iterable[Explanation]) -> Sets:
    return tuple(dict.fromkeys(scenario.numbers(each) for each in explanations))


def _sets(found: Iterable[Iterable[int]]) -> Sets:
    return tuple(frozenset(each) for each in found)


# --- showing ---


def lines(row: ScenarioResult) -> Iterator[str]:
    """Yield the lines of a scenario as text."""
    yield f"{row.scenario.name}: {row.scenario.title} ({row.seconds:.0f} s)"
    for cell in row.cells:
        yield f"  {cell.column:<21} {show(cell.ours, cell.unverified)}"
        yield f"  {'  in the paper':<21} {show(cell.paper)}"
        if cell.differs:
            found = len(cell.paper) - len(cell.missing)
            yield f"  {'':<21} found {found}, missing {show(cell.missing)}, extra {show(cell.extra)}"
    if row.scenario.gold_rank is not None:
        yield f"  {'rank of the errors':<21} {row.rank or 'not found'}; in the paper {row.scenario.gold_rank}"
    for column in row.differences:
        yield f"  {column}: {reason(row.scenario.name, column)}"


def show(found: Sequence[Set], unverified: frozenset[Set] = frozenset()) -> str:
    """Return sets of operators as text, with a `?` after those without a fix that works."""
    return ", ".join(_set(each) + ("?" if each in unverified else "") for each in found) or "none"


def _set(found: Set) -> str:
    return "{" + ", ".join(map(str, sorted(found, key=lambda each: (isinstance(each, str), each)))) + "}"


def reason(name: str, column: Column) -> str:
    """Return the documented reason why a column differs from the paper."""
    known = DIFFERENCES.get((name, column))
    if known is None:
        return "OPEN: no reason is documented."
    return f"{known.reason} Correct: {_CORRECT[known.right]}."


_CORRECT = {"ours": "sparkwhy", "paper": "the paper", "definition": "both, each by its definition"}
