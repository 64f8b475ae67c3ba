"""Values and rows as words: nothing that hides, nothing without end."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from sparkwhy.trace.encode import print_value
from sparkwhy.wording import quote_visibly as visible

MAX_VALUE = 60
MAX_LINE = 120
"""Where a value and a line of values are cut."""


def show_controls(text: str) -> str:
    """Return the text with control characters and escapes made visible: `a<U+001B>[31m`."""
    return "".join(c if c.isprintable() else f"<U+{ord(c):04X}>" for c in text)


def cut(text: str, width: int = MAX_LINE) -> str:
    return text if len(text) <= width else text[: width - 3] + "..."


def show_cell(value: Any) -> str:
    """Return a value as it is; in quotes, with every character visible, where one could be overlooked."""
    if value is None:
        return "null"
    text = cut(print_value(value), MAX_VALUE)
    return text if text and text == text.strip() and visible(text) == f"'{text}'" else visible(text)


def show_row(row: Mapping[str, Any]) -> str:
    return cut(", ".join(f"{name} = {show_cell(value)}" for name, value in row.items()))


def show_values(values: Mapping[str, Any]) -> str:
    """Return the values that an operator read as text: `year = 2018`, `city is null`."""
    read = {name: value for name, value in values.items() if not _says_itself(name, value)}
    shown = (f"{name} is null" if value is None else f"{name} = {show_cell(value)}" for name, value in read.items())
    return ", ".join(shown)


def _says_itself(name: str, value: Any) -> bool:
    """Return whether a constant reads as its value does: then there is nothing to tell."""
    text = print_value(value)
    return name in (f"'{text}'", f"date '{text}'", f"timestamp '{text}'")


def cut_each(lines: Iterable[str]) -> Iterable[str]:
    return (cut(line) for line in lines)
