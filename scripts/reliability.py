"""Writes the tables of docs/reliability.md from the tests that they count. `--check` fails if they are not up to date.

Run as `python -m scripts.reliability`.
"""

from __future__ import annotations

import ast
import sys
from collections import Counter
from pathlib import Path

from tests.robust import bad_inputs, test_bad_input, test_hostile, test_redact

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "reliability.md"
BEGIN, END = "<!-- counted by scripts/reliability.py -->", "<!-- end of what is counted -->"


def tables() -> str:
    """What stands between the marks."""
    return "\n".join([*_bad_inputs(), "", *_commands(), "", *_faults(), "", *_harmless()])


def _bad_inputs() -> list[str]:
    rows = bad_inputs.BAD_INPUTS
    counts = Counter(row.group for row in rows)
    errors = {group: sorted({row.error.__name__ for row in rows if row.group == group}) for group in counts}
    return [
        f"**{len(rows)} bad inputs** of `why_not` and of the pattern functions, each with the error that it raises:",
        "",
        "| what is bad | inputs | errors |",
        "|---|---|---|",
        *(
            f"| {group} | {count} | {', '.join(f'`{name}`' for name in errors[group])} |"
            for group, count in counts.items()
        ),
    ]


def _commands() -> list[str]:
    codes = Counter(code for code, _, _ in test_bad_input.COMMANDS.values())
    options = len(test_bad_input.UNKNOWN_OPTIONS)
    return [
        f"**{sum(codes.values()) + options} bad commands**:",
        f"{codes[2] + options} that cannot be understood (exit code 2),",
        f"{codes[5]} that cannot be answered (exit code 5).",
    ]


def _faults() -> list[str]:
    """The tests on faults, by what they say."""
    parsed = ast.parse((ROOT / "tests" / "robust" / "test_faults.py").read_text(encoding="utf-8"))
    names = [node.name for node in parsed.body if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")]
    told = [name.removeprefix("test_").replace("_", " ") for name in names]
    return [f"**{len(told)} faults and promises** while Spark runs:", "", *(f"- {each}" for each in told)]


def _harmless() -> list[str]:
    return [
        f"**{len(test_hostile.HOSTILE)} hostile texts** (quotes, backticks, SQL, `${{...}}`, tags, escapes of",
        "terminals) as values, as names of columns, fields, keys and tables, and in patterns, under",
        f"{len(test_hostile.SETTINGS)} sets of settings;",
        f"**{len(test_redact.QUESTIONS)} answers** searched for values that were to be hidden.",
    ]


def page(before: str) -> str:
    """The page with its tables made again."""
    head, _, rest = before.partition(BEGIN)
    _, _, tail = rest.partition(END)
    return f"{head}{BEGIN}\n{tables()}\n{END}{tail}"


def main() -> int:
    before = PAGE.read_text(encoding="utf-8")
    after = page(before)
    if "--check" in sys.argv[1:]:
        return int(before != after)
    PAGE.write_text(after, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
