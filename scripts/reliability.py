"""Write the tables of docs/reliability.md: counts of tests, and the results of long runs recorded in `docs/`.

Run as `python -m scripts.reliability`; `--check` fails if the tables are out of date.
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
BEGIN, END = "<!-- counted by scripts/reliability.py -->", "<!-- end of the counts -->"


def tables() -> str:
    """Return the text between the markers."""
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
        f"**{len(rows)} bad inputs** to `why_not` and to the pattern functions, with the errors that they raise:",
        "",
        "| bad argument | inputs | errors |",
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
        f"{codes[2]} are invalid (exit code 2),",
        f"{codes[5]} cannot be answered (exit code 5).",
    ]


def _faults() -> list[str]:
    listed = _test_list(test_faults)
    return [f"**{len(listed)} tests of failures** while Spark runs:", "", *listed]


def _cluster() -> list[str]:
    listed = _test_list(faults_of_a_cluster)
    return [
        f"**{len(CASES)} questions on a cluster** of two workers, with {len(test_answers.SETTINGS)} sets of settings",
        f"({'; '.join(test_answers.SETTINGS)}): the answers are the same as in local mode.",
        f"**{len(listed)} tests of failures on the cluster**, some of them as above (`make cluster-test`):",
        "",
        *listed,
        "",
        *ran_on_a_cluster(json.loads(cluster_run.RECORD.read_text(encoding="utf-8"))),
    ]


def ran_on_a_cluster(record: Mapping[str, Any]) -> list[str]:
    """Return the results of the last run, part by part; a run may leave out parts."""
    parts = record["parts"]
    run, passed = (sum(part[key] for part in parts.values()) for key in ("run", "passed"))
    minutes, times = record["seconds"] / 60, record["runs"]
    last = "The last run** passed" if times == 1 else f"The last {times} runs**, one after the other, passed"
    return [
        f"**{last} {passed} of {run} started tests, in {minutes:.0f} minutes:",
        "",
        "| part | run | passed |",
        "|---|---|---|",
        *(f"| {name} | {part['run'] or 'not run'} | {part['passed']} |" for name, part in parts.items()),
    ]


def _test_list(tests: ModuleType) -> list[str]:
    """Return the tests of a module as a list of their names in words."""
    names = [name for name in vars(tests) if name.startswith("test_")]
    return [f"- {name.removeprefix('test_').replace('_', ' ')}" for name in names]


def _harmless() -> list[str]:
    return [
        f"**{len(test_hostile.HOSTILE)} hostile strings** (quotes, backticks, SQL, `${{...}}`, tags, terminal escape",
        "sequences) as values, as names of columns, fields, keys and tables, and in patterns, with",
        f"{len(test_hostile.SETTINGS)} sets of settings;",
        f"**{len(test_settings.SETTINGS)} session settings** that change the meaning of a query or how it is read,",
        "each with the same answer as usual;",
        f"**{len(test_redact.QUESTIONS)} answers** searched for values that should be hidden.",
    ]


def _odd_data() -> list[str]:
    cases = odd_data.CASES
    questions = Counter(odd.kind for odd in cases)
    parts: Counter[str] = Counter()
    for odd in cases:
        parts[odd.kind] += odd.parts
    return [
        f"**{sum(parts.values())} cases of unusual data** in {len(cases)} questions, each with its expected result:",
        "",
        "| unusual data | cases | questions |",
        "|---|---|---|",
        *(f"| {kind} | {parts[kind]} | {count} |" for kind, count in questions.items()),
        "",
        f"{len(odd_data.EVERY)} kinds of values are each {', '.join(ROLES)}, if Spark allows it.",
    ]


ROLES = ("asked for", "only present", "grouped by", "collected", "filtered on")


def _laws() -> list[str]:
    laws = [*LAWS.items(), *SPARK_LAWS.items()]
    return [
        f"**{len(laws)} laws** for generated queries; `make test` checks a few cases, `make fuzz` any number:",
        "",
        *(f"- {name}: {_first_line(law)}" for name, law in laws),
    ]


def fuzzed(record: Mapping[str, Any]) -> list[str]:
    """Return the results of the last long run, law by law."""
    laws, minutes = record["laws"], record["minutes"]
    cases, failures = (sum(law[key] for law in laws.values()) for key in ("cases", "failures"))
    return [
        f"**The last long run** (`make fuzz MINUTES={minutes:g} SEED={record['seed']}`) checked {cases:,} cases;",
        f"failures: {failures}. On Spark, a case of reading or asking has up to {QUERIES_AT_ONCE} queries.",
        "",
        "| law | cases | failures | seconds |",
        "|---|---|---|---|",
        *(f"| {name} | {law['cases']:,} | {law['failures']} | {law['seconds']:,} |" for name, law in laws.items()),
    ]


def _first_line(law: object) -> str:
    line = (law.__doc__ or "").partition("\n")[0].removesuffix(".")
    return line[:1].lower() + line[1:] if not line.startswith("Spark") else line


def page(before: str) -> str:
    """Return the page with current tables."""
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
