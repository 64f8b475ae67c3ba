"""`sparkwhy`: the commands, and what becomes of what goes wrong."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from importlib.metadata import version

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from sparkwhy.cli import bench, demo, explain, scenarios
from sparkwhy.cli.failures import FAILED, INTERRUPTED, PIPE_CLOSED, USAGE, CannotStart, UsageError
from sparkwhy.cli.quiet import quiet_spark
from sparkwhy.errors import SparkWhyError, escape_controls
from sparkwhy.spark.classic.jobs.failures import shorten_message

COMMANDS = (demo, explain, scenarios, bench)
"""Each has `register`, which adds its parser; the parser's `run` gets the arguments and returns the exit code."""

_EPILOG = """\
examples:
  sparkwhy demo
  sparkwhy explain etl.py:cities --missing '{"city": "NY"}'
  sparkwhy explain --sql report.sql --table orders=orders.parquet --missing '{"id": 7}' --html why.html
  sparkwhy scenarios D1
  sparkwhy bench D1

sparkwhy COMMAND --help says more of each.

exit codes:
  0  explained, or the row is there
  2  the command cannot be understood: a file, a name or JSON that is not right
  3  unexplained
  4  no source has such a row
  5  the question cannot be answered: an unknown column, an operator that is not supported, an error of Spark
  130  stopped by Ctrl-C
  141  what reads the output has closed it, as `| head` does
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return the exit code."""
    try:
        try:
            return _run(argv)
        finally:
            sys.stdout.flush()  # here and not when Python ends, where a failure could not be caught
    except BrokenPipeError:
        _discard_output()
        return PIPE_CLOSED


def _run(argv: Sequence[str] | None) -> int:
    arguments = _parser().parse_args(argv)
    had_session = SparkSession.getActiveSession() is not None
    quiet_spark()
    try:
        code: int = arguments.run(arguments)
        return code
    except UsageError as error:
        return _print_error(error, USAGE)
    except (SparkWhyError, CannotStart) as error:
        return _print_error(error, FAILED)
    except (PySparkException, Py4JJavaError) as error:
        return _print_error(f"Spark says: {shorten_message(str(error))}", FAILED)
    except KeyboardInterrupt:
        return _print_error("stopped.", INTERRUPTED)
    finally:
        if not had_session:
            _stop()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="sparkwhy",
        description="Why is that row not in my DataFrame?",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"sparkwhy {version('sparkwhy')}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for command in COMMANDS:
        command.register(commands)
    return parser


def _print_error(error: object, code: int) -> int:
    print(escape_controls(f"sparkwhy: {error}"), file=sys.stderr)
    return code


def _discard_output() -> None:
    """Discard the rest of the output: its reader is gone, and Python would fail to write it when it ends."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())


def _stop() -> None:
    session = SparkSession.getActiveSession()
    if session is not None:
        session.stop()
