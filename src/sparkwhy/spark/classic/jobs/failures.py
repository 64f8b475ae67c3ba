"""What Spark says when a query fails, in few words, with the user's operator where Spark tells it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TypeAlias

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException

from sparkwhy.errors import QueryFailed
from sparkwhy.plan.exprs import Opaque
from sparkwhy.plan.node_exprs import exprs_of
from sparkwhy.plan.nodes import (
    Place,
    Plan,
    Table,
)
from sparkwhy.plan.show import show_op
from sparkwhy.plan.traits import buffers_rows
from sparkwhy.plan.walk import inputs, walk
from sparkwhy.plan.walk_exprs import parts
from sparkwhy.spark.classic.catalyst import calls_python
from sparkwhy.spark.classic.read.scope import OpaqueHandle
from sparkwhy.spark.classic.run.sql_text import sql_of

SparkFailure: TypeAlias = PySparkException | Py4JJavaError
SPARK_FAILURES = (PySparkException, Py4JJavaError)

_LONGEST = 400
_REST = ("\tat ", "JVM stacktrace", "== ", "'", "+- ")
"""How the stack of the JVM, the query or the plan begins in a message of Spark."""

_CONDITION = re.compile(r"\[([A-Z][A-Z0-9_]*(?:\.[A-Z0-9_]+)*)\]")
_PYTHON_FRAME = re.compile(r'File "(?P<file>[^"]+)", line (?P<line>\d+), in ')
_FILE = re.compile(r"\bfile ([a-z0-9+.-]+:\S+)")

_ANSI = (
    "rows are followed past the operators that drop them: use try_divide or try_cast, "
    "or ask with spark.sql.ansi.enabled off."
)
_MORE_ROWS = (
    "rows are followed past the operators that drop them, in longer queries: give the driver and the executors more "
    "memory, or ask with verify=False or with fewer alternatives."
)
_NO_MEMORY = f"memory ran out: {_MORE_ROWS}"
_LONG_PLAN = (
    "the query has too many operators in a row for Spark's planner: put .localCheckpoint() in the middle of it and "
    "ask again, or start the driver with a larger stack (-Xss16m)."
)
_HINTS = {
    "FAILED_TO_PARSE_TOO_COMPLEX": _LONG_PLAN,
    "FAILED_READ_FILE": "the files have changed since the DataFrame was built: build it again and ask again.",
    "INVALID_PANDAS_UDF_PLACEMENT": "a pandas function that aggregates bears no other aggregate beside it, and we need "
    "some: put .localCheckpoint() after this step and ask again; everything after it can be explained.",
    "PYTHON_EXCEPTION": "the function sees rows that other operators drop: it must bear every value of its column.",
    "SPARK_JOB_CANCELLED": "a job of the question was cancelled: ask again.",
}
_LOST = {
    "StackOverflowError": _LONG_PLAN,
    "OutOfMemoryError": _NO_MEMORY,
    "Java heap space": _NO_MEMORY,
    "exited with code 52": _NO_MEMORY,  # so an executor ends that had no memory left, if it cannot say so any more
    "exited with code 137": _NO_MEMORY,  # so it ends where the system or a container takes it away
    "ExecutorLostFailure": _MORE_ROWS,
    "implicit cartesian product": "we compare rows in more ways than the query does: set spark.sql.crossJoin.enabled "
    "to true, as it is in Spark by itself, while you ask.",
    "Python worker exited unexpectedly": "the process of a Python function ended, perhaps for want of memory: "
    "the function sees rows that other operators drop.",
}
"""What Spark has no name for, by a part of its message."""

_OTHER = "does the query run by itself? Try df.count()."


def shorten_message(message: str) -> str:
    """Return a message of Spark without the stack of the JVM and without the plan, on few lines.

    >>> shorten_message("[DIVIDE_BY_ZERO] Division by zero.\\n\\nJVM stacktrace:\\njava.lang...")
    '[DIVIDE_BY_ZERO] Division by zero.'
    """
    kept: list[str] = []
    for line in message.strip().splitlines():
        if line.startswith(_REST):
            break
        if line.strip():
            kept.append(line.rstrip())
    text = "\n".join(_drop_stack(kept))
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."


def _drop_stack(lines: list[str]) -> list[str]:
    """Return what a Python worker says: of its stack only the last line."""
    stack = next((n for n, line in enumerate(lines) if line.startswith("Traceback ")), None)
    return lines if stack is None else [*lines[:stack], lines[-1]]


def query_failed(error: SparkFailure, stage: str, plan: Plan, *, values: bool = True) -> QueryFailed:
    """Return the failure as an error of ours; without `values`, only the class of the message is shown."""
    message = _message(error)
    condition = _condition(error, message)
    hint, greedy = _hint(condition, message), _greedy(plan) if _wants_memory(message) else []
    node = next(_suspects(error, message, plan), greedy[0] if len(greedy) == 1 else None)
    place = _place(message) if node is None or node.where is None else node.where
    return QueryFailed(
        stage,
        shorten_message(message) if values else f"[{condition or type(error).__name__}]",
        operator=None if node is None else show_op(node),
        where=None if place is None else str(place),
        hint=hint if node is not None or not greedy else f"{hint} {_ONE_OF.format(_list_operators(greedy))}",
    )


def _message(error: SparkFailure) -> str:
    if not isinstance(error, Py4JJavaError):
        return str(error)
    thrown = error.java_exception
    if thrown.getMessage() == _BOXED and thrown.getCause() is not None:
        return str(thrown.getCause().toString())
    return str(thrown.getMessage() or error)


_BOXED = "Boxed Exception"
"""How Scala calls an error of the JVM on another thread: what it was is the cause."""


def _condition(error: SparkFailure, message: str) -> str | None:
    """Spark's name for what went wrong."""
    known = error.getCondition() if isinstance(error, PySparkException) else None
    found = _CONDITION.search(message)
    return known or (found[1] if found else None)


def failing_value(error: SparkFailure) -> str | None:
    """Spark's name for what went wrong, if that is a value on which an expression fails in ANSI mode."""
    condition = _condition(error, _message(error))
    return condition if condition is not None and condition.startswith(_OF_VALUES) else None


def was_cancelled(error: SparkFailure) -> bool:
    """Return whether somebody cancelled the job, as a timeout does."""
    return (_condition(error, _message(error)) or "").startswith("SPARK_JOB_CANCELLED")


_OF_VALUES = ("CAST_", "DIVIDE_", "ARITHMETIC_", "NUMERIC_", "INVALID_ARRAY_INDEX", "REMAINDER_")


def _hint(condition: str | None, message: str) -> str:
    if condition is None or condition.startswith("_LEGACY_"):  # Spark has no name for it yet
        return next((hint for part, hint in _LOST.items() if part in message), _OTHER)
    return _ANSI if condition.startswith(_OF_VALUES) else _HINTS.get(condition.partition(".")[0], _OTHER)


# --- the user's operator ---

_ONE_OF = "Spark does not tell which step wanted it; it was at work on {}."


def _wants_memory(message: str) -> bool:
    """Return whether an executor was lost, or had no memory left: Spark does not tell for which operator."""
    return any(part in message for part, hint in _LOST.items() if hint in (_NO_MEMORY, _MORE_ROWS))


def _greedy(plan: Plan) -> list[Plan]:
    """Return the operators that may take much memory: those that bring rows together or call Python, else all that
    compute.
    """
    nodes: list[Plan] = [n for n in walk(plan) if not n.id.part and inputs(n)]
    return [node for node in nodes if buffers_rows(node) or _calls_python(node)] or nodes


def _list_operators(nodes: Sequence[Plan]) -> str:
    """Return the operators with their places, the last ones of the query first; of many, some."""
    shown = [show_op(node) + (f" at {node.where}" if node.where else "") for node in reversed(nodes)]
    return "; ".join([*shown[:_MOST_LISTED], *(["others"] if len(shown) > _MOST_LISTED else [])])


_MOST_LISTED = 4


def _suspects(error: SparkFailure, message: str, plan: Plan) -> Iterator[Plan]:
    """Yield the operators that Spark names: by file and line, by the text of an expression, by the file of a table."""
    nodes = [node for node in walk(plan) if not node.id.part]
    for context in error.getQueryContext() if isinstance(error, PySparkException) else ():
        fragment = context.fragment()
        site = str(context.callSite()).strip().partition("\n")[0] if _is_python(context) else ""
        yield from (node for node in nodes if node.where and f"{node.where.file}:{node.where.line}" == site)
        yield from (node for node in nodes if fragment and fragment in _texts(node))
        alike = [node for node in nodes if fragment and _shape(fragment) in map(_shape, _texts(node))]
        yield from alike if len(alike) == 1 else ()  # of several, no one knows which
    read = " ".join(_FILE.findall(message)).split("/")
    yield from (node for node in nodes if isinstance(node, Table) and node.source.name in read)
    calling = [node for node in nodes if "Python worker" in message and _calls_python(node)]
    yield from calling if len(calling) == 1 else ()


def _calls_python(node: Plan) -> bool:
    opaque = (part for expr in exprs_of(node) for part in parts(expr) if isinstance(part, Opaque))
    return any(isinstance(each.handle, OpaqueHandle) and calls_python(each.handle.expression) for each in opaque)


def _is_python(context: object) -> bool:
    return str(context.contextType()).endswith("DataFrame")  # type: ignore[attr-defined]


def _texts(node: Plan) -> set[str]:
    """Return the expressions of an operator and their parts, in the words in which Spark got them from us."""
    found = (sql_of(part) for expr in exprs_of(node) for part in parts(expr))
    return {variant for text in found if text is not None for variant in (text, text.strip("()"))}


def _shape(text: str) -> str:
    """Return the text without the numbers of attributes, which tracing gives anew."""
    return re.sub(r"\ba\d+\b", "a", text.strip("()"))


def _place(message: str) -> Place | None:
    """Return the last line of the user's function in the stack of a Python worker."""
    frames = [found for found in _PYTHON_FRAME.finditer(message) if "/pyspark/" not in found["file"]]
    return Place(frames[-1]["file"], int(frames[-1]["line"])) if frames else None
