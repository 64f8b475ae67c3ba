"""How much of a plan becomes one piece of compiled code, and how large a piece may be."""

from __future__ import annotations

from enum import Enum

PIECE_PARTS = 220
"""Parts of expressions, constants left out, that become some 6,000 bytes of Java code; the JVM compiles no method of
more than 8,000."""


class Codegen(Enum):
    """How much of a plan the engine compiles as one piece of code. It changes the speed, never the rows."""

    WHOLE = "whole"
    """As the engine does by itself."""

    PIECES = "pieces"
    """For plans that compute much for each row: in pieces, each small enough to be compiled at all."""

    APART = "apart"
    """For plans that choose few rows of many and compute much for these: filters apart from what is above them."""
