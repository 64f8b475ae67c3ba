"""The page on performance says what was measured, and whether the bounds are kept."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from bench.growth import COUNTS, DEPTHS, GROWING, SIZES
from bench.measures import Costs, Measured
from bench.speed_page import Results, judged, judged_growth, write


def costs(**seconds: float) -> Costs:
    return {kind: Measured(each, jobs=1, stages=2, scans=1, read=10**6) for kind, each in seconds.items()}


def results(*, alternative: float = 0.01) -> Results:
    growth = {
        "size": {f"{n}@{s:g}": costs(query=s, explanations=s, default=20 * s * s) for n in GROWING for s in SIZES},
        "alternatives": {"Q3F": costs(query=4, **{str(n): 2 + n * alternative for n in COUNTS})},
        "operators": {str(n): costs(query=1, explanations=n) for n in DEPTHS},
        "extremes": {"a long list": costs(query=1, explanations=2, default=3)},
    }
    found = {
        "Q3": costs(query=2, plain=1, explanations=1, fixes=2, default=3, exact=4),
        "Q6": costs(query=1, plain=2, explanations=2.6, fixes=4, default=5, exact=6),
    }
    return Results(found, growth, 1, 1000, 3)


def test_bounds_are_judged_by_the_worst_and_the_median() -> None:
    assert list(judged(results().scenarios)) == [
        "explanations, selective questions: at most 1.0x, median at most 0.5x: kept (worst 0.50x, median 0.50x)",
        "explanations, unselective questions: at most 2.5x: NOT kept (worst 2.60x, median 2.60x)",
        "default call: at most 4.0x, median at most 2.5x: NOT kept (worst 5.00x, median 3.25x)",
    ]


def test_growth_is_judged_by_the_share_of_one_alternative_and_by_ten_times_the_data() -> None:
    assert list(judged_growth(results().growth)) == [
        "an added alternative: at most 5 % of the plain explanations: kept (0.5%)",
        "ten times the data, explanations: at most 10x the time: kept (worst 10.0x)",
        "ten times the data, default: at most 10x the time: NOT kept (worst 100.0x)",
    ]
    assert "NOT kept (10.0%)" in next(iter(judged_growth(results(alternative=0.2).growth)))


def test_the_page_comes_with_its_pictures(tmp_path: Path) -> None:
    (tmp_path / "img").mkdir()
    write(results(), tmp_path)
    page = (tmp_path / "performance.md").read_text()
    assert "| Q6 | 1.00 s | 2.00x | 2.60x | 4.00x | 5.00x | 6.00x |" in page
    assert "- a long list: query 1.00 s, explanations 2.00 s, default 3.00 s" in page
    pictures = sorted(each.name for each in (tmp_path / "img").iterdir())
    assert pictures == [f"performance-{name}.svg" for name in ("alternatives", "operators", "scenarios", "size")]
    assert all(name in page for name in pictures)


def test_some_scenarios_can_be_measured_again(tmp_path: Path) -> None:
    (tmp_path / "img").mkdir()
    assert Results.read(tmp_path) is None
    write(results(), tmp_path)
    again = Results.read(tmp_path)
    assert again == results()
    write(again.with_scenarios({"Q6": costs(query=1, plain=1, explanations=1, fixes=1, default=1, exact=1)}), tmp_path)
    page = (tmp_path / "performance.md").read_text()
    assert "| Q6 | 1.00 s | 1.00x |" in page
    assert "| Q3 | 2.00 s | 0.50x |" in page


def test_a_page_without_the_largest_size_is_drawn_too(tmp_path: Path) -> None:
    (tmp_path / "img").mkdir()
    known = results()
    fewer = {name: each for name, each in known.growth["size"].items() if not name.endswith(f"@{SIZES[-1]:g}")}
    write(replace(known, growth={**known.growth, "size": fewer}), tmp_path)
    assert (tmp_path / "img" / "performance-size.svg").exists()
