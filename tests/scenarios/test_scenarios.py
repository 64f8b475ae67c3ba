"""The paper's scenarios: every query runs, every question can be asked, and the answers are what is written here."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from sparkwhy import why_not
from sparkwhy.scenarios import SCENARIOS
from sparkwhy.scenarios.data.dblp_slice import DblpSlice, missing_files
from sparkwhy.scenarios.data.tables import GeneratedTables
from sparkwhy.scenarios.scenario import Scenario, Tables
from tests.sessions import uncompiled

Found = set[frozenset[int | str]]

BEYOND_THE_PAPER: dict[str, Found] = {
    # an outer join lets the author through as well
    "D4": {frozenset({"join on _key = crf"})},
    # a tweet about UEFA has the hashtag and no country: the count of 0 is all that is wrong
    "T4": {frozenset({20})},
    # outer joins below which the filters stand
    "Q3F": {
        frozenset({27, "join on c_custkey = o_custkey"}),
        frozenset({27, "join on o_orderkey = l_orderkey"}),
    },
    # the customer has items with return flag A in other quarters
    "Q10": {frozenset({36})},
    "Q10F": {frozenset({36}), frozenset({36, "join on o_orderkey = l_orderkey"})},
    # somebody else saw a person with that hair: only the join keeps the pair apart
    "C3": {frozenset({5})},
    # a witness who is not in the table has no sector: the next join fails too
    "C1": {frozenset({1, 2, "join on sector"})},
    # outer joins let the person through as well
    "C2": {
        frozenset({"join on name = witness"}),
        frozenset({"join on hair, clothes"}),
    },
}
"""Explanations without alternatives that the paper does not list."""

NOT_FOUND: dict[str, Found] = {
    "C1": {frozenset({1, 2})},
}
"""Explanations without alternatives that the paper lists, and that are none: see above."""

REAL_DBLP = Path(os.environ.get("SPARKWHY_DBLP", Path(__file__).parents[3] / "shared" / "data" / "dblp"))


@pytest.fixture(scope="module")
def session(spark: SparkSession) -> SparkSession:
    return uncompiled(spark)


@pytest.fixture(scope="module")
def tables(session: SparkSession) -> Tables:
    return GeneratedTables(session)


@pytest.fixture(scope="module")
def real(session: SparkSession) -> Tables:
    if missing_files(REAL_DBLP):
        pytest.skip("no real records of DBLP here")
    return DblpSlice(session, REAL_DBLP)


def answers(scenario: Scenario, tables: Tables) -> Found:
    answer = why_not(scenario.query(tables), scenario.question(tables), verify=False)
    assert answer.outcome != "not_missing"
    return {scenario.numbers(explanation) for explanation in answer.explanations}


def test_there_are_25_scenarios_and_one_of_them_again():
    assert len(SCENARIOS) == 25 + 1
    assert [name for name in SCENARIOS if name.startswith("Q")][:6] == ["Q1", "Q3", "Q4", "Q6", "Q10", "Q13"]
    assert all(name == scenario.name for name, scenario in SCENARIOS.items())


@pytest.mark.parametrize("scenario", SCENARIOS.values(), ids=SCENARIOS)
def test_what_the_paper_says_fits_together(scenario: Scenario):
    paper = scenario.paper
    listed = {*paper.whynot, *(paper.conseil or ()), *paper.rp_no_alternatives, *paper.rp}
    assert set().union(*listed) == set(scenario.operators)
    assert set(paper.rp_no_alternatives) <= set(paper.rp)
    if scenario.gold is not None:
        assert paper.rp.index(scenario.gold) + 1 == scenario.gold_rank


@pytest.mark.spark
@pytest.mark.parametrize("name", SCENARIOS)
def test_explanations_without_alternatives(tables: Tables, name: str):
    scenario = SCENARIOS[name]
    paper: Found = {frozenset(each) for each in scenario.paper.rp_no_alternatives}
    assert answers(scenario, tables) == paper - NOT_FOUND.get(name, set()) | BEYOND_THE_PAPER.get(name, set())


@pytest.mark.spark
@pytest.mark.parametrize("name", ["D1", "D2", "D3", "D4", "D5"])
def test_questions_are_found_in_real_records(real: Tables, name: str):
    scenario = SCENARIOS[name]
    assert answers(scenario, real) >= set(scenario.paper.rp_no_alternatives)


@pytest.mark.spark
def test_the_same_question_is_found_again(real: Tables):
    assert SCENARIOS["D5"].question(real) == SCENARIOS["D5"].question(real)
