"""Write the pages of docs/ that are generated from the code. `--check` fails if one of them is out of date.

Run as `python -m scripts.make_docs`. The answers in the cookbook need Spark, so `--check` skips them; the tests check
them instead.
"""

from __future__ import annotations

import sys
from pathlib import Path

from scripts import architecture, limits_table
from sparkwhy.plan.functions import AGGREGATES, FUNCTIONS
from sparkwhy.spark.support import OPERATORS, TRANSPARENT, UNSUPPORTED

DOCS = Path(__file__).resolve().parent.parent / "docs"


def supported() -> str:
    """Return the page of supported operators and functions."""
    lines = [
        "# Supported operators and functions",
        "",
        "`make docs` generates this page from the code.",
        "",
        "## Operators",
        "",
        "| operation | written as | in the plan |",
        "|---|---|---|",
        *(f"| {op.name} | {', '.join(f'`{w}`' for w in op.written)} | {op.kind} |" for op in OPERATORS),
        "",
        "sparkwhy reads and runs a sample, but cannot follow rows through it: see [limits](limits.md).",
        "",
        f"These operations change no row and are passed through: {_code(TRANSPARENT)}.",
        "",
        f"These operations are not supported; an error names their place: {_code(UNSUPPORTED)}.",
        "",
        "## Functions",
        "",
        "sparkwhy knows the meaning of these functions. Every other function, including Python UDFs, is a black box.",
        "",
        "| family | functions |",
        "|---|---|",
        *_families(),
        f"| aggregates | {_code(AGGREGATES)} |",
        "",
        "It also knows comparisons, `<=>`, `and`, `or`, `not`, null tests, `in`, `case`, casts, structs, access to",
        "fields, elements and map values, lambdas, and window frames of rows and of integer ranges.",
        "",
    ]
    return "\n".join(lines)


def _families() -> list[str]:
    families = dict.fromkeys(function.family for function in FUNCTIONS.values())
    return [f"| {family} | {_code(n for n, f in FUNCTIONS.items() if f.family == family)} |" for family in families]


def decisions() -> str:
    """Return the page that lists the decision records."""
    pages = sorted((DOCS / "decisions").glob("0*.md"))
    titles = {page.name: page.read_text(encoding="utf-8").partition("\n")[0].lstrip("# ") for page in pages}
    lines = [
        "# Decisions",
        "",
        "Design decisions and their reasons, where the code cannot show them. `make docs` generates this list.",
        "",
        *(f"- {name[:4]} [{title.removeprefix(f'{name[:4]}: ')}]({name})" for name, title in titles.items()),
        "",
    ]
    return "\n".join(lines)


def _code(names: object) -> str:
    assert hasattr(names, "__iter__")
    return ", ".join("`" + str(name).replace("|", "\\|") + "`" for name in names)


PAGES = {
    "supported.md": supported,
    "decisions/README.md": decisions,
    "limits.md": limits_table.fill,
    "img/architecture.svg": architecture.draw,
}


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
