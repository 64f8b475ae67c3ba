"""Every error that a user of sparkwhy may see: what went wrong, where, and what to do about it.

Bugs of our own are assertions with a traceback, not members of this family.
"""

from __future__ import annotations

from typing import NoReturn


class SparkWhyError(Exception):
    """The root of all errors of sparkwhy; `hint` says what to do."""

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return self.message if self.hint is None else f"{self.message}\nHint: {self.hint}"


class NotADataFrame(SparkWhyError):
    """What was handed in is not a DataFrame that can be explained."""


class UnsupportedOperator(SparkWhyError):
    """The query contains an operator that rows cannot be followed through."""

    def __init__(self, operator: str, *, where: str | None = None, hint: str | None = None) -> None:
        place = "" if where is None else f" at {where}"
        super().__init__(
            f"cannot explain through {operator}{place}.",
            hint=hint or "put .localCheckpoint() after this step and ask again; everything after it can be explained.",
        )
        self.operator = operator
        self.where = where


class NotInterpretable(SparkWhyError):
    """The in-memory interpreter has no meaning for this function or operator; Spark has."""


class EvaluationError(SparkWhyError):
    """Evaluating an expression failed as Spark's ANSI mode would fail: overflow, bad cast, division by zero."""


def assert_never(value: NoReturn) -> NoReturn:
    """Closes a `match`: the type checker names every pass that forgot a case. (`typing` has it from Python 3.11 on.)"""
    raise AssertionError(f"a case was forgotten: {value!r}")
