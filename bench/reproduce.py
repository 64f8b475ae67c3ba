"""`python -m bench.reproduce [--scale 0.01] [NAMES...]`: what we and the baselines return beside what the paper prints.

Prints each scenario as soon as it was asked, and writes `docs/reproduction.md` from the same data. With names the page
is written only where `--page` says, so that a few scenarios do not replace all.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import TypeAlias

from pyspark.sql import DataFrame, SparkSession

from sparkwhy import Answer, Explanation, why_not
from sparkwhy.lab import conseil, whynot
from sparkwhy.lab.whynot import Answers, Collect
from sparkwhy.plan.nodes import Plan
from sparkwhy.question.bind import bind
from sparkwhy.question.match import conditions
from sparkwhy.question.pattern import to_pattern
from sparkwhy.scenarios import SCENARIOS
from sparkwhy.scenarios.data.tables import SMALL_SCALE, Generated
from sparkwhy.scenarios.differences import DIFFERENCES, Column
from sparkwhy.scenarios.scenario import Missing, Scenario
from sparkwhy.spark.read import read
from sparkwhy.spark.run import run
from sparkwhy.trace.comma_joins import with_join_conditions
from sparkwhy.trace.wanted import Conditions

PAGE = Path(__file__).parents[1] / "docs" / "reproduction.md"

_BASELINES: tuple[Column, ...] = ("why-not", "why-not, joined", "conseil")
_OURS: tuple[Column, ...] = ("without alternatives", "with alternatives")

Set: TypeAlias = frozenset[int | str]
Sets: TypeAlias = tuple[Set, ...]
Baseline: TypeAlias = Callable[[Plan, Conditions, Collect], Answers]


@dataclass(frozen=True)
class Cell:
    """One column of a scenario: what was returned, and what the paper prints. `unverified` were not seen to work."""

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
class Row:
    """A scenario, asked once of each algorithm."""

    scenario: Scenario
    cells: tuple[Cell, ...]
    seconds: float

    @property
    def rank(self) -> int | None:
        """Where the explanation that names just the planted errors stands with us."""
        found = next(cell.ours for cell in self.cells if cell.column == "with alternatives")
        gold = self.scenario.gold
        return None if gold is None or gold not in found else found.index(frozenset(gold)) + 1

    @property
    def differences(self) -> tuple[Column, ...]:
        """The columns to give a reason for; what differs without alternatives is not told again with them."""
        told: set[Set] = set()
        found: tuple[Column, ...] = ()
        for cell in self.cells:
            changed = {*cell.missing, *cell.extra}
            if changed - told:
                found = (*found, cell.column)
            told = changed if cell.column in _OURS else told
        ranked = self.scenario.gold_rank
        lower = ranked is not None and (self.rank is None or self.rank > ranked)
        return (*found, "rank") if lower else found


# --- asking ---


def ask(session: SparkSession, scenario: Scenario, tables: Generated) -> Row:
    """All columns of one scenario."""
    start = perf_counter()
    df, missing, paper = scenario.query(tables), scenario.question(tables), scenario.paper
    without = why_not(df, missing)
    with_them = why_not(df, missing, alternatives=scenario.alternatives) if scenario.alternatives else without
    cells = (
        _baseline(session, scenario, df, missing, whynot.why_not, "why-not"),
        _baseline(session, scenario, df, missing, conseil.why_not_joined, "why-not, joined"),
        *([_baseline(session, scenario, df, missing, conseil.conseil, "conseil")] if paper.conseil is not None else []),
        _ours(scenario, without, "without alternatives", paper.rp_no_alternatives),
        _ours(scenario, with_them, "with alternatives", paper.rp),
    )
    return Row(scenario, cells, perf_counter() - start)


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


def _ours(scenario: Scenario, answer: Answer, column: Column, paper: Iterable[Iterable[int]]) -> Cell:
    """Our explanations in their order; several alternatives that change the same operators count once."""
    unverified = _named(scenario, (each for each in answer.explanations if not each.verified))
    verified = _named(scenario, (each for each in answer.explanations if each.verified))
    return Cell(column, _named(scenario, answer.explanations), _sets(paper), frozenset(unverified) - set(verified))


def _named(scenario: Scenario, explanations: Iterable[Explanation]) -> Sets:
    return tuple(dict.fromkeys(scenario.numbers(each) for each in explanations))


def _sets(found: Iterable[Iterable[int]]) -> Sets:
    return tuple(frozenset(each) for each in found)


# --- showing ---


def lines(row: Row) -> Iterator[str]:
    """A scenario as text."""
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
        yield f"  {column}: {_reason(row.scenario.name, column)}"


def show(found: Sequence[Set], unverified: frozenset[Set] = frozenset()) -> str:
    return ", ".join(_set(each) + ("?" if each in unverified else "") for each in found) or "none"


def _set(found: Set) -> str:
    return "{" + ", ".join(map(str, sorted(found, key=lambda each: (isinstance(each, str), each)))) + "}"


def _reason(name: str, column: Column) -> str:
    known = DIFFERENCES.get((name, column))
    if known is None:
        return "OPEN: no reason is written down."
    return f"{known.reason} Right: {_RIGHT[known.right]}."


_RIGHT = {"ours": "ours", "paper": "the paper", "definition": "each by its definition"}


def page(rows: Sequence[Row], scale: float) -> str:
    """`docs/reproduction.md`."""
    asked = f"Asked here: {len(rows)} of {len(SCENARIOS)} scenarios.\n"
    sections = (line for row in rows for line in _section(row))
    return "\n".join([_HEAD.format(scale=scale), asked, *_summary(rows), *sections])


def _summary(rows: Sequence[Row]) -> Iterator[str]:
    yield "| scenario | Why-Not / WN++ | joined | Conseil | without alternatives | with alternatives | rank (paper) |"
    yield "|---|---|---|---|---|---|---|"
    for row in rows:
        cells = {cell.column: _verdict(cell) for cell in row.cells}
        ranks = "" if row.scenario.gold_rank is None else f"{row.rank or '-'} ({row.scenario.gold_rank})"
        shown = (cells.get(column, "") for column in _BASELINES + _OURS)
        yield f"| {row.scenario.name} | {' | '.join(shown)} | {ranks} |"


def _verdict(cell: Cell) -> str:
    if not cell.differs:
        return "same"
    if cell.column in _BASELINES:
        return "differs"
    found = len(cell.paper) - len(cell.missing)
    return f"{found} of {len(cell.paper)}" + (f", {len(cell.extra)} more" if cell.extra else "")


def _section(row: Row) -> Iterator[str]:
    yield f"\n## {row.scenario.name}: {row.scenario.title}\n"
    yield f"Planted: {'; '.join(row.scenario.errors)}.\n"
    yield "| | returned | in the paper |\n|---|---|---|"
    for cell in row.cells:
        yield f"| {cell.column} | {_safe(show(cell.ours, cell.unverified))} | {_safe(show(cell.paper))} |"
    if row.scenario.gold_rank is not None:
        yield f"| rank of the errors | {row.rank or 'not found'} | {row.scenario.gold_rank} |"
    if row.differences:
        yield ""
    for column in row.differences:
        yield f"- *{column}*: {_reason(row.scenario.name, column)}"


def _safe(text: str) -> str:
    return text.replace("|", "\\|")


_HEAD = """\
# The paper's scenarios, beside what we return

Made by `make reproduce` (`python -m bench.reproduce --scale {scale}`); the reasons are in
`src/sparkwhy/scenarios/differences.py`. TPC-H at scale factor {scale}, generated DBLP and Twitter data, a synthetic
stand-in for the crime data. Numbers are the paper's operator numbers; an operator that it does not number is named by
its text. A `?` marks an explanation whose fix was not seen to work.

Why-Not and WN++ are read in two ways, since no one definition gives all of the paper's answers: with compatible rows of
the sources that the pattern speaks of, and *joined*, with rows of all sources that join to what was asked for. The
docstrings of `lab/whynot.py` and `lab/conseil.py` say exactly what each returns.
"""


# --- the command ---


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.reproduce", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="scenarios, as D1 or Q3F; all, if none is given")
    parser.add_argument("--scale", type=float, default=SMALL_SCALE, help="scale factor of TPC-H (default %(default)s)")
    parser.add_argument("--page", type=Path, help=f"where the page is written (default {PAGE}, if all are asked)")
    chosen = parser.parse_args(arguments)
    unknown = [name for name in chosen.names if name not in SCENARIOS]
    if unknown:
        parser.error(f"no scenario {', '.join(unknown)}; there are {', '.join(SCENARIOS)}")
    session = _session()
    tables = Generated(session, scale=chosen.scale)
    place = chosen.page or (None if chosen.names else PAGE)
    rows: list[Row] = []
    for name in chosen.names or SCENARIOS:
        rows.append(ask(session, SCENARIOS[name], tables))
        print("\n".join(lines(rows[-1])), flush=True)
        if place is not None:  # after each: all of them take a while
            place.write_text(page(rows, chosen.scale) + "\n")


def _session() -> SparkSession:
    session = (
        SparkSession.builder.master("local[2]")
        .appName("sparkwhy reproduce")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.shuffle.partitions", "4")
        .config("spark.sql.session.timeZone", "UTC")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("ERROR")
    return session


if __name__ == "__main__":
    main()
