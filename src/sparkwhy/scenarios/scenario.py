"""What a scenario of the paper is: a query with an error, the row that it lacks, and what the paper answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeAlias

from pyspark.sql import DataFrame, Row

from sparkwhy import Explanation, Operator

Dataset = Literal["dblp", "twitter", "tpch", "crime"]
Missing: TypeAlias = Mapping[str, Any]
Numbers: TypeAlias = frozenset[int]


class Tables(Protocol):
    """DataFrames by name, and for which data the questions can be asked as they are written."""

    def __getitem__(self, name: str) -> DataFrame: ...

    def fits(self, dataset: Dataset) -> bool:
        """Return whether the constants of the questions exist in this data."""
        ...


@dataclass(frozen=True, slots=True)
class Mark:
    """How an operator of the paper is found in an answer: by its kind, and a part of its text if need be.

    The part is one that stays when the operator reads another attribute.
    """

    kind: str
    text: str = ""

    def fits(self, operator: Operator) -> bool:
        return operator.kind == self.kind and self.text in operator.text


@dataclass(frozen=True, slots=True)
class PaperAnswers:
    """What each algorithm returned, in the paper's order, as sets of the paper's operator numbers."""

    whynot: tuple[Numbers, ...]
    rp_no_alternatives: tuple[Numbers, ...]
    rp: tuple[Numbers, ...]
    conseil: tuple[Numbers, ...] | None = None


@dataclass(frozen=True)
class Scenario:
    """A query, its question, and the answers of the paper.

    `errors` tells what was planted. `gold` is the explanation that names just the planted errors, where there is one,
    and `gold_rank` its place in the paper's own answer. `elsewhere` finds the question to ask of data in which the
    constants of `missing` do not exist.
    """

    name: str
    title: str
    dataset: Dataset
    query: Callable[[Tables], DataFrame]
    missing: Missing
    alternatives: tuple[frozenset[str], ...]
    errors: tuple[str, ...]
    operators: Mapping[int, Mark]
    paper: PaperAnswers
    gold: Numbers | None = None
    gold_rank: int | None = None
    elsewhere: Callable[[Tables], Missing] | None = field(default=None, repr=False)

    def question(self, tables: Tables) -> Missing:
        """Return the missing row, as asked of this data."""
        if self.elsewhere is None or tables.fits(self.dataset):
            return self.missing
        return self.elsewhere(tables)

    def number(self, operator: Operator) -> int | str:
        """Return the paper's number of an operator, or its text if the paper has none."""
        return next((number for number, mark in self.operators.items() if mark.fits(operator)), operator.text)

    def numbers(self, explanation: Explanation) -> frozenset[int | str]:
        """Return the operators of an explanation in the paper's numbers."""
        return frozenset(self.number(operator) for operator in explanation.operators)


def operator_sets(*explanations: Iterable[int]) -> tuple[Numbers, ...]:
    """Return explanations by the numbers of their operators: `sets({2}, {1})`."""
    return tuple(frozenset(each) for each in explanations)


def first_row(found: DataFrame) -> Row:
    """Return the first row, where a question is looked for in other data."""
    row = found.first()
    if row is None or row[0] is None:
        raise LookupError("no row in this data could be asked for.")
    return row
