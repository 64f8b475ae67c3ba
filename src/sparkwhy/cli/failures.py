"""Exit codes, and what went wrong in few words."""

from __future__ import annotations

import traceback
from pathlib import Path

from sparkwhy.errors import SparkWhyError
from sparkwhy.spark.classic.jobs.failures import shorten_message

FINE, USAGE, UNEXPLAINED, NOT_IN_DATA, FAILED = 0, 2, 3, 4, 5
INTERRUPTED, PIPE_CLOSED = 130, 141
"""As a shell has it for what ended by a signal: 128 and the number of SIGINT or SIGPIPE."""

EXIT_CODES = {"not_missing": FINE, "not_in_data": NOT_IN_DATA}
"""The exit codes of outcomes without explanations; with explanations it depends on whether one is certain."""


class UsageError(SparkWhyError):
    """The command cannot be understood."""


class CannotStart(SparkWhyError):
    """The user's own code failed before there was a DataFrame."""

    def __init__(self, error: BaseException, file: str | None) -> None:
        super().__init__(f"{_place(error, file)}{type(error).__name__}: {shorten_message(str(error))}")


def _place(error: BaseException, file: str | None) -> str:
    """Return the last line of the user's file that was being run."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file]
    return f"{Path(frames[-1].filename).name}:{frames[-1].lineno}: " if frames else ""
