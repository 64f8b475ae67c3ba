"""Q4F: Q4 on flat tables."""

from __future__ import annotations

from dataclasses import replace

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from sparkwhy.scenarios.q4 import Q4
from sparkwhy.scenarios.scenario import Tables
from sparkwhy.scenarios.tpch_groups import PRIORITIES, dates


def query(tables: Tables) -> DataFrame:
    late = (
        tables["lineitem"]
        .filter(F.col("l_shipdate") < F.col("l_receiptdate"))
        .groupBy("l_orderkey")
        .agg(F.count("*").alias("cnt"))
    )
    orders = tables["orders"].filter(F.col("o_orderdate").between("1993-07-01", "1993-09-30"))
    return (
        orders.join(late, F.col("o_orderkey") == F.col("l_orderkey"))
        .groupBy("o_shippriority")
        .agg(F.count("o_orderkey").alias("order_count"))
    )


Q4F = replace(Q4, name="Q4F", query=query, alternatives=(dates(), PRIORITIES))
