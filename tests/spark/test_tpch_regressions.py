"""Faults that the queries of TPC-H brought to light, each by the smallest query that shows it."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession

from sparkwhy.plan.exprs import conjuncts
from sparkwhy.plan.nodes import Filter
from sparkwhy.plan.show import show_expr, show_plan
from sparkwhy.plan.walk import walk
from sparkwhy.spark.classic.read.operators import read
from tests.laws import check_both

pytestmark = pytest.mark.spark


@pytest.fixture(scope="module")
def shop(spark: SparkSession) -> SparkSession:
    """A session of its own with three small tables, nulls included."""
    session = spark.newSession()
    parts = [(1, "nut"), (2, "bolt"), (3, None), (None, "saw")]
    stock = [(1, 10, 5), (1, 20, 50), (2, 10, 7), (3, None, 1), (None, 20, 9)]
    sales = [(1, 10, 4), (1, 10, 5), (1, 20, 9), (2, 10, 30), (None, 20, 1), (3, 10, None)]
    session.createDataFrame(parts, "part int, name string").createOrReplaceTempView("parts")
    session.createDataFrame(stock, "part int, shop int, n int").createOrReplaceTempView("stock")
    session.createDataFrame(sales, "part int, shop int, n int").createOrReplaceTempView("sales")
    return session


NESTED = {
    "a correlated aggregate inside IN (Q20)": """
        select * from parts where part in (
          select part from stock where n > (
            select 0.5 * sum(n) from sales where sales.part = stock.part and sales.shop = stock.shop))""",
    "EXISTS inside EXISTS": """
        select * from parts where exists (
          select * from stock where stock.part = parts.part and exists (
            select * from sales where sales.shop = stock.shop and sales.n > stock.n))""",
    "NOT EXISTS inside NOT IN": """
        select * from parts where part not in (
          select part from stock where part is not null and not exists (
            select * from sales where sales.part = stock.part and sales.n < stock.n))""",
    "IN inside a single value": """
        select * from stock where n > (
          select min(n) from sales where part in (select part from parts where name is not null))""",
    "a correlated aggregate inside a single value": """
        select * from parts where part <= (
          select max(part) from stock where n > (
            select min(n) from sales where sales.part = stock.part))""",
    "IN inside a correlated aggregate": """
        select * from parts where 1 < (
          select count(*) from stock where stock.part = parts.part and shop in (select shop from sales))""",
    "a single value in the columns over IN": """
        select name, (select max(n) from stock where part in (select part from sales)) as most from parts""",
}


@pytest.mark.parametrize("name", NESTED)
def test_a_subquery_may_have_subqueries(shop: SparkSession, name: str):
    df = shop.sql(NESTED[name])
    check_both(df)
    assert df.take(1), "a query without rows shows nothing"


def test_between_is_two_conditions_among_the_others(shop: SparkSession):
    plan = read(shop.sql("select * from stock where part = 1 and n between 5 and 60 and shop > 10"))
    (where,) = [node for node in walk(plan) if isinstance(node, Filter)]
    assert [show_expr(each) for each in conjuncts(where.condition)] == [
        "part = 1",
        "n >= 5",
        "n <= 60",
        "shop > 10",
    ]


def test_a_column_with_a_dot_in_its_name_is_not_renamed_to_itself(shop: SparkSession):
    plan = read(shop.sql("select n, `0.5 n` from (select n, 1 as x, 0.5 * n as `0.5 n` from sales)"))
    assert show_plan(plan).splitlines()[-1].split("  ")[1] == "select n, `0.5 n`"
