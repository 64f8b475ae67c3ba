"""`sparkwhy`: the commands, and what becomes of what goes wrong."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib.metadata import version

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from sparkwhy.cli import demo, explain
from sparkwhy.cli.failures import FAILED, USAGE, CannotStart, UsageError, shortened
from sparkwhy.cli.quiet import quiet_spark
from sparkwhy.errors import SparkWhyError

COMMANDS = (demo, explain)
"""Each has `register`, which adds its parser; the parser's `run` gets the arguments and returns the exit code."""

_EPILOG = """\
exit codes:
  0  explained, or the row is there
  2  the command cannot be understood: a file, a name or JSON that is not right
  3  unexplained
  4  no source has such a row
  5  the question cannot be answered: an unknown column, an operator that is not supported, an error of Spark
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Runs a command and returns the exit code."""
    arguments = _parser().parse_args(argv)
    had_session = SparkSession.getActiveSession() is not None
    quiet_spark()
    try:
        code: int = arguments.run(arguments)
        return code
    except UsageError as error:
        return _told(error, USAGE)
    except (SparkWhyError, CannotStart) as error:
        return _told(error, FAILED)
    except (PySparkException, Py4JJavaError) as error:
        return _told(f"Spark says: {shortened(str(error))}", FAILED)
    except KeyboardInterrupt:
        return _told("stopped.", 130)
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


def _told(error: object, code: int) -> int:
    print(f"sparkwhy: {error}", file=sys.stderr)
    return code


def _stop() -> None:
    session = SparkSession.getActiveSession()
    if session is not None:
        session.stop()
