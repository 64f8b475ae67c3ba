"""The example notebook, run from the first cell to the last, and its answers as a browser shows them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

from sparkwhy.report.answer import Answer
from tests.browser import Browser
from tests.report.answers import filtered, full
from tests.sessions import SUBMIT_QUICKLY

NOTEBOOK = Path(__file__).parents[2] / "examples" / "notebook.ipynb"


def read() -> Any:
    return nbformat.read(NOTEBOOK, as_version=4)


@pytest.fixture(scope="module")
def outputs() -> list[Any]:
    """All outputs of the notebook, in order."""
    notebook = read()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYSPARK_SUBMIT_ARGS", SUBMIT_QUICKLY)
        NotebookClient(notebook, timeout=240, kernel_name="python3").execute()
    return [output for cell in notebook.cells for output in cell.get("outputs", ())]


def test_no_outputs_are_kept_in_the_repository() -> None:
    cells = [cell for cell in read().cells if cell.cell_type == "code"]
    assert [(cell.outputs, cell.execution_count) for cell in cells] == [([], None)] * len(cells)


def test_the_notebook_shows_what_it_says(outputs: list[Any]) -> None:
    table, cleo, for_programs, dan, ada = [each for each in outputs if each.get("name") != "stderr"]
    assert "| Ada|Bonn|  240|" in table.text
    assert "Cleo" not in table.text
    assert "filter order.state = 'delivered'" in cleo.data["text/plain"]
    assert "would give name = Cleo, city = Kiel, total = " in cleo.data["text/plain"]
    assert for_programs.text.startswith("filter order.state = 'delivered'\nfilter order.state in ('delivered', '")
    assert for_programs.text.endswith("')\nTrue\n")
    assert "orders is empty, which makes no row" in dan.data["text/plain"]
    assert ada.text == "not_missing\n"


def test_answers_are_pictures_that_do_not_disturb_each_other(
    outputs: list[Any], chromium: Browser, tmp_path: Path
) -> None:
    shown = [each.data["text/html"] for each in outputs if each.output_type == "execute_result"]
    page = tmp_path / "notebook.html"
    page.write_text("<!DOCTYPE html><meta charset='utf-8'>" + "".join(shown), encoding="utf-8")
    chromium.complaints()
    chromium.look()
    chromium.open(page)
    marked = "return [...document.querySelectorAll('.sparkwhy')].map(e => e.querySelector('.on .kind').textContent)"
    assert chromium.run(marked) == ["filter", "explode"]
    assert chromium.complaints() == []


def test_a_bundle_has_the_picture_and_the_text() -> None:
    shown: Answer = full()
    assert shown._repr_mimebundle_(include=None, exclude=None) == {
        "text/html": shown._repr_html_(),
        "text/plain": str(shown),
    }
    assert "<html" not in shown._repr_html_()
    assert filtered().operators[0].text in str(shown)
