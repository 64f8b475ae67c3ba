"""Q10: the revenue lost by returned items, by customer. A customer is missing.

The paper does not list {36}. But at scale factor 1 the customer has items with return flag A in other quarters, so that
relaxing the filter on the date alone is enough.
"""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from sparkwhy import gt
from sparkwhy.scenarios.scenario import Mark, Missing, PaperAnswers, Scenario, Tables, first_row, operator_sets
from sparkwhy.scenarios.tpch_groups import NESTED, discount_or_tax


def query(tables: Tables) -> DataFrame:
    returned = (
        tables["nested_orders"]
        .withColumn("item", F.explode("o_lineitems"))
        .filter(F.col("o_orderdate").between("1997-10-01", "1997-12-31"))
        .filter(F.col("item.l_returnflag") == "A")
    )
    return (
        tables["customer"]
        .join(returned, F.col("c_custkey") == F.col("o_custkey"))
        .join(tables["nation"], F.col("c_nationkey") == F.col("n_nationkey"))
        .withColumn("disc_price", F.col("item.l_extendedprice") * (1 - F.col("item.l_tax")))
        .groupBy("c_custkey", "c_name", "c_acctbal", "c_phone", "n_name", "c_address", "c_comment")
        .agg(F.sum("disc_price").alias("revenue"))
    )


def elsewhere(tables: Tables) -> Missing:
    """Return the first customer with orders in the quarter as written, and with returned items in the right one."""
    orders = tables["orders"].selectExpr(
        "o_custkey",
        "o_orderkey",
        "o_orderdate between date '1997-10-01' and date '1997-12-31' as written",
        "o_orderdate between date '1993-10-01' and date '1993-12-31' as right",
    )
    customers = (
        orders.join(tables["lineitem"], F.col("o_orderkey") == F.col("l_orderkey"))
        .groupBy("o_custkey")
        .agg(F.expr("bool_or(written) and bool_or(right and l_returnflag = 'R')").alias("fits"))
    )
    found = customers.filter("fits").agg(F.min("o_custkey"))
    return {"c_custkey": first_row(found)[0], "revenue": gt(0)}


Q10 = Scenario(
    name="Q10",
    title="TPC-H query 10 with two modified selections and a modified projection",
    dataset="tpch",
    query=query,
    missing={"c_custkey": 61402, "revenue": gt(0)},
    alternatives=(discount_or_tax(NESTED),),
    errors=("the return flag is A, not R", "the quarter is in 1997, not in 1993", "the tax is taken, not the discount"),
    operators={
        35: Mark("filter", "l_returnflag"),
        36: Mark("filter", "o_orderdate"),
        37: Mark("project"),
        38: Mark("join", "c_custkey"),
    },
    paper=PaperAnswers(
        whynot=operator_sets({38}),
        rp_no_alternatives=operator_sets({35}, {35, 36}),
        rp=operator_sets({35}, {35, 36}, {35, 37}, {35, 36, 37}),
    ),
    gold=frozenset({35, 36, 37}),
    gold_rank=4,
    elsewhere=elsewhere,
)
