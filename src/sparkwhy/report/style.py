"""Colour in a terminal: what a piece of text is decides how it looks, here and nowhere else."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Literal as OneOf
from typing import NamedTuple, TextIO

from sparkwhy.report.values import seen

Role = OneOf["plain", "title", "faint", "good", "bad"]

_CODES: Mapping[Role, str] = {"title": "1", "faint": "2", "good": "32", "bad": "31"}


class Piece(NamedTuple):
    """A part of a line, and what it is."""

    text: str
    role: Role = "plain"


Line = tuple[Piece, ...]


def plain_line(line: Line) -> str:
    """The line without colour; what would steer the terminal is made visible."""
    return "".join(seen(piece.text) for piece in line).rstrip()


def coloured_line(line: Line) -> str:
    return "".join(_coloured(piece) for piece in line)


def _coloured(piece: Piece) -> str:
    text = seen(piece.text)
    code = _CODES.get(piece.role)
    return text if code is None or not text.strip() else f"\x1b[{code}m{text}\x1b[0m"


def takes_colour(stream: TextIO, environment: Mapping[str, str] = os.environ) -> bool:
    """Whether colour is welcome: on a terminal, unless NO_COLOR says otherwise."""
    return not environment.get("NO_COLOR") and environment.get("TERM") != "dumb" and stream.isatty()
