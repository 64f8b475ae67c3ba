"""The first screen of the README: a problem, a few lines of code, the whole answer, and a picture."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from tests.test_docs import ROOT, blocks

PAGE = (ROOT / "README.md").read_text(encoding="utf-8")
SCREEN = 50


def test_it_has_few_lines_of_code_the_answer_and_a_picture() -> None:
    first, answer, *_ = blocks(PAGE)
    assert (first.language, answer.language) == ("python", "")
    assert len([line for line in first.text.splitlines() if line]) <= 12
    before_the_picture, _, picture = PAGE.partition("](docs/img/")
    assert (ROOT / "docs" / "img" / picture.partition(")")[0]).is_file()
    assert len(before_the_picture.splitlines()) <= SCREEN
    assert answer.text in before_the_picture


def test_the_answer_is_shown_in_full(spark: SparkSession, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    first, shown, *_ = blocks(PAGE)
    file = tmp_path / "trips.py"
    assert first.title == file.name
    file.write_text(first.text, encoding="utf-8")
    names: dict[str, Any] = {}
    exec(compile(first.text, str(file), "exec"), names)
    assert capsys.readouterr().out == shown.text
    (explanation,) = names["answer"].explanations
    assert [op.text for op in explanation.operators] == ["filter year >= 2019"]
    assert explanation.operators[0].where == "trips.py:7"
    assert explanation.witnesses[0].at[2].values["year"] == 2018
