"""Q10F: Q10 on flat tables."""

from __future__ import annotations

from dataclasses import replace

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from sparkwhy.scenarios.q10 import Q10
from sparkwhy.scenarios.scenario import Tables
from sparkwhy.scenarios.tpch_groups import discount_or_tax


def query(tables: Tables) -> DataFrame:
    orders = tables["orders"].filter(F.col("o_orderdate").between("1997-10-01", "1997-12-31"))
    items = tables["lineitem"].filter(F.col("l_returnflag") == "A")
    returned = orders.join(items, F.col("o_orderkey") == F.col("l_orderkey"))
    return (
        tables["customer"]
        .join(returned, F.col("c_custkey") == F.col("o_custkey"))
        .join(tables["nation"], F.col("c_nationkey") == F.col("n_nationkey"))
        .withColumn("disc_price", F.col("l_extendedprice") * (1 - F.col("l_tax")))
        .groupBy("c_custkey", "c_name", "c_acctbal", "c_phone", "n_name", "c_address", "c_comment")
        .agg(F.sum("disc_price").alias("revenue"))
    )


Q10F = replace(Q10, name="Q10F", query=query, alternatives=(discount_or_tax(),))
