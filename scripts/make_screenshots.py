"""`python -m scripts.make_screenshots`: the pictures of pages in docs/img, made from answers to real questions."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from examples.running_example import MISSING, MIXED_UP, cities
from sparkwhy import Answer, why_not
from sparkwhy.scenarios import SCENARIOS
from sparkwhy.scenarios.data.tables import GeneratedTables
from tests.browser import Browser, browser

PICTURES = Path(__file__).parents[1] / "docs" / "img"

LOOKS: dict[str, dict[str, Any]] = {
    "running_example": {
        "light": {"width": 1200, "height": 800},
        "dark": {"width": 1200, "height": 800, "scheme": "dark"},
        "narrow": {"width": 400},
    },
    "q10": {"light": {"width": 1400, "height": 1300}},
    "t3": {"light": {"width": 1400, "height": 1000}},
}
"""How each answer is looked at. The height is what a window shows of a drawing without scrolling."""


def answers() -> Iterator[tuple[str, Answer]]:
    """The running example, and two scenarios of the paper on small data."""
    query = cities()
    yield "running_example", why_not(query, MISSING, alternatives=MIXED_UP, side_effects="exact")
    tables = GeneratedTables(query.sparkSession)
    for scenario in (SCENARIOS["Q10"], SCENARIOS["T3"]):
        asked = (scenario.query(tables), scenario.question(tables))
        yield scenario.name.lower(), why_not(*asked, alternatives=scenario.alternatives, side_effects="exact")


def photograph(window: Browser, name: str, page: Path) -> None:
    """All pictures of a page."""
    for look, wanted in LOOKS[name].items():
        window.look(**wanted)
        window.open(page)
        picture = PICTURES / f"{name}_{look}.png"
        picture.write_bytes(window.picture())
        print(f"docs/img/{picture.name}: {picture.stat().st_size // 1000} kB")


def main() -> None:
    PICTURES.mkdir(parents=True, exist_ok=True)
    with browser() as window, TemporaryDirectory() as folder:
        for name, answer in answers():
            page = Path(folder) / f"{name}.html"
            answer.to_html(page)
            photograph(window, name, page)


if __name__ == "__main__":
    main()
