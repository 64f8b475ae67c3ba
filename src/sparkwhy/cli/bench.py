"""`sparkwhy bench`: what a question costs beside its query, on a scenario of one's choice."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from statistics import median
from time import perf_counter
from typing import Any

from pyspark.sql import DataFrame

from sparkwhy.api import why_not
from sparkwhy.cli.failures import FINE
from sparkwhy.cli.quiet import session
from sparkwhy.cli.scenarios import add_data_options, convert_data_errors, progress_printer, scenario_of
from sparkwhy.scenarios.data.tables import GeneratedTables

_EPILOG = """\
examples:
  sparkwhy bench D1
  sparkwhy bench Q3 --scale 1 --runs 5

Each is run once before the clock starts. The time of a question is that of all its stages: explanations, fixes that
are run, and side effects. With --no-verify it is that of the explanations alone.
"""


def register(commands: Any) -> None:
    parser = commands.add_parser(
        "bench",
        help="measure what a question costs beside its query",
        description="Runs the query of a scenario and its question; prints the medians of their times and the ratio.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("name", metavar="NAME", help="a scenario, as D1 or Q3F; sparkwhy scenarios --list has all")
    parser.add_argument("--runs", type=_count, default=3, help="how often each is run (%(default)s)")
    parser.add_argument("--no-verify", action="store_true", help="propose and run no fixes")
    add_data_options(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    scenario = scenario_of(arguments.name)
    say = progress_printer(arguments)
    tables = GeneratedTables(session(), scale=arguments.scale, rows=arguments.rows, progress=say)
    with convert_data_errors():
        df, missing = scenario.query(tables), scenario.question(tables)
    alternatives = scenario.alternatives or None

    def ask() -> object:
        return why_not(df, missing, alternatives=alternatives, verify=not arguments.no_verify)

    own, asked = _medians([lambda: _run(df), ask], arguments.runs, say)
    print(f"{scenario.name}: {scenario.title}")
    print(f"{'query':>10} {'question':>10} {'ratio':>8}")
    print(f"{own:>9.2f}s {asked:>9.2f}s {asked / own:>8.2f}")
    return FINE


def _medians(works: list[Callable[[], object]], runs: int, say: Callable[[str], None]) -> list[float]:
    """Return the median time of each, run in turn, so that a slow moment of the machine meets all of them."""
    say("warming up")
    for work in works:
        work()
    times: list[list[float]] = []
    for number in range(1, runs + 1):
        say(f"run {number} of {runs}")
        times.append([_seconds(work) for work in works])
    say("done")
    return [median(column) for column in zip(*times, strict=True)]


def _run(df: DataFrame) -> None:
    df.write.format("noop").mode("overwrite").save()


def _seconds(work: Callable[[], object]) -> float:
    start = perf_counter()
    work()
    return perf_counter() - start


def _count(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a number of runs: write 1 or more")
    return value
