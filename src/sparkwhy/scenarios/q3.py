"""Q3: the revenue of unshipped orders. An order is missing, of a customer of another segment.

The paper lists {25, 26, 27} as an effect of the tax in place of the discount; those stand in the projection, which it
does not number. The aggregation changes with the priority.
"""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from sparkwhy.scenarios.scenario import Mark, Missing, PaperAnswers, Scenario, Tables, first_row, operator_sets
from sparkwhy.scenarios.tpch_groups import NESTED, PRIORITIES, dates, discount_or_tax


def query(tables: Tables) -> DataFrame:
    items = tables["nested_orders"].withColumn("item", F.explode("o_lineitems"))
    return (
        tables["customer"]
        .join(items, F.col("c_custkey") == F.col("o_custkey"))
        .filter(F.col("item.l_commitdate") > "1995-03-25")
        .filter(F.col("o_orderdate") < "1995-03-15")
        .filter(F.col("c_mktsegment") == "HOUSEHOLD")
        .withColumn("disc_price", F.col("item.l_extendedprice") * (1 - F.col("item.l_discount")))
        .groupBy("item.l_orderkey", "o_orderdate", "o_shippriority")
        .agg(F.sum("disc_price").alias("revenue"))
    )


def elsewhere(tables: Tables) -> Missing:
    """Return the first order that the query without errors returns, and of which no item is committed late enough."""
    customers = tables["customer"].filter("c_mktsegment = 'BUILDING'")
    orders = tables["orders"].filter("o_orderdate < date '1995-03-15'")
    late = F.max("l_commitdate").alias("late")
    items = tables["lineitem"].groupBy("l_orderkey").agg(late).filter("late > date '1995-03-15'")
    found = (
        customers.join(orders, F.col("c_custkey") == F.col("o_custkey"))
        .join(items.filter("late <= date '1995-03-25'"), F.col("o_orderkey") == F.col("l_orderkey"))
        .agg(F.min("l_orderkey"))
    )
    return {"l_orderkey": first_row(found)[0]}


Q3 = Scenario(
    name="Q3",
    title="TPC-H query 3 with two modified selections",
    dataset="tpch",
    query=query,
    missing={"l_orderkey": 4986467},
    alternatives=(discount_or_tax(NESTED), dates(NESTED), PRIORITIES),
    errors=("the commit date is compared with another constant", "the market segment is HOUSEHOLD, not BUILDING"),
    operators={
        25: Mark("aggregate", "revenue"),
        26: Mark("filter", "c_mktsegment"),
        27: Mark("filter", "1995-03-25"),
    },
    paper=PaperAnswers(
        whynot=operator_sets({27}), rp_no_alternatives=operator_sets({26, 27}), rp=operator_sets({26, 27}, {25, 26, 27})
    ),
    gold=frozenset({26, 27}),
    gold_rank=1,
    elsewhere=elsewhere,
)
