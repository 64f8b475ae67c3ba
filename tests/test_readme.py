"""The code in the README runs, and answers what it promises."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from tests.test_docs import tells

README = Path(__file__).resolve().parent.parent / "README.md"


def test_the_examples_answer(spark: SparkSession, capsys) -> None:
    page = README.read_text(encoding="utf-8")
    first, second = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    names: dict[str, Any] = {}
    exec(compile(first, "readme.py", "exec"), names)
    (explanation,) = names["answer"].explanations
    assert [op.text for op in explanation.operators] == ["filter year >= 2019"]
    assert explanation.operators[0].where == "readme.py:6"
    assert explanation.witnesses[0]["at"][2]["values"]["year"] == "2018"
    assert "filter year >= 2019" in capsys.readouterr().out
    exec(compile(second, "readme.py", "exec"), names)
    (shown,) = re.findall(r"```\n\n```\n(.*?)```", page, re.DOTALL)
    assert tells(capsys.readouterr().out, shown)
