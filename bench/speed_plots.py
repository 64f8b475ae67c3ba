"""The pictures of docs/performance.md: the cost by scenario, by data, by alternatives, by operators."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import matplotlib

matplotlib.use("svg")
from matplotlib import pyplot
from matplotlib.axes import Axes

from bench.growth import GROWING, SIZES, Growth
from bench.measures import Costs, ratio


def draw(scenarios: Mapping[str, Costs], growth: Growth, folder: Path) -> None:
    pictures: dict[str, Callable[[Axes], None]] = {
        "scenarios": lambda axes: _by_scenario(axes, scenarios),
        "size": lambda axes: _by_size(axes, growth["size"]),
        "alternatives": lambda axes: _by_count(axes, growth["alternatives"]["Q3F"]),
        "operators": lambda axes: _by_operators(axes, growth["operators"]),
    }
    matplotlib.rcParams["svg.hashsalt"] = "sparkwhy"  # the same figures make the same file
    for name, fill in pictures.items():
        figure, axes = pyplot.subplots(figsize=(10 if name == "scenarios" else 6, 4), layout="constrained")
        fill(axes)
        axes.legend()
        axes.grid(axis="y", alpha=0.3)
        figure.savefig(folder / f"performance-{name}.svg", metadata={"Date": None})
        pyplot.close(figure)


def _by_scenario(axes: Axes, found: Mapping[str, Costs]) -> None:
    kinds = ("plain", "explanations", "default")
    for at, kind in enumerate(kinds):
        places = [i + (at - 1) * 0.27 for i in range(len(found))]
        axes.bar(places, [ratio(each, kind) for each in found.values()], width=0.27, label=kind)
    axes.axhline(1, color="black", linewidth=0.8)
    axes.set_yscale("log")
    axes.set_xticks(range(len(found)), list(found), rotation=60)
    axes.set_ylabel("time, as a ratio to the query")


def _by_size(axes: Axes, found: Mapping[str, Costs]) -> None:
    for name in GROWING:
        sizes = [size for size in SIZES if f"{name}@{size:g}" in found]  # a run may have been ended before the last
        for kind, style in (("query", ":"), ("explanations", "-"), ("default", "--")):
            seconds = [found[f"{name}@{size:g}"][kind].seconds for size in sizes]
            axes.plot(sizes, seconds, style, marker="o", label=f"{name} {kind}")
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("scale factor of TPC-H")
    axes.set_ylabel("seconds")


def _by_count(axes: Axes, found: Costs) -> None:
    counts = [kind for kind in found if kind != "query"]
    axes.plot(
        [int(kind) for kind in counts], [found[kind].seconds for kind in counts], marker="o", label="explanations"
    )
    axes.axhline(found["query"].seconds, color="black", linestyle=":", label="query")
    axes.set_ylim(bottom=0)
    axes.set_xlabel("alternatives of Q3F")
    axes.set_ylabel("seconds")


def _by_operators(axes: Axes, found: Mapping[str, Costs]) -> None:
    for kind in ("query", "explanations"):
        axes.plot([int(n) for n in found], [each[kind].seconds for each in found.values()], marker="o", label=kind)
    axes.set_ylim(bottom=0)
    axes.set_xlabel("operators")
    axes.set_ylabel("seconds")
