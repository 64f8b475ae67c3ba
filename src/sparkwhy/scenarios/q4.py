"""Q4: orders by priority with an item that came late. Medium priority is missing, and should be rarer than it might be.

Both priorities are strings in the data, so that one can stand for the other.
"""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from sparkwhy import lt
from sparkwhy.scenarios.scenario import Mark, Missing, PaperAnswers, Scenario, Tables, first_row, operator_sets
from sparkwhy.scenarios.tpch_groups import NESTED, PRIORITIES, dates


def query(tables: Tables) -> DataFrame:
    late = (
        tables["nested_orders"]
        .withColumn("item", F.explode("o_lineitems"))
        .filter(F.col("item.l_shipdate") < F.col("item.l_receiptdate"))
        .groupBy("item.l_orderkey")
        .agg(F.count("*").alias("cnt"))
    )
    orders = tables["nested_orders"].filter(F.col("o_orderdate").between("1993-07-01", "1993-09-30"))
    return (
        orders.join(late, F.col("o_orderkey") == F.col("l_orderkey"))
        .groupBy("o_shippriority")
        .agg(F.count("o_orderkey").alias("order_count"))
    )


def elsewhere(tables: Tables) -> Missing:
    """Fewer than halfway between the counts with the date as written and with the right one."""
    orders = tables["orders"].filter("o_orderdate between date '1993-07-01' and date '1993-09-30'")
    medium = orders.filter("o_orderpriority = '3-MEDIUM'")
    items = tables["lineitem"].join(medium, F.col("l_orderkey") == F.col("o_orderkey"))
    counts = items.agg(
        F.expr("count(distinct if(l_shipdate < l_receiptdate, l_orderkey, null))").alias("written"),
        F.expr("count(distinct if(l_commitdate < l_receiptdate, l_orderkey, null))").alias("right"),
    )
    written, right = first_row(counts)
    return {"o_shippriority": "3-MEDIUM", "order_count": lt((written + right) // 2)}


Q4 = Scenario(
    name="Q4",
    title="TPC-H query 4 with a modified selection and aggregation",
    dataset="tpch",
    query=query,
    missing={"o_shippriority": "3-MEDIUM", "order_count": lt(11000)},
    alternatives=(dates(NESTED), PRIORITIES),
    errors=("the ship date is compared, not the commit date", "the orders are counted by the wrong priority"),
    operators={
        28: Mark("filter", " < "),
        29: Mark("filter", "o_orderdate"),
        30: Mark("aggregate", "order_count"),
    },
    paper=PaperAnswers(whynot=(), rp_no_alternatives=(), rp=operator_sets({30}, {29, 30}, {28, 30}, {28, 29, 30})),
    gold=frozenset({28, 30}),
    gold_rank=3,
    elsewhere=elsewhere,
)
