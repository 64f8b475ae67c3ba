"""Q13N: Q13 on customers that hold their orders, with an inner flatten in place of the join.

The comments are looked at within the array, below the flatten, for the reason that Q13 gives.
"""

from __future__ import annotations

from dataclasses import replace

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from sparkwhy.scenarios.q13 import Q13
from sparkwhy.scenarios.scenario import Mark, Tables


def query(tables: Tables) -> DataFrame:
    return (
        tables["nested_customers"]
        .withColumn("usual", F.filter("c_orders", lambda order: ~order["o_comment"].like("%special%requests%")))
        .withColumn("order", F.explode("usual"))
        .groupBy("c_custkey")
        .agg(F.count("order.o_orderkey").alias("c_count"))
        .groupBy("c_count")
        .agg(F.count("c_custkey").alias("custdist"))
    )


Q13N = replace(
    Q13,
    name="Q13N",
    title="TPC-H query 13 on nested customers with one modified flatten",
    query=query,
    errors=("the explode is inner, not outer",),
    operators={39: Mark("flatten", "usual")},
)
