"""Every error that a user of sparkwhy may see: what went wrong, where, and what to do about it.

Bugs of our own are assertions with a traceback, not members of this family.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NoReturn


class SparkWhyError(Exception):
    """Base of all errors of sparkwhy: `message` describes the problem, `hint` how to solve it.

    For example `except SparkWhyError as error: print(error.hint)`.
    """

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return escape_controls(self.message if self.hint is None else f"{self.message}\nHint: {self.hint}")


class NotADataFrame(SparkWhyError):
    """The argument is not a DataFrame that can be explained."""


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
    """The query has more operators that drop rows than can be traced at once."""

    def __init__(self, count: int, limit: int, alternatives: int = 1) -> None:
        under = f" under {alternatives} alternatives" if alternatives > 1 else ""
        fewer = ", or name fewer alternatives" if alternatives > 1 else ""
        super().__init__(
            f"the query has {count} or more conditions that drop rows{under}; at most {limit} can be traced at once.",
            hint="put .localCheckpoint() in the middle of the query and ask again; everything after it can be explained"
            f"{fewer}.",
        )
        self.count = count
        self.limit = limit


class NotInterpretable(SparkWhyError):
    """The in-memory interpreter does not implement this function or operator; Spark does."""


class EvaluationError(SparkWhyError):
    """Evaluating an expression failed, as in Spark's ANSI mode: overflow, bad cast, division by zero."""


class BadArgument(SparkWhyError):
    """An argument of a public function has an invalid value; `argument` is its name."""

    def __init__(self, argument: str, problem: str, *, hint: str) -> None:
        super().__init__(f"{argument} {problem}.", hint=hint)
        self.argument = argument


class TimedOut(SparkWhyError):
    """The timeout expired during `stage`, after `seconds`. The Spark jobs of the question were cancelled."""

    def __init__(self, stage: str, seconds: float) -> None:
        super().__init__(
            f"timed out after {seconds:g} s while {stage}.",
            hint='raise timeout, or compute less: verify=False, side_effects="none", or fewer alternatives.',
        )
        self.stage = stage
        self.seconds = seconds


class QueryFailed(SparkWhyError):
    """Spark failed while running the query: `stage` is the step of the analysis, `reason` Spark's message.

    `operator` and `where` are the failing operator and its place in the code, where Spark reports them.
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
    """The pattern of the missing row is invalid; `path` is the position inside the pattern."""

    def __init__(self, message: str, *, path: str = "", hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.path = path


class MalformedPattern(PatternError):
    """The text of a pattern is not valid JSON; `line` and `column` count from 1."""

    def __init__(self, reason: str, *, line: int, column: int) -> None:
        super().__init__(
            f"the pattern is not JSON: {reason} at line {line}, column {column}.",
            hint='a pattern looks like {"city": "NY", "names": ["?", "*"], "revenue": "> 0"}.',
        )
        self.line = line
        self.column = column


class UnknownField(PatternError):
    """The pattern names a column or field that does not exist; `nearest` are the most similar names."""

    def __init__(
        self, *, path: str, known: tuple[str, ...], nearest: tuple[str, ...], hint: str, kind: str = "column"
    ) -> None:
        super().__init__(f"the result has no {kind} {quote_name(abbreviate(path))}.", path=path, hint=hint)
        self.known = known
        self.nearest = nearest


class AmbiguousField(PatternError):
    """A name of the pattern matches several columns or fields, or occurs twice."""


class PatternTypeError(PatternError):
    """A part of the pattern does not fit the type of its column; `type` is the SQL type, where it is known."""

    def __init__(self, message: str, *, path: str = "", type: str | None = None, hint: str | None = None) -> None:
        super().__init__(message, path=path, hint=hint)
        self.type = type


class AlternativeError(SparkWhyError):
    """The declared alternatives are invalid."""


class UnknownAttribute(AlternativeError):
    """An alternative names an attribute that no source has; `nearest` are the most similar paths."""

    def __init__(self, name: str, *, nearest: tuple[str, ...], hint: str) -> None:
        super().__init__(f"no source of the query has an attribute {quote_name(abbreviate(name))}.", hint=hint)
        self.name = name
        self.nearest = nearest


class AmbiguousAttribute(AlternativeError):
    """A name in an alternative matches several attributes of one source; `paths` are their full names."""

    def __init__(self, name: str, paths: tuple[str, ...]) -> None:
        super().__init__(
            f"{quote_name(name)} is ambiguous: it matches {' and '.join(paths)}.", hint="write the full path."
        )
        self.name = name
        self.paths = paths


class TooManyAlternatives(AlternativeError):
    """The declared alternatives have more combinations than can be traced; `groups` counts those of each group."""

    def __init__(self, count: int, limit: int, *, groups: Mapping[str, int]) -> None:
        widest = ", ".join(f"{group} ({ways} ways)" for group, ways in sorted(groups.items(), key=lambda g: -g[1])[:3])
        super().__init__(
            f"the query has up to {count} alternatives; at most {limit} can be traced at once.",
            hint=f"name fewer attributes in {widest}, or say which replacement you mean: Alternative({{old: new}}).",
        )
        self.count = count
        self.limit = limit
        self.groups = groups


def escape_controls(text: str) -> str:
    """Replace control characters by `<U+001B>`: names and values of the data must not steer a terminal."""
    return "".join(c if c.isprintable() or c == "\n" else f"<U+{ord(c):04X}>" for c in text)


def show_argument(value: object) -> str:
    """Return the `repr` of an argument, abbreviated; if `repr` fails, the name of its type."""
    try:
        return abbreviate(repr(value))
    except Exception:  # `repr` of a foreign object may raise anything
        return f"a value of the type {type(value).__name__}"


def abbreviate(text: str) -> str:
    """Cut a text to 60 characters, for messages."""
    return text if len(text) <= 60 else text[:57] + "..."


def quote_name(name: str) -> str:
    """Put a name in backticks, unless it has some already."""
    return name if "`" in name else f"`{name}`"


def assert_never(value: NoReturn) -> NoReturn:
    """Close a `match`: the type checker reports every pass without a case. (`typing` has it from Python 3.11 on.)"""
    raise AssertionError(f"unhandled case: {value!r}")
