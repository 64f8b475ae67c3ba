"""Every error that a user of sparkwhy may see: what went wrong, where, and what to do about it.

Bugs of our own are assertions with a traceback, not members of this family.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NoReturn


class SparkWhyError(Exception):
    """The root of all errors of sparkwhy: `message` says what is wrong, `hint` what to do.

    For example `except SparkWhyError as error: print(error.hint)`.
    """

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return escape_controls(self.message if self.hint is None else f"{self.message}\nHint: {self.hint}")


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

    def __init__(self, count: int, limit: int, alternatives: int = 1) -> None:
        under = f" under {alternatives} alternatives" if alternatives > 1 else ""
        fewer = ", or name fewer alternatives" if alternatives > 1 else ""
        super().__init__(
            f"the query has {count} or more conditions that drop rows{under}; {limit} can be followed at once.",
            hint="put .localCheckpoint() in the middle of the query and ask again; what comes after it is explained"
            f"{fewer}.",
        )
        self.count = count
        self.limit = limit


class NotInterpretable(SparkWhyError):
    """The in-memory interpreter has no meaning for this function or operator; Spark has."""


class EvaluationError(SparkWhyError):
    """Evaluating an expression failed as Spark's ANSI mode would fail: overflow, bad cast, division by zero."""


class BadArgument(SparkWhyError):
    """An argument of a public function that cannot be what it is; `argument` is its name."""

    def __init__(self, argument: str, problem: str, *, hint: str) -> None:
        super().__init__(f"{argument} {problem}.", hint=hint)
        self.argument = argument


class TimedOut(SparkWhyError):
    """The time that was given is over; `stage` is what was going on. The jobs of the question were cancelled."""

    def __init__(self, stage: str, seconds: float) -> None:
        super().__init__(
            f"no answer within {seconds:g} seconds: the time was over while {stage}.",
            hint='give more time, or ask for less: verify=False, side_effects="none", or fewer alternatives.',
        )
        self.stage = stage
        self.seconds = seconds


class QueryFailed(SparkWhyError):
    """Spark failed while it ran the query for us: `stage` is what was going on, `reason` what Spark says.

    `operator` and `where` are the user's operator and its place, where Spark tells.
    """

    def __init__(
        self, stage: str, reason: str, *, operator: str | None = None, where: str | None = None, hint: str | None = None
    ) -> None:
        at = "" if operator is None else f" in {operator}"
        place = "" if where is None else f" at {where}"
        super().__init__(f"the query failed{at}{place} while {stage}. Spark says: {reason}", hint=hint)
        self.stage = stage
        self.reason = reason
        self.operator = operator
        self.where = where


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
        super().__init__(f"there is no {abbreviate(path)}.", path=path, hint=hint)
        self.known = known
        self.nearest = nearest


class AmbiguousField(PatternError):
    """The pattern names what several columns or fields are called, or the same one twice."""


class PatternTypeError(PatternError):
    """What the pattern says cannot be said of a value of this type; `type` is how SQL writes it, where it is known."""

    def __init__(self, message: str, *, path: str = "", type: str | None = None, hint: str | None = None) -> None:
        super().__init__(message, path=path, hint=hint)
        self.type = type


class AlternativeError(SparkWhyError):
    """The alternatives say something that cannot be tried."""


class UnknownAttribute(AlternativeError):
    """An alternative names an attribute that no source has; `nearest` are the paths that look like it."""

    def __init__(self, name: str, *, nearest: tuple[str, ...], hint: str) -> None:
        super().__init__(f"no source of the query has an attribute {name}.", hint=hint)
        self.name = name
        self.nearest = nearest


class AmbiguousAttribute(AlternativeError):
    """An alternative names what several attributes of one source are called; `paths` are their full names."""

    def __init__(self, name: str, paths: tuple[str, ...]) -> None:
        super().__init__(f"{name} is ambiguous: it may be {' or '.join(paths)}.", hint="write the full path.")
        self.name = name
        self.paths = paths


class TooManyAlternatives(AlternativeError):
    """The declared alternatives can be combined in more ways than can be tried; `groups` has the ways of each."""

    def __init__(self, count: int, limit: int, *, groups: Mapping[str, int]) -> None:
        widest = ", ".join(f"{group} ({ways} ways)" for group, ways in sorted(groups.items(), key=lambda g: -g[1])[:3])
        super().__init__(
            f"the query has up to {count} alternatives; {limit} can be tried at once.",
            hint=f"name fewer attributes in {widest}, or say which replacement you mean: Alternative({{old: new}}).",
        )
        self.count = count
        self.limit = limit
        self.groups = groups


def escape_controls(text: str) -> str:
    """The text with what would steer a terminal made visible: names and values in it come from anywhere."""
    return "".join(c if c.isprintable() or c == "\n" else f"<U+{ord(c):04X}>" for c in text)


def show_argument(value: object) -> str:
    """What was handed in, as Python shows it, cut; an object that cannot be shown is named by its type."""
    try:
        return abbreviate(repr(value))
    except Exception:  # of whatever was handed in
        return f"a value of the type {type(value).__name__}"


def abbreviate(text: str) -> str:
    """The beginning of the text: nobody reads more of it in a message."""
    return text if len(text) <= 60 else text[:57] + "..."


def assert_never(value: NoReturn) -> NoReturn:
    """Closes a `match`: the type checker names every pass that forgot a case. (`typing` has it from Python 3.11 on.)"""
    raise AssertionError(f"a case was forgotten: {value!r}")
