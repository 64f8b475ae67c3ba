"""`sparkwhy scenarios`: the paper's questions, and what we and others answer."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from sparkwhy.cli.failures import FINE, UsageError
from sparkwhy.cli.output import progress_of
from sparkwhy.cli.quiet import session
from sparkwhy.errors import SparkWhyError
from sparkwhy.scenarios import SCENARIOS
from sparkwhy.scenarios.data.dblp_slice import DblpSlice, missing_files
from sparkwhy.scenarios.data.tables import SMALL_ROWS, SMALL_SCALE, GeneratedTables
from sparkwhy.scenarios.reproduction import ask, lines
from sparkwhy.scenarios.scenario import Scenario

_EPILOG = """\
examples:
  sparkwhy scenarios --list
  sparkwhy scenarios D1 T3
  sparkwhy scenarios Q3 --scale 0.1
  sparkwhy scenarios T1 --rows 1000000
  sparkwhy scenarios --dblp records/

The data is made on first use, in $SPARKWHY_CACHE or else in the user's cache folder. That of TPC-H, for the scenarios
with a Q, is made by the package tpchgen-cli. With --dblp the scenarios with a D are asked of real records of DBLP: a
folder with article.jsonl.gz and the like, one JSON object a line. What is asked for is looked for in them.
"""


class NoData(SparkWhyError):
    """The data of a scenario cannot be made, or has no row to ask for."""


def register(commands: Any) -> None:
    parser = commands.add_parser(
        "scenarios",
        help="ask the questions of the paper that sparkwhy builds on, and compare the answers",
        description="Prints what each algorithm returns beside what the paper prints, in the paper's operator numbers.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="which ones, as D1 or Q3F; all, if none is given")
    parser.add_argument("--list", action="store_true", help="print their names and titles, and ask nothing")
    parser.add_argument("--dblp", type=Path, metavar="FOLDER", help="real records of DBLP, for the scenarios with a D")
    add_data_options(parser)
    parser.set_defaults(run=run)


def add_data_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--scale", type=_positive, default=SMALL_SCALE, help="scale factor of the data of TPC-H (%(default)s)"
    )
    parser.add_argument("--rows", type=_count, default=SMALL_ROWS, help="rows of DBLP and of Twitter (%(default)s)")
    parser.add_argument("--quiet", "-q", action="store_true", help="no progress, and no messages but errors")


def run(arguments: argparse.Namespace) -> int:
    real = None if arguments.dblp is None else _check_folder(arguments.dblp)
    asked = SCENARIOS if real is None else [name for name, each in SCENARIOS.items() if each.dataset == "dblp"]
    chosen = [scenario_of(name) for name in arguments.names or asked]
    if arguments.list:
        print("\n".join(f"{each.name:<6} {each.title}" for each in chosen))
        return FINE
    say = progress_printer(arguments)
    generated = GeneratedTables(session(), scale=arguments.scale, rows=arguments.rows, progress=say)
    for each in chosen:
        say(f"asking {each.name}")
        tables = generated if real is None or each.dataset != "dblp" else DblpSlice(generated.spark, real)
        with convert_data_errors():
            row = ask(generated.spark, each, tables)
        say("done")
        print("\n".join(lines(row)), flush=True)
    return FINE


def _check_folder(folder: Path) -> Path:
    lacking = missing_files(folder)
    if lacking:
        raise UsageError(f"{folder} has no {' and no '.join(lacking)}.", hint="--dblp takes a folder with all of them.")
    return folder


def scenario_of(name: str) -> Scenario:
    if name not in SCENARIOS:
        near = get_close_matches(name.upper(), SCENARIOS, cutoff=0.5) or list(SCENARIOS)
        raise UsageError(f"there is no scenario {name}.", hint=f"did you mean {' or '.join(near)}?")
    return SCENARIOS[name]


def progress_printer(arguments: argparse.Namespace) -> Callable[[str], None]:
    """Return what shows progress; it does nothing if standard error is not a terminal."""
    return progress_of(arguments) or (lambda _: None)


@contextmanager
def convert_data_errors() -> Iterator[None]:
    """Yield what the data of a scenario may lack becomes an error without a traceback."""
    try:
        yield
    except (ModuleNotFoundError, LookupError) as error:
        raise NoData(str(error)) from error


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a number of rows: write a whole number above 0")
    return int(text)


def _positive(text: str) -> float:
    value = float(text)
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text} is not a scale factor: write a number above 0")
    return value
