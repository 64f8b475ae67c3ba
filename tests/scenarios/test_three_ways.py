"""The nested queries of TPC-H with a path, with a star and with single fields: the same operators are blamed."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

from sparkwhy import Answer, Explanation, why_not
from sparkwhy.scenarios import SCENARIOS
from sparkwhy.scenarios.data.tables import GeneratedTables
from sparkwhy.scenarios.scenario import Scenario, Tables
from tests.sessions import uncompiled

EXPLODE = '.withColumn("item", F.explode("o_lineitems"))'
FIELDS = (
    *("l_orderkey", "l_quantity", "l_extendedprice", "l_discount", "l_tax", "l_returnflag", "l_linestatus"),
    *("l_shipdate", "l_commitdate", "l_receiptdate"),
)


def orders_and_star(items: DataFrame) -> DataFrame:
    return items.select(*[name for name in items.columns if name.startswith("o_")], "item.*")


def orders_and_fields(items: DataFrame) -> DataFrame:
    fields = [f"item.{field}" for field in FIELDS]
    return items.select(*[name for name in items.columns if name.startswith("o_")], *fields)


@pytest.fixture(scope="module")
def tables(spark: SparkSession) -> Tables:
    return GeneratedTables(uncompiled(spark))


@pytest.mark.parametrize("take", [orders_and_star, orders_and_fields])
@pytest.mark.parametrize("name", ["Q1", "Q3", "Q4", "Q6", "Q10"])
def test_the_form_of_the_query_does_not_matter(
    tables: Tables, name: str, take: Callable[[DataFrame], DataFrame]
) -> None:
    scenario = SCENARIOS[name]
    expected = explanations(scenario, ask(scenario, scenario.query, tables))
    assert explanations(scenario, ask(scenario, rewritten(scenario.query, take), tables)) == expected
    assert expected


def rewritten(
    query: Callable[[Tables], DataFrame], take: Callable[[DataFrame], DataFrame]
) -> Callable[[Tables], DataFrame]:
    """The query with the fields of the items as columns."""
    source = inspect.getsource(query)
    assert EXPLODE in source
    names: dict[str, Any] = {**inspect.getmodule(query).__dict__, "take": take}
    exec(source.replace('"item.', '"').replace(EXPLODE, f"{EXPLODE}.transform(take)"), names)
    found: Callable[[Tables], DataFrame] = names["query"]
    return found


def ask(scenario: Scenario, query: Callable[[Tables], DataFrame], tables: Tables) -> Answer:
    missing, alternatives = scenario.question(tables), list(scenario.alternatives)
    return why_not(query(tables), missing, alternatives=alternatives, verify=False)


def explanations(scenario: Scenario, answer: Answer) -> list[tuple[set[int | str], dict[str, str]]]:
    """The operators in the numbers of the paper, and the alternative of each."""

    def numbers(each: Explanation) -> set[int | str]:
        return {n if isinstance(n, int) else n.replace("item.", "") for n in scenario.numbers(each)}

    return [(numbers(each), dict(each.alternative)) for each in answer.explanations]
