"""Write docs/performance.md: tables, bounds and pictures of the measurements."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from typing import Any

from bench.growth import COUNTS, GROWING, SIZES, Growth
from bench.measures import Costs, Measured, ratio
from bench.speed_plots import draw

KINDS = ("query", "plain", "explanations", "fixes", "default", "exact")
"""The measurements of a scenario; all but the first are shown as ratios to the first."""

SELECTIVE = ("Q3", "Q3F", "Q10", "Q10F", "D1", "D2", "D3", "D4", "D5", "T1", "T2", "T3", "T4", "T_ASD")


@dataclass(frozen=True)
class Results:
    """The measurements of one run, and the size of its data."""

    scenarios: Mapping[str, Costs]
    growth: Growth
    scale: float
    rows: int
    repetitions: int

    @classmethod
    def read(cls, docs: Path) -> Results | None:
        """Return the measurements that an earlier run wrote, or None."""
        file = docs / _FIGURES
        if not file.exists():
            return None
        told = json.loads(file.read_text(encoding="utf-8"))
        parts = {part: {name: _costs(each) for name, each in told[part].items()} for part in ("scenarios", *_PARTS)}
        return cls(parts.pop("scenarios"), parts, **told["of"])

    def with_scenarios(self, found: Mapping[str, Costs]) -> Results:
        return replace(self, scenarios={**self.scenarios, **found})


def _costs(told: Mapping[str, Mapping[str, Any]]) -> Costs:
    return {kind: Measured(**each) for kind, each in told.items()}


_FIGURES = "performance.json"


def write(results: Results, docs: Path) -> None:
    (docs / "performance.md").write_text(page(results), encoding="utf-8")
    parts = {"scenarios": results.scenarios, **results.growth}
    told: dict[str, object] = {
        part: {name: {kind: cost.to_dict() for kind, cost in each.items()} for name, each in known.items()}
        for part, known in parts.items()
    }
    told["of"] = {"scale": results.scale, "rows": results.rows, "repetitions": results.repetitions}
    (docs / _FIGURES).write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
    draw(results.scenarios, results.growth, docs / "img")


# --- as it runs ---


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


# --- bounds ---


def judged(found: Mapping[str, Costs]) -> Iterator[str]:
    """Return a line for each bound, with the measured ratios."""
    for label, names, kinds, each, middle in _BOUNDS:
        ratios = [ratio(found[name], kind) for name in found if names(name) for kind in kinds]
        if ratios:
            worst, typical_one = max(ratios), median(ratios)
            kept = worst <= each and (middle is None or typical_one <= middle)
            bound = f"at most {each}x" + ("" if middle is None else f", median at most {middle}x")
            yield f"{label}: {bound}: {_verdict(kept)} (worst {worst:.2f}x, median {typical_one:.2f}x)"


_BOUNDS: tuple[tuple[str, Callable[[str], bool], tuple[str, ...], float, float | None], ...] = (
    ("explanations, selective questions", lambda name: name in SELECTIVE, ("plain", "explanations"), 1.0, 0.5),
    ("explanations, unselective questions", lambda name: name not in SELECTIVE, ("explanations",), 2.5, None),
    ("default call", bool, ("default",), 4.0, 2.5),
)


def judged_growth(growth: Growth) -> Iterator[str]:
    (costs,) = growth["alternatives"].values()
    plain, most = costs[str(COUNTS[0])].seconds, costs[str(COUNTS[-1])].seconds
    share = (most - plain) / plain / COUNTS[-1]
    yield f"an added alternative: at most 5 % of the plain explanations: {_verdict(share <= 0.05)} ({share:.1%})"
    for kind in ("explanations", "default"):
        times = [(growth["size"][f"{n}@{SIZES[0]:g}"][kind], growth["size"][f"{n}@1"][kind]) for n in GROWING]
        worst = max(large.seconds / small.seconds for small, large in times)
        yield f"ten times the data, {kind}: at most 10x the time: {_verdict(worst <= 10)} (worst {worst:.1f}x)"


def _verdict(kept: bool) -> str:
    return "kept" if kept else "NOT kept"


# --- the page ---


def page(results: Results) -> str:
    columns = "| scenario | query | " + " | ".join(KINDS[1:]) + " |"
    work = "| scenario | jobs | stages | scans | MB read | MB shuffled | MB memory |"
    bounds = [*judged(results.scenarios), *judged_growth(results.growth)]
    return "\n".join(
        [
            _HEAD.format(scale=results.scale, rows=results.rows, repetitions=results.repetitions),
            columns,
            "|---" * (len(KINDS) + 1) + "|",
            *(_times(name, each) for name, each in results.scenarios.items()),
            "\n![Ratio to the query, by scenario](img/performance-scenarios.svg)\n",
            "## Bounds\n",
            *(f"- {each}" for each in bounds),
            _WHERE,
            "\n## Work\n",
            "Query / explanations with alternatives. Memory is the peak execution memory of a stage.\n",
            work,
            "|---" * 7 + "|",
            *(_work(name, each) for name, each in results.scenarios.items()),
            "",
            *_growth(results.growth),
        ]
    )


def _times(name: str, found: Costs) -> str:
    ratios = " | ".join(f"{ratio(found, kind):.2f}x" if kind in found else "" for kind in KINDS[1:])
    return f"| {name} | {found['query'].seconds:.2f} s | {ratios} |"


def _work(name: str, found: Costs) -> str:
    own, asked = found["query"], found["explanations"]
    counts = [(own.jobs, asked.jobs), (own.stages, asked.stages), (own.scans, asked.scans)]
    sizes = [(own.read, asked.read), (own.shuffled, asked.shuffled), (own.peak, asked.peak)]
    told = [f"{a} / {b}" for a, b in counts] + [f"{_mb(a)} / {_mb(b)}" for a, b in sizes]
    return f"| {name} | {' | '.join(told)} |"


def _growth(growth: Growth) -> Iterator[str]:
    for part, (title, picture) in _PARTS.items():
        yield f"## {title}\n"
        if picture:
            yield f"![{title}](img/performance-{part}.svg)\n"
        for name, each in growth[part].items():
            yield f"- {name}: " + ", ".join(f"{kind} {cost.seconds:.2f} s" for kind, cost in each.items())
        yield ""


_PARTS = {
    "size": ("By size of the data", True),
    "alternatives": ("By number of alternatives", True),
    "operators": ("By number of operators", True),
    "extremes": ("Extremes", False),
}

_HEAD = """# Performance: the cost of a question

`bench/speed_page.py` writes this page from the figures in performance.json, which `make bench` measures
(`python -m bench.speed --scale {scale:g} --rows {rows} --repetitions {repetitions}`); do not edit it.
`make bench NAMES="Q3 D1"` measures only these scenarios again, so growth and extremes may come from an earlier run.

The data is TPC-H at scale factor {scale:g} and generated DBLP and Twitter data of {rows} rows, as Parquet, on two
cores. For each scenario, the query and all kinds of calls are measured in one run. Each figure is a ratio to the time
of the query itself, whose result is discarded. The columns are:

- *plain*: explanations without alternatives,
- *explanations*: explanations with all alternatives of the paper,
- *fixes*: each explanation with a fix that was run,
- *default*: a call without options, which also counts side effects,
- *exact*: side effects with examples of rows that enter and leave.

*plain* and *explanations* leave out near misses and other aggregate functions. The query, *plain*, *explanations* and
*default* are medians of {repetitions} runs, taken in turn, after one warm-up run. *fixes* and *exact* were run once,
and so was *default* in the sections on growth. The paper reports 2.4x to 105x for the explanations alone.
"""

_WHERE = """
Profiles of the jobs show why some figures are above their bounds:

- *Very short queries* (T1, T2, T4, T_ASD). The question runs one job, which takes no longer than the query. For the
  explanations of T_ASD this job is a third of the time; the rest is spent before it starts, on reading the query,
  building the traced plan, and on Spark's planning and compiling. Without alternatives the data has no row for T_ASD;
  finding this out, and finding the nearest values, reads the source twice more.
- *Alternatives that read more* (T3, D4). Another nested list of each tweet, or another attribute of each volume, has to
  be read and flattened next to that of the query: three times the bytes in T3, twice in D4.
- *Questions about a value of all rows* (Q1, Q4, Q6 and their flat forms). Nothing can be skipped: each row reaches its
  group in all variants of the query and is summed there, while the filters of the query exclude most rows from the
  sum. In Q6F, reading the rows and computing their blame takes longer than the query, and the sums are half of the
  total. For the fixes of Q6, three passes evaluate changed queries, and one tries all bounds of the filters. Each takes
  half to twice the time of the query, and before each Spark plans for 0.1 to 0.5 s.
- *Rows without partners* (Q13, Q13F). A join that may be relaxed becomes a full outer join. After it, Spark shuffles
  again for the counts, for the worlds of each group, and for aggregating these: six stages over many rows, and six
  more over a few.
- *Side effects of joins* (T3, D4, Q3F, Q10F). All pairs of all changed queries are built in order to be counted. This
  takes half of the default call of T3 and D4, and most of it in Q3F, where joins that a fix makes outer let in far more
  rows than the query has, each with decimals that have to be multiplied and weighed.
- *Many small steps* (Q10F). Several stages over a few rows follow the scans.

The other scenarios were not profiled.
"""
