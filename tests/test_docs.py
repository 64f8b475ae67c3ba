"""The documentation is true: pages made from code are up to date, and what they say is what the code does."""

from __future__ import annotations

import doctest
import inspect
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from pyspark.sql import SparkSession

import sparkwhy
from examples import running_example
from scripts.site_hooks import as_page
from sparkwhy.alternatives.enumerate import alternatives_of
from sparkwhy.cli.demo import cities
from sparkwhy.cli.main import main
from sparkwhy.lab.tables import tables_of
from sparkwhy.memory.interpreter import run
from sparkwhy.plan.nodes import OpId, Plan
from sparkwhy.plan.show import show_expr, show_op
from sparkwhy.plan.walk import walk
from sparkwhy.question.bind import bind
from sparkwhy.question.match import conditions
from sparkwhy.question.pattern import ANY, to_pattern
from sparkwhy.spark.classic.read import operators as read
from sparkwhy.spark.support import OPERATORS
from sparkwhy.trace.trace import TracedQuery, trace

ROOT = Path(__file__).resolve().parent.parent


def test_generated_pages_are_up_to_date() -> None:
    made = subprocess.run(
        [sys.executable, "-m", "scripts.make_docs", "--check"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert made.returncode == 0, made.stdout + made.stderr


def test_every_operator_that_is_read_is_documented() -> None:
    documented = {node for operator in OPERATORS for node in operator.catalyst}
    transparent = {name for name, reader in read.NODES.items() if reader in read.PASSED_THROUGH}
    assert documented == set(read.NODES) - transparent


@pytest.mark.parametrize("page", ["quality.md", "reproduction.md"])
def test_pages_that_take_hours_to_make_tell_operators_in_the_words_of_answers(page: str) -> None:
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    assert (
        re.findall(
            r"(?:^\d+  |-> |[{,;:] )((?:project|(?:outer )?flatten) [\w*].*)", _without_titles(text), re.MULTILINE
        )
        == []
    )


def _without_titles(page: str) -> str:
    """Titles are the paper's."""
    return re.sub(r"^#.*$", "", page, flags=re.MULTILINE)


# --- code on pages ---

ELSEWHERE = {"cookbook.md", "how-it-works.md"}
"""Pages whose code is checked in another way: by `test_causes.py`, and below."""

WITH_CODE = [page for page in sorted((ROOT / "docs").glob("*.md")) if "```python" in page.read_text(encoding="utf-8")]
PAGES = ["README.md", *(f"docs/{page.name}" for page in WITH_CODE if page.name not in ELSEWHERE)]


class Block(NamedTuple):
    """A fenced block of a page: `title` is the file that it would be."""

    language: str
    title: str | None
    text: str


def blocks(page: str) -> list[Block]:
    found = re.findall(r'^```(\w*)(?: title="(.*?)")?\n(.*?)^```$', page, re.DOTALL | re.MULTILINE)
    return [Block(language, title or None, text) for language, title, text in found]


def tells(printed: str, block: str) -> bool:
    """Whether the lines of a block are printed in this order; a page may leave out what it is not about.

    A page may also leave out the place of an operator.
    """
    lines = iter(printed.splitlines())
    return all(any(line in (each, re.sub(r" +\S+:\d+$", "", each)) for each in lines) for line in shown(block))


def shown(block: str) -> list[str]:
    return [line for line in block.splitlines() if line.strip()]


@pytest.mark.parametrize("page", PAGES)
def test_the_code_on_a_page_prints_what_the_page_shows(
    spark: SparkSession, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, page: str
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "people.csv").write_text("name,age\nAnn,30\nBob,20\n")
    names: dict[str, Any] = {}
    printed = ""
    for number, block in enumerate(blocks((ROOT / page).read_text(encoding="utf-8"))):
        if block.language == "python":
            file = tmp_path / (block.title or f"part{number}.py")
            file.write_text(block.text, encoding="utf-8")  # so that a fix can show the line
            exec(compile(block.text, str(file), "exec"), names)
        elif block.language == "sh":
            assert [main(command) for command in commands(block.text)] == [0] * len(shown(block.text))
        else:
            assert block.language == ""
            assert tells(printed, block.text), f"shown:\n{block.text}\nprinted:\n{printed}"
        printed = capsys.readouterr().out if block.language else printed


def commands(text: str) -> Iterator[list[str]]:
    """The arguments of each line, which begins with `sparkwhy`."""
    for line in shown(text):
        program, *arguments = shlex.split(line)
        assert program == "sparkwhy"
        yield arguments


def test_pages_with_code_are_found() -> None:
    assert {"README.md", "docs/alternatives.md", "docs/cli.md", "docs/questions.md", "docs/reading.md"} < set(PAGES)
    assert {page.name for page in WITH_CODE} > ELSEWHERE


# --- how it works ---


@pytest.fixture(scope="module")
def how_it_works() -> str:
    return (ROOT / "docs" / "how-it-works.md").read_text(encoding="utf-8")


def test_how_it_works_shows_what_the_demo_prints(
    spark: SparkSession, capsys: pytest.CaptureFixture[str], how_it_works: str
) -> None:
    running_example.main()
    printed = capsys.readouterr().out
    code, *texts = blocks(how_it_works)
    assert tells(
        inspect.cleandoc(inspect.getsource(running_example.cities).partition("\n")[2]), code.text.partition("\n")[2]
    )
    assert len(texts) == 4
    for block in texts:
        assert tells(printed, block.text)


class Stages:
    """The query of the demo, and what becomes of its rows at each operator."""

    def __init__(self, spark: SparkSession) -> None:
        self.plan = read.read(cities(spark))
        self.other = alternatives_of(self.plan, [{"address1", "address2"}]).found[1].plan
        self.tables = tables_of(spark, self.plan)
        pattern = to_pattern({"city": "NY", "nList": [ANY, ...]})
        self.wanted = trace(self.plan, conditions(bind(pattern, self.plan.output, timezone="UTC"))).wanted[0]

    def after(self, op: Plan, columns: list[str], *, alternatives: bool) -> list[list[str]]:
        """The rows after an operator, as the page would show them."""
        others = [at(self.other, op.id)] if alternatives else []
        traced = trace(op, self.wanted[op.id], alternatives=others)
        output = [attribute.name for attribute in traced.rows.plan.output]
        rows = [dict(zip(output, row, strict=True)) for row in run(traced.rows.plan, self.tables)]
        mark = traced.rows.blame  # None: no row blames anybody
        return [[*(cell(row[c]) for c in columns), blamed(traced, op, row[mark.name] if mark else 0)] for row in rows]


def at(plan: Plan, id: OpId) -> Plan:
    return next(node for node in walk(plan) if node.id == id)


def cell(value: object) -> str:
    """Lists of names as [Sue], structs as (NY, 2018)."""
    if not isinstance(value, tuple):
        return str(value)
    inner = ", ".join(map(str, value))
    return f"({inner})" if any(isinstance(each, int) for each in value) else f"[{inner}]"


def blamed(traced: TracedQuery, op: Plan, blame: int) -> str:
    gates = [f"variant {i}" for i in range(traced.bits.variant_bits.bit_length()) if blame >> i & 1]
    droppers = [at(op, dropper.op).kind for dropper in traced.bits.droppers(blame)]
    return "{" + ", ".join([*gates, *droppers]) + "}" if gates or droppers else ""


def tables_in(page: str) -> list[list[list[str]]]:
    """The tables of a page: their rows, the header first."""
    found = re.findall(r"(?:^\|.*\|\n)+", page, re.MULTILINE)
    return [[row_of(line) for line in table.splitlines() if not line.startswith("|--")] for table in found]


def row_of(line: str) -> list[str]:
    return [each.strip() for each in line.strip("|").split("|")]


def test_the_annotated_tables_are_those_of_the_tracing(spark: SparkSession, how_it_works: str) -> None:
    stages = Stages(spark)
    annotated = [table for table in tables_in(how_it_works) if table[0][-1] == "blame"]
    _, flatten, filter_, project, nest = sorted(walk(stages.plan), key=lambda node: node.id.step)
    told = [(op, False) for op in (flatten, filter_, project, nest)] + [(op, True) for op in (flatten, filter_, nest)]
    assert len(annotated) == len(told)
    for (op, alternatives), (header, *rows) in zip(told, annotated, strict=True):
        expected = stages.after(op, header[:-1], alternatives=alternatives)
        assert sorted(rows) == sorted(expected), show_op(op)


def test_what_is_wanted_of_each_operator_is_as_shown(spark: SparkSession, how_it_works: str) -> None:
    stages = Stages(spark)
    (table,) = [table for table in tables_in(how_it_works) if table[0] == ["operator", "wanted"]]
    found = {show_op(node): stages.wanted[node.id] for node in walk(stages.plan)}
    expected = {text: " and ".join(f"`{show_expr(each)}`" for each in wanted) for text, wanted in found.items()}
    assert [(operator, expected[operator]) for operator, _ in table[1:]] == [
        (operator, wanted) for operator, wanted in table[1:]
    ]
    assert len(table) - 1 == len(expected)


# --- the site and the API ---


def test_the_site_is_built_without_a_warning_and_fetches_nothing(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path)]
    built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    assert "WARNING" not in built.stderr
    pages = {path.name: path.read_text(encoding="utf-8") for path in tmp_path.glob("*.html")}
    assert {"index.html", "cookbook.html", "api.html", "how-it-works.html"} <= set(pages)
    for name, text in pages.items():
        assert not re.search(r"<(?:script|img|iframe)[^>]*src=\"(?:https?:)?//", text), name
        assert not re.search(
            r"<link[^>]*href=\"(?:https?:)?//[^>]*stylesheet|stylesheet[^>]*href=\"(?:https?:)?//", text
        ), name
    for public in sparkwhy.__all__:
        assert f'id="sparkwhy.{public}"' in pages["api.html"], public


def test_the_readme_becomes_the_first_page() -> None:
    assert as_page("[limits](docs/limits.md), [LICENSE](LICENSE), [x](https://x.org)") == (
        "[limits](limits.md), LICENSE, [x](https://x.org)"
    )


@pytest.mark.parametrize("name", [name for name in sparkwhy.__all__ if name != "ANY"])
def test_every_public_name_has_a_docstring_with_an_example(name: str) -> None:
    written = inspect.getdoc(getattr(sparkwhy, name)) or ""
    assert ">>>" in written or name in re.findall(r"`[^`]*?(\w+)\(", written) or "For example `" in written


def test_the_example_of_why_not_runs(spark: SparkSession) -> None:
    finder = doctest.DocTestFinder(recurse=False)
    (example,) = finder.find(sparkwhy.why_not, "why_not", globs={"spark": spark, "why_not": sparkwhy.why_not})
    assert len(example.examples) == 4
    assert doctest.DocTestRunner().run(example).failed == 0
