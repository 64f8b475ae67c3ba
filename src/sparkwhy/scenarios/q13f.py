"""Q13F: Q13 on flat tables."""

from __future__ import annotations

from dataclasses import replace

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from sparkwhy.scenarios.q13 import Q13
from sparkwhy.scenarios.scenario import Tables


def query(tables: Tables) -> DataFrame:
    orders = tables["orders"].filter(~F.col("o_comment").like("%special%requests%"))
    return (
        tables["customer"]
        .join(orders, F.col("c_custkey") == F.col("o_custkey"))
        .groupBy("c_custkey")
        .agg(F.count("o_orderkey").alias("c_count"))
        .groupBy("c_count")
        .agg(F.count("c_custkey").alias("custdist"))
    )


Q13F = replace(Q13, name="Q13F", query=query)
