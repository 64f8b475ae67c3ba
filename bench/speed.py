"""`make bench`: what a question costs, as a ratio to the query itself, for the paper's scenarios.

    python -m bench.speed [--scale 1] [--rows 1000000] [--repetitions 3] [--smoke] [NAMES...]

In one run and warm, repetitions interleaved, medians: the query, written to nowhere; the explanations alone, without
and with alternatives; with fixes that are run; with side effects too (the default call); with examples of these.
Prints a table; without names it goes on with growth and extremes, and writes `docs/performance.md`, its pictures, and
`docs/performance.json`. With names, these are written anew there, if they were measured on as much data.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from pyspark.sql import SparkSession

from bench.growth import grown
from bench.speed_page import Results, header, judged, line, write
from bench.works import Asked, costs
from sparkwhy.scenarios import SCENARIOS
from sparkwhy.scenarios.data.tables import GeneratedTables

DOCS = Path(__file__).parents[1] / "docs"

SMOKE = ("Q3F", "Q6F", "D1")


def main() -> None:
    given = _arguments()
    session = _session()
    tables = GeneratedTables(session, scale=given.scale, rows=given.rows, progress=print)
    names = given.names or (SMOKE if given.smoke else [n for n, s in SCENARIOS.items() if s.dataset != "crime"])
    found = {}
    print(header())
    for name in names:
        found[name] = costs(session, Asked.of(SCENARIOS[name], tables).works(), given.repetitions)
        print(line(name, found[name]), flush=True)
    print("\n".join(judged(found)))
    before = Results.read(DOCS)
    if before is not None and (before.scale, before.rows) == (given.scale, given.rows):
        write(before.with_scenarios(found), DOCS)  # what follows takes long, and may be interrupted
    if not (given.names or given.smoke):
        growth = grown(session, given.scale, given.repetitions)
        write(Results(found, growth, given.scale, given.rows, given.repetitions), DOCS)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.speed", description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", choices=[*SCENARIOS, []], help="only these scenarios")
    parser.add_argument("--scale", type=float, default=1.0, help="scale factor of TPC-H (1)")
    parser.add_argument("--rows", type=int, default=1_000_000, help="rows of the DBLP and Twitter data (1000000)")
    parser.add_argument("--repetitions", type=int, default=3, help="how often each is measured (3)")
    parser.add_argument("--smoke", action="store_true", help="a few scenarios only")
    return parser.parse_args()


def _session() -> SparkSession:
    session = (
        SparkSession.builder.master("local[2]")
        .appName("sparkwhy bench")
        .config("spark.driver.memory", "6g")
        .config("spark.ui.port", "0")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.shuffle.partitions", "4")
        # Spark does not count the bytes of vectored reads
        .config("spark.hadoop.parquet.hadoop.vectored.io.enabled", "false")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("ERROR")
    return session


if __name__ == "__main__":
    main()
