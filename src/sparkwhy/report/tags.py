"""HTML and SVG elements. This is the one place that writes tags, and so the one that escapes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from typing import TypeAlias

from sparkwhy.report.values import show_controls

_VOID = frozenset({"meta", "br"})


@dataclass(frozen=True, slots=True)
class Markup:
    """Text that is HTML already. Only this module makes any."""

    text: str


Content: TypeAlias = str | Markup


def element(name: str, /, *content: Content, **attributes: str | float | None) -> Markup:
    """Return an element; `data_step` is the attribute `data-step`, `class_` is `class`, and one that is None is left
    out.

    >>> element("p", "a < b", class_="note").text
    '<p class="note">a &lt; b</p>'
    """
    given = {key.rstrip("_").replace("_", "-"): value for key, value in attributes.items() if value is not None}
    opened = "".join(f' {key}="{_escape(_attribute_text(value))}"' for key, value in given.items())
    if name in _VOID:
        return Markup(f"<{name}{opened}>")
    return Markup(f"<{name}{opened}>{join_markup(content).text}</{name}>")


def join_markup(content: Iterable[Content]) -> Markup:
    return Markup("".join(each.text if isinstance(each, Markup) else _escape(each) for each in content))


def document(html: Markup) -> str:
    return f"<!DOCTYPE html>\n{html.text}\n"


def style_sheet(name: str) -> Markup:
    """Return a style sheet of this package."""
    return Markup(f"<style>\n{_resource(name)}</style>")


def script(name: str) -> Markup:
    """Return a script of this package."""
    return Markup(f"<script>\n{_resource(name)}</script>")


def _resource(name: str) -> str:
    return files("sparkwhy.report").joinpath(name).read_text(encoding="utf-8")


def _escape(text: str) -> str:
    return escape(show_controls(text))


def _attribute_text(value: str | float) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
