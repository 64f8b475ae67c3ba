"""`make fuzz`: generated queries and questions, for as long as one likes; laws are the judge.

A failure is told with its law and label, and with the smallest tables on which it was still seen. `--law` and `--label`
try just this one again.
"""

from __future__ import annotations

import argparse
import itertools
import json
import logging
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from pyspark.sql import SparkSession

from bench.fuzz_laws import LAWS, SPARK_LAWS, Attempt, Law, Tables, quick

SPARK_SHARE = 0.3
"""So much of the time is Spark's."""

PROGRESS = 30.0
"""So many seconds pass between two lines of progress."""

SHRINKING = 60.0
"""For so many seconds a failure is made smaller."""


@dataclass
class Tally:
    """What came of one law."""

    cases: int = 0
    failures: int = 0
    seconds: float = 0.0


@dataclass
class Outcome:
    """What came of a run: a tally for each law, and what is told of each failure."""

    tallies: dict[str, Tally] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)

    @property
    def cases(self) -> int:
        return sum(tally.cases for tally in self.tallies.values())

    def record(self, *, seed: str, minutes: float) -> str:
        """The tallies as JSON, for the page on reliability."""
        laws = {
            name: {"cases": t.cases, "failures": t.failures, "seconds": round(t.seconds)}
            for name, t in self.tallies.items()
        }
        return json.dumps({"seed": seed, "minutes": minutes, "laws": laws}, indent=2) + "\n"

    def summary(self) -> str:
        rows = [(name, f"{t.cases:,}", str(t.failures), f"{t.seconds:.0f} s") for name, t in self.tallies.items()]
        rows = [("law", "cases", "failures", "time"), *rows]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = ("  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]) for row in rows)
        return "\n".join(lines)


def fuzz(
    laws: Mapping[str, Law], spark_laws: Mapping[str, Law], *, seed: str, seconds: float, say: Callable[[str], None]
) -> Outcome:
    """Tries the laws in turn, each with a new label, until the time is over."""
    outcome = Outcome({name: Tally() for name in (*laws, *spark_laws)})
    began = said = time.monotonic()
    turns, on_spark = itertools.cycle(laws.items()), itertools.cycle(spark_laws.items())
    for number in itertools.count():
        now = time.monotonic()
        if now - began >= seconds:
            return outcome
        if now - said >= PROGRESS:
            said = now
            say(f"{(now - began) / 60:.1f} min: {outcome.cases:,} cases, {len(outcome.failures)} failures")
        spent = sum(outcome.tallies[name].seconds for name in spark_laws)
        behind = not laws or spent < SPARK_SHARE * (now - began)
        name, law = next(on_spark if spark_laws and behind else turns)
        _try(outcome, name, law, f"{seed}/{number}", say)
    raise AssertionError("the numbers have no end")


def _try(outcome: Outcome, name: str, law: Law, label: str, say: Callable[[str], None]) -> None:
    began, tally = time.monotonic(), outcome.tallies[name]
    told = attempt(law, label)
    if told is not None:
        tally.cases += 1
    if told:
        tally.failures += 1
        again = f".venv/bin/python -m bench.fuzz --law '{name}' --label '{label}'"
        outcome.failures.append(f"{name}, label {label}; again with\n  {again}\n{told}")
        say(f"FAILED: {outcome.failures[-1]}")
    tally.seconds += time.monotonic() - began


def attempt(law: Law, label: str) -> str | None:
    """What is told of a failure, nothing ("") if the law holds, None if the label makes no case."""
    try:
        made = law(label)
    except Exception:  # a law that raises is broken, whatever it raises
        return traceback.format_exc(limit=_FRAMES)
    if made is None:
        return None
    told = _told(made, made.tables)
    return told and _smallest(made, made.tables, told, time.monotonic() + SHRINKING)


_FRAMES = -6
"""The last frames of a stack say what is wrong."""


def _told(made: Attempt, tables: Tables) -> str:
    try:
        made.check(tables)
    except Exception:  # as above
        return traceback.format_exc(limit=_FRAMES)
    return ""


def _smallest(made: Attempt, tables: Tables, told: str, until: float) -> str:
    """The failure on tables without the rows that it does not need."""
    smaller = True
    while smaller:
        smaller = False
        for fewer in _without_a_row(tables):
            found = "" if time.monotonic() > until else _told(made, fewer)
            if found:
                tables, told, smaller = fewer, found, True
                break
    return told


def _without_a_row(tables: Tables) -> Iterator[Tables]:
    for id, rows in tables.items():
        for at in range(len(rows)):
            yield {**tables, id: rows[:at] + rows[at + 1 :]}


# --- the command ---


def main(arguments: list[str]) -> int:
    given = _parser().parse_args(arguments)
    with ExitStack() as stack:
        wanted = list(LAWS) + list(SPARK_LAWS) if given.law is None else [given.law]
        laws = {name: law for name, law in LAWS.items() if name in wanted}
        bound: dict[str, Law] = {}
        if any(name in SPARK_LAWS for name in wanted):
            session = stack.enter_context(quick(_session()))
            stack.callback(session.stop)
            bound = {name: partial(law, session) for name, law in SPARK_LAWS.items() if name in wanted}
        if given.label is not None:
            return _again({**laws, **bound}, given.label)
        outcome = fuzz(laws, bound, seed=given.seed, seconds=given.minutes * 60, say=_say)
    print(outcome.summary())
    if given.write is not None:
        given.write.write_text(outcome.record(seed=given.seed, minutes=given.minutes), encoding="utf-8")
    for failure in outcome.failures:
        print(f"\n{failure}")
    return int(bool(outcome.failures))


def _again(laws: Mapping[str, Law], label: str) -> int:
    """One label of the laws that are named."""
    told = {name: attempt(law, label) for name, law in laws.items()}
    for name, each in told.items():
        print(f"{name}: {'makes no case' if each is None else each or 'holds'}")
    return int(any(told.values()))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.fuzz", description=__doc__)
    parser.add_argument("--minutes", type=float, default=60, help="how long to go on (default 60)")
    parser.add_argument("--seed", default="0", help="another seed, other cases (default 0)")
    parser.add_argument("--write", type=Path, help="write the tallies to this file, as JSON")
    parser.add_argument("--law", choices=[*LAWS, *SPARK_LAWS], help="only this law")
    parser.add_argument("--label", help="only this case")
    return parser


def _say(text: str) -> None:
    print(text, flush=True)


def _session() -> SparkSession:
    session = (
        SparkSession.builder.master("local[1]")
        .appName("sparkwhy fuzz")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.shuffle.partitions", "1")
        .config("spark.sql.session.timeZone", "UTC")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("OFF")
    logging.disable()  # queries that fail are a part of it
    return session


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
