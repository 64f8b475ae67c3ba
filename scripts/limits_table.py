"""The table of all limits in docs/limits.md, made from the fields of `Limits` and their docstrings."""

from __future__ import annotations

import ast
from itertools import pairwise
from pathlib import Path

from sparkwhy import limits
from sparkwhy.limits import DEFAULT_LIMITS

PAGE = Path(__file__).resolve().parent.parent / "docs" / "limits.md"
MARK = "<!-- the limits -->\n"


def fill() -> str:
    """Return the page with the table after its mark."""
    text, _, _ = PAGE.read_text(encoding="utf-8").partition(MARK)
    return text + MARK + "\n".join(_table()) + "\n"


def _table() -> list[str]:
    rows = [f"| `{name}` | {_show(getattr(DEFAULT_LIMITS, name))} | {text} |" for name, text in _described().items()]
    return ["", "| limit | default | what it bounds |", "|---|---|---|", *rows]


def _described() -> dict[str, str]:
    """Return the docstring of each field: the string that follows it in the class."""
    tree = ast.parse(Path(limits.__file__).read_text(encoding="utf-8"))
    body = next(node.body for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "Limits")
    found = {}
    for field, text in pairwise(body):
        match field, text:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(words))):
                found[name] = " ".join(words.split())
            case _:
                continue
    return found


def _show(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:g}"
