"""Writes the pages of docs/ that are made from the code. `--check` fails if one is not up to date.

The answers in the cookbook need Spark; the tests check them, and not `--check`.
"""

from __future__ import annotations

import sys
from pathlib import Path

from sparkwhy.plan.functions import AGGREGATES, FUNCTIONS
from sparkwhy.spark.support import OPERATORS, TRANSPARENT, UNSUPPORTED

DOCS = Path(__file__).resolve().parent.parent / "docs"


def supported() -> str:
    """The page of supported operators and functions."""
    lines = [
        "# What sparkwhy reads",
        "",
        "Made from the code by `make docs`.",
        "",
        "## Operators",
        "",
        "| operation | written as | in the plan |",
        "|---|---|---|",
        *(f"| {op.name} | {', '.join(f'`{w}`' for w in op.written)} | {op.kind} |" for op in OPERATORS),
        "",
        "A sample is read and run, but no row can be followed through it: see [limits](limits.md).",
        "",
        "Passed through, for they change no row: " + ", ".join(f"`{name}`" for name in TRANSPARENT) + ".",
        "",
        "Not read, with an error that names the place: " + ", ".join(f"`{name}`" for name in UNSUPPORTED) + ".",
        "",
        "## Functions",
        "",
        "These are understood; every other function, a Python UDF too, still runs, as a black box.",
        "",
        "| family | functions |",
        "|---|---|",
        *_families(),
        f"| aggregates | {_code(AGGREGATES)} |",
        "",
        "Besides: comparisons, `<=>`, `and`, `or`, `not`, null tests, `in`, `case`, casts, structs, access to fields,",
        "elements and map values, lambdas, and window frames of rows and of integer ranges.",
        "",
    ]
    return "\n".join(lines)


def _families() -> list[str]:
    families = dict.fromkeys(function.family for function in FUNCTIONS.values())
    return [f"| {family} | {_code(n for n, f in FUNCTIONS.items() if f.family == family)} |" for family in families]


def decisions() -> str:
    """The list of decisions."""
    pages = sorted((DOCS / "decisions").glob("0*.md"))
    titles = {page.name: page.read_text(encoding="utf-8").partition("\n")[0].lstrip("# ") for page in pages}
    lines = [
        "# Decisions",
        "",
        "What was decided, and why, where the code cannot show it. Made from the pages by `make docs`.",
        "",
        *(f"- {name[:4]} [{title.removeprefix(f'{name[:4]}: ')}]({name})" for name, title in titles.items()),
        "",
    ]
    return "\n".join(lines)


def _code(names: object) -> str:
    assert hasattr(names, "__iter__")
    return ", ".join("`" + str(name).replace("|", "\\|") + "`" for name in names)


PAGES = {"supported.md": supported, "decisions/README.md": decisions}


def main() -> int:
    stale = [name for name, make in PAGES.items() if _read(DOCS / name) != make()]
    if "--check" in sys.argv:
        print("\n".join(f"docs/{name} is not up to date: run `make docs`" for name in stale))
        return 1 if stale else 0
    for name in stale:
        (DOCS / name).write_text(PAGES[name](), encoding="utf-8")
    _fill_cookbook()
    return 0


def _fill_cookbook() -> None:
    sys.path.insert(0, str(DOCS.parent))  # for the examples
    from examples.session import local_spark
    from scripts import cookbook

    spark = local_spark()
    page = cookbook.PAGE.read_text(encoding="utf-8")
    filled = cookbook.filled(page, lambda example: cookbook.answer(spark, example))
    cookbook.PAGE.write_text(filled, encoding="utf-8")


def _read(page: Path) -> str | None:
    return page.read_text(encoding="utf-8") if page.exists() else None


if __name__ == "__main__":
    raise SystemExit(main())
