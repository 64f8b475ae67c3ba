"""Fill docs/cookbook.md: below each marker, insert the code of an example and its answer.

The prose of the page is written by hand. `make docs` generates the text between `<!-- c01_null_comparison -->` and
`<!-- end -->`, and `tests/test_causes.py` fails if it is out of date.
"""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

from pyspark.sql import SparkSession

from sparkwhy import SparkWhyError, why_not

PAGE = Path(__file__).resolve().parent.parent / "docs" / "cookbook.md"

_PART = re.compile(r"^<!-- (c\d\d_\w+) -->\n.*?^<!-- end -->$", re.DOTALL | re.MULTILINE)


def names(page: str) -> list[str]:
    """Return the names of the examples on a page, in order."""
    return [part[1] for part in _PART.finditer(page)]


def filled(page: str, told: Callable[[ModuleType], str]) -> str:
    """Return the page with the code and the answer of each example; `told` returns the printed answer."""
    return _PART.sub(lambda found: part(found[1], told), page)


def part(name: str, told: Callable[[ModuleType], str]) -> str:
    """Return the section of one example, with its markers."""
    example = importlib.import_module(f"examples.causes.{name}")
    return f"<!-- {name} -->\n```python\n{code(example)}\n```\n\n```\n{told(example)}\n```\n<!-- end -->"


def code(example: ModuleType) -> str:
    """Return the source of an example without its imports and its `main`."""
    source = inspect.getsource(example).partition("\n\n\ndef main()")[0]
    last_import = max(found.end() for found in re.finditer(r"^(?:from|import) .*\n", source, re.MULTILINE))
    return source[last_import:].strip("\n")


def answer(spark: SparkSession, example: ModuleType) -> str:
    """Return the printed answer of an example, or the error that says why there is none."""
    try:
        return str(why_not(example.query(spark), example.MISSING, alternatives=getattr(example, "ALTERNATIVES", None)))
    except SparkWhyError as error:
        return str(error)
