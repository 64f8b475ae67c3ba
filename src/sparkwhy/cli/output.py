"""Where an answer goes: text or JSON to stdout, a page to a file; progress to a terminal."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from pathlib import Path

from sparkwhy.cli.failures import EXIT_CODES, FINE, UNEXPLAINED, UsageError
from sparkwhy.report.answer import Answer


def add_output_options(parser: argparse.ArgumentParser) -> None:
    options = parser.add_argument_group("output")
    options.add_argument("--json", action="store_true", help="print the answer as JSON")
    options.add_argument("--html", metavar="FILE", help="write the answer as a page too")
    options.add_argument("--quiet", "-q", action="store_true", help="no progress, and no messages but errors")


def check_output(arguments: argparse.Namespace) -> None:
    """Say what is wrong with where the answer should go before the work begins."""
    if arguments.html is None:
        return
    path = Path(arguments.html).absolute()
    if not os.path.isdir(path.parent):
        raise UsageError(f"there is no folder {path.parent} for {arguments.html}.")
    if os.path.isdir(path):
        raise UsageError(f"--html needs the name of a file, not `{arguments.html}`.", hint="write --html why.html.")
    if len(os.fsencode(path.name)) > _LONGEST_NAME:
        raise UsageError("the name of the page is too long.", hint="write --html why.html.")


_LONGEST_NAME = 255
"""Bytes of the longest name of a file."""


def progress_of(arguments: argparse.Namespace) -> Callable[[str], None] | None:
    """Return what shows progress on one line of a terminal; None if standard error is not a terminal."""
    return None if arguments.quiet or not sys.stderr.isatty() else _show_stage


def print_answer(answer: Answer, arguments: argparse.Namespace) -> int:
    """Hands out the answer; its outcome is the exit code."""
    if arguments.json:
        print(answer.to_json())
    else:
        answer.show()
    if arguments.html is not None:
        _write(answer, arguments.html)
        if not arguments.quiet:
            print(f"written to {arguments.html}", file=sys.stderr)
    return EXIT_CODES.get(answer.outcome, FINE if answer.is_explained else UNEXPLAINED)


def _write(answer: Answer, path: str) -> None:
    try:
        answer.to_html(path)
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}.") from error


def _show_stage(stage: str) -> None:
    erase = "\r\x1b[2K"
    print(erase if stage == "done" else f"{erase}{stage} ...", end="", file=sys.stderr, flush=True)
