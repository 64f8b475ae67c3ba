"""The documentation is true: pages made from code are up to date, and what they say is what the code does."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from examples import running_example
from sparkwhy.spark import read
from sparkwhy.spark.support import OPERATORS

ROOT = Path(__file__).resolve().parent.parent


def test_generated_pages_are_up_to_date() -> None:
    made = subprocess.run(
        [sys.executable, "scripts/make_docs.py", "--check"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert made.returncode == 0, made.stdout + made.stderr


def test_every_operator_that_is_read_is_documented() -> None:
    documented = {node for operator in OPERATORS for node in operator.catalyst}
    transparent = {name for name, reader in read.NODES.items() if reader in read.PASSED_THROUGH}
    assert documented == set(read.NODES) - transparent


def tells(printed: str, block: str) -> bool:
    """Whether the lines of a block are printed in this order; a page may leave out what it is not about."""
    lines = iter(printed.splitlines())
    return all(line in lines for line in block.strip("\n").splitlines())


def test_how_it_works_shows_what_the_demo_prints(spark: SparkSession, capsys: pytest.CaptureFixture[str]) -> None:
    running_example.main()
    printed = capsys.readouterr().out
    page = (ROOT / "docs" / "how-it-works.md").read_text(encoding="utf-8")
    blocks = [block for block in page.split("```")[1::2] if not block.startswith("python")]
    assert len(blocks) == 4
    for block in blocks:
        assert tells(printed, block)


def test_the_page_on_alternatives_shows_what_its_code_prints(
    spark: SparkSession, capsys: pytest.CaptureFixture[str]
) -> None:
    page = (ROOT / "docs" / "alternatives.md").read_text(encoding="utf-8")
    code = re.findall(r"^```python\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    names: dict[str, Any] = {}
    for number, part in enumerate(code):
        exec(compile(part, f"part{number}.py", "exec"), names)
    printed = re.sub(r" +part\d\.py:\d+$", "", capsys.readouterr().out, flags=re.MULTILINE)
    shown = re.findall(r"^```\n( 1\. .*?)^```$", page, re.DOTALL | re.MULTILINE)
    assert len(shown) == len(code)
    for block in shown:
        assert tells(printed, block)
