"""Golden files: what a pass makes of a plan, as text that is compared and as plans that are run.

A file has sections (`== plan ==`, ...). A test takes the fixture `check_golden` and calls it with the path below
`tests/golden` and the sections. A missing file fails. `pytest --update-golden` writes the files: read the difference
before you commit it.

    def test_union(check_golden: CheckGolden) -> None:
        check_golden("trace/union.txt", {"plan": show_nodes(plan), "rows": show_rows(plan, TABLES)})
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from sparkwhy.memory.interpreter import run
from sparkwhy.memory.values import Row, unordered_bag
from sparkwhy.plan.nodes import OpId, Plan
from sparkwhy.plan.show import Names, plain, show_value
from sparkwhy.plan.show_nodes import number_names, show_nodes

GOLDEN = Path(__file__).parent / "golden"

CheckGolden: TypeAlias = Callable[[str, Mapping[str, str]], None]
"""The type of the fixture `check_golden`: compare sections with the file at a path below `tests/golden`."""

Tables: TypeAlias = Mapping[OpId, Sequence[Row]]


def compare_golden(path: str, sections: Mapping[str, str], *, update: bool) -> None:
    """Compare the sections with those of a golden file, or write the file."""
    file, found = GOLDEN / path, join_sections(sections)
    if update:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(found, encoding="utf-8")
    assert file.exists(), f"no golden file {file}: check the text below, then write it by --update-golden\n{found}"
    assert found == file.read_text(encoding="utf-8"), f"{path} differs; --update-golden writes it anew"


def join_sections(sections: Mapping[str, str]) -> str:
    """Return the text of a golden file: each section below its name."""
    return "\n".join(f"== {name} ==\n{text}\n" for name, text in sections.items())


def show_rows(plan: Plan, tables: Tables, names: Names = plain) -> str:
    """Run a plan in the interpreter and return its rows as aligned text, sorted: a bag has no order."""
    rows = [[show_cell(value) for value in row] for row in run(plan, tables)]
    return align([[names(attribute) for attribute in plan.output], *sorted(rows)])


def align(lines: Sequence[Sequence[str]]) -> str:
    """Return lines of cells as text, with the cells of each column below each other."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join("  ".join(map(str.ljust, line, widths)).rstrip() for line in lines)


def show_cell(value: Any) -> str:
    """Return a value of the interpreter as text: arrays and structs in parentheses."""
    return f"({', '.join(map(show_cell, value))})" if isinstance(value, tuple) else show_value(value)


def check_no_other(folder: str, names: Iterable[str]) -> None:
    """Check that a folder of golden files has these and no others: one without a test would never be compared."""
    assert {path.stem for path in (GOLDEN / folder).iterdir()} == set(names)


def compare_plans(before: Plan, after: Plan, tables: Tables) -> Mapping[str, str]:
    """Return the sections of a rule that keeps the rows of a plan, after checking by running both that it does."""
    names, types = number_names((before, after)), [attribute.type for attribute in before.output]
    assert [attribute.type for attribute in after.output] == types
    assert unordered_bag(run(before, tables), types) == unordered_bag(run(after, tables), types)
    return {
        "plan": show_nodes(before, names),
        "after": show_nodes(after, names),
        "rows": show_rows(after, tables, names),
    }
