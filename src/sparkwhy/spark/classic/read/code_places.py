"""Places in Python code: SQL text inside it is looked up, and a place that its text does not have is dropped.

Spark does not record where `df.filter("a > 1")` was called. PySpark numbers the lines of all code in a notebook as
lines of the current cell, also those of imported files.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from sparkwhy.plan.nodes import Place

_MOST_FILES = 200
"""How many loaded files are searched for a text."""

_MOST_LINES = 3
"""How many lines a call that PySpark places at the first of them may take."""

_SYMBOLS = {
    "__eq__": "==", "__ne__": "!=", "__lt__": "<", "__le__": "<=", "__gt__": ">", "__ge__": ">=", "__and__": "&",
    "__or__": "|", "__invert__": "~", "__add__": "+", "__radd__": "+", "__sub__": "-", "__rsub__": "-", "__mul__": "*",
    "__rmul__": "*", "__truediv__": "/", "__rtruediv__": "/", "__mod__": "%", "__getitem__": "[", "__getattr__": ".",
}  # fmt: skip
"""What is written for a call of a method of this name."""


def find_text(text: str, line: int) -> Place | None:
    """Return where a text stands in the user's code, if it stands there once: the given line of it."""
    found = [Place(str(file), start + line - 1, text) for file in _user_files() for start in _lines_of(text, file)]
    return found[0] if len(found) == 1 else None


def _user_files() -> Iterable[Path]:
    """Return the files of loaded modules that are not of Python, of installed packages or of sparkwhy."""
    own = Path(__file__).parents[3]
    names = {name for module in list(sys.modules.values()) if (name := getattr(module, "__file__", None))}
    files = [Path(name) for name in sorted(names) if name.endswith(".py")]
    return [file for file in files if not _is_installed(file) and own not in file.parents][:_MOST_FILES]


def _is_installed(file: Path) -> bool:
    standard = Path(ast.__file__).parent
    return standard in file.parents or bool({"site-packages", "dist-packages"} & set(file.parts))


def _lines_of(text: str, file: Path) -> Iterator[int]:
    """Yield the lines on which a file has the text as a string."""
    source = read_file(file)
    if source is None or text.split("\n", 1)[0] not in source:
        return
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and node.value == text:
            yield node.lineno


def read_file(file: Path) -> str | None:
    """Return the text of a file; None if it cannot be read."""
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None


def check(place: Place) -> Place | None:
    """Return the place if the text that it names has such a line; without the text there is nothing to check."""
    lines = _text_at(place)
    if lines is None:
        return place
    if place.line > len(lines):
        return None
    written = _SYMBOLS.get(place.call or "", place.call or "")
    in_cell = place.file.startswith("cell ")
    here = "\n".join(lines[place.line - 1 : place.line - 1 + _MOST_LINES])
    return place if not in_cell or written in here else None


def _text_at(place: Place) -> list[str] | None:
    if place.file.startswith("cell "):
        return _cell(place.file)
    source = read_file(Path(place.file)) if place.file.endswith(".py") else None
    return None if source is None else source.splitlines()


def _cell(name: str) -> list[str] | None:
    """Return the lines of a cell by its name, `cell [2]`, if this process runs a notebook."""
    notebook = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    cells = [] if notebook is None else notebook.user_ns.get("In", [])
    number = name.removeprefix("cell [").removesuffix("]")
    return cells[int(number)].splitlines() if number.isdigit() and int(number) < len(cells) else None
