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


class TooManyOperators(SparkWhyError):
    """The query has more operators that drop rows than can be followed at once."""

    def __init__(self, count: int, limit: int) -> None:
        super().__init__(
            f"the query has {count} operators that drop rows; {limit} can be followed at once.",
            hint="put .localCheckpoint() in the middle of the query and ask again; what comes after it is explained.",
        )
        self.count = count
        self.limit = limit


class NotInterpretable(SparkWhyError):
    """The in-memory interpreter has no meaning for this function or operator; Spark has."""


class EvaluationError(SparkWhyError):
    """Evaluating an expression failed as Spark's ANSI mode would fail: overflow, bad cast, division by zero."""


class PatternError(SparkWhyError):
    """The pattern of the missing row says something that cannot be asked; `path` is where in the pattern."""

    def __init__(self, message: str, *, path: str = "", hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.path = path


class MalformedPattern(PatternError):
    """The text of a pattern is not JSON; `line` and `column` count from 1."""

    def __init__(self, reason: str, *, line: int, column: int) -> None:
        super().__init__(
            f"the pattern is not JSON: {reason} at line {line}, column {column}.",
            hint='a pattern looks like {"city": "NY", "names": ["?", "*"], "revenue": "> 0"}.',
        )
        self.line = line
        self.column = column


class UnknownField(PatternError):
    """The pattern names a column or field that is not there; `nearest` are the names that look like it."""

    def __init__(self, *, path: str, known: tuple[str, ...], nearest: tuple[str, ...], hint: str) -> None:
        super().__init__(f"there is no {path}.", path=path, hint=hint)
        self.known = known
        self.nearest = nearest


class AmbiguousField(PatternError):
    """The pattern names what several columns or fields are called, or the same one twice."""


class PatternTypeError(PatternError):
    """What the pattern says cannot be said of a value of this type; `type` is how SQL writes it, where it is known."""

    def __init__(self, message: str, *, path: str = "", type: str | None = None, hint: str | None = None) -> None:
        super().__init__(message, path=path, hint=hint)
        self.type = type


def assert_never(value: NoReturn) -> NoReturn:
    """Closes a `match`: the type checker names every pass that forgot a case. (`typing` has it from Python 3.11 on.)"""
    raise AssertionError(f"a case was forgotten: {value!r}")
