"""Q1F: Q1 on flat line items."""

from __future__ import annotations

from dataclasses import replace

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from sparkwhy.scenarios.q1 import Q1
from sparkwhy.scenarios.scenario import Tables
from sparkwhy.scenarios.tpch_groups import dates, discount_or_tax


def query(tables: Tables) -> DataFrame:
    return (
        tables["lineitem"]
        .filter(F.col("l_shipdate") <= "1998-09-02")
        .groupBy("l_returnflag", "l_linestatus")
        .agg(F.avg("l_tax").alias("avgDisc"))
    )


Q1F = replace(Q1, name="Q1F", query=query, alternatives=(discount_or_tax(), dates()))
