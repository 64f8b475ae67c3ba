"""`docs/cluster.md` says what the code does."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sparkwhy import why_not
from sparkwhy.errors import NotADataFrame
from tests.robust.bad_inputs import Foreign

ROOT = Path(__file__).resolve().parent.parent.parent
PAGE = (ROOT / "docs" / "cluster.md").read_text(encoding="utf-8")


def test_spark_connect_is_refused_in_the_words_of_the_page() -> None:
    with pytest.raises(NotADataFrame) as raised:
        why_not(Foreign(), {"id": 1})
    said = f"NotADataFrame: {raised.value}".splitlines()
    assert "\n".join(f"    {line}" for line in said) in PAGE


def test_no_setting_is_read_but_those_of_the_page() -> None:
    package = ROOT / "src" / "sparkwhy"
    left_out = {"lab", "scenarios", "cli"}  # what is not a part of a question
    sources = [path for path in package.rglob("*.py") if path.relative_to(package).parts[0] not in left_out]
    read = {name for path in sources for name in re.findall(r'conf\.get\("([\w.]+)"', path.read_text("utf-8"))}
    told = PAGE.partition("Three settings of the session are read:")[2].partition("All others")[0]
    assert read == set(re.findall(r"`(spark[\w.]+)`", told))
