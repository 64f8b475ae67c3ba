"""Evaluation beside golden files: a query, as written and with each of its droppers relaxed, evaluated in one pass.

Query 0 is the query as written. `present` has a bit for each query that has the row. Each case is also run by the law:
the rows of a query are those of the plan with its droppers relaxed.
"""

from __future__ import annotations

import pytest

from sparkwhy.memory.interpreter import run
from sparkwhy.plan.nodes import Plan
from sparkwhy.plan.show_nodes import number_names, show_nodes
from sparkwhy.trace.blame import Dropper
from sparkwhy.trace.evaluate import EvaluatedQueries, evaluate
from sparkwhy.trace.relax import relax
from tests.golden_files import CheckGolden, align, check_no_other, show_cell
from tests.trace.test_evaluate import present_rows
from tests.trace.test_golden import CASES, TABLES
from tests.trace.test_law import bag, droppers


@pytest.mark.parametrize("name", CASES)
def test_evaluate(name: str, check_golden: CheckGolden) -> None:
    plan = CASES[name]()
    relaxed: list[frozenset[Dropper]] = [frozenset(), *(frozenset({each}) for each in droppers(plan))]
    evaluated = evaluate([plan] * len(relaxed), relaxed)
    check_rows(plan, evaluated, relaxed)
    names = number_names((plan, evaluated.rows.plan))
    queries = (f"{i}: {' '.join(_show(each) for each in known) or 'none'}" for i, known in enumerate(relaxed))
    sections = {
        "plan": show_nodes(plan, names),
        "relaxed in each query": "\n".join(queries),
        "evaluated plan": show_nodes(evaluated.rows.plan, names),
        "rows": show_present_rows(evaluated),
    }
    check_golden(f"evaluate/{name}.txt", sections)


def check_rows(plan: Plan, evaluated: EvaluatedQueries, relaxed: list[frozenset[Dropper]]) -> None:
    rows = run(evaluated.rows.plan, TABLES)
    for i, known in enumerate(relaxed):
        assert bag(present_rows(evaluated, rows, i), plan) == bag(run(relax(plan, known), TABLES), plan)


def _show(dropper: Dropper) -> str:
    return str(dropper.op) if dropper.side is None else f"{dropper.op} {dropper.side}"


def show_present_rows(evaluated: EvaluatedQueries) -> str:
    """Return the rows with the set of the queries that have them, as binary."""
    rows = evaluated.rows
    places = {attribute: i for i, attribute in enumerate(rows.plan.output)}
    columns = [(a.name, places[a]) for a in evaluated.plans[0].output]
    lines = []
    for row in run(rows.plan, TABLES):
        present = rows.query_mask if rows.present is None else row[places[rows.present]]
        lines.append([*(show_cell(row[at]) for _, at in columns), f"{present:#b}"])
    return align([[*(name for name, _ in columns), "present"], *sorted(lines)])


def test_every_golden_file_has_a_test() -> None:
    check_no_other("evaluate", CASES)
