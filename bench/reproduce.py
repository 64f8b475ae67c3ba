"""`python -m bench.reproduce [--scale 0.01] [NAMES...]`: compare sparkwhy and the baselines with the paper.

Print each scenario as soon as it is answered, and write `docs/reproduction.md` from the same data. With names, write
the page only to the path of `--page`, so that a few scenarios do not replace all. `sparkwhy scenarios` prints the same.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from pyspark.sql import SparkSession

from sparkwhy.scenarios import SCENARIOS
from sparkwhy.scenarios.data.dblp_slice import DblpSlice, missing_files
from sparkwhy.scenarios.data.tables import SMALL_SCALE, GeneratedTables
from sparkwhy.scenarios.reproduction import BASELINES, OURS, Cell, ScenarioResult, ask, lines, reason, show
from sparkwhy.scenarios.scenario import Tables

REAL = Path(os.environ.get("SPARKWHY_DBLP", Path(__file__).parents[2] / "shared" / "data" / "dblp"))
PAGE = Path(__file__).parents[1] / "docs" / "reproduction.md"


# --- the page ---


def page(rows: Sequence[ScenarioResult], real: Sequence[ScenarioResult], scale: float) -> str:
    """`docs/reproduction.md`; `real` are scenarios that were asked of real records too."""
    asked = f"This page has {len(rows)} of {len(SCENARIOS)} scenarios.\n"
    sections = (line for row in rows for line in _section(row))
    return "\n".join([_HEAD.format(scale=scale), asked, *_summary(rows), *_on_real_records(real), *sections])


def _on_real_records(rows: Sequence[ScenarioResult]) -> Iterator[str]:
    if rows:
        yield _REAL
        yield "| scenario | without alternatives | in the paper | with alternatives | in the paper |"
        yield "|---|---|---|---|---|"
    for row in rows:
        cells = [cell for cell in row.cells if cell.column in OURS]
        shown = (text for cell in cells for text in (show(cell.ours, cell.unverified), show(cell.paper)))
        yield f"| {row.scenario.name} | {' | '.join(map(_safe, shown))} |"


_REAL = """
## Real DBLP records

The same queries on a slice of the real DBLP data. It has no planted rows: the question asks for a row that the query
with the right attribute would return. So there may be more or fewer sets than in the paper; the difference in D4 was
not investigated. A `?` marks an explanation without a fix that works.
"""


def _summary(rows: Sequence[ScenarioResult]) -> Iterator[str]:
    yield "| scenario | Why-Not / WN++ | joined | Conseil | without alternatives | with alternatives | rank (paper) |"
    yield "|---|---|---|---|---|---|---|"
    for row in rows:
        cells = {cell.column: _verdict(cell) for cell in row.cells}
        ranks = "" if row.scenario.gold_rank is None else f"{row.rank or '-'} ({row.scenario.gold_rank})"
        shown = (cells.get(column, "") for column in BASELINES + OURS)
        yield f"| {row.scenario.name} | {' | '.join(shown)} | {ranks} |"


def _verdict(cell: Cell) -> str:
    if not cell.differs:
        return "same"
    if cell.column in BASELINES:
        return "differs"
    found = len(cell.paper) - len(cell.missing)
    return f"{found} of {len(cell.paper)}" + (f", {len(cell.extra)} more" if cell.extra else "")


def _section(row: ScenarioResult) -> Iterator[str]:
    yield f"\n## {row.scenario.name}: {row.scenario.title}\n"
    yield f"Planted errors: {'; '.join(row.scenario.errors)}.\n"
    yield "| | returned | in the paper |\n|---|---|---|"
    for cell in row.cells:
        yield f"| {cell.column} | {_safe(show(cell.ours, cell.unverified))} | {_safe(show(cell.paper))} |"
    if row.scenario.gold_rank is not None:
        yield f"| rank of the errors | {row.rank or 'not found'} | {row.scenario.gold_rank} |"
    if row.differences:
        yield ""
    for column in row.differences:
        yield f"- *{column}*: {reason(row.scenario.name, column)}"


def _safe(text: str) -> str:
    return text.replace("|", "\\|")


_HEAD = """\
# Reproduction: the scenarios of the paper

`make reproduce` generates this page (`python -m bench.reproduce --scale {scale}`). It compares the answers of
sparkwhy and of the baselines with those printed in the paper; the reasons for differences are in
`src/sparkwhy/scenarios/differences.py`. The data is TPC-H at scale factor {scale}, generated DBLP and Twitter data,
and a synthetic substitute for the crime data. Numbers are the operator numbers of the paper; an operator without a
number is shown by its text. A `?` marks an explanation without a fix that works.

Why-Not and WN++ are computed in two ways, because no single definition gives all answers of the paper: with compatible
rows of the sources that the pattern mentions, and *joined*, with rows of all sources that join with the requested row.
The docstrings of `lab/whynot.py` and `lab/conseil.py` define exactly what each returns.
"""


# --- the command ---


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.reproduce", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="scenarios, as D1 or Q3F; all, if none is given")
    parser.add_argument("--scale", type=float, default=SMALL_SCALE, help="scale factor of TPC-H (default %(default)s)")
    parser.add_argument("--dblp", type=Path, default=REAL, help="real records of DBLP (default %(default)s, if there)")
    parser.add_argument("--page", type=Path, help=f"where the page is written (default {PAGE}, if all are asked)")
    chosen = parser.parse_args(arguments)
    unknown = [name for name in chosen.names if name not in SCENARIOS]
    if unknown:
        parser.error(f"no scenario {', '.join(unknown)}; there are {', '.join(SCENARIOS)}")
    session = _session()
    tables = GeneratedTables(session, scale=chosen.scale)
    place = chosen.page or (None if chosen.names else PAGE)
    rows: list[ScenarioResult] = []
    real: list[ScenarioResult] = []
    for name in chosen.names or SCENARIOS:
        _ask(rows, session, name, tables)
        if SCENARIOS[name].dataset == "dblp" and not missing_files(chosen.dblp):
            print("on real records: ", end="")
            _ask(real, session, name, DblpSlice(session, chosen.dblp))
        if place is not None:  # after each: all of them take a while
            place.write_text(page(rows, real, chosen.scale) + "\n")


def _ask(rows: list[ScenarioResult], session: SparkSession, name: str, tables: Tables) -> None:
    rows.append(ask(session, SCENARIOS[name], tables))
    print("\n".join(lines(rows[-1])), flush=True)


def _session() -> SparkSession:
    session = (
        SparkSession.builder.master("local[2]")
        .appName("sparkwhy reproduce")
        .config("spark.driver.memory", "4g")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.shuffle.partitions", "4")
        .config("spark.sql.session.timeZone", "UTC")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("ERROR")
    return session


if __name__ == "__main__":
    main()
