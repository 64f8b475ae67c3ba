"""Q3F: Q3 on flat tables. Here the segment is filtered first, which changes what the lineage baseline finds."""

from __future__ import annotations

from dataclasses import replace

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from sparkwhy.scenarios.q3 import Q3
from sparkwhy.scenarios.scenario import Tables, operator_sets
from sparkwhy.scenarios.tpch_groups import PRIORITIES, dates, discount_or_tax


def query(tables: Tables) -> DataFrame:
    customers = tables["customer"].filter(F.col("c_mktsegment") == "HOUSEHOLD")
    orders = tables["orders"].filter(F.col("o_orderdate") < "1995-03-15")
    items = tables["lineitem"].filter(F.col("l_commitdate") > "1995-03-25")
    return (
        customers.join(orders, F.col("c_custkey") == F.col("o_custkey"))
        .join(items, F.col("o_orderkey") == F.col("l_orderkey"))
        .withColumn("disc_price", F.col("l_extendedprice") * (1 - F.col("l_discount")))
        .groupBy("l_orderkey", "o_orderdate", "o_shippriority")
        .agg(F.sum("disc_price").alias("revenue"))
    )


Q3F = replace(
    Q3,
    name="Q3F",
    query=query,
    alternatives=(discount_or_tax(), dates(), PRIORITIES),
    paper=replace(Q3.paper, whynot=operator_sets({26})),
)
