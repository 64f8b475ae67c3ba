"""Ask about each planted bug, and judge the answer by the commit that undoes it: `python -m tests.planted.judge`."""

from __future__ import annotations

import argparse
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from examples.session import local_spark
from sparkwhy import Explanation, why_not
from sparkwhy.errors import SparkWhyError
from tests.planted.causes import CAUSES, Cause
from tests.planted.settings import SETTINGS, Setting, bug_line, source
from tests.printed.apply import CannotApply, apply_printed
from tests.printed.check import Tally, check_answer
from tests.printed.recording import recording
from tests.sessions import uncompiled


@dataclass(frozen=True)
class Verdict:
    """What an answer got right: the operator to blame is first, the fix is as good as the commit; and what is false."""

    case: str
    outcome: str
    first: str
    is_first: bool
    is_commit: bool
    fix: str
    false: tuple[str, ...]
    seconds: float


def judge(spark: SparkSession, cause: Cause, setting: Setting, folder: Path) -> Verdict:
    """Return how good the answer to a planted bug is."""
    began, case = time.monotonic(), f"{cause.number} {cause.name}, {setting.name}"
    with recording():
        df = load(source(cause, setting), folder / "etl.py")(spark)
    commit = load(source(cause, setting, fixed=True), folder / "fixed.py")(spark)
    try:
        answer = why_not(df, setting.missing)
    except SparkWhyError as error:
        return Verdict(case, "error", str(error).splitlines()[0], False, False, "", (), time.monotonic() - began)
    seconds = time.monotonic() - began
    tally = Tally()
    check_answer(df, setting.missing, answer, tally)
    first = answer.explanations[0] if answer.explanations else None
    shown = "; ".join(operator.text for operator in first.operators) if first is not None else ""
    is_first = first is not None and _is_to_blame(cause, setting, first)
    fix = "; ".join(fix.after for fix in first.fixes) if first is not None else ""
    is_commit = first is not None and _is_as_good(df, commit, first)
    return Verdict(case, answer.outcome, shown, is_first, is_commit, fix, tuple(tally.false), seconds)


def load(text: str, file: Path) -> Callable[[SparkSession], DataFrame]:
    """Return the query of a script."""
    file.write_text(text, encoding="utf-8")
    names: dict[str, Any] = {"__file__": str(file), "__name__": "etl"}
    exec(compile(text, str(file), "exec"), names)
    found: Callable[[SparkSession], DataFrame] = names["query"]
    return found


def _is_to_blame(cause: Cause, setting: Setting, first: Explanation) -> bool:
    """Return whether the only operator of the first explanation is the one with the bug."""
    line = f"etl.py:{bug_line(cause, setting)}"
    return len(first.operators) == 1 and all(
        each.where == line or (not (each.where or "").startswith("etl.py") and cause.operator in each.text)
        for each in first.operators
    )


def _is_as_good(df: DataFrame, commit: DataFrame, first: Explanation) -> bool:
    """Return whether the printed fix makes the query return what it returns with the commit."""
    try:
        fixed = apply_printed(df, first.fixes) if first.fixes and first.verified else df
        return _rows(fixed) == _rows(commit)
    except (CannotApply, PySparkException):
        return False


def _rows(df: DataFrame) -> Counter[str]:
    return Counter(map(str, df.collect()))


def show_problems(each: Verdict) -> Iterator[str]:
    """Yield a case that is not all right."""
    if not (each.is_first and each.is_commit) or each.false:
        marks = ("first" if each.is_first else "     ", "fix" if each.is_commit else "   ")
        yield f"{' '.join(marks)}  {each.case}: {each.outcome}: {each.first} -> {each.fix}"
        yield from (f"    FALSE {problem}" for problem in each.false)


def show_shares(verdicts: Sequence[Verdict]) -> Iterator[str]:
    count = len(verdicts)
    yield f"{count} planted bugs, {sum(each.seconds for each in verdicts):.0f} seconds"
    for name, found in (
        ("the operator with the bug is first", sum(each.is_first for each in verdicts)),
        ("the first fix does what the commit does", sum(each.is_commit for each in verdicts)),
    ):
        yield f"{name}: {found} ({found / count:.0%})"
    yield f"false statements: {sum(len(each.false) for each in verdicts)}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="only cases whose name contains one of these")
    parser.add_argument("--show", action="store_true", help="print the answers")
    chosen = parser.parse_args()
    spark, verdicts = uncompiled(local_spark()), []
    with tempfile.TemporaryDirectory() as folder:
        for cause, setting in product(CAUSES, SETTINGS):
            if not chosen.names or any(name in f"{cause.name}, {setting.name}" for name in chosen.names):
                verdicts.append(judge(spark, cause, setting, Path(folder)))
                for line in show_problems(verdicts[-1]):
                    print(line, flush=True)
                if chosen.show:
                    print(why_not(load(source(cause, setting), Path(folder) / "etl.py")(spark), setting.missing))
    print("\n".join(show_shares(verdicts)))


if __name__ == "__main__":
    main()
