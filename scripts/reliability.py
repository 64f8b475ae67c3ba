"""Writes the tables of docs/reliability.md from the tests that they count, and from what long runs left in `docs/`.

`--check` fails if they are not up to date.

Run as `python -m scripts.reliability`.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from bench.fuzz_laws import LAWS, QUERIES_AT_ONCE, SPARK_LAWS
from scripts import cluster_run
from tests.cluster import test_answers
from tests.cluster import test_faults as faults_of_a_cluster
from tests.cluster.cases import CASES
from tests.robust import bad_inputs, odd_data, test_bad_input, test_faults, test_hostile, test_redact, test_settings

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "reliability.md"
FUZZED = ROOT / "docs" / "fuzz.json"
BEGIN, END = "<!-- counted by scripts/reliability.py -->", "<!-- end of what is counted -->"


def tables() -> str:
    """What stands between the marks."""
    return "\n".join(
        [
            *_bad_inputs(),
            "",
            *_commands(),
            "",
            *_faults(),
            "",
            *_cluster(),
            "",
            *_harmless(),
            "",
            *_odd_data(),
            "",
            *_laws(),
            "",
            *fuzzed(json.loads(FUZZED.read_text(encoding="utf-8"))),
        ]
    )


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
    codes[2] += len(test_bad_input.BAD_USAGE) + len(test_bad_input.ELSEWHERE)
    return [
        f"**{codes.total()} bad commands**, for every option that takes a value:",
        f"{codes[2]} that cannot be understood (exit code 2),",
        f"{codes[5]} that cannot be answered (exit code 5).",
    ]


def _faults() -> list[str]:
    told = _told(test_faults)
    return [f"**{len(told)} faults and promises** while Spark runs:", "", *told]


def _cluster() -> list[str]:
    told = _told(faults_of_a_cluster)
    return [
        f"**{len(CASES)} questions on a cluster** of two workers, under {len(test_answers.SETTINGS)} sets of settings",
        f"({'; '.join(test_answers.SETTINGS)}): the answers are those of local mode.",
        f"**{len(told)} faults of the cluster**, some of them as above (`make cluster-test`):",
        "",
        *told,
        "",
        *ran_on_a_cluster(json.loads(cluster_run.RECORD.read_text(encoding="utf-8"))),
    ]


def ran_on_a_cluster(record: Mapping[str, Any]) -> list[str]:
    """What the last run gave, part by part; not every part need have been run."""
    parts = record["parts"]
    run, passed = (sum(part[key] for part in parts.values()) for key in ("run", "passed"))
    minutes, times = record["seconds"] / 60, record["runs"]
    last = "The last run** passed" if times == 1 else f"The last {times} runs**, one after the other, passed"
    return [
        f"**{last} {passed} of the {run} tests that were begun, in {minutes:.0f} minutes:",
        "",
        "| part | run | passed |",
        "|---|---|---|",
        *(f"| {name} | {part['run'] or 'not run'} | {part['passed']} |" for name, part in parts.items()),
    ]


def _told(tests: ModuleType) -> list[str]:
    """Tests as a list, by what they say."""
    names = [name for name in vars(tests) if name.startswith("test_")]
    return [f"- {name.removeprefix('test_').replace('_', ' ')}" for name in names]


def _harmless() -> list[str]:
    return [
        f"**{len(test_hostile.HOSTILE)} hostile texts** (quotes, backticks, SQL, `${{...}}`, tags, escapes of",
        "terminals) as values, as names of columns, fields, keys and tables, and in patterns, under",
        f"{len(test_hostile.SETTINGS)} sets of settings;",
        f"**{len(test_settings.SETTINGS)} settings of a session** that change what a query means or how it is read,",
        "under each of which the answer is the usual one;",
        f"**{len(test_redact.QUESTIONS)} answers** searched for values that were to be hidden.",
    ]


def _odd_data() -> list[str]:
    cases = odd_data.CASES
    questions = Counter(odd.kind for odd in cases)
    parts: Counter[str] = Counter()
    for odd in cases:
        parts[odd.kind] += odd.parts
    return [
        f"**{sum(parts.values())} cases of odd data** in {len(cases)} questions, each with what must come out:",
        "",
        "| odd is | cases | questions |",
        "|---|---|---|",
        *(f"| {kind} | {parts[kind]} | {count} |" for kind, count in questions.items()),
        "",
        f"{len(odd_data.EVERY)} kinds of values are each {', '.join(ROLES)}, as far as Spark allows it.",
    ]


ROLES = ("asked for", "merely there", "grouped by", "collected", "filtered on")


def _laws() -> list[str]:
    laws = [*LAWS.items(), *SPARK_LAWS.items()]
    return [
        f"**{len(laws)} laws** on generated queries and questions: a few with the tests, any number with `make fuzz`:",
        "",
        *(f"- {name}: {_first_line(law)}" for name, law in laws),
    ]


def fuzzed(record: Mapping[str, Any]) -> list[str]:
    """What the last long run gave, law by law."""
    laws, minutes = record["laws"], record["minutes"]
    cases, failures = (sum(law[key] for law in laws.values()) for key in ("cases", "failures"))
    return [
        f"**The last long run** (`make fuzz MINUTES={minutes:g} SEED={record['seed']}`) tried {cases:,} cases;",
        f"failures: {failures}. On Spark a case of reading or asking is up to {QUERIES_AT_ONCE} queries.",
        "",
        "| law | cases | failures | seconds |",
        "|---|---|---|---|",
        *(f"| {name} | {law['cases']:,} | {law['failures']} | {law['seconds']:,} |" for name, law in laws.items()),
    ]


def _first_line(law: object) -> str:
    line = (law.__doc__ or "").partition("\n")[0].removesuffix(".")
    return line[:1].lower() + line[1:] if not line.startswith("Spark") else line


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
