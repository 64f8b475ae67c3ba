"""The schema of answers as JSON, read from the tables of docs/json.md, and a check of data against it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

PAGE = Path(__file__).resolve().parents[2] / "docs" / "json.md"


class Documented(NamedTuple):
    """A field as the page has it: its type in words, and whether it may be left out."""

    type: str
    is_optional: bool


@cache
def objects() -> Mapping[str, Mapping[str, Documented]]:
    """Return the fields of each object, by the title of its section."""
    sections = re.split(r"^## (\w+)$", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    found = {}
    for title, text in zip(sections[1::2], sections[2::2], strict=True):
        rows = re.findall(r"^\| `(\w+)` \| ([^|]+?) \| [^|]+ \|$", text, re.MULTILINE)
        if rows:
            found[title] = {name: _documented(type) for name, type in rows}
    return found


def _documented(type: str) -> Documented:
    return Documented(type.removesuffix(" (optional)"), type.endswith(" (optional)"))


@cache
def causes() -> Mapping[str, str]:
    """Return the meaning of each cause that the page lists."""
    section = PAGE.read_text(encoding="utf-8").partition("## Causes")[2].partition("\n## ")[0]
    return dict(re.findall(r"^\| `(\w+)` \| ([^|]+) \|$", section, re.MULTILINE))


def problems(data: Any, type: str = "Answer", path: str = "$") -> Iterator[str]:
    """Yield where data is not of a documented type: fields that are missing, unknown, or of another type."""
    if type.startswith("list of "):
        if not isinstance(data, list):
            yield f"{path} is no list"
            return
        for place, each in enumerate(data):
            yield from problems(each, type.removeprefix("list of "), f"{path}[{place}]")
    elif type.startswith("object of ") or type == "row":
        if not isinstance(data, dict) or not all(isinstance(name, str) for name in data):
            yield f"{path} is no object"
            return
        inner = "value" if type == "row" else type.removeprefix("object of ")
        for name, each in data.items():
            yield from problems(each, inner, f"{path}.{name}")
    elif type.endswith(" or null"):  # of a list or object: each of its values may be null
        if data is not None:
            yield from problems(data, type.removesuffix(" or null"), path)
    elif type in objects():
        yield from _problems_of_object(data, type, path)
    elif not _PRIMITIVES[type](data):
        yield f"{path} is {data!r}, not {type}"


def _problems_of_object(data: Any, type: str, path: str) -> Iterator[str]:
    if not isinstance(data, dict):
        yield f"{path} is no {type}"
        return
    fields = objects()[type]
    yield from (f"{path}.{name} is not documented for {type}" for name in data if name not in fields)
    for name, field in fields.items():
        if name in data:
            yield from problems(data[name], field.type, f"{path}.{name}")
        elif not field.is_optional:
            yield f"{path}.{name} is missing"


def is_value(data: Any) -> bool:
    match data:
        case dict():
            return all(isinstance(name, str) and is_value(each) for name, each in data.items())
        case list():
            return all(map(is_value, data))
        case float():
            return data == data and abs(data) != float("inf")
        case _:
            return data is None or type(data) in (str, int, bool)


_PRIMITIVES = {
    "int": lambda data: type(data) is int,
    "bool": lambda data: type(data) is bool,
    "string": lambda data: type(data) is str,
    "value": is_value,
    "question": lambda data: isinstance(data, dict) and is_value(data),
    "cause": lambda data: data in causes(),
}


def used_fields(data: Any, type: str = "Answer") -> Iterator[tuple[str, str]]:
    """Yield the fields of documented objects that occur in the data: `("Operator", "where")`."""
    type = type.removesuffix(" or null")
    if type.startswith("list of "):
        yield from (used for each in data for used in used_fields(each, type.removeprefix("list of ")))
    elif type.startswith("object of "):
        yield from (used for each in data.values() for used in used_fields(each, type.removeprefix("object of ")))
    elif type in objects() and data is not None:
        for name, each in data.items():
            yield type, name
            yield from used_fields(each, objects()[type][name].type)
