"""The rules of the house: how names, imports and words look everywhere in the source.

A rule computes its offenders from the source. Those that are known are listed in `house/offenders.toml`. A new one
fails, and so does a listed one that is gone: the lists only get shorter. `python -m tests.test_house` takes off what
is gone. Offenders are listed by package, so that code can move inside of one.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import get_args

import pytest

from sparkwhy.limits import Limits
from sparkwhy.plan.nodes import Plan
from tests.house.rules import (
    BANNED_WORDS,
    EXAMPLE_FILES,
    EXCEPTIONS,
    KNOW_OPERATORS,
    NOT_IMPERATIVE,
    NOT_VERBS,
    PARSING,
    PARSING_ALLOWED,
    SAME_NAME,
)

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src" / "sparkwhy"
OPERATORS = {operator.__name__ for operator in get_args(Plan)}
LISTS = Path(__file__).resolve().parent / "house" / "offenders.toml"

FunctionOrClass = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


@cache
def modules() -> Mapping[str, ast.Module]:
    """Return the syntax tree of each module, by its path below `src/sparkwhy`."""
    return {
        path.relative_to(SOURCE).as_posix(): ast.parse(path.read_text(encoding="utf-8"))
        for path in sorted(SOURCE.rglob("*.py"))
    }


def functions(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def package_of(module: str) -> str:
    """Return the package or top-level module: `trace/rules/join.py` is in `trace`."""
    return module.split("/")[0]


# --- names ---


def names_defined_twice() -> Iterator[str]:
    """Public functions and classes with one name in several modules."""
    places: dict[str, list[str]] = defaultdict(list)
    for module, tree in modules().items():
        for node in tree.body:
            if isinstance(node, FunctionOrClass) and not node.name.startswith("_"):
                places[node.name].append(module)
    for name, found in places.items():
        if len(found) > 1 and not (name in SAME_NAME and all(map(SAME_NAME[name].match, found))):
            yield f"{name}: {', '.join(found)}"


def names_without_a_verb() -> Iterator[str]:
    """Functions and methods whose first word is a participle or a preposition; `nested_orders` is a noun."""
    for module, tree in modules().items():
        for node in functions(tree):
            name = node.name.strip("_")
            first, *rest = name.split("_")
            is_participle = len(first) > 4 and first.endswith("ed") and (not rest or rest[0] in NOT_VERBS)
            if (first in NOT_VERBS or is_participle) and name not in EXCEPTIONS:
                yield f"{package_of(module)}: {node.name}"


# --- imports ---


def crowded_drivers() -> Iterator[str]:
    """A driver that imports more than 20 modules of the package, and an `api.py` of 120 lines or more."""
    for module in ("api.py", "pipeline.py"):
        tree = modules().get(module)
        imported = {
            node.module
            for node in (ast.walk(tree) if tree is not None else ())
            if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("sparkwhy.")
        }
        if len(imported) > 20:
            yield f"{module}: imports more than 20 modules"
    if len((SOURCE / "api.py").read_text(encoding="utf-8").splitlines()) >= 120:
        yield "api.py: 120 lines or more"


# --- printed text is not parsed ---


def parsed_sentences() -> Iterator[str]:
    """Calls that take text apart, in the packages that print: meaning must not be read back from words."""
    for module, tree in modules().items():
        if package_of(module) in ("explain", "evidence", "fix", "report"):
            for node in functions(tree):
                place = f"{package_of(module)}: {node.name}"
                if place not in PARSING_ALLOWED and any(map(_takes_text_apart, ast.walk(node))):
                    yield place


def _takes_text_apart(node: ast.AST) -> bool:
    match node:
        case ast.Call(func=ast.Attribute(attr="replace"), args=[_, _, *_]):  # `str.replace`, not that of dataclasses
            return True
        case ast.Call(func=ast.Attribute(attr=name)):
            return name in PARSING
        case _:
            return False


# --- words ---


def banned_words() -> Iterator[str]:
    """Docstrings, comments and messages of the source, and pages of the documentation, with words that say little."""
    for module in modules():
        yield from _banned_in(package_of(module), "\n".join(_prose((SOURCE / module).read_text(encoding="utf-8"))))
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
        yield from _banned_in(page.relative_to(ROOT).as_posix(), page.read_text(encoding="utf-8"))


def _banned_in(place: str, text: str) -> Iterator[str]:
    for word in BANNED_WORDS:
        if re.search(rf"\b{word}\b", text, re.IGNORECASE):
            yield f"{place}: {word}"


def _prose(text: str) -> Iterator[str]:
    """Yield the strings and comments of a module."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
            yield node.value
    yield from re.findall(r"  # .*$|^\s*# .*$", text, re.MULTILINE)


# --- documentation ---


def missing_files() -> Iterator[str]:
    """Files and folders that a page names and that are not there: `trace/relax.py`, `tests/trace/plans.py`."""
    for page in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        for name in re.findall(r"`((?:[a-z_]+/)+(?:[a-z_]+\.py)?)`", page.read_text(encoding="utf-8")):
            if name not in EXAMPLE_FILES and not any(
                (place / name).exists() for place in (SOURCE, SOURCE.parent, ROOT)
            ):
                yield f"{page.relative_to(ROOT).as_posix()}: {name}"


# --- facts about operators ---


def lists_of_operators() -> Iterator[str]:
    """Operators listed in an `isinstance` or a type: a new one is forgotten there. Ask a trait of `plan/traits.py`."""
    for module, tree in _modules_that_ask_traits():
        for found in map(_listed_operators, ast.walk(tree)):
            if len(found) > 1:
                yield f"{module}: {' | '.join(sorted(found))}"


def _listed_operators(node: ast.AST) -> set[str]:
    match node:
        case ast.Call(func=ast.Name("isinstance"), args=[_, classes]):
            return _operators_in(classes)
        case ast.Assign(value=value) | ast.AnnAssign(value=ast.expr() as value):
            return _operators_in(value)
        case _:
            return set()


def compared_join_types() -> Iterator[str]:
    """Join types compared by name: a new type is forgotten there. Ask `join.traits` (`plan/join_types.py`)."""
    for module, tree in _modules_that_ask_traits():
        yield from (f"{module}: {ast.unparse(node)}" for node in ast.walk(tree) if _compares_join_type(node))


def _compares_join_type(node: ast.AST) -> bool:
    match node:
        case ast.Compare(ast.Attribute(attr="how"), comparators=[ast.Constant() | ast.Tuple() | ast.Set()]):
            return True
        case _:
            return False


def _modules_that_ask_traits() -> Iterator[tuple[str, ast.Module]]:
    return ((module, tree) for module, tree in modules().items() if not module.startswith(KNOW_OPERATORS))


def _operators_in(node: ast.expr) -> set[str]:
    """Return the classes of operators in `A`, `A | B` or `(A, B)`."""
    match node:
        case ast.Name(name):
            return {name} & OPERATORS
        case ast.BinOp(left, ast.BitOr(), right):
            return _operators_in(left) | _operators_in(right)
        case ast.Tuple(elements):
            return {name for each in elements for name in _operators_in(each)}
        case _:
            return set()


# --- rules of tracing ---


def rules_without_a_sketch() -> Iterator[str]:
    """Files of `trace/rules` with no before/after sketch in a docstring, or without a golden file."""
    for module, tree in modules().items():
        if module.startswith("trace/rules/") and not module.endswith("__init__.py"):
            texts = [ast.get_docstring(tree) or "", *(ast.get_docstring(node) or "" for node in functions(tree))]
            if not any(re.search(r"\bbefore\b.*\bafter\b", text, re.IGNORECASE | re.DOTALL) for text in texts):
                yield f"{module}: no sketch"
            if not (ROOT / "tests" / "golden" / "trace" / f"{Path(module).stem}.txt").exists():
                yield f"{module}: no golden file"


# --- docstrings ---


def docstrings_without_a_verb() -> Iterator[str]:
    """Functions whose docstring begins with a noun: `The rows` instead of `Return the rows`. Properties are nouns."""
    for module, tree in modules().items():
        for node in functions(tree):
            first = (ast.get_docstring(node) or "").partition(" ")[0].strip(".,;:")
            is_property = any("property" in ast.unparse(each) for each in node.decorator_list)
            if first in NOT_IMPERATIVE and not is_property:
                yield f"{package_of(module)}: {node.name}"


# --- limits ---


def unused_limits() -> Iterator[str]:
    """Fields of `Limits` that no module reads: a limit that is set must have an effect."""
    read = {
        node.attr
        for module, tree in modules().items()
        if module != "limits.py"
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and ast.unparse(node.value).lower().endswith("limits")
    }
    yield from (field.name for field in fields(Limits) if field.name not in read)


RULES: tuple[Callable[[], Iterator[str]], ...] = (
    names_defined_twice,
    names_without_a_verb,
    crowded_drivers,
    parsed_sentences,
    banned_words,
    lists_of_operators,
    compared_join_types,
    missing_files,
    rules_without_a_sketch,
    docstrings_without_a_verb,
    unused_limits,
)


def known_offenders(rule: str) -> set[str]:
    """Return the lines of a section of the list: `[section]`, then one quoted offender a line."""
    sections = re.split(r"^\[(\w+)\]$", LISTS.read_text(encoding="utf-8"), flags=re.MULTILINE)
    found = dict(zip(sections[1::2], sections[2::2], strict=True))
    return set(re.findall(r'^  "(.*)",$', found.get(rule, ""), re.MULTILINE))


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_rule(rule: Callable[[], Iterator[str]]) -> None:
    found, known = set(rule()), known_offenders(rule.__name__)
    assert found - known == set(), f"new offenders against: {rule.__doc__}"
    assert known - found == set(), "these are gone: run `python -m tests.test_house` to take them off the list"


def _shorten_lists() -> None:
    """Write the lists without the offenders that are gone. New ones are not added: they are to be mended."""
    lines = ["# Known offenders against the rules of tests/test_house.py. The lists only get shorter."]
    for rule in RULES:
        left = sorted(set(rule()) & known_offenders(rule.__name__))
        lines += ["", f"[{rule.__name__}]", "offenders = [", *(f'  "{each}",' for each in left), "]"]
    LISTS.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    _shorten_lists()
