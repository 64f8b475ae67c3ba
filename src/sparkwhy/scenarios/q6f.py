"""Q6F: Q6 on flat line items."""

from __future__ import annotations

from dataclasses import replace

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from sparkwhy.scenarios.q6 import Q6
from sparkwhy.scenarios.scenario import Tables
from sparkwhy.scenarios.tpch_groups import dates, discount_or_tax


def query(tables: Tables) -> DataFrame:
    return (
        tables["lineitem"]
        .filter(F.col("l_quantity") < 24)
        .filter(F.col("l_tax").between(0.05, 0.07))
        .filter(F.col("l_shipdate").between("1994-01-01", "1994-12-31"))
        .withColumn("disc_price", F.col("l_extendedprice") * F.col("l_discount"))
        .agg(F.sum("disc_price").alias("revenue"))
    )


Q6F = replace(Q6, name="Q6F", query=query, alternatives=(discount_or_tax(), dates()))
