"""A pytest plugin that applies each fix that an answer of the test-suite prints: `pytest -p tests.printed.plugin`.

A test whose answer prints a false fix fails. The count is printed at the end.
"""

from __future__ import annotations

import functools
from contextlib import ExitStack
from typing import Any

import pytest
from pyspark.sql import DataFrame

import sparkwhy
import sparkwhy.api
from sparkwhy import Answer
from tests.printed.check import Tally, check_answer
from tests.printed.recording import recording

_TALLY = Tally()
_original = sparkwhy.why_not
_block = ExitStack()


@functools.wraps(_original)
def _why_not(df: DataFrame, missing: Any, **options: Any) -> Answer:
    answer = _original(df, missing, **options)
    if not options.get("redact"):
        wrong = len(_TALLY.false)
        check_answer(df, missing, answer, _TALLY)
        assert len(_TALLY.false) == wrong, _TALLY.false[wrong:]
    return answer


def pytest_configure() -> None:
    sparkwhy.why_not = _why_not
    _block.enter_context(recording())


def pytest_unconfigure() -> None:
    _block.close()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    terminalreporter.section("printed fixes")
    for line in _TALLY.lines():
        terminalreporter.write_line(line)
