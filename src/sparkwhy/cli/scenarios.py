"""`sparkwhy scenarios`: the paper's questions, and what we and others answer."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from typing import Any

from sparkwhy.cli.failures import FINE, UsageError
from sparkwhy.cli.output import progress_of
from sparkwhy.cli.quiet import session
from sparkwhy.errors import SparkWhyError
from sparkwhy.scenarios import SCENARIOS
from sparkwhy.scenarios.data.tables import SMALL_SCALE, Generated
from sparkwhy.scenarios.reproduction import ask, lines
from sparkwhy.scenarios.scenario import Scenario

_EPILOG = """\
examples:
  sparkwhy scenarios --list
  sparkwhy scenarios D1 T3
  sparkwhy scenarios Q3 --scale 0.1

The data is made on first use, in $SPARKWHY_CACHE or else in the user's cache folder. That of TPC-H, for the scenarios
with a Q, is made by the package tpchgen-cli.
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
    add_data_options(parser)
    parser.set_defaults(run=run)


def add_data_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--scale", type=_positive, default=SMALL_SCALE, help="scale factor of the data of TPC-H (%(default)s)"
    )
    parser.add_argument("--quiet", "-q", action="store_true", help="nothing on stderr but errors")


def run(arguments: argparse.Namespace) -> int:
    chosen = [scenario_of(name) for name in arguments.names or SCENARIOS]
    if arguments.list:
        print("\n".join(f"{each.name:<6} {each.title}" for each in chosen))
        return FINE
    say = saying(arguments)
    tables = Generated(session(), scale=arguments.scale, progress=say)
    for each in chosen:
        say(f"asking {each.name}")
        with data_needed():
            row = ask(tables.spark, each, tables)
        say("done")
        print("\n".join(lines(row)), flush=True)
    return FINE


def scenario_of(name: str) -> Scenario:
    if name not in SCENARIOS:
        near = get_close_matches(name.upper(), SCENARIOS, cutoff=0.5) or list(SCENARIOS)
        raise UsageError(f"there is no scenario {name}.", hint=f"did you mean {' or '.join(near)}?")
    return SCENARIOS[name]


def saying(arguments: argparse.Namespace) -> Callable[[str], None]:
    """Progress, or nothing if nobody watches."""
    return progress_of(arguments) or (lambda _: None)


@contextmanager
def data_needed() -> Iterator[None]:
    """What the data of a scenario may lack becomes an error without a traceback."""
    try:
        yield
    except (ModuleNotFoundError, LookupError) as error:
        raise NoData(str(error)) from error


def _positive(text: str) -> float:
    value = float(text)
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text} is no scale factor: a number above 0 is")
    return value
