"""`make bench`: what a question costs, as a ratio to the query itself, for the paper's scenarios.

    python -m bench.speed [--scale 1] [--rows 200000] [--repetitions 3] [--smoke] [NAMES...]

In one run and warm, repetitions interleaved, medians: the query, written to nowhere; the explanations alone, without
and with alternatives; with fixes that are run; with bounds on side effects (the default call); with exact side effects.
Prints a table; without names it also writes `docs/performance.md` and `docs/performance.json`.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from bench.measures import Measured, measured, typical
from sparkwhy import Alternative, why_not
from sparkwhy.scenarios import SCENARIOS
from sparkwhy.scenarios.data.tables import Generated
from sparkwhy.scenarios.scenario import Missing, Scenario

DOCS = Path(__file__).parents[1] / "docs"

KINDS = ("query", "plain", "explanations", "fixes", "default", "exact")
"""What is measured of a scenario; all but the first are ratios to the first."""

SELECTIVE = ("Q3", "Q3F", "Q10", "Q10F", "D1", "D2", "D3", "D4", "D5", "T1", "T2", "T3", "T4", "T_ASD")
SMOKE = ("Q3F", "Q6F", "D1")

Costs = Mapping[str, Measured]
Work = Callable[[], object]


@dataclass(frozen=True)
class Asked:
    """A query, its question, and the groups of attributes that may have been mixed up."""

    df: DataFrame
    missing: Missing
    alternatives: tuple[frozenset[str], ...]

    @classmethod
    def of(cls, scenario: Scenario, tables: Generated) -> Asked:
        return cls(scenario.query(tables), scenario.question(tables), scenario.alternatives)

    def works(self) -> dict[str, Work]:
        ask = partial(why_not, self.df, self.missing)
        groups = self.alternatives or None
        return {
            "query": lambda: self.df.write.format("noop").mode("overwrite").save(),
            "plain": lambda: ask(verify=False, side_effects="none"),
            "explanations": lambda: ask(alternatives=groups, verify=False, side_effects="none"),
            "fixes": lambda: ask(alternatives=groups, side_effects="none"),
            "default": lambda: ask(alternatives=groups),
            "exact": lambda: ask(alternatives=groups, side_effects="exact"),
        }


def costs(session: SparkSession, works: Mapping[str, Work], repetitions: int) -> Costs:
    """Each work once to warm up, then all of them in turn, as often as is asked for."""
    for work in works.values():
        work()
    runs = [{kind: measured(session, work) for kind, work in works.items()} for _ in range(repetitions)]
    return {kind: typical([run[kind] for run in runs]) for kind in works}


def ratio(found: Costs, kind: str) -> float:
    return found[kind].seconds / found["query"].seconds


# --- tables ---


def header() -> str:
    told = " ".join(f"{kind:>13}" for kind in KINDS[1:])
    return f"{'':>6} {'query':>8} {told}   jobs, scans and MB read by query and by explanations"


def line(name: str, found: Costs) -> str:
    ratios = " ".join(f"{ratio(found, kind):>12.2f}x" if kind in found else f"{'-':>13}" for kind in KINDS[1:])
    own, asked = found["query"], found["explanations"]
    work = f"{own.jobs}/{asked.jobs} jobs, {own.scans}/{asked.scans} scans, {_mb(own.read)}/{_mb(asked.read)} MB"
    return f"{name:>6} {own.seconds:>7.2f}s {ratios}   {work}"


def _mb(size: int) -> str:
    return f"{size / 1e6:.1f}"


def judged(found: Mapping[str, Costs]) -> Iterator[str]:
    """The bounds that we set ourselves, each with what was measured."""
    for label, names, kinds, each, middle in _BOUNDS:
        ratios = [ratio(found[name], kind) for name in found if names(name) for kind in kinds]
        if ratios:
            worst, typical_one = max(ratios), median(ratios)
            kept = worst <= each and (middle is None or typical_one <= middle)
            bound = f"at most {each}x" + ("" if middle is None else f", median at most {middle}x")
            yield f"{label}: {bound}: {'kept' if kept else 'NOT kept'} (worst {worst:.2f}x, median {typical_one:.2f}x)"


_BOUNDS: tuple[tuple[str, Callable[[str], bool], tuple[str, ...], float, float | None], ...] = (
    ("explanations, selective questions", lambda name: name in SELECTIVE, ("plain", "explanations"), 1.0, 0.5),
    ("explanations, unselective questions", lambda name: name not in SELECTIVE, ("explanations",), 2.5, None),
    ("default call", bool, ("default",), 4.0, 2.5),
)


# --- growth ---


def by_scale(
    session: SparkSession, names: Sequence[str], scales: Sequence[float], repetitions: int
) -> dict[str, Costs]:
    """The same questions of more data."""
    found = {}
    for scale in scales:
        for name in names:
            works = Asked.of(SCENARIOS[name], Generated(session, scale=scale)).works()
            few = {kind: works[kind] for kind in ("query", "explanations", "default")}
            found[f"{name}@{scale:g}"] = costs(session, few, repetitions)
    return found


def by_alternatives(session: SparkSession, scale: float, counts: Sequence[int], repetitions: int) -> dict[str, Costs]:
    """Q3 with ever more alternatives, which are explicit so that their number is what it says."""
    asked = Asked.of(SCENARIOS["Q3F"], Generated(session, scale=scale))
    columns = ("l_commitdate", "l_shipdate", "l_receiptdate", "l_discount", "l_tax", "l_quantity")
    pairs = [(a, b) for a in columns for b in columns if a != b and (a[-4:] == b[-4:]) == a.endswith("date")]
    swaps = [Alternative({a: b}) for a, b in pairs if a in ("l_commitdate", "l_discount")]
    works: dict[str, Work] = {"query": asked.works()["query"]}
    for count in counts:
        given = [swaps[i % len(swaps)] for i in range(count)]
        works[str(count)] = partial(
            why_not, asked.df, asked.missing, alternatives=given or None, verify=False, side_effects="none"
        )
    return {"Q3F": costs(session, works, repetitions)}


def by_depth(session: SparkSession, depths: Sequence[int], repetitions: int) -> dict[str, Costs]:
    """A chain of filters and computed columns, of which the last drops the row."""
    found = {}
    for depth in depths:
        df = session.range(1_000_000).withColumn("v", F.col("id") % 1000)
        for step in range(depth // 2):
            df = df.withColumn("v", F.col("v") + 1).filter(F.col("v") != step)
        asked = Asked(df.filter(F.col("id") != 77), {"id": 77}, ())
        works = asked.works()
        found[str(depth)] = costs(session, {kind: works[kind] for kind in ("query", "explanations")}, repetitions)
    return found


# --- the page ---


def page(found: Mapping[str, Costs], scale: float, rows: int, growth: Mapping[str, Mapping[str, Costs]]) -> str:
    """docs/performance.md."""
    head = _HEAD.format(scale=scale, rows=rows)
    columns = "| scenario | query | " + " | ".join(KINDS[1:]) + " | jobs | scans | MB read | MB shuffled | MB memory |"
    table = [columns, "|---" * (len(KINDS) + 6) + "|", *(_row(name, each) for name, each in found.items())]
    bounds = [f"- {each}" for each in judged(found)]
    return "\n".join([head, *table, "", "## Bounds", "", *bounds, "", *_growth(growth)])


def _row(name: str, found: Costs) -> str:
    ratios = " | ".join(f"{ratio(found, kind):.2f}x" if kind in found else "" for kind in KINDS[1:])
    own, asked = found["query"], found["explanations"]
    pairs = [(own.jobs, asked.jobs), (own.scans, asked.scans)]
    sizes = [(own.read, asked.read), (own.shuffled, asked.shuffled), (own.peak, asked.peak)]
    told = [f"{a} / {b}" for a, b in pairs] + [f"{_mb(a)} / {_mb(b)}" for a, b in sizes]
    return f"| {name} | {own.seconds:.2f} s | {ratios} | {' | '.join(told)} |"


def _growth(growth: Mapping[str, Mapping[str, Costs]]) -> Iterator[str]:
    for title, found in growth.items():
        yield f"## {title}\n"
        for name, each in found.items():
            told = ", ".join(f"{kind} {cost.seconds:.2f} s" for kind, cost in each.items())
            yield f"- {name}: {told}"
        yield ""


_HEAD = """# What a question costs

Made by `make bench` (`python -m bench.speed --scale {scale:g} --rows {rows}`); do not edit it. TPC-H at scale factor
{scale:g} and generated DBLP and Twitter data of {rows} rows, Parquet, on two cores, warm, medians. Each figure is a
ratio to the query itself, written to nowhere, in the same run. *plain*: explanations without alternatives;
*explanations*: with all alternatives of the paper; *fixes*: each explanation with a fix that was run; *default*: side
effects are counted too; *exact*: with examples of rows that come and go. Jobs, scans and bytes: by the query / by the
explanations.
"""


def main() -> None:
    given = _arguments()
    session = _session()
    tables = Generated(session, scale=given.scale, rows=given.rows, progress=print)
    names = given.names or (SMOKE if given.smoke else [n for n, s in SCENARIOS.items() if s.dataset != "crime"])
    found = {}
    print(header())
    for name in names:
        found[name] = costs(session, Asked.of(SCENARIOS[name], tables).works(), given.repetitions)
        print(line(name, found[name]), flush=True)
    print("\n".join(judged(found)))
    if not given.names and not given.smoke:
        growth = {
            "By size of the data": by_scale(session, ("Q3", "Q6", "Q13F"), (0.1, given.scale), given.repetitions),
            "By number of alternatives": by_alternatives(session, given.scale, (0, 1, 2, 4, 8), given.repetitions),
            "By number of operators": by_depth(session, (5, 10, 25, 50, 100), given.repetitions),
        }
        _write(found, growth, given.scale, given.rows)


def _write(found: Mapping[str, Costs], growth: Mapping[str, Mapping[str, Costs]], scale: float, rows: int) -> None:
    (DOCS / "performance.md").write_text(page(found, scale, rows, growth), encoding="utf-8")
    plain = {"scenarios": found, **growth}
    told = {
        part: {name: {kind: cost.to_dict() for kind, cost in each.items()} for name, each in known.items()}
        for part, known in plain.items()
    }
    (DOCS / "performance.json").write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.speed", description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", choices=[*SCENARIOS, []], help="only these scenarios")
    parser.add_argument("--scale", type=float, default=1.0, help="scale factor of TPC-H (1)")
    parser.add_argument("--rows", type=int, default=200_000, help="rows of the DBLP and Twitter data (200000)")
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
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("ERROR")
    return session


if __name__ == "__main__":
    main()
