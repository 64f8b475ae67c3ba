"""Q13: how many customers have how many orders. Those without orders are missing.

As the paper prints it, the filter stands above the join; there it would drop the padded rows of an outer join, whose
comment is null. Here it stands below.
"""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from sparkwhy.scenarios.scenario import Mark, PaperAnswers, Scenario, Tables, operator_sets


def query(tables: Tables) -> DataFrame:
    orders = tables["nested_orders"].filter(~F.col("o_comment").like("%special%requests%"))
    return (
        tables["customer"]
        .join(orders, F.col("c_custkey") == F.col("o_custkey"))
        .groupBy("c_custkey")
        .agg(F.count("o_orderkey").alias("c_count"))
        .groupBy("c_count")
        .agg(F.count("c_custkey").alias("custdist"))
    )


Q13 = Scenario(
    name="Q13",
    title="TPC-H query 13 with one modified join",
    dataset="tpch",
    query=query,
    missing={"c_count": 0},
    alternatives=(),
    errors=("the join is inner, not left outer",),
    operators={39: Mark("join", "c_custkey")},
    paper=PaperAnswers(whynot=operator_sets({39}), rp_no_alternatives=operator_sets({39}), rp=operator_sets({39})),
    gold=frozenset({39}),
    gold_rank=1,
)
