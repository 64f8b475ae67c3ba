"""The change of one token of a SQL condition, where it is certain which one is meant."""

from __future__ import annotations

import re
from typing import Any

from sparkwhy.fix.code.forms import PYTHON

_TOKEN = re.compile(r"'(?:[^'\\\\]|'')*'|\d+(?:\.\d+)?|[A-Za-z_][\w.]*|<=>|<>|!=|<=|>=|==|[<>=]")
_SPELLINGS = {"=": ("=", "=="), "<>": ("<>", "!=")}
_SQL = {python: sql for sql, python in PYTHON.items()}


def edit_sql(text: str, what: str, old: Any, new: Any) -> str | None:
    """Return the text with another constant, comparison, name or function; None if several tokens can be meant.

    >>> edit_sql("status = 'new' and n > 3", "constant", 3, 5)
    "status = 'new' and n > 5"
    """
    if what == "comparison":
        old, new = _SQL.get(old), _SQL.get(new)
    wanted, written = _spellings(what, old), _write(what, new)
    found = [token for token in _TOKEN.finditer(text) if token[0] in wanted]
    if len(found) != 1 or written is None or text[: found[0].start()].rstrip().endswith("-"):
        return None
    return text[: found[0].start()] + written + text[found[0].end() :]


def _spellings(what: str, old: Any) -> tuple[str, ...]:
    written = _write(what, old)
    return () if written is None else _SPELLINGS.get(written, (written,))


def _write(what: str, value: Any) -> str | None:
    """Return how a value or a word is written in SQL; None if that is not certain."""
    if what != "constant":
        return value if isinstance(value, str) else None
    match value:
        case bool():
            return None
        case int() if value >= 0:
            return str(value)
        case str() if value.isprintable() and not set(value) & set("'\"\\\\"):
            return f"'{value}'"
        case _:
            return None
