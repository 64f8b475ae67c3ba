"""Constants that rows can tell apart: from the active domain, with what lies beyond it, and pieces of its texts."""

from __future__ import annotations

import datetime as dt
import decimal
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from sparkwhy.memory.values import Value, grouping_key, in_order

_LONGEST = 24
"""Longer texts are looked at as a whole and from their ends only: their pieces would be too many."""


def active_domain(values: Iterable[Value]) -> list[Value]:
    """Return the different values that are not null, in order."""
    return sorted({grouping_key(value): value for value in values if value is not None}.values(), key=in_order)


def constants_above(domain: Sequence[Value]) -> list[Value]:
    """Return a constant that is none of the domain, above all of it, where the type is known to have one."""
    match domain[-1] if domain else None:
        case bool():
            return []
        case int() | decimal.Decimal() as last:
            return [last + 1]
        case float() as last if last < float("inf"):
            return [last + max(1.0, abs(last))]
        case str() as last:
            return [last + "~"]
        case dt.datetime() | dt.date() as last:
            return [last + dt.timedelta(days=1)]
        case _:
            return []


# --- pieces of texts ----------------------------------------------------------------------------------------


def text_pieces(function: str, texts: Sequence[str]) -> list[str]:
    """Return the texts to look for that can make a difference: each part of a text, or each beginning, or each end."""
    return sorted({piece for text in texts for piece in _PIECES[function](text)} | set(_PIECES[function]("")))


def _parts(text: str) -> Iterator[str]:
    if len(text) > _LONGEST:
        yield from (*_beginnings(text), *_ends(text))
    else:
        yield from (text[i:j] for i in range(len(text) + 1) for j in range(i, len(text) + 1))


def _beginnings(text: str) -> Iterator[str]:
    return (text[:i] for i in range(len(text) + 1))


def _ends(text: str) -> Iterator[str]:
    return (text[i:] for i in range(len(text) + 1))


def _like(text: str) -> Iterator[str]:
    yield _escape(text)
    yield from (f"{_escape(piece)}%" for piece in _beginnings(text))
    yield from (f"%{_escape(piece)}" for piece in _ends(text))
    yield from (f"%{_escape(piece)}%" for piece in _parts(text))


def _escape(text: str) -> str:
    return re.sub(r"([\\%_])", r"\\\1", text)


def _rlike(text: str) -> Iterator[str]:
    """Yield a regular expression could name any set of texts; those that look for one piece have to do."""
    yield f"^{re.escape(text)}$"
    yield from (f"^{re.escape(piece)}" for piece in _beginnings(text))
    yield from (f"{re.escape(piece)}$" for piece in _ends(text))
    yield from (re.escape(piece) for piece in _parts(text))


_PIECES: Mapping[str, Callable[[str], Iterable[str]]] = {
    "contains": _parts,
    "startswith": _beginnings,
    "endswith": _ends,
    "like": _like,
    "rlike": _rlike,
}

TEXT_TESTS = frozenset(_PIECES)
"""The functions whose second argument is a text to look for."""
