"""Text in a terminal: its colours and its width. What a piece is decides how it looks, here and nowhere else."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator, Mapping
from typing import Literal as OneOf
from typing import NamedTuple, TextIO

from sparkwhy.report.values import show_controls

Role = OneOf["plain", "title", "faint", "good", "bad", "added", "removed"]

_CODES: Mapping[Role, str] = {"title": "1", "faint": "2", "good": "32", "bad": "31", "added": "32", "removed": "31"}
_VERBATIM: frozenset[Role] = frozenset({"added", "removed"})
"""Lines of the user's file are not broken: somebody may want to copy them."""

_LABEL = re.compile(r" *((\d+\.|and|[-+]) )?")
"""What stands before the text of a line: what follows it is put below it."""


class Piece(NamedTuple):
    """A part of a line, and what it is."""

    text: str
    role: Role = "plain"


Line = tuple[Piece, ...]


def plain_line(line: Line) -> str:
    """Return the line without colour; what would steer the terminal is made visible."""
    return "".join(show_controls(piece.text) for piece in line).rstrip()


def coloured_line(line: Line) -> str:
    return "".join(_color(piece) for piece in line)


def _color(piece: Piece) -> str:
    text = show_controls(piece.text)
    code = _CODES.get(piece.role)
    return text if code is None or not text.strip() else f"\x1b[{code}m{text}\x1b[0m"


def wrap_line(line: Line, width: int) -> Iterator[Line]:
    """Yield the line in as many as it takes to fit, broken between words."""
    shown = tuple(Piece(show_controls(piece.text), piece.role) for piece in line)
    text = "".join(piece.text for piece in shown).rstrip()
    if len(text) <= width or any(piece.role in _VERBATIM for piece in line):
        yield line
        return
    label = _LABEL.match(text)
    indent = 0 if label is None else label.end()
    for start, end in _breaks(text, width, indent):
        part = _between(shown, start, end)
        yield part if start == 0 else (Piece(" " * indent), *part)


def _breaks(text: str, width: int, indent: int) -> Iterator[tuple[int, int]]:
    """Return where each line begins and ends; a word that is too long gets a line of its own."""
    start, room = 0, width
    while len(text) - start > room:
        end = text.rfind(" ", start + (indent if start == 0 else 0) + 1, start + room + 1)
        end = text.find(" ", start + room) if end < 0 else end
        if end < 0:
            break
        yield start, end
        start, room = len(text) - len(text[end:].lstrip()), max(width - indent, 1)
    yield start, len(text)


def _between(line: Line, start: int, end: int) -> Line:
    """Return the pieces of a line, as far as they lie between two places."""
    found, at = [], 0
    for piece in line:
        inner = piece.text[max(start - at, 0) : max(end - at, 0)]
        at += len(piece.text)
        if inner:
            found.append(Piece(inner, piece.role))
    return tuple(found)


def width_of(stream: TextIO) -> int | None:
    """Return how many columns a terminal has; None if the output is not a terminal."""
    return shutil.get_terminal_size().columns if stream.isatty() else None


def takes_colour(stream: TextIO, environment: Mapping[str, str] = os.environ) -> bool:
    """Return whether colour is welcome: on a terminal, unless NO_COLOR says otherwise."""
    return not environment.get("NO_COLOR") and environment.get("TERM") != "dumb" and stream.isatty()
