"""How values and counts are printed inside sentences. Nothing here knows about queries."""

from __future__ import annotations

import unicodedata

MASK = "\u25ae\u25ae\u25ae"
"""Stands in the place of a hidden value."""


def quote_visibly(text: str) -> str:
    """Return the text in quotes, with a code in the place of each character that does not show.

    >>> quote_visibly("Lyon\\u00a0")
    "'Lyon<U+00A0>'"
    """
    return "'" + "".join(c if _is_visible(c) else f"<U+{ord(c):04X}>" for c in text) + "'"


def _is_visible(character: str) -> bool:
    return character == " " or (character.isprintable() and not unicodedata.combining(character))


def count_of(count: int, noun: str) -> str:
    """Return a count with its noun.

    >>> count_of(1, "row"), count_of(2, "row")
    ('1 row', '2 rows')
    """
    return f"{count} {noun}{'' if count == 1 else 's'}"
