"""Exit codes, and what went wrong in few words."""

from __future__ import annotations

import traceback
from pathlib import Path

from sparkwhy.errors import SparkWhyError

FINE, USAGE, UNEXPLAINED, NOT_IN_DATA, FAILED = 0, 2, 3, 4, 5

EXIT_CODES = {"explained": FINE, "not_missing": FINE, "unexplained": UNEXPLAINED, "not_in_data": NOT_IN_DATA}

_LONGEST = 400
_REST = ("\tat ", "JVM stacktrace", "== ", "'", "+- ")
"""How the stack of the JVM, the query or the plan begins in a message of Spark."""


class UsageError(SparkWhyError):
    """The command cannot be understood."""


class CannotStart(SparkWhyError):
    """The user's own code failed before there was a DataFrame."""

    def __init__(self, error: BaseException, file: str | None) -> None:
        super().__init__(f"{_place(error, file)}{type(error).__name__}: {shortened(str(error))}")


def shortened(message: str) -> str:
    """A message of Spark without the stack of the JVM and without the plan, on few lines.

    >>> shortened("[DIVIDE_BY_ZERO] Division by zero.\\n\\nJVM stacktrace:\\njava.lang...")
    '[DIVIDE_BY_ZERO] Division by zero.'
    """
    kept: list[str] = []
    for line in message.strip().splitlines():
        if line.startswith(_REST):
            break
        if line.strip():
            kept.append(line.rstrip())
    text = "\n".join(_without_stack(kept))
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."


def _without_stack(lines: list[str]) -> list[str]:
    """What a Python worker says: of its stack only the last line."""
    stack = next((n for n, line in enumerate(lines) if line.startswith("Traceback ")), None)
    return lines if stack is None else [*lines[:stack], lines[-1]]


def _place(error: BaseException, file: str | None) -> str:
    """The last line of the user's file that was being run."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file]
    return f"{Path(frames[-1].filename).name}:{frames[-1].lineno}: " if frames else ""
